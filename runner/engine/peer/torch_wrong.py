"""Mistakes of a script whose weights are computed by forms: torch_wrong.py RUNS."""

import os
import sys

import numpy as np
import torch

import drolab
from drolab import _loop as loop

loop._BY_DROLAB = ()  # forms on the CPU, too
RUNS = sys.argv[1]
LOSSES = torch.arange(8) / 4
GROUPS = torch.arange(8) % 2


def start(**more):
    given = dict(method="sfk", samples=64, class_counts=[32, 32], batch=8, epochs=3)
    given.update(more)
    return drolab.start("wrong", runs=RUNS, **given)


def says(kind, text, do):
    try:
        do()
    except kind as e:
        assert text in str(e) and "\n" not in str(e), str(e)
        print("says", text)
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def one(run, losses=LOSSES, **more):
    w = run.weights(losses, **more)
    run.step(grad_norm=torch.tensor(1.0), fresh=lambda: LOSSES)
    return w


def block(do, **more):
    with start(**more) as run:
        print("run", run.id, "failed")
        do(run)


says(drolab.RunStopped, "weights: gpu: expected one of device, host", lambda: start(weights="gpu"))
says(drolab.UsageError, "run.form comes before run.ready", lambda: block(
    lambda run: run.form(LOSSES)))
says(drolab.UsageError, "has no form, or weights is host", lambda: block(
    lambda run: run.ready("cpu"), weights="host"))
says(drolab.UsageError, "has no form, or weights is host", lambda: block(
    lambda run: run.ready("cpu"), method="sfk-auto"))
says(drolab.UsageError, "comes twice", lambda: block(
    lambda run: [run.weights(LOSSES), run.weights(LOSSES)]))
says(drolab.UsageError, "loss of each sample", lambda: block(
    lambda run: run.weights(LOSSES.mean())))
says(drolab.UsageError, "losses are int64", lambda: block(lambda run: run.weights(GROUPS)))
says(drolab.UsageError, "give one for each sample", lambda: block(
    lambda run: run.weights(LOSSES, label=GROUPS[:3])))
says(drolab.UsageError, "whole numbers", lambda: block(
    lambda run: run.weights(LOSSES, label=LOSSES)))
says(drolab.UsageError, "give label: the method looks at it", lambda: block(one, method="group"))
says(drolab.UsageError, "between run.weights and run.step", lambda: block(
    lambda run: [run.ready("cpu"), run.checkpoint().__enter__()]))

# What only drolab knows comes one step late, but before anything is saved.
says(drolab.RunStopped, "weights of step 2: the loss of its sample 3 is NaN", lambda: block(
    lambda run: [one(run), one(run, torch.where(LOSSES == 0.75, float("nan"), LOSSES)), one(run)]))
says(drolab.RunStopped, "weights of step 1: the loss of its sample 0 is +Inf", lambda: block(
    lambda run: [one(run, -LOSSES.log()), run.checkpoint().__enter__()]))
says(drolab.RunStopped, "label: ", lambda: block(
    lambda run: [one(run, label=GROUPS * 2), run.best()], method="group"))
says(drolab.RunStopped,
     "weights of step 1: label: sample 1 has the label 1, and the run has one class",
     lambda: block(lambda run: [one(run, label=GROUPS), run.best()], class_counts=None))
says(drolab.RunStopped, "run.step(fresh=draw)", lambda: block(
    lambda run: [run.weights(LOSSES), run.step(), one(run)]))
says(ValueError, "no room", lambda: block(lambda run: [one(run), float("no room")]))

# Logits are no probabilities, and their softmax is, also in half precision.
LOGITS = torch.randn(64, 10, generator=torch.Generator().manual_seed(1)) * 4
TEN = dict(method="erm", samples={"train": 64, "test": 64},
           class_counts={k: [8, 8, 8, 8, 8, 8, 8, 8, 0, 0] for k in ("train", "test")})
for halves in (torch.float32, torch.float16, torch.bfloat16):
    given = LOGITS.to(halves)
    passed = dict(losses=torch.ones(64, dtype=halves), label=torch.arange(64) % 8)
    says(drolab.UsageError, "evaluate: probability: sample 0 has ", lambda: block(
        lambda run: [one(run), run.evaluate("test", probability=given, **passed)], **TEN))
    with start(**TEN) as run:
        print("run", run.id, "done")
        one(run)
        run.evaluate("test", probability=given.softmax(1), **passed)

# A step is told at the end at the latest, and a tensor may change once it was weighed.
with start(log_every=1) as run:
    print("run", run.id, "done")
    losses = LOSSES.clone()
    w = run.weights(losses, label=GROUPS.to(torch.uint8), index=np.arange(8))
    assert torch.equal(w, run.form(losses))
    losses.fill_(float("nan"))
    run.log(within=torch.tensor(1.0))
    run.step(fresh=lambda: LOSSES)
    run.log(late=torch.tensor(2.0), now=3)
with open(os.path.join(RUNS, run.id, "events.jsonl")) as f:
    text = f.read()
assert '"user.within":1' in text and '"user.late":2' in text and '"user.now":3' in text and '"loss":0.875' in text, text

# Weights of drolab's for NumPy, weights of the form for tensors, one after the other.
with start(method="erm") as run:
    print("run", run.id, "done")
    for losses in (LOSSES.numpy(), LOSSES, LOSSES.bfloat16(), LOSSES.numpy(), LOSSES.double()):
        w = one(run, losses)
        assert len(w) == 8 and (w == 1).all()
        assert getattr(w, "dtype", None) in (np.float64, torch.float32, torch.float64)
assert run.steps == 5
