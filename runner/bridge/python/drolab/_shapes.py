"""What losses are told that are not one loss of each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

__all__ = ["remedy_of"]


def remedy_of(shape: Sequence[int], n: Optional[int] = None) -> str:
    """Returns how losses of a shape become one loss of each of n samples; None: n is not known."""
    if not shape or len(shape) == 1 and shape[0] == 1:
        return 'use reduction="none"'
    if len(shape) == 1:
        if n and n > 1 and shape[0] % n == 0:
            return f"the tokens of all samples are in one row, so use " \
                   f"losses.reshape({n}, -1).mean(1)"
        return "give one for each sample"
    if len(shape) == 2 and shape[1] == 1:
        return "use losses.squeeze(1)"
    if len(shape) == 2 and shape[0] == shape[1]:
        return "outputs [n, 1] and targets [n] make [n, n], so use outputs.squeeze(1)"
    if n and n != shape[0] and n == shape[1]:
        return "the samples are in the second dimension, so begin with losses.transpose(0, 1)"
    if len(shape) == 2:
        return ("use losses.mean(1), or for tokens (losses * mask).sum(1) / mask.sum(1) with "
                "mask = labels != -100")
    return "use losses.flatten(1).mean(1)"
