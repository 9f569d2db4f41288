import numpy as np
import pytest

torch = pytest.importorskip("torch")
forms = pytest.importorskip("drolab._forms")

LOSSES = np.array([0.1, 0.7, 1.5, 2.5])


def weights(kind, numbers, losses=LOSSES, at=None, flags=None):
    def tensor(x):
        return None if x is None else torch.tensor(x)
    return forms.weights(kind, torch.tensor(numbers, dtype=torch.float64), torch.tensor(losses),
                         tensor(at), tensor(flags)).numpy()


@pytest.mark.parametrize("kind, numbers, want", [
    ("uniform", [], np.ones(4)),
    ("chi2", [2.0, 1.0], np.maximum(0, 1 + (LOSSES - 1) / 2)),
    ("kl", [2.0, 1.0], np.exp((LOSSES - 1) / 2)),
    ("cvar", [1.0, 1.0, 0.25], np.where(LOSSES > 1, 4.0, 0.0)),
    ("cressie-read", [2.0, 1.0, 2.0], np.maximum(0, 1 + (LOSSES - 1) / 2)),
    ("entropic", [2.0, 0.3, -0.7], np.exp(LOSSES / 2) / (
        np.exp(0.3) + np.exp(-0.7) * np.exp(LOSSES / 2).mean())),
    ("entropic", [2.0, -np.inf, 0.0], 4 * np.exp(LOSSES / 2) / np.exp(LOSSES / 2).sum()),
    ("tilted", [0.5], 4 * np.exp(LOSSES / 2) / np.exp(LOSSES / 2).sum()),
])
def test_weights_are_those_of_the_formula(kind, numbers, want):
    assert weights(kind, numbers) == pytest.approx(want, rel=1e-12)


def test_weights_by_place():
    assert weights("by-group", [1.0, 3.0], at=[0, 1, 1, 0]).tolist() == [1, 3, 3, 1]
    assert weights("by-flag", [1.0, 9.0], at=[2, 0, 1, 1], flags=[0, 1, 0]).tolist() == [1, 1, 9, 9]


def test_groups_move_towards_the_greater_loss():
    w = weights("groups", [1.0, 0.0, 0.0, 0.0, 0.0], at=[0, 0, 1, 1])
    assert w[0] == w[1] < 1 < w[2] == w[3]
    assert w.mean() == pytest.approx(1)


def test_half_precision_gives_float32():
    losses = torch.tensor(LOSSES).bfloat16()
    assert forms.weights("uniform", torch.zeros(0).double(), losses).dtype == torch.float32
