"""Scripts whose disk is full for a while, which say so and go on: full.py RUNS.

RUNS is a folder on a small disk. The words that a script prints free the disk again. The first
script waits for an answer then; the second sends a batch that is longer than a pipe.
"""

import faulthandler
import os
import sys

import numpy as np

import drolab

RUNS = sys.argv[1]
BALLAST = os.path.join(os.path.dirname(RUNS), "ballast")
faulthandler.dump_traceback_later(120, exit=True)  # it hangs


def fill():
    """Takes all room of the disk."""
    with open(BALLAST, "ab", buffering=0) as f:
        try:
            while True:
                f.write(bytes(512))
        except OSError:
            pass


class Freeing:
    """Frees the disk when a script says that its run waits for it."""

    said = ""

    def write(self, text):
        self.said += text
        if "it continues when this is fixed" in text:
            os.remove(BALLAST)

    def flush(self):
        pass


for n in (64, 20_000):
    sys.stderr, errors = Freeing(), sys.stderr
    with drolab.start("full", method="sfk", samples=n, batch=n, epochs=10_000, log_every=1,
                      runs=RUNS) as run:
        for step in range(10_000):
            if step == 2:
                fill()
            losses = np.arange(n) % 8 + 0.5
            weights = run.weights(losses, index=np.arange(n))
            assert weights.shape == (n,), weights.shape
            run.step(grad_norm=1.0, fresh=lambda: losses)
            if sys.stderr.said:
                break
        for _ in range(3):
            run.weights(losses)
            run.step(grad_norm=1.0, fresh=lambda: losses)
        steps = run.steps
    sys.stderr, said = errors, sys.stderr.said
    assert said.startswith("drolab: the run waits: ") and said.count("\n") == 1, said
    assert "disk full: free space" in said and "no space left on device" in said, said
    print(run.id, steps)
