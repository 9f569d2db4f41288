"""The program of the tests. Its settings choose its parts and where it fails."""

import os
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

import drolab.torch


class Noisy(Dataset):
    """Samples x, y, group. With noise, each access adds numbers of all three generators to x."""

    def __init__(self, n, noise, fails=-1):
        self.x = torch.randn(n, 8, generator=torch.Generator().manual_seed(n))
        self.y = (self.x[:, 0] > 0).long()
        self.noise, self.fails = noise, fails
        if fails >= 0:
            self.targets, self.groups = self.y, torch.arange(n) % 3

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        if i == self.fails:
            raise OSError("no such picture")
        x = self.x[i]
        if self.noise:
            x = x + torch.rand(8) + random.random() + np.random.rand()
        return x, int(self.y[i]), i % 3


def network(dropout=0.1):
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(dropout),
                         nn.Linear(16, 2))


class Job(drolab.torch.Job):
    groups = ["a", "b", "c"]

    def setup(self, settings):
        print("to standard output")
        self.num_workers = settings.get("workers", 0)
        self.microbatch = settings.get("micro", 0)
        if settings.get("bf16"):
            self.autocast = torch.bfloat16
        self.model = network(settings.get("dropout", 0.1))
        if settings.get("norm") is False:
            self.model[1] = nn.Identity()
        if settings.get("optimizer", "adamw") == "adamw":
            self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=settings["lr"])
        else:
            self.optimizer = torch.optim.SGD([
                {"params": self.model[0].parameters(), "lr": settings["lr"]},
                {"params": self.model[4].parameters(), "lr": 3 * settings["lr"]},
            ], momentum=settings["momentum"])
        if settings.get("wrapped") == "compile":
            self.model = torch.compile(self.model, backend="eager")
        if settings.get("wrapped") == "ddp":
            torch.distributed.init_process_group("gloo", rank=0, world_size=1,
                                                 store=torch.distributed.HashStore())
            self.model = nn.parallel.DistributedDataParallel(self.model)
        if settings.get("scaler"):
            self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        return self.data(settings)

    def data(self, settings):
        noise = settings.get("noise", True)
        return {"train": Noisy(300, noise, settings.get("fails", -1)), "test": Noisy(100, False),
                "val": Noisy(60, False)}

    def loss(self, outputs, y):
        self.log(asked=len(y), none=float("nan"))
        return super().loss(outputs, y)


if __name__ == "__main__":
    drolab.torch.main(Job)
