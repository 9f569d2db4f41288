"""Trains your own program with drolab's methods: see docs/bridge.md.

``drolab.Job`` is the base class of a program in any framework, with NumPy arrays.
``drolab.torch.Job`` is the base class of a program in PyTorch. ``main`` runs the program when
drolab starts it. ``start`` is for a script that keeps its own loop: see docs/loop.md.
"""

from ._version import __version__
from .job import Job, Settings, Wrong
from .loop import Failed, Lost, Run, start
from .serve import main


__all__ = ["Failed", "Job", "Lost", "Run", "Settings", "Wrong", "main", "start", "__version__"]
