"""Methods for groups with the tuning of docs/waterbirds.md, without drolab: PyTorch and scikit-learn.

    python3 tuned.py waterbirds-features.npz

erm and group (Sagawa, Koh, Hashimoto, Liang 2020, arXiv 1911.08731, Algorithm 1) train a linear model on features by
SGD with momentum. Batches come from random permutations of the training samples, and the incomplete last batch is
dropped. Every second epoch the validation split is evaluated, and the step with the best worst group is selected. Each
cell of step size and weight decay is trained with the tuning seeds. The cell with the best mean of these worst groups
is trained again with the final seeds. Of equal steps or cells, the one with the lower validation loss is taken.

dfr fits the last layer to the validation split, as groups.py does. The last layer is the whole linear model.

Groups are label x g. The script prints one JSON object: for each method the cell, and the figures of the selected step
on the test split in percent, as lists over the final seeds. "adjusted" is the mean of the groups' accuracies by their
shares of the training samples."""

import argparse
import json

import groups
import numpy as np
import torch
from torch.nn.functional import cross_entropy


def load(path, group):
    """The three splits as (x, y, group), and the number of groups."""
    with np.load(path) as f:
        x, y, g, split = f["x"], f["y"], f[group], f["split"]
    cells = y * (g.max() + 1) + g
    parts = [tuple(torch.from_numpy(v[split == k]) for v in (x.astype(np.float32), y, cells)) for k in range(3)]
    return parts, int(cells.max()) + 1


def accuracies(predicted, part, n):
    right = (predicted == part[1]).double()
    return [right[part[2] == k].mean().item() for k in range(n)], right.mean().item()


def train(method, parts, n, a, lr, decay, seed):
    """The best evaluation: its worst validation group, minus the validation loss, and its test predictions."""
    (x, y, g), val, test = parts
    torch.manual_seed(seed)
    model = torch.nn.Linear(x.shape[1], int(y.max()) + 1)
    torch.nn.init.normal_(model.weight, std=x.shape[1] ** -0.5)
    torch.nn.init.zeros_(model.bias)
    optimiser = torch.optim.SGD(model.parameters(), lr, 0.9, weight_decay=decay)
    q, best = torch.ones(n) / n, (-1.0, 0.0, None)
    for epoch in range(1, a.epochs + 1):
        if epoch - 1 == a.drop_epoch:
            optimiser.param_groups[0]["lr"] *= 0.1
        order = torch.randperm(len(x))
        for first in range(0, len(x) - a.batch + 1, a.batch):
            rows = order[first : first + a.batch]
            losses = cross_entropy(model(x[rows]), y[rows], reduction="none")
            loss = losses.mean()
            if method == "group":
                counts = torch.bincount(g[rows], minlength=n).clamp(min=1)
                of = torch.zeros(n).index_add(0, g[rows], losses) / counts
                q = q * torch.exp(0.01 * of.detach())  # a group without samples in the batch has loss 0
                q = q / q.sum()
                loss = (q * of).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        if epoch % a.eval_every == 0:
            with torch.no_grad():
                out = model(val[0])
                worst = min(accuracies(out.argmax(1), val, n)[0])
                score = (worst, -cross_entropy(out, val[1]).item())
                if score > best[:2]:
                    best = (*score, model(test[0]).argmax(1))
    return best


def figures(predictions, parts, n):
    """The lists of figures over the seeds."""
    shares = torch.bincount(parts[0][2], minlength=n).double() / len(parts[0][2])
    out = {"worst": [], "mean": [], "adjusted": []}
    for predicted in predictions:
        of, mean = accuracies(predicted, parts[2], n)
        out["worst"].append(100 * min(of))
        out["mean"].append(100 * mean)
        out["adjusted"].append(100 * float(shares @ torch.tensor(of, dtype=torch.double)))
    return out


def tuned(method, parts, n, a):
    scores = {}
    for cell in [(lr, decay) for lr in a.lr for decay in a.decay]:
        bests = [train(method, parts, n, a, *cell, 1 + s) for s in range(a.tuning_seeds)]
        scores[cell] = tuple(np.mean([b[:2] for b in bests], 0))
    cell = max(scores, key=scores.get)
    bests = [train(method, parts, n, a, *cell, 21 + s) for s in range(a.seeds)]
    return {"cell": cell, **figures([b[2] for b in bests], parts, n)}


def refitted(parts, n, a):
    val, test = ([v.numpy() for v in part] for part in parts[1:])
    fits = [groups.dfr(np.random.default_rng(21 + s), *val, test[0]) for s in range(a.seeds)]
    return {"c": [c for _, c in fits], **figures([torch.from_numpy(p) for p, _ in fits], parts, n)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("features")
    p.add_argument("--group", default="place", help="the array of the groups")
    p.add_argument("--methods", default="erm,group,dfr")
    p.add_argument("--lr", type=float, nargs="+", default=[0.001, 0.01, 0.1])
    p.add_argument("--decay", type=float, nargs="+", default=[0.0001, 1])
    p.add_argument("--tuning_seeds", type=int, default=1)
    p.add_argument("--seeds", type=int, default=4)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--drop_epoch", type=int, default=15, help="lr is divided by 10 after so many epochs")
    p.add_argument("--eval_every", type=int, default=2, help="epochs between evaluations")
    a = p.parse_args()
    torch.set_num_threads(1)
    parts, n = load(a.features, a.group)
    fit = {"dfr": lambda: refitted(parts, n, a)}
    print(json.dumps({m: fit[m]() if m in fit else tuned(m, parts, n, a) for m in a.methods.split(",")}))


if __name__ == "__main__":
    main()
