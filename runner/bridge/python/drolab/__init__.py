"""Trains your own program with drolab's methods: see docs/bridge.md.

``drolab.Job`` is the base of a program of any framework, with NumPy arrays, and
``drolab.torch.Job`` of one in PyTorch. ``main`` runs it when drolab starts it. ``start`` is for a script
that has its own loop: see docs/loop.md.
"""

from .job import Job, Settings, Wrong
from .loop import Failed, Lost, Run, start
from .serve import main

try:  # the wheel has this file
    from ._version import __version__
except ImportError:
    __version__ = "0+source"

__all__ = ["Failed", "Job", "Lost", "Run", "Settings", "Wrong", "main", "start", "__version__"]
