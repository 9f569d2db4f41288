"""Computes weights from the forms of drolab's methods, on the device of the losses.

A form is a kind and its numbers: see docs/protocol.md. The η among them is unshifted; that of
events.jsonl may be the paper's, and is no number of a form. The weights are computed in float64, by
the operations of drolab itself, and then rounded. In float32 alone, a large loss would lose three
digits of its weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Callable, Optional

import numpy as np
import torch
from torch import Tensor

from ._device import Numbers, upload
from ._errors import ProtocolError, UsageError

__all__ = ["ALONE", "KINDS", "Form", "Processes", "rounded", "weights"]

_HALVES = (torch.float16, torch.bfloat16)


class Processes:
    """The processes that weigh a batch together; here only this one. See also their groups."""

    def reduce(self, x: Tensor, how: str) -> Tensor:
        """Returns the ``SUM`` or ``MAX`` of all processes, perhaps in the memory of x."""
        return x

    def scale(self, w: Tensor) -> Tensor:
        """Returns the weights w of this process as its gradient needs them."""
        return w


ALONE = Processes()


def _type(losses: Tensor) -> torch.dtype:
    """Returns the type of the weights of losses: at least float32."""
    return torch.float32 if losses.dtype in _HALVES else losses.dtype


def rounded(w: np.ndarray, losses: Tensor) -> Tensor:
    """Returns weights (float64) that drolab has computed as a tensor beside their losses."""
    return upload(w, losses.device, _type(losses))


def weights(kind: str, numbers: Tensor, losses: Tensor, at: Optional[Tensor] = None,
            flags: Optional[Tensor] = None, over: Processes = ALONE) -> Tensor:
    """Returns the weights [n] of losses [n], without waiting for the device.

    ``numbers`` (float64, on the device) are those of the form. ``at`` (int64 [n]) holds the
    groups of the samples, or their places among ``flags`` (int64, one for each training sample).
    The batch is that of all processes of ``over``, of which this one has a part.
    """
    x = losses.detach().double()
    if flags is not None and at is not None:
        at = flags[at.clamp(0, len(flags) - 1)]
    return over.scale(KINDS[kind](x, numbers, at, over)).to(_type(losses))


class Form:
    """The form of the next weights, on a device."""

    def __init__(self) -> None:
        self.kind = ""
        self.by = ""  # what it asks for beside the losses: label, group or index
        self._numbers: Optional[Numbers] = None
        self._flags: Optional[Tensor] = None

    def set(self, head: Mapping[str, Any], numbers: np.ndarray, flags: Optional[np.ndarray],
            device: torch.device) -> None:
        """Takes in the form that drolab sent; flags are None if they are those before."""
        self.kind, self.by = str(head.get("form")), str(head.get("by") or "")
        if self.kind not in KINDS:
            raise ProtocolError(f"drolab sends a form {self.kind[:40]!r}, which this client does "
                                "not know: install both of one version")
        if self._numbers is not None and self._numbers.fits(numbers, device):
            self._numbers.set(numbers)
        else:
            self._numbers = Numbers(numbers, device)
        if flags is not None:
            self._flags = upload(flags, device)

    @property
    def each(self) -> bool:
        """Whether a sample's weight is known without the rest of its batch."""
        return self.kind not in _TOGETHER

    def weights(self, losses: Tensor, given: Mapping[str, Any],
                over: Optional[Processes] = None) -> Tensor:
        """Returns the weights of losses; ``given`` has label, group and index, or None."""
        assert self._numbers is not None
        at = given[self.by] if self.by else None
        if self.by and at is None:
            raise UsageError(f"give {self.by}: the method looks at it")
        if at is not None:
            at = at if isinstance(at, Tensor) else upload(np.asarray(at), losses.device)
            at = at.to(losses.device, torch.int64, non_blocking=True)
        flags = self._flags if self.by == "index" else None
        return weights(self.kind, self._numbers.tensor, losses, at, flags, over or ALONE)


# Each function of a kind has the formula of its row in docs/protocol.md, where x is ℓ. at holds the
# groups or the flags of the samples.


def _ratio(x: Tensor, numbers: Tensor) -> Tensor:
    """Returns (ℓ − η̃)/λ."""
    return (x - numbers[1]) / numbers[0]


def _expm1(t: Tensor) -> Tensor:
    """Returns e^t − 1 with the rounding of drolab, which shows where e^t is tiny."""
    return torch.where(t.abs() > 1, t.exp() - 1, t.expm1())


def _uniform(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    return torch.ones_like(x)


def _chi2(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    return (1 + _ratio(x, numbers)).clamp(min=0)


def _cressie_read(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    k = numbers[2] - 1
    w = k * _ratio(x, numbers)
    return torch.where(w <= -1, 0, 1 + _expm1(w.log1p() / k))


def _kl(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    return 1 + _expm1(_ratio(x, numbers))


def _smoothed_cvar(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    t, mu = _ratio(x, numbers), numbers[2]
    e, small = _expm1(t), (1 - mu) * (-t).exp()
    return 1 + torch.where(t <= 1, (1 - mu) * e / (1 + mu * e), (1 - mu - small) / (mu + small))


def _cvar(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    return torch.where(_ratio(x, numbers) <= 0, 0, 1 + (1 / numbers[2] - 1))  # as drolab rounds it


def _focal(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    q, gamma = -(-x).expm1(), numbers[0]
    w: Tensor = q.pow(gamma - 1) * (q + gamma * (-x).exp() * x)
    return w


def _tilted(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    most = x.max() if len(x) else x.new_full((), -math.inf)
    e = (numbers[0] * (x - over.reduce(most, "MAX"))).exp()
    n, total = over.reduce(torch.stack((x.new_full((), len(x)), e.sum())), "SUM")
    w: Tensor = e * (n / total)
    return w


def _entropic(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    most = over.reduce(x.max() if len(x) else x.new_full((), -math.inf), "MAX")
    e = ((x - most) / numbers[0]).exp()
    n, total = over.reduce(torch.stack((x.new_full((), len(x)), e.sum())), "SUM")
    mean = most / numbers[0] + (total / n).log()
    return (x / numbers[0] - torch.logaddexp(numbers[1], numbers[2] + mean)).exp()


def _by_place(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    assert at is not None
    return numbers[at.clamp(0, len(numbers) - 1)]


def _groups(x: Tensor, numbers: Tensor, at: Optional[Tensor], over: Processes) -> Tensor:
    assert at is not None
    count = len(numbers) // 2
    step, logs, adjust = numbers[0], numbers[1:1 + count], numbers[1 + count:]
    at = at.clamp(0, count - 1)
    sums = torch.zeros_like(logs).index_add_(0, at, x)
    counts = torch.zeros_like(logs).index_add_(0, at, torch.ones_like(x))
    sums, counts = over.reduce(torch.stack((sums, counts)), "SUM")
    moved = logs + torch.where(counts > 0, step * sums / counts + step * adjust, 0)
    most = moved.max()
    q = (moved - (most + (moved - most).exp().sum().log())).exp()
    w: Tensor = (q * counts.sum() / counts)[at]
    return w


#: How the weights of each kind are computed, by the name of the kind.
KINDS: dict[str, Callable[[Tensor, Tensor, Optional[Tensor], Processes], Tensor]] = {
    "uniform": _uniform, "chi2": _chi2, "cressie-read": _cressie_read, "kl": _kl,
    "smoothed-cvar": _smoothed_cvar, "cvar": _cvar, "focal": _focal, "tilted": _tilted,
    "entropic": _entropic, "by-group": _by_place, "by-flag": _by_place, "groups": _groups,
}
_TOGETHER = ("tilted", "entropic", "groups")
