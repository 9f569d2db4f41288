"""Steps without a network: steps.py RUNS METHOD N prints the time of one step in nanoseconds."""

import sys
import time

import numpy as np

import drolab

runs, method, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
table = np.random.default_rng(0).exponential(size=50000)
index = np.arange(128)
label = index % 10
with drolab.start("table", method=method, runs=runs, samples=len(table), batch=128,
                  class_counts=[5000] * 10, settings={"log_every": 100}) as run:
    began = time.perf_counter_ns()
    for _ in range(n):
        losses = table[index]
        run.weights(losses, label=label, index=index)
        run.step(lr=.1, grad_norm=1., fresh=lambda: table[index])
    print((time.perf_counter_ns() - began) // n)
