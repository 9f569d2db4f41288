"""ResNet-18 on CIFAR-10, as drolab trains it.

Words behind the program's name:
  folder=...        the folder of the six files of cifar-10-binary (default: the folder into
                    which drolab data fetch puts them)
  optimizer=adamw   the optimiser, adamw or sgd (default)
  workers=4         the number of processes that read ahead
  width=64          the number of channels of the first stage
  bf16=true         computes products in bfloat16
"""

import os
import random

import numpy as np
import torch
from torch import nn

import drolab.torch

CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
           "truck"]
MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).view(3, 1, 1)
DEVIATION = torch.tensor([0.2470, 0.2435, 0.2616]).view(3, 1, 1)


class CIFAR(torch.utils.data.Dataset):
    """CIFAR-10 records: a label byte, and then 32x32 pixels, one colour plane after another."""

    def __init__(self, folder, names, augment=False):
        raw = np.concatenate([np.fromfile(os.path.join(folder, n), np.uint8) for n in names])
        raw = raw.reshape(-1, 1 + 3 * 32 * 32)
        self.targets = raw[:, 0].astype(np.int64)
        self.pixels = torch.from_numpy(raw[:, 1:].reshape(-1, 3, 32, 32).copy())
        self.augment = augment

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        x = (self.pixels[i].float() / 255 - MEAN) / DEVIATION
        if self.augment:  # a crop of the padded picture, and a flip
            x = nn.functional.pad(x, (4, 4, 4, 4))
            top, left = random.randrange(9), random.randrange(9)
            x = x[:, top:top + 32, left:left + 32]
            if random.random() < 0.5:
                x = x.flip(2)
        return x, self.targets[i]


class Block(nn.Module):
    def __init__(self, width_in, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.short: nn.Module = nn.Identity()
        if stride > 1 or width_in != width:
            self.short = nn.Sequential(nn.Conv2d(width_in, width, 1, stride, bias=False),
                                       nn.BatchNorm2d(width))

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.short(x))


def resnet18(classes, width=64):
    """Returns the ResNet-18 of He et al. 2016 for small pictures.

    Its first layer is a 3x3 convolution without pooling.
    """
    layers = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    before = width
    for stage in range(4):
        now = width << stage
        layers += [Block(before, now, 2 if stage else 1), Block(now, now, 1)]
        before = now
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(before, classes))


class Job(drolab.torch.Job):
    classes = CLASSES

    def setup(self, settings):
        self.num_workers = settings.get("workers", 0)
        if settings.get("bf16"):
            self.autocast = torch.bfloat16
        self.model = resnet18(10, settings.get("width", 64)).to(self.device)
        if settings.get("optimizer") == "adamw":
            self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=settings["lr"])
        else:
            self.optimizer = torch.optim.SGD(
                self.model.parameters(), lr=settings["lr"], momentum=settings.get("momentum", 0),
                weight_decay=settings.get("weight_decay", 0))
        home = os.environ.get("DROLAB_DATA") or os.path.expanduser("~/.cache/drolab")
        folder = settings.get("folder", os.path.join(home, "cifar-10-batches-bin"))
        train = ["data_batch_%d.bin" % i for i in range(1, 6)]
        return {"train": CIFAR(folder, train, augment=True), "plain": CIFAR(folder, train),
                "test": CIFAR(folder, ["test_batch.bin"])}


drolab.torch.main(Job)
