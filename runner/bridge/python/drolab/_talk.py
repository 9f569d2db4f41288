"""Speaks with drolab's process of a run whose loop is this script's: see docs/protocol.md."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from ._errors import ConnectionLost, Error, ProtocolError, RunStopped, UsageError
from ._frames import USUAL_HEAD, PipeClosed, Wire, close_in_children, keep_in_children
from ._version import __version__

__all__ = ["Answer", "Talk", "end_of"]

Answer = tuple[Mapping[str, Any], list[np.ndarray]]

_F_SETPIPE_SZ = 1031  # fcntl has the name from Python 3.10 on
_ROOM = 1 << 20  # bytes of the pipe to drolab: long frames then wait less often
_PATIENCE = 2.0  # seconds to wait for an answer that an interrupt cut off
_OFTEN = ("weights", "step")  # messages whose heads come again and again
_OLD = 'unknown command "loop"'  # what commands say that are older than drolab.start


def _command() -> str:
    """Returns the command drolab of this package, or else the one in the PATH.

    The variable DROLAB_COMMAND names another.
    """
    named = os.environ.get("DROLAB_COMMAND")
    if named:
        return named
    for scheme in (None, os.name + "_user"):
        with contextlib.suppress(KeyError):
            folder = sysconfig.get_path("scripts", scheme) if scheme else \
                sysconfig.get_path("scripts")
            if folder and os.access(os.path.join(folder, "drolab"), os.X_OK):
                return os.path.join(folder, "drolab")
    found = shutil.which("drolab")
    if not found:
        raise UsageError("the command drolab is not there: install a wheel of this platform, which "
                         "has it, or put it into a folder of PATH, or name it in DROLAB_COMMAND")
    return found


def _versions(command: str) -> str:
    """Returns the words that name the versions of this package and of a command."""
    try:
        said = subprocess.run([command, "version"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=_PATIENCE).stdout.split("\n")[0]
    except (OSError, subprocess.SubprocessError):
        said = ""
    return (f" (the package drolab has the version {__version__}, and {command} says "
            f"{said[:100] or 'none'!r}: install both of one version)")


class Talk:
    """The conversation with drolab's process of a run. It starts the process.

    Attributes:
        id: The name of the run, as far as it is known.
        begun: Whether drolab has accepted the run.
        over: Whether the conversation has ended.
        waiting: Whether an answer is due.
        attend: Waits until the pipe of this descriptor has an answer; None: reading it waits.
    """

    def __init__(self, run: str, runs: Optional[str]) -> None:
        self.id = run
        self.begun = self.over = self.waiting = self._torn = self._stopped = False
        self.attend: Optional[Callable[[int], None]] = None
        self._most = 0  # bytes of the arrays of the answer
        self._command = _command()
        command = [self._command, "loop"] + (["--runs", runs] if runs else [])
        said, says = os.pipe()  # from drolab: the end of this process, and drolab's
        told, tells = os.pipe()  # to drolab: drolab's end, and that of this process
        self._errors = tempfile.TemporaryFile()
        try:
            for end in (told, says):
                os.set_blocking(end, False)
            self._process = subprocess.Popen(
                command, pass_fds=(told, says), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True,
                env=dict(os.environ, DROLAB_PIPES=f"{told},{says}"))
        except OSError as e:
            for end in (said, tells):
                os.close(end)
            raise UsageError(f"{command[0]} cannot be started: {e}") from None
        finally:
            os.close(told)
            os.close(says)
        if sys.platform == "linux":
            import fcntl

            with contextlib.suppress(OSError):  # too many pages of this user's pipes
                fcntl.fcntl(tells, _F_SETPIPE_SZ, _ROOM)
        self._pipes = said, tells
        close_in_children(said, tells)
        self._wire = Wire(said, tells, self._take)

    def tell(self, do: str, has: tuple[str, ...] = (), arrays: Sequence[np.ndarray] = (),
             fresh: tuple[str, ...] = (), **more: Any) -> None:
        """Sends a message."""
        if self.over:
            raise UsageError(f"run {self.id} has ended")

        def head() -> Mapping[str, Any]:
            lists = {"has": has, "fresh": fresh}
            return dict(more, do=do, **{k: v for k, v in lists.items() if v})

        self._torn = True
        try:
            if do in _OFTEN:
                self._wire.send_known((do, has, fresh, bool(more)), head, arrays)
            else:
                self._wire.send(head(), arrays)
        except PipeClosed:
            raise self._lost() from None
        self._torn = False

    def ask(self, do: str, has: tuple[str, ...] = (), arrays: Sequence[np.ndarray] = (),
            most: Optional[int] = 0, **more: Any) -> Answer:
        """Sends a message and returns its answer, whose arrays have at most so many bytes.

        None stands for a weight for each sample, and one number more.
        """
        self.tell(do, has, arrays, **more)
        self.waiting, self._most = True, 8 * len(arrays[0]) + 8 if most is None else most
        return self._hear()

    def _hear(self) -> Answer:
        while True:
            if self.attend is not None:
                self.attend(self._pipes[0])
            answer = self._take()
            if answer is not None:
                return answer

    def _take(self) -> Optional[Answer]:
        """Reads a frame. Returns the answer, or None after a note, which it prints."""
        try:
            frame = self._wire.receive(USUAL_HEAD, self._most)
        except ProtocolError:
            frame = None
        if frame is not None and "note" in frame[0]:
            print(f"drolab: {frame[0]['note']}", file=sys.stderr, flush=True)
            return None
        self.waiting = False
        if frame is None:
            raise self._lost()
        error = frame[0].get("error")
        if error:
            self.close()
            if not self.begun and "of the protocol" in str(error):
                raise ProtocolError(f"{error}{_versions(self._command)}")
            raise RunStopped(str(error))
        return frame

    def in_step(self) -> bool:
        """Reports whether drolab can be sent a message now.

        An interrupt may have cut off the wait for an answer. The answer still comes and is read
        here, unless the run is paused.
        """
        self.attend = None
        if self.over or self._torn:
            return False
        until = time.monotonic() + _PATIENCE
        while self.waiting:
            if not select.select([self._pipes[0]], [], [], max(0, until - time.monotonic()))[0]:
                return False
            self._take()
        return True

    def stop(self) -> None:
        """Asks drolab to stop the run, also while it is paused. The script hears it as a wish."""
        if not self._stopped:
            self._stopped = True
            self._process.send_signal(signal.SIGHUP)

    def close(self, kill: bool = False) -> None:
        """Closes the pipes and waits for drolab's process to end.

        The process ends by itself; ``kill`` tells it to end at once.
        """
        if self.over:
            return
        self.over = True
        keep_in_children(*self._pipes)
        for end in self._pipes:
            with contextlib.suppress(OSError):
                os.close(end)
        if kill:
            self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)

    def _lost(self) -> Error:
        """Closes the run and returns the error of a process that has gone, with its last line."""
        self.close()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        last = lines[-1][:300] if lines else ""
        said = f": {last}" if last else ""
        killed = (self._process.returncode or 0) < 0
        if not self.begun and not killed:
            if last.startswith("drolab: ") and _OLD not in last:
                return RunStopped(last[len("drolab: "):])
            return ProtocolError(f"drolab's process has ended{said}{_versions(self._command)}")
        if not self.id:
            return ConnectionLost(f"drolab's process has ended{said}")
        return ConnectionLost(f"drolab's process of run {self.id} has ended{said}: go on with "
                              f"drolab.start(resume={self.id!r})")


def end_of(e: BaseException, who: str = "") -> tuple[str, str]:
    """Returns how an error ends a run (failed, lost or stopped), and its cause in one line."""
    if isinstance(e, (RunStopped, ConnectionLost)):
        return "failed" if isinstance(e, RunStopped) else "lost", str(e)
    wanted = isinstance(e, KeyboardInterrupt) or isinstance(e, SystemExit) and e.code in (None, 0)
    return "stopped" if wanted else "failed", who + _line_of(e)


def _line_of(e: BaseException) -> str:
    """Returns an error as one line, with the last place in the script that it passed."""
    said = (str(e).strip().split("\n") or [""])[0][:500]
    text = f"{type(e).__name__}: {said}" if said else type(e).__name__
    own = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        if not os.path.abspath(frame.filename).startswith(own) and os.path.exists(frame.filename):
            return f"{text} ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return text
