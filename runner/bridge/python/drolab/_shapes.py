"""What losses of another shape than [n] are told."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["remedy_of"]


def remedy_of(shape: Sequence[int]) -> str:
    """Returns how losses of a shape become one loss of each sample."""
    if not shape:
        return 'use reduction="none"'
    if len(shape) == 2 and shape[1] == 1:
        return "use losses.squeeze(1)"
    if len(shape) == 2 and shape[0] == shape[1]:
        return "outputs [n, 1] and targets [n] make [n, n], so use outputs.squeeze(1)"
    if len(shape) == 2:
        return ("use losses.mean(1), or for tokens (losses * mask).sum(1) / mask.sum(1) with "
                "mask = labels != -100")
    return "use losses.flatten(1).mean(1)"
