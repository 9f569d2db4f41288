"""Makes samples in twelve groups that overlap (overlap.py make FILE), and measures predictions by them (overlap.py
measure FILE PREDICTIONS): every figure straight from its definition."""
import csv
import json
import sys

import numpy as np


def make(path):
    r = np.random.default_rng(7)
    n, m = 3000, 12
    g = (r.random((n, m)) < r.uniform(.02, .2, m)).astype("i1")
    y = (r.random(n) < .2 + .4 * g[:, 0] + .1 * g[:, 3]).astype("i8")
    x = r.normal(size=(n, 6)) + y[:, None] * .7 + g[:, :6] * .5
    names = np.array(["male", "female", "LGBTQ", "a, b", "a×b", "(none)"] + [f"identity {k}" for k in range(6)])
    np.savez(path, x=x.astype("f4"), y=y, g=g, group_names=names, split=r.choice(3, n, p=[.6, .1, .3]))


def measure(path, predictions):
    a = np.load(path)
    rows = list(csv.DictReader(open(predictions)))
    at = np.array([int(row["row"]) for row in rows])
    taken = np.array([int(row["prediction"]) for row in rows])
    g, y = a["g"][at] == 1, a["y"][at]
    trained = a["g"][a["split"] == 0] == 1
    y_trained = a["y"][a["split"] == 0]
    out = {}
    for kind in ("columns", "cells"):
        groups = g.T if kind == "columns" else np.array([(y == c) & k for c in (0, 1) for k in g.T])
        shares = trained.T if kind == "columns" else np.array([(y_trained == c) & k for c in (0, 1) for k in trained.T])
        accuracy = [float((taken == y)[k].mean()) for k in groups]
        large = [v for v, k in zip(accuracy, groups) if k.sum() >= 20]
        out[kind] = {"group_accuracy": accuracy, "worst_group_accuracy": [min(large)],
                     "adjusted_accuracy": [float(np.average(accuracy, weights=shares.sum(1)))],
                     "counts": [int(k.sum()) for k in groups]}
        if kind == "columns":
            rates = [float(taken[k & (y == 1)].mean()) for k in groups]
            out[kind]["group_true_positive_rate"] = rates
            large = [v for v, k in zip(rates, groups) if (k & (y == 1)).sum() >= 20]
            out[kind]["equal_opportunity"] = [max(large) - min(large)]
    print(json.dumps(out))


make(sys.argv[2]) if sys.argv[1] == "make" else measure(*sys.argv[2:])
