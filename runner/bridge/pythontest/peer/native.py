"""A native network of drolab, as drolab export writes it, on samples that drolab has read: folder=."""

import os
import sys

import numpy as np
import torch

import drolab.torch

torch.use_deterministic_algorithms(True)


class Samples(torch.utils.data.Dataset):
    def __init__(self, folder, split, shape):
        path = os.path.join(folder, split)
        self.x = torch.from_numpy(np.fromfile(path + ".x", "<f4").reshape(-1, *shape))
        self.targets = np.fromfile(path + ".labels", "<i4")
        self.groups = np.fromfile(path + ".groups", "<i4")

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.x[i], int(self.targets[i]), int(self.groups[i])


class Job(drolab.torch.Job):
    def setup(self, settings):
        folder = settings["folder"]
        sys.path.insert(0, folder)
        import native_network
        self.model = native_network.Network()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"],
                                         momentum=settings["momentum"],
                                         weight_decay=settings["weight_decay"])
        shape = native_network.FACTS["shape"]
        return {split: Samples(folder, split, shape) for split in ("train", "val", "test")
                if os.path.exists(os.path.join(folder, split + ".x"))}


drolab.torch.main(Job)
