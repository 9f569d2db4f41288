"""The errors of this package."""

from __future__ import annotations

__all__ = ["ConnectionLost", "Error", "ProtocolError", "RunStopped", "SettingError", "UsageError"]


class Error(Exception):
    """Any error of drolab. The message is one line."""


class UsageError(Error):
    """A mistake in the program or script, such as losses of another shape.

    The message names the cure: change the program. A program that drolab trains may raise it, and
    its line is then the cause of the run's end.
    """


class SettingError(UsageError):
    """A setting or an argument of ``drolab.start`` is missing, or has another type.

    Give it, or change it.
    """


class RunStopped(Error):
    """drolab refuses the run or has ended it; the message is the reason.

    The run is over: leave the block. A run that had begun goes on from its last checkpoint with
    ``drolab.start(resume=...)`` when the reason is gone.
    """


class ConnectionLost(Error):
    """drolab's process has ended, or another process of the run.

    Nothing more can be recorded. Start the script again with ``drolab.start(resume=...)``.
    """


class ProtocolError(Error):
    """drolab and this package do not understand each other: install both of one version."""
