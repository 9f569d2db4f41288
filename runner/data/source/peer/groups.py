"""The peer of drolab's methods on features with groups, in PyTorch: a linear model, SGD with momentum, batches
from random permutations of the training samples, the incomplete last batch dropped.

    python3 groups.py features.npz --seeds 3 --epochs 5 --lr 0.01

Methods: erm; reweight, with sample weights N/(G n_g); group, Group DRO (Sagawa, Koh, Hashimoto, Liang 2020, arXiv
1911.08731, Algorithm 1) with batches uniform over samples: q_g <- q_g exp(step * mean loss of g), normalised,
then the loss sum_g q_g * (mean loss of g), over the groups in the batch. Groups are label x g. It prints one JSON
object with the accuracies of the last iterate on the test split, in percent, as lists over the seeds."""

import argparse
import json

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy


def load(path):
    """The training and test splits as (x, y, group), and the number of groups."""
    with np.load(path) as f:
        x, y, g, split = f["x"], f["y"], f["g"], f["split"]
    y, g = (np.unique(v, return_inverse=True)[1] for v in (y, g))
    groups = y * (g.max() + 1) + g

    def part(k):
        rows = split == k
        return tuple(torch.from_numpy(np.ascontiguousarray(v[rows])) for v in (x.astype(np.float32), y, groups))

    return part(0), part(2), int(groups.max()) + 1


def train(method, train, groups, a, seed):
    x, y, g = train
    torch.manual_seed(seed)
    model = nn.Linear(x.shape[1], int(y.max()) + 1)
    optimiser = torch.optim.SGD(model.parameters(), a.lr, a.momentum)
    n_g = torch.bincount(g, minlength=groups).float()
    weights = len(g) / (groups * n_g)
    q = torch.ones(groups) / groups
    for epoch in range(a.epochs):
        if epoch == a.drop_epoch:
            optimiser.param_groups[0]["lr"] *= 0.1
        order = torch.randperm(len(x))
        for first in range(0, len(x) - a.batch + 1, a.batch):
            rows = order[first : first + a.batch]
            losses = cross_entropy(model(x[rows]), y[rows], reduction="none")
            if method == "reweight":
                loss = (weights[g[rows]] * losses).mean()
            elif method == "group":
                n = torch.bincount(g[rows], minlength=groups)
                of = torch.zeros(groups).index_add(0, g[rows], losses) / n.clamp(min=1)
                q = q * torch.exp(a.group_step * of.detach())  # a group without samples in the batch has loss 0
                q = q / q.sum()
                loss = (q * of).sum()
            else:
                loss = losses.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model


def accuracies(model, test, groups):
    x, y, g = test
    with torch.no_grad():
        right = (model(x).argmax(1) == y).float()
    of = [right[g == k].mean().item() for k in range(groups)]
    return 100 * min(of), 100 * right.mean().item()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("features")
    p.add_argument("--methods", default="erm,group,reweight")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--drop-epoch", type=int, default=0, help="lr is divided by 10 after so many epochs; 0: never")
    p.add_argument("--group-step", type=float, default=0.01)
    p.add_argument("--threads", type=int, default=2)
    a = p.parse_args()
    a.drop_epoch = a.drop_epoch or a.epochs
    torch.set_num_threads(a.threads)
    training, test, groups = load(a.features)
    out = {}
    for method in a.methods.split(","):
        results = [accuracies(train(method, training, groups, a, 1 + s), test, groups) for s in range(a.seeds)]
        out[method] = {"worst_group_accuracy": [w for w, _ in results], "mean_accuracy": [m for _, m in results]}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
