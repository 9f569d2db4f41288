"""A small ResNet on pictures whose colour nearly tells their class, with its last layer as its head.

The class is the direction of stripes. The group is the class and the colour, which differs from
the class for a share of the samples. The words choose the network:

compile    torch.compile, with the backend eager
bf16       autocast to bfloat16
micro=N    batches pass in parts of N samples
dies=FILE  the process dies in the call that FILE names, as in "step 30", and removes FILE first
"""

import os
import signal

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

import drolab.torch
from drolab import _network


def pictures(n, rare, seed):
    draw = torch.Generator().manual_seed(seed)
    y = torch.randint(2, (n,), generator=draw)
    colour = torch.where(torch.rand(n, generator=draw) < rare, 1 - y, y)
    x = torch.randn(n, 3, 8, 8, generator=draw)
    stripes = torch.arange(8).remainder(2) * 2.0 - 1
    upright = stripes.expand(8, 8)
    x += 0.25 * torch.where(y.bool()[:, None, None], upright, upright.T)[:, None]
    x[torch.arange(n), colour] += 1.0
    return TensorDataset(x, y, 2 * y + colour)


class Block(nn.Module):
    def __init__(self, width, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.down = nn.Conv2d(width, out, 1, stride, bias=False)

    def forward(self, x):
        inner = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(inner + self.down(x))


class ResNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, width, 1), Block(width, 2 * width, 2))
        self.fc = nn.Linear(2 * width, 2)

    def forward(self, x):
        return self.fc(self.blocks(x).mean((2, 3)))


class Job(drolab.torch.Job):
    def setup(self, settings):
        torch.manual_seed(self.seed)
        self.model = ResNet().to(self.device)
        if "compile" in self.arguments:
            self.model = torch.compile(self.model, backend="eager")
        if "bf16" in self.arguments:
            self.autocast = torch.bfloat16
        self.microbatch = settings.get("micro", 0)
        self.head = self.model.fc
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"],
                                         momentum=settings["momentum"])
        self.calls = {}
        return {"train": pictures(2000, 0.03, 1), "val": pictures(2000, 0.1, 2),
                "test": pictures(4000, 0.5, 3)}

    def dies(self, call):
        path = self.settings.get("dies")
        self.calls[call] = self.calls.get(call, 0) + 1
        if path and os.path.exists(path):
            with open(path) as f:
                if f.read() == f"{call} {self.calls[call]}":
                    os.remove(path)
                    os.kill(os.getpid(), signal.SIGKILL)

    def _hold(self):
        return Mortal(self)


class Mortal(_network.Network):
    def step(self, *rule):
        self.job.dies("step")
        return super().step(*rule)

    def last_features(self):
        self.job.dies("features")
        return super().last_features()

    def set_last_layer(self, *layer):
        self.job.dies("layer")
        super().set_last_layer(*layer)


drolab.torch.main(Job)
