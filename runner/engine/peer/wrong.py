"""Mistakes and failures of a script, and their error messages: wrong.py RUNS."""

import os
import signal
import sys

import numpy as np

import drolab

RUNS = sys.argv[1]
LOSSES = np.arange(8) / 4


def start(**more):
    given = dict(method="sfk", samples=64, class_counts=[32, 32], batch=8, epochs=3)
    given.update(more)
    return drolab.start("wrong", runs=RUNS, **given)


def draw():
    return LOSSES


def says(kind, text, do):
    try:
        do()
    except kind as e:
        assert text in str(e) and "\n" not in str(e), str(e)
        print("says", text)
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def one(run, **more):
    w = run.weights(LOSSES)
    run.step(**dict(dict(grad_norm=1.0, fresh=draw), **more))
    return w


def stays(name, status):
    print("run", name, status)


def block(do, **more):
    with start(**more) as run:
        stays(run.id, "failed")
        do(run)


says(drolab.Wrong, "no method", lambda: drolab.start("x", samples=3))
says(drolab.Wrong, "no samples", lambda: drolab.start("x", method="erm"))
says(drolab.Wrong, "and no samples", lambda: drolab.start(resume="x", classes=["a", "b"]))
says(drolab.Failed, "want a number > 0", lambda: start(rho=-1))
says(drolab.Failed, "average gradients", lambda: start(method="nsgdm"))
says(drolab.Failed, "go back to its start", lambda: start(method="jtt"))
says(drolab.Failed, "add up to 63", lambda: start(class_counts=[32, 31]))

says(drolab.Wrong, "comes twice", lambda: block(
    lambda run: [run.weights(LOSSES), run.weights(LOSSES)]))
says(drolab.Wrong, "without run.weights", lambda: block(lambda run: run.step()))
says(drolab.Wrong, "loss of each sample", lambda: block(lambda run: run.weights(LOSSES.mean())))
says(drolab.Wrong, "give one for each sample", lambda: block(
    lambda run: run.weights(LOSSES, label=[1])))
says(drolab.Wrong, "whole numbers", lambda: block(lambda run: run.weights(LOSSES, label=LOSSES)))
says(drolab.Failed, "the loss of its sample 0 is NaN", lambda: block(
    lambda run: run.weights(LOSSES * np.nan)))
says(drolab.Failed, "run.step(fresh=draw)", lambda: block(
    lambda run: [one(run, fresh=None), one(run)]))
says(drolab.Failed, "want 0 to 1", lambda: block(lambda run: run.weights(LOSSES, label=[2] * 8)))

try:
    with start() as run:
        stays(run.id, "failed")
        one(run)
        raise ValueError("no\nroom")
except ValueError:
    pass

with start() as run:
    one(run)
    try:
        with run.checkpoint() as folder:
            np.save(os.path.join(folder, "half.npy"), LOSSES)
            raise OSError("full")
    except OSError:
        pass
    assert not os.path.exists(folder)
    with run.checkpoint() as folder:
        np.save(os.path.join(folder, "whole.npy"), LOSSES * 2)
    one(run)
    run.stopping = True  # as if drolab had asked for it

with drolab.start(resume=run.id, runs=RUNS) as again:
    assert again.id == run.id and again.steps == 1 and again.epoch == 0
    assert os.listdir(again.saved) == ["whole.npy"]
    assert (np.load(os.path.join(again.saved, "whole.npy")) == LOSSES * 2).all()
    one(again)
    assert not again.end_epoch()
stays(again.id, "done")

with drolab.start(from_=run.id + "@1", rho=1, runs=RUNS) as fork:
    stays(fork.id, "done")
    one(fork, skipped=True)

try:
    with start() as run:
        stays(run.id, "stopped")
        one(run)
        os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    pass

run = start()
stays(run.id, "interrupted")
one(run)
os.kill(run._talk._process.pid, signal.SIGKILL)
run._talk._process.wait()
says(drolab.Lost, f"drolab.start(resume={run.id!r})", lambda: one(run))
says(drolab.Wrong, "has ended", lambda: one(run))


def weighed():
    with start() as run:
        run.weights(LOSSES)


os.environ["DROLAB_TEST_LONG"] = "1"
says(drolab.Lost, "drolab's process of run x has ended", weighed)
