"""A script that keeps its own loop and takes its weights from drolab: see docs/loop.md.

python own_loop.py                     trains on random data, a small likeness of Waterbirds
python own_loop.py --method group      another of drolab's methods
python own_loop.py --resume RUN        goes on with a run that was stopped or killed
torchrun --nproc-per-node 2 own_loop.py    trains in two processes, each with a part of the batch

The class follows from three features. A fourth feature, the background, agrees with the class in
95 of 100 training samples and in half of the test samples. A network that trusts the background
is wrong in two small groups.
"""

import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

import drolab
import drolab.torch


def drawn(n, agree, seed):
    """Returns random features [n, 4], labels [n] and groups [n], 2 * label + background."""
    random = torch.Generator().manual_seed(seed)
    y = torch.randint(2, (n,), generator=random)
    same = torch.rand(n, generator=random) < agree
    background = torch.where(same, y, 1 - y)
    signs = torch.stack([y, y, y, background], 1) * 2 - 1
    noise = torch.tensor([1.5, 1.5, 1.5, 0.3]) * torch.randn(n, 4, generator=random)
    return signs + noise, y, 2 * y + background


def parsed(words, **defaults):
    """Returns the values of the words --name value, or else the defaults."""
    parser = argparse.ArgumentParser()
    for name, value in dict(defaults, resume=None, runs=None).items():
        parser.add_argument("--" + name, default=value, type=type(value) if value else str)
    return parser.parse_args(words)


def main(words=None):
    chosen = parsed(words, method="sfk-auto", epochs=20)
    rank, ranks = 0, 1
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
        rank, ranks = dist.get_rank(), dist.get_world_size()

    x, y, g = drawn(4000, 0.95, 1)
    test_x, test_y, test_g = drawn(2000, 0.5, 2)
    torch.manual_seed(0)
    last = nn.Linear(32, 2)
    model = nn.Sequential(nn.Linear(4, 32), nn.BatchNorm1d(32), nn.ReLU(), last)
    network = nn.parallel.DistributedDataParallel(model) if ranks > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    batch, given = 100, {}
    if not chosen.resume:
        given = dict(method=chosen.method, rho=1, batch=batch, epochs=chosen.epochs, lr=0.05)

    data = drolab.Data(
        train=(y, g), test=(test_y, test_g), classes=["land bird", "water bird"],
        groups=["land on land", "land on water", "water on land", "water on water"])
    with drolab.start("own-loop", data, packages=["torch"], runs=chosen.runs,
                      resume=chosen.resume, **given) as run:
        def save():
            with run.checkpoint() as folder:
                if rank == 0:  # the others go on from the same file
                    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                                "random": torch.get_rng_state()}, os.path.join(folder, "state.pt"))

        if run.saved:
            state = torch.load(os.path.join(run.saved, "state.pt"), weights_only=True)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["random"])

        def draw():
            """Returns an independent batch at the new network, for methods that ask for it."""
            i = torch.randint(len(x), (batch,))[rank::ranks]
            with drolab.torch.probe(network):
                return F.cross_entropy(network(x[i]), y[i], reduction="none"), y[i], g[i], i

        def looked(x, y, g):
            """Returns this process's part of a pass, and its probabilities."""
            i = torch.arange(len(x))[rank::ranks]
            model.eval()
            with torch.no_grad():
                outputs = model(x[i])
            model.train()
            losses = F.cross_entropy(outputs, y[i], reduction="none")
            return dict(losses=losses, label=y[i], group=g[i], index=i), outputs.softmax(1)

        for epoch in range(run.epoch, chosen.epochs):
            for i in torch.randperm(len(x)).split(batch):  # all processes draw the same numbers
                i = i[rank::ranks]
                losses = F.cross_entropy(network(x[i]), y[i], reduction="none")
                weights = run.weights(losses, label=y[i], group=g[i], index=i)
                optimizer.zero_grad()
                (weights * losses).mean().backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), 10)
                for group in optimizer.param_groups:
                    group["lr"] = run.lr
                optimizer.step()
                run.step(grad_norm=norm, fresh=draw)
                if run.stopping:
                    save()  # a resumed run begins the epoch again
                    return run.id

            seen, probability = looked(test_x, test_y, test_g)
            run.evaluate("test", probability=probability, **seen)
            seen, probability = looked(x, y, g)
            run.end_epoch(correct=probability.argmax(1) == seen["label"], **seen)
            run.log(bias=last.bias.abs().max())
            save()
    return run.id


if __name__ == "__main__":
    main()
