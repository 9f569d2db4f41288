"""Five steps of drolab's methods on a linear model in PyTorch, in float64, on batches that the caller has drawn.

    python3 steps.py problem.json

The file has samples x, labels y, groups g, counts n of the training samples by group, weights w and biases b to
start from, lr and momentum, and runs. Each run has the method, its settings, and its batches, which are lists of
samples. The objectives are the same as in the sources:

  doro      Zhai et al. 2021, arXiv 2106.06142, and its code dro.py, lines 90 to 110: sort, drop the int(eps n)
            largest losses, minimise C sqrt(mean (l - eta)+^2) + eta in eta, C = sqrt(1 + 2 rho); with mu
            CVaR, lines 51 to 68: the mean of the next largest
  group     Sagawa et al. 2020, arXiv 1911.08731, and its code loss.py, compute_robust_loss: q <- q exp(step
            (mean loss of g + adjust/sqrt n_g)), normalised, and then the loss q . (mean losses)
  erm       the mean loss

It prints one JSON object: w and b after the last step of each run."""

import json
import sys

import torch
from torch.nn.functional import cross_entropy, relu


def least(f, lo, hi):
    """The argmin of a convex function of one number, by golden-section search."""
    ratio = (5**0.5 - 1) / 2
    for _ in range(200):
        a, b = hi - ratio * (hi - lo), lo + ratio * (hi - lo)
        lo, hi = (lo, b) if f(a) < f(b) else (a, hi)
    return (lo + hi) / 2


def doro(losses, epsilon, rho=0.0, mu=0.0):
    n = len(losses)
    out, ranked = int(epsilon * n), losses.sort(descending=True).values
    rest = ranked[out:]
    if mu:
        return ranked[out : int((epsilon + mu * (1 - epsilon)) * n)].sum() / mu / (n - out)
    f = lambda eta: (1 + 2 * rho) ** 0.5 * relu(rest - eta).square().mean().sqrt() + eta
    with torch.no_grad():
        eta = least(f, -20.0, rest.max().item())
    return f(eta)


def main():
    with open(sys.argv[1]) as f:
        p = json.load(f)
    x, y, g = torch.tensor(p["x"], dtype=torch.float64), torch.tensor(p["y"]), torch.tensor(p["g"])
    n = torch.tensor(p["n"], dtype=torch.float64)
    out = []
    for run in p["runs"]:
        w = torch.tensor(p["w"], dtype=torch.float64, requires_grad=True)
        b = torch.tensor(p["b"], dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.SGD([w, b], p["lr"], p["momentum"])
        q, s = torch.ones(len(n), dtype=torch.float64) / len(n), run["settings"]
        for rows in run["batches"]:
            losses = cross_entropy(x[rows] @ w.T + b, y[rows], reduction="none")
            if run["method"] == "doro":
                loss = doro(losses, **s)
            elif run["method"] == "group":
                of = torch.stack([losses[g[rows] == k].mean() for k in range(len(n))])
                q = q * torch.exp(s["step"] * (of.detach() + s["adjust"] / n.sqrt()))
                q = q / q.sum()
                loss = (q * of).sum()
            else:
                loss = losses.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        out.append({"w": w.tolist(), "b": b.tolist()})
    print(json.dumps(out))


if __name__ == "__main__":
    main()
