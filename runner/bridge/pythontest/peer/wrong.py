"""Programs with a mistake in their setup or loss: wrong.py WHICH."""

import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import IterableDataset, TensorDataset

import drolab.torch

which = sys.argv[1]


def data(n, labels=None, groups=None):
    labels = torch.arange(n) % 2 if labels is None else labels
    return TensorDataset(torch.randn(n, 4), labels, *([] if groups is None else [groups]))


class Stream(IterableDataset):
    def __iter__(self):
        return iter([(torch.zeros(4), 0)])


HEADS = ("head", "no-bias", "head-outside", "head-classes", "head-loss", "head-never",
         "head-twice", "head-scaled")


class Job(drolab.torch.Job):
    def setup(self, settings):
        self.model = nn.Linear(4, 3 if which == "outputs" else 2)
        if which in HEADS:
            self.model = nn.Sequential(nn.Linear(4, 4), nn.Linear(
                4, 3 if which == "head-classes" else 2, which != "no-bias"))
            self.head = {"head": self.model, "head-outside": nn.Linear(4, 2)}.get(
                which, self.model[1])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"])
        splits = {"train": data(20), "test": data(10)}
        if which == "nothing":
            return None
        if which == "split":
            splits["valid"] = splits.pop("test")
        if which == "no-test":
            del splits["test"]
        if which == "empty":
            splits["test"] = data(0)
        if which == "floats":
            splits["train"] = data(20, torch.rand(20))
        if which == "negative":
            splits["train"] = data(20, torch.arange(20) - 1)
        if which == "classes":
            splits["test"] = data(10, torch.arange(10))
        if which == "groups":
            splits["train"] = data(20, None, torch.arange(20) % 3)
        if which == "iterable":
            splits["train"] = iter([1])
        if which == "sample":
            splits["train"] = TensorDataset(torch.randn(5, 4))
        if which == "stream":
            splits["train"] = Stream()
        if which == "one-hot":
            splits["train"] = data(20, torch.eye(2)[torch.arange(20) % 2])
        if which == "metadata":
            splits["train"] = data(20, None, torch.zeros(20, 3))
        if which == "no-label":
            splits["train"] = [{"target": 0, "input_ids": [1, 2]}] * 20
        if which == "role":
            self.fields = {"x": 0, "label": 1}
        if which == "no-field":
            self.fields = {"x": 0, "y": "labels"}
        if which == "forms":
            splits["test"] = [{"x": torch.zeros(4), "label": 0}] * 10
        if which == "no-model":
            self.model = None
        if which == "no-optimizer":
            self.optimizer = None
        if which == "setting":
            settings["width"]
        if which == "nan":
            self.model.weight.data.fill_(float("nan"))
        if which == "device":
            self.model.to("meta")
        if which == "exits":
            sys.exit("enough")
        return splits

    def forward(self, x):
        if which == "head-never":
            return nn.functional.linear(self.model[0](x), self.head.weight, self.head.bias)
        if which == "head-twice":
            return self.model(x) + self.head(x)
        return 2 * self.model(x) if which == "head-scaled" else self.model(x)

    def loss(self, outputs, y):
        losses = super().loss(outputs, y)
        if which == "mean":
            return losses.mean()
        if which == "detached":
            return losses.detach()
        if which == "raises":
            raise KeyError("a mistake\nof two lines")
        return losses[1:] if which == "short" else losses


if which in HEADS and which != "head-loss":
    del Job.loss
if which == "gpus":
    torch.cuda.is_available = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 8
if which == "mps":
    torch.backends.mps.is_available = lambda: True
if which == "numpy":
    class Job(drolab.Job):  # noqa: F811
        def setup(self, settings):
            return {"train": np.zeros((3, 2), int), "test": [0, 1]}

drolab.torch.main(Job)
