"""Weights of drolab's methods, computed again from their formulas: weights.py CASES

CASES is a file of JSON lines. The first line of a case has its method, its settings, its problem
and the numbers of training samples by group; each further one is a batch, in the order in which the
method saw them, with its weights. Where z is the state, the batch has it: how z moves is not
computed here. The other states are computed from batch to batch. Prints for each case its name, the
number of weights, and the largest difference relative to 1 + w.
"""

import json
import sys

import numpy as np


def ratios(problem, x, lam, eta):
    """The likelihood ratios at z, unshifted."""
    t, kind, k = (x - eta) / lam, problem["set"], problem["k"]
    if kind == "cressie-read":
        return np.maximum(0, 1 + (k - 1) * t) ** (1 / (k - 1))
    if kind == "kl":
        return np.exp(t)
    if kind == "smoothed-cvar":
        return 1 / (problem["mu"] + (1 - problem["mu"]) * np.exp(-t))
    return np.where(x > eta, 1 / problem["mu"], 0.0)


def worst_case(x, rho):
    """The worst case of losses for chi2 at a radius: (x - c)+ over its mean, c by bisection."""
    top, n = x.max(), len(x)
    ties = int((x == top).sum())
    if rho >= (n / ties - 1) / 2:
        return np.where(x == top, n / ties, 0.0)
    x = (x - x.min()) / (top - x.min())

    def at(log):
        r = np.maximum(0, x - 1 + np.exp(log))
        return r / r.mean()

    low, high = -40.0, 40.0  # of log(1 - c); the divergence falls in it
    for _ in range(100):
        middle = (low + high) / 2
        if ((at(middle) - 1) ** 2).mean() / 2 > rho:
            low = middle
        else:
            high = middle
    return at(high)


class Case:
    def __init__(self, head):
        self.method, self.set, self.problem = head["method"], head["settings"], head["problem"]
        self.counts, self.flags = np.array(head["counts"], float), np.array(head["flags"] or [], int)
        self.nu = self.lam = self.slope = self.alpha = None
        with np.errstate(divide="ignore"):
            self.log_q = np.log((self.counts > 0) / (self.counts > 0).sum())

    def weights(self, b):
        x, g = np.array(b["losses"]), np.array(b["groups"])
        if b["z"]:
            return ratios(self.problem, x, *b["z"])
        return getattr(self, self.method.replace("-", "_"))(x, g, np.array(b["index"]))

    def erm(self, x, g, index):
        return np.ones_like(x)

    subsample = dfr = evals = erm

    def by_flag(self, index, plain, marked):
        values = np.where(self.flags == 1, marked, plain)
        return (values / values.mean())[index]

    def afr(self, x, g, index):
        return self.by_flag(index, 1.0, 0.0) if len(self.flags) else np.ones_like(x)

    def jtt(self, x, g, index):
        return self.by_flag(index, 1.0, self.set["jtt_up"])

    def focal(self, x, g, index):
        q, gamma = -np.expm1(-x), self.set["focal_gamma"]
        return q**gamma + gamma * q ** (gamma - 1) * np.exp(-x) * x

    def tilted(self, x, g, index):
        e = np.exp(self.set["tilt"] * (x - x.max()))
        return e / e.mean()

    def reweight(self, x, g, index):
        return (self.counts.sum() / (self.counts > 0).sum() / self.counts)[g]

    def balanced(self, x, g, index):
        beta = self.set["beta_effective"]
        w = (1 - beta) / (1 - beta**self.counts)
        return (w / (w * self.counts).sum() * self.counts.sum())[g]

    def group(self, x, g, index):
        q = np.exp(self.log_q)
        for k in np.unique(g):
            mean = x[g == k].mean() + self.set["group_adjust"] / np.sqrt(self.counts[k])
            q[k] *= np.exp(self.set["group_step"] * mean)
        q /= q.sum()
        with np.errstate(divide="ignore"):
            self.log_q = np.log(q)
        return q[g] * len(x) / np.bincount(g, minlength=len(q))[g]

    def batch(self, x, g, index):
        return worst_case(x, self.problem["rho"])

    def doro(self, x, g, index):
        n, out = len(x), int(self.set["doro_epsilon"] * len(x))
        rest = np.argsort(-x, kind="stable")[out:]
        w = np.zeros(n)
        w[rest] = worst_case(x[rest], self.problem["rho"]) * n / len(rest)
        return w

    def scent(self, x, g, index):
        s = x / self.set["lambda"]
        u = np.logaddexp.reduce(s) - np.log(len(s))
        if self.nu is None:
            self.nu = u
            alpha = self.set["scent_alpha"]
            self.alpha = -u if alpha == "auto" else np.log(alpha)
        else:
            self.nu += np.logaddexp(0, self.alpha + u) - np.logaddexp(0, self.alpha + self.nu)
        return np.exp(s - self.nu)

    def scdro(self, x, g, index):
        low, high = self.problem["box"]
        if self.lam is None:
            self.lam, self.slope = min(max(self.set["lambda"], low), high), 0.0
        beta, s = self.set["scdro_beta"], x / self.lam
        u = np.logaddexp.reduce(s) - np.log(len(s))
        self.nu = u if self.nu is None else np.logaddexp(
            np.log1p(-beta) + self.nu, np.log(beta) + u)
        w = np.exp(s - self.nu)
        slope = self.nu + self.problem["rho"] - (x * w).mean() / self.lam
        self.slope = (1 - beta) * self.slope + beta * slope
        self.lam = min(max(self.lam - self.problem["rate"] * self.slope, low), high)
        return w


found, case = {}, None
with open(sys.argv[1]) as f:
    for line in f:
        b = json.loads(line)
        if "method" in b:
            case, name = Case(b), b["name"]
            found[name] = [0, 0.0]
            continue
        want = np.array(b["weights"])
        got = case.weights(b)
        found[name][0] += len(want)
        found[name][1] = max(found[name][1], float((np.abs(got - want) / (1 + want)).max()))
for name, row in found.items():
    print(name.replace(" ", "_"), *row)
