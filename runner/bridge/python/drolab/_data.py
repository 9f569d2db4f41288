"""What drolab knows of the data of a script: see ``Data``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ._errors import SettingError
from ._samples import column

__all__ = ["Counts", "Data"]

Counts = Union[Sequence[int], Mapping[str, Sequence[int]]]

_ROLES = {"class": ("y", 1), "group": ("group", 2)}  # and the place of each in a TensorDataset


class Data:
    """The numbers of samples of the splits, and the names and counts of classes and groups.

    ``Data(train=train_set, test=test_set)`` counts by itself. A split is one of these:

    * a number of samples;
    * an array or a tensor of labels, whole numbers from 0;
    * a pair (labels, groups) of them;
    * a data set with a length. Its labels and groups are those that it stores: in the attributes
      ``targets`` or ``labels``, and ``groups``, or as the second and third tensor of a
      ``TensorDataset``. Of another data set, only the length is known.

    Args:
        train: The training split.
        val: The validation split; drolab measures it only if it is given here.
        test: The test split.
        classes: The names of the classes.
        groups: The names of the groups.
        class_counts: The number of samples of each class, of the training split or by split, where
            a split is only a number.
        group_counts: The number of samples of each group, given like ``class_counts``.

    Attributes:
        samples: The number of samples of each split.
    """

    def __init__(self, train: Any, val: Any = None, test: Any = None, *,
                 classes: Optional[Sequence[Any]] = None, groups: Optional[Sequence[Any]] = None,
                 class_counts: Optional[Counts] = None,
                 group_counts: Optional[Counts] = None) -> None:
        given = {name: split for name, split in
                 (("train", train), ("val", val), ("test", test)) if split is not None}
        self.samples = {name: _length(name, split) for name, split in given.items()}
        self._names = {"class": classes, "group": groups}
        self._counts: dict[str, Optional[dict[str, list[int]]]] = {}
        for kind, counts in (("class", class_counts), ("group", group_counts)):
            if counts is not None:
                of = counts if isinstance(counts, Mapping) else {"train": counts}
                self._counts[kind] = {k: [int(n) for n in v] for k, v in of.items()}
                continue
            found = {name: _numbers(split, kind) for name, split in given.items()}
            kept = {name: a for name, a in found.items() if a is not None}
            self._counts[kind] = _counted(kind, kept, self._names[kind]) if kept else None

    def head(self) -> dict[str, Any]:
        """Returns the members of the first message to drolab."""
        head: dict[str, Any] = {"samples": self.samples}
        for kind, many in (("class", "classes"), ("group", "groups")):
            table, names = self._counts[kind], self._names[kind]
            if table is not None:
                head[kind + "_counts"] = table
                if names is None:
                    names = range(max(map(len, table.values()), default=0))
            if names is not None:
                head[many] = [str(n) for n in names]
        return head


def _length(name: str, split: Any) -> int:
    if _is_number(split):
        return int(split)
    if hasattr(split, "batch_sampler"):  # its length is a number of batches
        raise SettingError(f"drolab.Data: {name} is a {type(split).__name__}: give its dataset, "
                           f"as in {name}=loader.dataset")
    try:
        return len(split[0] if _is_pair(split) else split)
    except (TypeError, NotImplementedError):
        raise SettingError(f"drolab.Data: {name} is a {type(split).__name__} without a length: "
                           "give the number of its samples") from None


def _is_number(split: Any) -> bool:
    return isinstance(split, (int, np.integer)) or getattr(split, "shape", None) == ()


def _is_pair(split: Any) -> bool:
    return isinstance(split, tuple) and len(split) == 2


def _numbers(split: Any, kind: str) -> Optional[np.ndarray]:
    """Returns the classes or groups of the samples of a split, or None if they are not known."""
    role, place = _ROLES[kind]
    if _is_number(split):
        return None
    if _is_pair(split):
        return _whole(split[place - 1])
    if hasattr(split, "dtype") or isinstance(split, (list, tuple)):
        return _whole(split) if kind == "class" else None
    if hasattr(split, "dataset") and hasattr(split, "indices"):  # a Subset
        below = _numbers(split.dataset, kind)
        return None if below is None else below[np.asarray(split.indices, np.int64)]
    if hasattr(split, "tensors"):
        return _whole(split.tensors[place]) if len(split.tensors) > place else None
    stored = column(split, role, place)
    return None if stored is None else _whole(stored)


def _whole(values: Any) -> Optional[np.ndarray]:
    """Returns whole numbers as an array; None for others, such as targets of regression."""
    a = np.asarray(values.cpu() if hasattr(values, "cpu") else values)
    return a.astype(np.int64) if a.ndim == 1 and a.dtype.kind in "iub" else None


def _counted(kind: str, found: Mapping[str, np.ndarray], names: Optional[Sequence[Any]]
             ) -> dict[str, list[int]]:
    low = min((int(a.min()) for a in found.values() if len(a)), default=0)
    high = max((int(a.max()) for a in found.values() if len(a)), default=0)
    if low < 0 or names is not None and high >= len(names):
        raise SettingError(f"drolab.Data: the numbers of the {kind} go from {low} to {high}: "
                           "expected numbers from 0, and a name for each")
    least = high + 1 if names is None else len(names)
    return {name: np.bincount(a, minlength=least).tolist() for name, a in found.items()}
