"""A native network of drolab, as drolab export writes it, on samples that drolab has read: folder=."""

import os
import sys

import numpy as np
import torch

import drolab.torch
from drolab import _device as device
from drolab import _network

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
    def loss(self, outputs, y):
        losses = super().loss(outputs, y)
        if self.current_mode == "train":
            self.log(mean=losses.mean())
        return losses

    def _hold(self):
        return Watched(self)

    def setup(self, settings):
        folder = settings["folder"]
        if settings.get("forms"):
            _network._BY_DROLAB = ()  # forms on the CPU, too
        sys.path.insert(0, folder)
        import native_network
        self.model = native_network.Network()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"],
                                         momentum=settings["momentum"],
                                         weight_decay=settings["weight_decay"])
        shape = native_network.FACTS["shape"]
        return {split: Samples(folder, split, shape) for split in ("train", "val", "test")
                if os.path.exists(os.path.join(folder, split + ".x"))}


class Watched(_network.Network):
    by_forms = False

    def take_step(self, *given):
        self.by_forms = True
        super().take_step(*given)

    def save(self, folder):
        assert self.by_forms == bool(self.job.settings.get("forms")), "other steps than the test's"
        super().save(folder)


sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "engine", "peer"))


class Apart(Job):
    """The same on a device that does not exist: see far.py. Checks what the host reads there."""

    def setup(self, settings):
        import far
        self.far = far
        device.stream = lambda _: far.Stream()
        far.Device().__enter__()
        given = super().setup(settings)
        self.device = torch.device("meta")
        for m in self.model.modules():
            for name, p in list(m._parameters.items()):
                m._parameters[name] = p if p is None else torch.nn.Parameter(far.Far(p.detach()))
            for name, b in list(m._buffers.items()):
                m._buffers[name] = far.Far(b)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"],
                                         momentum=settings["momentum"],
                                         weight_decay=settings["weight_decay"])
        return given

    def _hold(self):
        return Far(self)


class Far(Watched):
    def begin_step(self, *given):
        self.job.far.now += 1
        self.job.far.reads.clear()
        super().begin_step(*given)

    def results(self):
        assert not self.job.far.reads, self.job.far.reads
        return super().results()

    def save(self, folder):
        with open(os.path.join(folder, "none"), "w") as f:
            f.write("no run goes on from here")

    def close(self):
        """Writes the number of copies, and of those that were waited for one forward pass later."""
        arrived = self.job.far.arrived
        if arrived and all(now in (made, made + 1) for made, now in arrived):
            with open(os.path.join(self.job.settings["folder"], "arrived"), "w") as f:
                print(len(arrived), sum(now > made for made, now in arrived), file=f)
        super().close()


drolab.torch.main(Apart if "apart=1" in sys.argv else Job)
