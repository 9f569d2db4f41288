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


says(drolab.UsageError, "no method", lambda: drolab.start("x", samples=3))
says(drolab.UsageError, "no data", lambda: drolab.start("x", method="erm"))
says(drolab.UsageError, "and no samples", lambda: drolab.start(resume="x", classes=["a", "b"]))
says(drolab.RunStopped, "expected a number > 0", lambda: start(rho=-1))
says(drolab.RunStopped, 'method "gruop": did you mean group?', lambda: start(method="gruop"))
says(drolab.RunStopped, 'method "GROUP": did you mean group?', lambda: start(method="GROUP"))
says(drolab.RunStopped, 'method "adam": expected one of sfk, ', lambda: start(method="adam"))
says(drolab.RunStopped, "method: expected the name of one", lambda: start(method=["sfk", "erm"]))
says(drolab.RunStopped, "unknown setting rhoo: did you mean rho?", lambda: start(rhoo=1))
says(drolab.RunStopped, "unknown setting roh: did you mean rho?", lambda: start(roh=1))
says(drolab.RunStopped, "did you mean lr?", lambda: start(learning_rate=1))
says(drolab.RunStopped, "jtt_epochs: 2: expected a whole number ≥ 1, below epochs = 2: 2 is its "
     "default: give jtt_epochs or epochs", lambda: start(method="jtt", epochs=2, restart=True))
says(drolab.RunStopped, "average gradients", lambda: start(method="nsgdm"))
says(drolab.RunStopped, "go back to its start", lambda: start(method="jtt"))
says(drolab.RunStopped, "add up to 63", lambda: start(class_counts=[32, 31]))

says(drolab.UsageError, "comes twice", lambda: block(
    lambda run: [run.weights(LOSSES), run.weights(LOSSES)]))
says(drolab.UsageError, "without run.weights", lambda: block(lambda run: run.step()))
says(drolab.UsageError, "loss of each sample", lambda: block(
    lambda run: run.weights(LOSSES.mean())))
says(drolab.UsageError, "give one for each sample", lambda: block(
    lambda run: run.weights(LOSSES, label=[1])))
says(drolab.UsageError, "whole numbers", lambda: block(
    lambda run: run.weights(LOSSES, label=LOSSES)))
says(drolab.RunStopped, "the loss of its sample 0 is NaN", lambda: block(
    lambda run: run.weights(LOSSES * np.nan)))
says(drolab.RunStopped, "run.step(fresh=draw)", lambda: block(
    lambda run: [one(run, fresh=None), one(run)]))
says(drolab.RunStopped, "expected 0 to 1", lambda: block(
    lambda run: run.weights(LOSSES, label=[2] * 8)))

LABELS = np.arange(8) % 2
SPLITS = dict(samples={"train": 64, "test": 8}, method="erm",
              class_counts={"train": [32, 32], "test": [4, 4]})


def evaluated(text, kind=drolab.UsageError, given=SPLITS, **more):
    passed = dict(dict(losses=LOSSES, label=LABELS), **more)
    says(kind, text, lambda: block(lambda run: [one(run), run.evaluate("test", **passed)],
                                   **given))


# What is no probability is named, and not made one.
LOGITS = np.stack([LOSSES - 1, 1 - LOSSES], 1)
evaluated("evaluate: probability: sample 0 has -1, 1", probability=LOGITS)
evaluated("evaluate: probability: sample 3 has nan, 0.5",
          probability=np.where(np.arange(16).reshape(8, 2) == 6, np.nan, 0.5))
evaluated("evaluate: probability: sample 0 has 0, 0, 0, ...", probability=np.zeros((8, 4)))
evaluated("give torch.stack([1 - p, p], 1)", probability=np.full((8, 1), 0.3))
evaluated("has the shape (8,)", probability=np.full(8, 0.3))
evaluated("probability has 4 rows and label has 8", probability=np.full((4, 2), 0.5))
evaluated("evaluate: correct: sample 2 has 2", correct=np.arange(8))
says(drolab.UsageError, "end_epoch: correct: sample 1 has 0.25", lambda: block(
    lambda run: run.end_epoch(LOSSES, correct=LOSSES), method="erm"))

# The samples of a pass are those that were counted.
evaluated("evaluate: 3 samples of the test split have the label 0, and class_counts says 4",
          drolab.RunStopped, label=[0, 1, 0, 1, 0, 1, 1, 1], correct=LABELS)
GROUPED = dict(SPLITS, group_counts={"train": [32, 32], "test": [1, 7]})
evaluated("evaluate: 6 samples of the test split have the group 0, and group_counts says 1",
          drolab.RunStopped, GROUPED, group=[0] * 6 + [1] * 2, correct=LABELS)
TRAIN = np.arange(64) // 8
says(drolab.RunStopped,
     "end_epoch: 56 samples of the train split have the label 0, and class_counts",
     lambda: block(lambda run: run.end_epoch(TRAIN / 8, label=TRAIN == 3)))

# Labels of classes that were never counted.
says(drolab.RunStopped, "weights: label: sample 1 has the label 1, and the run has one class: give "
     "drolab.Data the class of each sample", lambda: block(
         lambda run: run.weights(LOSSES, label=LABELS), class_counts=None))
evaluated("evaluate: label: sample 1 has the label 1, and the run has one class: give "
          "drolab.Data the class of each sample", drolab.RunStopped,
          dict(SPLITS, class_counts=None), probability=np.stack([1 - LABELS, LABELS], 1))
says(drolab.RunStopped, "group: sample 1 has the group 1, and the run has one group: give "
     "drolab.Data the group of each sample", lambda: block(
         lambda run: run.weights(LOSSES, group=LABELS), group_counts=[64]))

# A test split that was not counted may have any size, but each of its samples once.
says(drolab.RunStopped, "evaluate: index: 3 samples of the test split came, and one of them is "
     "sample 7: give each once", lambda: block(
         lambda run: run.evaluate("test", losses=LOSSES[:3], label=LABELS[:3], index=[0, 7, 2],
                                  correct=LABELS[:3])))

# Probabilities in half precision, and those of one class, are what they were.
with start(log_every=1, **dict(SPLITS, epochs=8)) as run:
    stays(run.id, "done")
    one(run)
    halves = np.stack([1 - LOSSES / 2, LOSSES / 2], 1).astype(np.float16) * np.float16(1.002)
    run.evaluate("test", losses=LOSSES, label=LABELS, probability=halves)
    one(run)
    run.evaluate("test", losses=LOSSES, label=LABELS, correct=LABELS > 0)

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
says(drolab.ConnectionLost, f"drolab.start(resume={run.id!r})", lambda: one(run))
says(drolab.UsageError, "has ended", lambda: one(run))


def weighed():
    with start() as run:
        run.weights(LOSSES)


os.environ["DROLAB_TEST_LONG"] = "1"
says(drolab.ConnectionLost, "drolab's process of run x has ended", weighed)
