"""Runs of the given methods on losses from a formula: table.py RUNS METHOD..."""

import sys

import numpy as np

import drolab

N, BATCH, STEPS = 96, 16, 12


def losses(step, index):
    return ((step * 37 + index * 101) % 256) / 64


def samples(step, index):
    return losses(step, index), index % 2, index % 3, index


def train(runs, method):
    everything = np.arange(N)
    counts = {"samples": {"train": N, "val": N, "test": N}}
    counts["class_counts"] = {k: [N // 2] * 2 for k in counts["samples"]}
    counts["group_counts"] = {k: [N // 3] * 3 for k in counts["samples"]}
    own = {"jtt_epochs": 1} if method == "jtt" else {}
    with drolab.start("table", method=method, runs=runs, restart=True, batch=BATCH, log_every=1,
                      settings=own, select="val_worst", epochs=2, **counts) as run:
        for step in range(STEPS):
            index = (np.arange(BATCH) * 5 + step * 7) % N
            loss, label, group, index = samples(step, index)
            w = run.weights(loss, label=label, group=group.astype(np.int32), index=index)
            assert w.shape == (BATCH,) and w.dtype == np.float64
            assert not run.stopping and run.lr == 0.01
            run.step(lr=0.5, grad_norm=float(w.mean()),
                     fresh=lambda: samples(step + 1, (index * 3) % N))
            if step % 6 == 5:
                loss, label, group, _ = samples(step, everything)
                right = np.abs(loss - 1) < 1
                run.evaluate("test", losses=loss, label=label, group=group,
                             probability=np.stack([1 - right * label, right * label], 1))
                run.evaluate("val", losses=loss[::-1], label=label[::-1], group=group[::-1],
                             correct=right[::-1], index=everything[::-1])
                run.end_epoch(loss, label=label, group=group, correct=right)
                run.log(sum=loss.sum(), nothing=float("nan"))
    return run.id


for method in sys.argv[2:]:
    print(train(sys.argv[1], method))
