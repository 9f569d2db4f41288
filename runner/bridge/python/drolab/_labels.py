"""Checks the labels and groups of a program's splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._errors import UsageError

__all__ = ["SPLITS", "Labels", "names", "table"]

SPLITS = ("train", "val", "test")
Labels = tuple[np.ndarray, Optional[np.ndarray]]  # int32 [n], and groups or None

_HOW = "end setup with return {'train': ..., 'val': ..., 'test': ...}"


def table(given: Any) -> dict[str, Labels]:
    """Returns the labels and groups of each split, checked.

    ``given`` is what ``setup`` returned: for each split an array of whole numbers, or a pair of
    such arrays. Raises UsageError with a message that names the cure.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f"setup returned {type(given).__name__} and no data sets: {_HOW}")
    strange = [name for name in given if name not in SPLITS]
    if strange:
        raise UsageError(f"setup returned a split {strange[0]!r}: the splits are train, val and "
                         "test")
    lacking = [name for name in ("train", "test") if name not in given]
    if lacking:
        raise UsageError(f"setup returned no split {lacking[0]}: {_HOW}")
    found: dict[str, Labels] = {}
    for name in SPLITS:
        if name not in given:
            continue
        value = given[name]
        labels, groups = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
        whole = _whole(labels, "labels", name)
        if groups is not None:
            groups = _whole(groups, "groups", name)
            if len(groups) != len(whole):
                raise UsageError(f"the split {name} has {len(whole)} labels and {len(groups)} "
                                 "groups: give a group for each sample")
        found[name] = whole, groups
    grouped = [name for name in found if found[name][1] is not None]
    if grouped and len(grouped) < len(found):
        bare = next(name for name in found if name not in grouped)
        raise UsageError(f"the split {grouped[0]} has groups and {bare} has none: give groups to "
                         "all splits, or to none")
    return found


def _whole(values: Any, what: str, split: str) -> np.ndarray:
    """Returns whole numbers from 0 as an int32 array."""
    a = np.asarray(values)
    if a.ndim != 1:
        raise UsageError(f"the {what} of {split} have the shape {a.shape}: give one whole number "
                         "for each sample")
    if not len(a):
        raise UsageError(f"the split {split} is empty: give it samples, or leave it out")
    if a.dtype.kind not in "iub":
        raise UsageError(f"the {what} of {split} are {a.dtype} and no whole numbers: number them "
                         "from 0, or for regression keep your own loop, with drolab.start")
    low, high = int(a.min()), int(a.max())
    if low < 0 or high >= 100_000:
        raise UsageError(f"the {what} of {split} go from {low} to {high}: number them from 0")
    return a.astype(np.int32)


def names(given: Optional[Sequence[str]], splits: Mapping[str, Labels], part: int,
          what: str) -> list[str]:
    """Returns the names of the classes (part 0) or groups (part 1), which all splits share."""
    most = {name: int(pair[part].max()) for name, pair in splits.items()  # type: ignore
            if pair[part] is not None}
    if not most:
        return []
    count = most["train"] + 1 if given is None else len(given)
    for name, high in most.items():
        if high >= count:
            raise UsageError(f"the split {name} has {what} {high}, and there are {count} "
                             f"{_many(what)}: name all of them in self.{_many(what)}")
    return [str(n) for n in (range(count) if given is None else given)]


def _many(what: str) -> str:
    return {"label": "classes", "group": "groups"}[what]
