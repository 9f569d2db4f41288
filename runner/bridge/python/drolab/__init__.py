"""Trains your own program with drolab's methods: see docs/bridge.md.

``drolab.Job`` is the base class of a program in any framework, with NumPy arrays.
``drolab.torch.Job`` is the base class of a program in PyTorch. ``main`` runs the program when
drolab starts it. ``start`` is for a script that keeps its own loop: see docs/loop.md.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ._data import Data
from ._errors import (ConnectionLost, Error, ProtocolError, RunStopped, SettingError,
                      UsageError)
from ._job import Job, Settings
from ._loop import Run, start
from ._serve import main
from ._version import __version__

__all__ = ["ConnectionLost", "Data", "Error", "Job", "ProtocolError", "Run", "RunStopped",
           "SettingError", "Settings", "UsageError", "main", "start", "__version__"]

_RENAMED = {"Failed": RunStopped, "Lost": ConnectionLost, "Wrong": UsageError}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> type[Error]:
        """Returns a class by the name that it had in the version before."""
        now = _RENAMED.get(name)
        if now is None:
            raise AttributeError(f"module 'drolab' has no attribute {name!r}")
        warnings.warn(f"drolab.{name} is now drolab.{now.__name__}: the old name goes with the "
                      "next version", DeprecationWarning, stacklevel=2)
        return now
