"""Features with a rare cell, and methods for groups on them, without drolab.

    python3 groups.py features.npz --seeds 3

It writes the features, in which the group g differs from the label for a share --rare of the samples. It prints the
accuracy on the worst cell of the test split, in percent, of ERM and, for each seed, of these methods:

dfr: the steps of dfr_evaluate_spurious.py (Kirichenko, Izmailov, Wilson 2023, arXiv 2204.02937) on standardised
features: dfr_on_validation_tune chooses C by ten halves, dfr_on_validation_eval takes the mean over 20 balanced draws.

dfr_train: the same for the training split, without class weights, as by default: dfr_train_subset_tune fits each C to
balanced draws, here ten, and chooses it on the validation split, dfr_train_subset_eval takes the mean over 10 balanced draws.

afr: Qiu, Potapczynski, Izmailov, Wilson 2023 (arXiv 2306.11074), section 4: weights exp(-gamma p) of the held-out
samples, where p is ERM's probability of the label, balanced by 1/n_y. The last layer minimises their weighted loss
and is held near ERM's by lambda. ERM is trained by SGD. With --afr_steps, also by the steps of the authors'
train_embeddings.py in the place of the minimum: plain gradient steps of .01, with the gradient clipped at 1.

subsample: Idrissi, Arjovsky, Pezeshki, Lopez-Paz 2022 (arXiv 2110.14503), SUBG, by SGD, subsampled anew in each pass."""

import argparse
import json
import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
C_OPTIONS = [1.0, 0.7, 0.3, 0.1, 0.07, 0.03, 0.01]


def draw(rng, n, rare, d):
    """Draws n samples of d features. The first depends on the label; the second, with less noise, on the group."""
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
    """The predictions of DFR for test_x; x, y, cells are the validation split, and x sets the scales."""
    scores = np.zeros(len(C_OPTIONS))
    for _ in range(10):  # num_retrains of dfr_on_validation_tune, 1 by default
        order = rng.permutation(len(x))
        held, rest = order[: len(x) // 2], order[len(x) // 2 :]
        rows = balanced(rng, rest, cells)
        scaler = StandardScaler().fit(x[rows])
        for i, c in enumerate(C_OPTIONS):
            model = fit(scaler.transform(x[rows]), y[rows], c)
            scores[i] += worst(model.predict(scaler.transform(x[held])) == y[held], cells[held])
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


def dfr_train(rng, train, val, test_x):
    """The predictions for test_x and C; train and val are features, labels and groups, and train sets the scales."""
    (x, y, g), (val_x, val_y, val_g) = train, val
    cells, val_cells, scaler = 2 * y + g, 2 * val_y + val_g, StandardScaler().fit(x)
    x, val_x = scaler.transform(x), scaler.transform(val_x)
    scores = np.zeros(len(C_OPTIONS))
    for rows in [balanced(rng, np.arange(len(x)), cells) for _ in range(10)]:
        scores += [worst(fit(x[rows], y[rows], c).predict(val_x) == val_y, val_cells) for c in C_OPTIONS]
    c = C_OPTIONS[int(np.argmax(scores))]
    draws = [balanced(rng, np.arange(len(x)), cells) for _ in range(10)]
    models = [fit(x[rows], y[rows], c) for rows in draws]
    coefficients = np.mean([m.coef_[0] for m in models], 0)
    logit = scaler.transform(test_x) @ coefficients + np.mean([m.intercept_[0] for m in models])
    return (logit > 0).astype(int), c


def bordered(x):
    return np.hstack([x, np.ones((len(x), 1))]).astype(np.float64)


def sgd(one_pass, x, y, steps, batch=128, lr=0.01, momentum=0.9):
    """Logistic regression with a bias, by SGD on batches of rows, pass by pass."""
    x, order, v, w = bordered(x), np.array([], int), 0, np.zeros(x.shape[1] + 1)
    for _ in range(steps):
        while len(order) < batch:
            order = np.append(order, one_pass())
        rows, order = order[:batch], order[batch:]
        # A layer with a row for each of two classes moves their difference twice as fast.
        v = momentum * v + 2 * x[rows].T @ (1 / (1 + np.exp(-x[rows] @ w)) - y[rows]) / batch
        w = w - lr * v
    return w


def afr(erm, x, y, test_x, gamma, lambda_, steps=0):
    """The predictions of AFR for test_x, by a layer with a row for each of two classes."""
    x, start = bordered(x), np.stack([-erm, erm]) / 2
    p = softmax(x @ start.T, axis=1)[np.arange(len(y)), y]
    mu = np.exp(-gamma * p) / np.bincount(y)[y]
    mu /= mu.sum()

    def objective(w):
        w = w.reshape(2, -1)
        u = x @ w.T
        loss = -mu @ log_softmax(u, axis=1)[np.arange(len(y)), y] + lambda_ * ((w - start) ** 2).sum()
        slope = softmax(u, axis=1)
        slope[np.arange(len(y)), y] -= 1
        return loss, ((mu[:, None] * slope).T @ x + 2 * lambda_ * (w - start)).ravel()

    w = start.ravel()
    for _ in range(steps):
        slope = objective(w)[1]
        w = w - 0.01 * slope / max(1, np.linalg.norm(slope))
    if not steps:
        w = minimize(objective, w, jac=True, method="L-BFGS-B").x
    return (bordered(test_x) @ w.reshape(2, -1).T).argmax(1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("features")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--rare", type=float, default=0.006, help="of all samples; a rare cell has half of it")
    p.add_argument("--d", type=int, default=12)
    p.add_argument("--gamma", type=float, default=4)
    p.add_argument("--lambda_", type=float, default=0.001)
    p.add_argument("--steps", type=int, default=1250)
    p.add_argument("--afr_steps", type=int, default=0)
    a = p.parse_args()
    rng = np.random.default_rng(1)
    train, val = draw(rng, 16000, a.rare, a.d), draw(rng, 16000, a.rare, a.d)
    test = draw(rng, 12000, 0.5, a.d)
    x, y, g = (np.concatenate(v) for v in zip(train, val, test))
    split = np.repeat([0, 1, 2], [16000, 16000, 12000])
    np.savez(a.features, x=x, y=y, g=g, split=split)
    test_cells = 2 * test[1] + test[2]

    def score(predicted):
        return 100 * worst(predicted == test[1], test_cells)

    erm = LogisticRegression(C=1e6).fit(train[0], train[1])
    out = {"erm": score(erm.predict(test[0])), "dfr": [], "dfr_train": [], "c": [], "afr": [], "subsample": []}
    for seed in range(a.seeds):
        rng = np.random.default_rng(10 + seed)
        predicted, c = dfr(rng, val[0], val[1], 2 * val[1] + val[2], test[0])
        out["dfr"].append(score(predicted))
        out["c"].append(c)
        predicted, c = dfr_train(np.random.default_rng(20 + seed), train, val, test[0])
        out["dfr_train"].append(score(predicted))
        out["c"].append(c)
        x, y, rows = train[0], train[1], np.arange(len(train[0]))
        first = sgd(lambda: rng.permutation(rows), x, y, a.steps)
        out["afr"].append(score(afr(first, val[0], val[1], test[0], a.gamma, a.lambda_)))
        if a.afr_steps:
            steps = afr(first, val[0], val[1], test[0], a.gamma, a.lambda_, a.afr_steps)
            out.setdefault("afr_steps", []).append(score(steps))
        cut = sgd(lambda: rng.permutation(balanced(rng, rows, 2 * y + train[2])), x, y, a.steps)
        out["subsample"].append(score(bordered(test[0]) @ cut > 0))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
