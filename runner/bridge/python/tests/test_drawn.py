"""Weights of drawn batches by drolab._forms, beside the formulas of docs/protocol.md in NumPy.

pytest -rP says the largest difference of each form.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
forms = pytest.importorskip("drolab._forms")

BATCHES = 1000
FLAGS = np.arange(200) % 3 == 0
GROUPS = 5


def ratio(x, numbers):
    return (x - numbers[1]) / numbers[0]


def cressie_read(x, numbers, at):
    k = numbers[2]
    return np.maximum(0, 1 + (k - 1) * ratio(x, numbers)) ** (1 / (k - 1))


def smoothed_cvar(x, numbers, at):
    mu = numbers[2]
    return 1 / (mu + (1 - mu) * np.exp(-ratio(x, numbers)))


def focal(x, numbers, at):
    q = 1 - np.exp(-x)
    return q ** (numbers[0] - 1) * (q + numbers[0] * x * np.exp(-x))


def tilted(x, numbers, at):
    e = np.exp(numbers[0] * x)
    return len(x) * e / e.sum()


def entropic(x, numbers, at):
    e = np.exp(x / numbers[0])
    return e / (np.exp(numbers[1]) + np.exp(numbers[2]) * e.mean())


def groups(x, numbers, at):
    q, in_batch = np.exp(numbers[1:1 + GROUPS]), np.bincount(at, minlength=GROUPS)
    for m in np.flatnonzero(in_batch):
        q[m] *= np.exp(numbers[0] * (x[at == m].mean() + numbers[1 + GROUPS + m]))
    q /= q.sum()
    return q[at] * len(x) / in_batch[at]


def dual(draw):
    return [draw.uniform(0.1, 5), draw.uniform(-1, 3)]


def q(draw):
    shares = draw.dirichlet(np.ones(GROUPS))
    return [draw.uniform(0, 0.5), *np.log(shares), *draw.uniform(0, 2, GROUPS)]


# For each form, its formula and how its numbers are drawn.
FORMS = {
    "uniform": (lambda x, n, at: np.ones_like(x), lambda draw: []),
    "chi2": (lambda x, n, at: np.maximum(0, 1 + ratio(x, n)), dual),
    "cressie-read": (cressie_read, lambda draw: [*dual(draw), draw.uniform(1.1, 4)]),
    "kl": (lambda x, n, at: np.exp(ratio(x, n)), dual),
    "smoothed-cvar": (smoothed_cvar, lambda draw: [*dual(draw), draw.uniform(0.01, 0.9)]),
    "cvar": (lambda x, n, at: np.where(ratio(x, n) > 0, 1 / n[2], 0),
             lambda draw: [*dual(draw), draw.uniform(0.01, 1)]),
    "focal": (focal, lambda draw: [draw.uniform(1, 5)]),
    "tilted": (tilted, lambda draw: [draw.uniform(0, 2)]),
    "entropic": (entropic, lambda draw: [
        draw.uniform(0.5, 5), -np.inf if draw.random() < 0.2 else draw.uniform(-2, 2),
        draw.uniform(-2, 0)]),
    "by-group": (lambda x, n, at: np.array(n)[at], lambda draw: [*draw.uniform(0, 4, GROUPS)]),
    "by-flag": (lambda x, n, at: np.where(FLAGS[at], n[1], n[0]),
                lambda draw: [1, draw.uniform(1, 20)]),
    "groups": (groups, q),
}


def test_every_form_is_drawn():
    assert set(FORMS) == set(forms.KINDS)


@pytest.mark.parametrize("kind", FORMS)
def test_weights_of_drawn_batches_are_those_of_numpy(kind):
    formula, drawn = FORMS[kind]
    draw, largest = np.random.default_rng(1), 0.0
    for _ in range(BATCHES):
        n = int(draw.integers(1, 129))
        losses = draw.exponential(draw.choice([0.01, 0.7, 3]), n)
        at = draw.integers(0, len(FLAGS) if kind == "by-flag" else GROUPS, n)
        numbers = drawn(draw)
        got = forms.weights(kind, torch.tensor(numbers, dtype=torch.float64), torch.tensor(losses),
                            torch.tensor(at), torch.tensor(FLAGS.astype(np.int64))
                            if kind == "by-flag" else None).numpy()
        want = formula(losses, numbers, at)
        assert got.dtype == np.float64 and np.isfinite(want).all()
        largest = max(largest, float((np.abs(got - want) / (1 + np.abs(want))).max()))
    print(f"{kind}: the largest difference of {BATCHES} batches is {largest:.2g}")
    assert largest < 1e-12
