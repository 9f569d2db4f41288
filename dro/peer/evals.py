"""EVaLS without drolab: evals.py FILE

FILE is JSON: features and labels of the samples to fit to (x, y), of those that judge (other_x,
other_y) and of test samples (test_x, test_y), ERM's weights and biases, the largest k, the shares
of it, and the strengths lambda. Prints JSON: the rows of x that are taken for each share, the
environment of each judging sample by EIIL, and, for two classes, the accuracy in percent on the
test samples of scikit-learn's fits, [share][lambda].

The environments are those of Creager, Jacobsen, Zemel 2021 (arXiv 2010.07249), as their code
infers them: gradient ascent by Adam on the logits of q, from random ones.
"""

import json
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")


def outputs(x, weights, biases, y):
    u = x @ weights.T + biases
    return u - u[np.arange(len(y)), y][:, None]  # the own logit is 0, which changes no loss


def losses(x, y, weights, biases):
    u = outputs(x, weights, biases, y)
    u[np.arange(len(y)), y] = -np.inf
    return np.log1p(np.exp(u).sum(1))


def slopes(x, y, weights, biases):
    """The derivatives of the losses in a factor of the logits."""
    u = outputs(x, weights, biases, y)
    return (np.exp(u) * u).sum(1) / np.exp(u).sum(1)


def environments(s, steps=2000, rate=0.02):
    rng = np.random.default_rng(0)
    w, m, v = rng.normal(size=len(s)), 0, 0
    for t in range(1, steps + 1):
        q = 1 / (1 + np.exp(-w))
        a, b = q @ s, (1 - q) @ s
        g = q * (1 - q) * s * (a - b)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w += rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-300)
    return w > 0


given = json.load(open(sys.argv[1]))
x, other_x, test_x, weights, biases = (
    np.array(given[k], float) for k in ("x", "other_x", "test_x", "weights", "biases"))
y, other_y, test_y = (np.array(given[k]) for k in ("y", "other_y", "test_y"))
loss, scaler = losses(x, y, weights, biases), StandardScaler().fit(x)
found = {"rows": [], "environments": [], "accuracy": []}
for share in given["shares"]:
    k, rows = max(1, int(share * given["most"])), []
    for label in range(len(biases)):
        own = np.flatnonzero(y == label)
        own = own[np.argsort(loss[own], kind="stable")]
        rows += [*own[:k], *own[len(own) - k:]]
    found["rows"].append(sorted(int(i) for i in rows))
    if len(biases) == 2:
        fits = [LogisticRegression(penalty="l1", C=1 / (strength * len(rows)), solver="liblinear")
                .fit(scaler.transform(x[rows]), y[rows]) for strength in given["lambdas"]]
        found["accuracy"].append([100 * f.score(scaler.transform(test_x), test_y) for f in fits])
found["environments"] = environments(slopes(other_x, other_y, weights, biases)).tolist()
print(json.dumps(found))
