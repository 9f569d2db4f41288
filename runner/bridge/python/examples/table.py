"""A small network on a table: table.py file=data.csv label=COLUMN [group=COLUMN] [hidden=64]

The columns of numbers are the features. Of every five rows, the first is for testing, the second
for validation and the others for training.
"""

import csv

import numpy as np
import torch
from torch import nn
from torch.utils.data import Subset, TensorDataset

import drolab.torch


def read(path, label, group):
    """Returns the features, labels and groups of a file, and the names of classes and groups."""
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    features = [c for c in rows[0] if c not in (label, group) and is_number(rows[0][c])]
    x = np.array([[float(r[c]) for c in features] for r in rows], np.float32)
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    columns, names = [torch.from_numpy(x)], []
    for column in [label] + ([group] if group else []):
        kinds, numbers = np.unique([r[column] for r in rows], return_inverse=True)
        columns.append(torch.from_numpy(numbers))
        names.append(kinds.tolist())
    return TensorDataset(*columns), names


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


class Job(drolab.torch.Job):
    def setup(self, settings):
        data, names = read(settings["file"], settings["label"], settings.get("group"))
        self.classes = names[0]
        self.groups = names[1] if len(names) > 1 else None
        hidden = settings.get("hidden", 64)
        self.model = nn.Sequential(nn.Linear(data.tensors[0].shape[1], hidden), nn.ReLU(),
                                   nn.Linear(hidden, len(self.classes))).to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"],
                                         momentum=settings.get("momentum", 0))
        rows = range(len(data))
        return {"train": Subset(data, [i for i in rows if i % 5 > 1]),
                "val": Subset(data, rows[1::5]), "test": Subset(data, rows[::5])}


drolab.torch.main(Job)
