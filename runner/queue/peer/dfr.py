"""Features with a rare cell, and deep feature reweighting on them in scikit-learn.

    python3 dfr.py features.npz --seeds 3

It writes the features, where the group g agrees with the label but for a share of --rare, and prints the accuracy
of the worst cell of the test split, in percent, of ERM and of each seed's DFR: the steps of
dfr_evaluate_spurious.py (Kirichenko, Izmailov, Wilson 2023, arXiv 2204.02937), lines 53 to 124 to choose C by
halves, lines 127 to 181 for the mean over 20 balanced draws, features standardised."""

import argparse
import json
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
C_OPTIONS = [1.0, 0.7, 0.3, 0.1, 0.07, 0.03, 0.01]


def draw(rng, n, rare, d):
    """n samples of d features: the label is in the first, the group, with less noise, in the second."""
    y = rng.integers(0, 2, n)
    g = np.where(rng.random(n) < rare, 1 - y, y)
    x = rng.normal(size=(n, d))
    x[:, 0] += 1.5 * (2 * y - 1)
    x[:, 1] = 0.5 * x[:, 1] + 1.5 * (2 * g - 1)
    return x.astype(np.float32), y, g


def balanced(rng, rows, cells):
    of = [rng.permutation(rows[cells[rows] == k]) for k in np.unique(cells[rows])]
    least = min(map(len, of))
    return np.concatenate([list_[:least] for list_ in of])


def fit(x, y, c):
    return LogisticRegression(penalty="l1", C=c, solver="liblinear").fit(x, y)


def worst(right, cells):
    return min(right[cells == k].mean() for k in np.unique(cells))


def dfr(rng, x, y, cells, test_x):
    """The predictions of DFR for test_x; x, y, cells are the validation split, and x is what scales are of."""
    order = rng.permutation(len(x))
    held, rest = order[: len(x) // 2], order[len(x) // 2 :]
    rows = balanced(rng, rest, cells)
    scaler = StandardScaler().fit(x[rows])
    scores = []
    for c in C_OPTIONS:
        model = fit(scaler.transform(x[rows]), y[rows], c)
        scores.append(worst(model.predict(scaler.transform(x[held])) == y[held], cells[held]))
    c = C_OPTIONS[int(np.argmax(scores))]
    scaler = StandardScaler().fit(x)
    coefficients, intercepts = [], []
    for _ in range(20):
        rows = balanced(rng, np.arange(len(x)), cells)
        model = fit(scaler.transform(x[rows]), y[rows], c)
        coefficients.append(model.coef_[0])
        intercepts.append(model.intercept_[0])
    logit = scaler.transform(test_x) @ np.mean(coefficients, 0) + np.mean(intercepts)
    return (logit > 0).astype(int), c


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("features")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--rare", type=float, default=0.006, help="of all samples; a rare cell has half of it")
    p.add_argument("--d", type=int, default=12)
    a = p.parse_args()
    rng = np.random.default_rng(1)
    train, val = draw(rng, 16000, a.rare, a.d), draw(rng, 16000, a.rare, a.d)
    test = draw(rng, 12000, 0.5, a.d)
    x, y, g = (np.concatenate(v) for v in zip(train, val, test))
    split = np.repeat([0, 1, 2], [16000, 16000, 12000])
    np.savez(a.features, x=x, y=y, g=g, split=split)
    cells = 2 * test[1] + test[2]
    erm = LogisticRegression().fit(train[0], train[1])
    out = {"erm": 100 * worst(erm.predict(test[0]) == test[1], cells), "dfr": [], "c": []}
    for seed in range(a.seeds):
        predicted, c = dfr(np.random.default_rng(10 + seed), val[0], val[1], 2 * val[1] + val[2], test[0])
        out["dfr"].append(100 * worst(predicted == test[1], cells))
        out["c"].append(c)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
