"""Finds the parts of a sample as a data set gives it: see ``Job.fields`` in drolab.torch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from ._errors import UsageError

__all__ = ["Places", "PLAIN", "column", "inputs", "places"]

Places = dict[str, Any]  # the key or the number of each part, by its role

PLAIN: Places = {"x": 0, "y": 1, "group": 2}
_ROLES = ("x", "y", "group", "attribute", "metadata")
_KEYS = {"y": ("labels", "label", "y"), "group": ("group", "groups"), "x": ("x",)}
_NUMBERS = ("index", "idx")  # keys of the place of a sample, which is no input
_COLUMNS = {"y": ("targets", "labels", "y_array"), "group": ("groups",),
            "metadata": ("metadata_array",)}


def places(sample: Any, split: str, fields: Optional[Mapping[str, Any]], grouper: Any) -> Places:
    """Returns where the parts of a sample are: by ``fields``, or else by its form."""
    found = _by_form(sample, split) if fields is None else dict(fields)
    for role, key in found.items():
        if role not in _ROLES:
            raise UsageError(f"fields has the role {role!r}: the roles are {', '.join(_ROLES)}")
        try:
            part = sample[key]
        except (KeyError, IndexError, TypeError):
            raise UsageError(f"fields has {key!r} for {role}, which a sample of {split} does not "
                             "have") from None
        if role == "metadata" and grouper is None:
            raise UsageError(f"a sample of {split} has metadata and no group: set self.grouper to "
                             "a grouper of WILDS, or self.fields = {'x': 0, 'y': 1} to go without "
                             "groups")
        if role not in ("x", "metadata") and math.prod(np.shape(part)) != 1:
            how = "give the number of its class, as by argmax" if role == "y" else \
                "give one whole number"
            raise UsageError(f"the {'label' if role == 'y' else role} of a sample of {split} has "
                             f"the shape {tuple(np.shape(part))}: {how}")
    if "y" not in found or "x" not in found and not isinstance(sample, Mapping):
        raise UsageError(f"fields does not name y, or x: a sample of {split} has {_of(sample)}")
    return found


def _by_form(sample: Any, split: str) -> Places:
    if isinstance(sample, Mapping):
        found = {role: key for role, keys in _KEYS.items() for key in reversed(keys)
                 if key in sample}
        if "y" not in found:
            raise UsageError(f"a sample of {split} has {_of(sample)}, of which none is label or "
                             "labels: set self.fields, as in fields = {'y': 'target'}")
        return found
    if isinstance(sample, (tuple, list)):
        if len(sample) == 2 or len(sample) == 3 and np.ndim(sample[2]) == 0:
            return {role: k for role, k in PLAIN.items() if k < len(sample)}
        if len(sample) == 3:  # as in WILDS
            return {"x": 0, "y": 1, "metadata": 2}
        if len(sample) == 4 and [k for k in range(4) if np.ndim(sample[k])] == [1]:
            return {"x": 1, "y": 2, "attribute": 3}  # as in SubpopBench
    raise UsageError(f"a sample of {split} is no x, y and no x, y, group: let the data set give "
                     "one of them, or set self.fields")


def _of(sample: Any) -> str:
    return f"the keys {', '.join(map(str, sample))}" if isinstance(sample, Mapping) else \
        f"{len(sample)} parts"


def inputs(sample: Any, at: Places, tensor: Any) -> Any:
    """Returns x of a sample: without a place of its own, all other numbers under their keys."""
    if "x" in at:
        return sample[at["x"]]
    other = (*at.values(), *_NUMBERS)
    return {k: tensor(v) for k, v in sample.items() if k not in other and
            (hasattr(v, "dtype") or np.asarray(v).dtype.kind in "iufb")}


def column(dataset: Any, role: str, key: Any) -> Optional[np.ndarray]:
    """Returns the labels, groups or the like that a data set stores, or else None."""
    own = {"y": "y", "attribute": "a"}.get(role)
    if own and all(hasattr(dataset, name) for name in ("idx", "x", own)):  # as in SubpopBench
        return np.asarray(getattr(dataset, own))[np.asarray(dataset.idx, np.int64)]
    stored = [dataset[key]] if isinstance(key, str) and key in getattr(
        dataset, "column_names", ()) else []
    stored += [getattr(dataset, name, None) for name in _COLUMNS.get(role, ())]
    for value in stored:
        if value is None:
            continue
        a = value.cpu().numpy() if hasattr(value, "cpu") else np.asarray(value)
        if a.ndim == (2 if role == "metadata" else 1) and a.dtype.kind in "iubf":
            return a
    return None
