#!/usr/bin/env python3
"""The peer of `drolab bench`: the same network, batch and three kinds of step in PyTorch on the CPU.

    torch_alexnet.py [THREADS]        (default 2)

The network is nn.Sequential over the layers of the model "alexnet" (dro/nn/models.go). The steps are the same as in
runner/train/step.go. ERM takes the mean loss. PGD weighs each loss by its likelihood ratio and moves (lambda, eta) by their
gradient. SFK then runs a second batch forward for its dual step. All update with SGD and momentum. The kinds of step take
turns. The medians are printed as one JSON object with the keys of `drolab bench --json`. Inputs are created beforehand, so
PyTorch loads no data here.
"""
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy

BATCH, ROUNDS, WARM = 128, 30, 5
RADIUS, RATE = 1.5, 0.01


def network():
    def conv(into, out, kernel, stride=1, pool=False):
        layers = [nn.Conv2d(into, out, kernel, stride, kernel // 2), nn.ReLU()]
        return layers + [nn.MaxPool2d(2)] if pool else layers

    return nn.Sequential(*conv(3, 64, 11, 4, pool=True), *conv(64, 192, 5, pool=True), *conv(192, 384, 3),
                         *conv(384, 256, 3), *conv(256, 256, 3, pool=True), nn.Flatten(), nn.Linear(256, 10))


def chi_square_ratios(losses, z):
    return (losses - z[1]).clamp(min=0) / z[0]


class Run:
    """One training run on two fixed batches of noise."""

    def __init__(self):
        self.net = network()
        self.sgd = torch.optim.SGD(self.net.parameters(), RATE, momentum=0.9)
        self.x, self.x2 = torch.randn(2, BATCH, 3, 32, 32)
        self.y, self.y2 = torch.randint(0, 10, (2, BATCH))
        self.z = [1.0, 0.0]  # lambda, eta

    def descend(self, robust):
        self.sgd.zero_grad()
        losses = cross_entropy(self.net(self.x), self.y, reduction="none")
        known = losses.detach()
        ((chi_square_ratios(known, self.z) if robust else 1) * losses).mean().backward()
        self.sgd.step()
        return known

    def dual_gradient(self, losses):
        r = chi_square_ratios(losses, self.z)
        return RADIUS - (float((r * r).mean()) - 1) / 2, 1 - float(r.mean())

    def erm(self):
        self.descend(robust=False)

    def pgd(self):
        dl, de = self.dual_gradient(self.descend(robust=True))
        self.z = [min(max(self.z[0] - RATE * dl, 0.1), 10), min(max(self.z[1] - RATE * de, -10), 10)]

    def sfk(self):
        self.descend(robust=True)
        with torch.no_grad():
            dl, de = self.dual_gradient(cross_entropy(self.net(self.x2), self.y2, reduction="none"))
        corner = [0.1 if dl > 0 else 10, -10 if de > 0 else 10]
        gap = -(corner[0] - self.z[0]) * dl - (corner[1] - self.z[1]) * de
        step = min(gap / 1000, 1)
        self.z = [v + step * (c - v) for v, c in zip(self.z, corner)]

    def forward(self):
        with torch.no_grad():
            cross_entropy(self.net(self.x), self.y, reduction="none")


def instruction_set():
    """The instruction set that ATen reports. oneDNN has a switch of its own, which compare.sh sets to the same."""
    try:
        return torch.backends.cpu.get_cpu_capability().lower()
    except AttributeError:  # before PyTorch 2.1
        return "unknown"


def main():
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    erm = Run()
    kinds = {"train_ms": erm.erm, "forward_ms": erm.forward, "sfk_ms": Run().sfk, "pgd_ms": Run().pgd}
    times = {name: [] for name in kinds}
    for i in range(WARM + ROUNDS):
        for name, step in kinds.items():
            start = time.perf_counter()
            step()
            if i >= WARM:
                times[name].append(1e3 * (time.perf_counter() - start))
    medians = {name: round(statistics.median(t), 3) for name, t in times.items()}
    print(json.dumps({"framework": "torch " + torch.__version__, "kernel": instruction_set(), "batch": BATCH, "threads": threads,
                      **medians}))


if __name__ == "__main__":
    main()
