"""Runs with weights of drolab's, and of forms on the CPU and on a device that does not exist.

weights.py RUNS METHOD... prints for each method the names of its three runs. In all of them, the
parameters come to the same bits. On the far device, the host waits for nothing of a step before it
has queued the forward pass of the next step.
"""

import sys

import torch
import torch.nn.functional as F
from torch import nn

import drolab
import drolab.torch
import far
from drolab import _device as device
from drolab import _loop as loop

STEPS, BATCH, N = 80, 24, 96
runs = sys.argv[1]
torch.set_num_threads(1)
device.stream = lambda _: far.Stream()
made = torch.Generator().manual_seed(1)
X = torch.randn(N, 6, generator=made)
Y = (X[:, 0] > 0).long()
G = Y + 2 * (X[:, 1] > 0.3).long()
COUNTS = {"class_counts": torch.bincount(Y), "group_counts": torch.bincount(G)}
MORE = {"sfk": {"c": 5}, "pan": {"uncertainty": "kl"}, "sfk-auto": {"c_rule": 3}}


def train(method, weights, apart):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    x, y, g = X, Y, G
    if apart:
        x, y, g = (far.Far(t) for t in (x, y, g))
        for m in model.modules():
            for name, p in list(m._parameters.items()):
                m._parameters[name] = p if p is None else nn.Parameter(far.Far(p.detach()))
            for name, b in list(m._buffers.items()):
                m._buffers[name] = far.Far(b)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    draws = torch.Generator().manual_seed(3)

    def draw():
        far.now += 1
        i = torch.randint(N, (BATCH,), generator=draws)
        i = far.Far(i) if apart else i
        return F.cross_entropy(model(x[i]), y[i], reduction="none"), y[i], g[i], i

    def fresh():
        with drolab.torch.probe(model):
            drawn = draw()
        far.now -= 1
        return drawn

    far.now, far.reads[:], far.arrived[:] = 0, [], []
    with drolab.start("weights", method=method, runs=runs, samples=N, batch=BATCH, log_every=4,
                      epochs=STEPS * BATCH // N, weights=weights, restart=True, **COUNTS,
                      settings=MORE.get(method, {})) as run:
        print(run.id, end=" ")
        for _ in range(STEPS):
            losses, label, group, index = draw()
            w = run.weights(losses, label=label, group=group, index=index)
            assert w.dtype == torch.float32 and w.device == losses.device
            optimizer.zero_grad()
            (w * losses).mean().backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5)
            optimizer.step()
            run.step(lr=0.1, grad_norm=norm, fresh=fresh)
            run.log(mean=losses.mean())
        if apart:
            assert not far.reads, far.reads
            early = [pair for pair in far.arrived if pair[1] != pair[0] + 1]
            # losses, label, group, index, norm, logged; the fresh draw has four more
            assert not early and len(far.arrived) in (6 * (STEPS - 1), 10 * (STEPS - 1)), early
    return [getattr(p, "values_", p).detach() for p in model.state_dict().values()]


for method in sys.argv[2:]:
    host = train(method, "host", False)
    usual, loop._BY_DROLAB = loop._BY_DROLAB, ()
    here = train(method, "device", False)
    loop._BY_DROLAB = usual
    with far.Device():
        there = train(method, "device", True)
    print()
    for parts in zip(host, here, there):
        assert all(torch.equal(parts[0], p) for p in parts[1:]), method
