"""Signals that a run takes as the wish to stop, if the script has no handlers of its own."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Callable, Optional

__all__ = ["Wishes"]

#: Signals that end a process: by a launcher or a cluster, and when the terminal goes.
_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
#: Warnings of a cluster that the time of a job is nearly over.
_WARNS = [getattr(signal, name) for name in ("SIGUSR1", "SIGUSR2") if hasattr(signal, name)]
_AGAIN = 5.0  # seconds in which signals are one wish
_LATE = 20.0  # seconds in which a signal to all processes of a script reaches the first one

_active: weakref.WeakSet[Wishes] = weakref.WeakSet()


class Wishes:
    """Takes the signals within its ``with`` block, and then gives back the handlers before it.

    ``wish`` is called when one comes. ``over`` says whether nobody hears a wish any more.
    """

    def __init__(self, wish: Callable[[], None], over: Callable[[], bool]) -> None:
        self._wish, self._over = wish, over
        self._before: dict[int, object] = {}
        self._process, self._first = os.getpid(), 0.0
        self._terminals: Sequence[int] = ()
        self._told = mmap.mmap(-1, 1)  # 1 once this process has heard one; its children see it

    def __enter__(self) -> Wishes:
        if threading.current_thread() is threading.main_thread():
            self._terminals = [fd for fd in range(3) if os.isatty(fd)]
            for number in (*_ENDS, *_WARNS):
                if signal.getsignal(number) == signal.SIG_DFL:
                    self._before[number] = signal.signal(number, self._hear)
            _active.add(self)
        return self

    def __exit__(self, *error: object) -> None:
        _active.discard(self)
        if threading.current_thread() is threading.main_thread():
            for number in self._before:
                if signal.getsignal(number) == self._hear:
                    signal.signal(number, signal.SIG_DFL)

    @property
    def heard(self) -> bool:
        """Whether a signal has come."""
        return bool(self._told[0])

    def take_again(self) -> None:
        """Takes back the signals that a library has taken since."""
        for number in self._before:
            signal.signal(number, self._hear)

    def _hear(self, number: int, frame: Optional[FrameType]) -> None:
        """Hears a signal. One that ends a process does so when it comes again, later.

        A cluster and a launcher may both send it at almost the same time.
        """
        now, ends = time.monotonic(), number in _ENDS
        if os.getpid() != self._process or \
                ends and (self._over() or self._first and now - self._first > _AGAIN):
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        if ends:
            self._first = self._first or now
        self._told[0] = 1
        if number == getattr(signal, "SIGHUP", None):  # nobody reads what is printed
            for fd in self._terminals:
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, fd)
                os.close(nowhere)
        self._wish()

    def shield(self) -> None:
        """Lets a worker outlive a signal that all processes of the script are sent.

        PyTorch takes the end of a worker of a DataLoader for the failure of its reader, and gives a
        worker a handler of its own. So a thread of the worker receives the signals.
        """
        if self._before and hasattr(signal, "sigwaitinfo"):
            signal.pthread_sigmask(signal.SIG_BLOCK, self._before)
            for number in self._before:
                signal.signal(number, signal.SIG_DFL)
            threading.Thread(target=self._listen, args=(os.getppid(),), daemon=True).start()

    def _listen(self, parent: int) -> None:
        while True:
            heard = signal.sigwaitinfo(self._before)
            late = time.monotonic() + _LATE
            while not self._told[0] and heard.si_pid != parent and time.monotonic() < late:
                time.sleep(0.01)
            if heard.si_pid == parent or not self._told[0]:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, self._before)
                os.kill(os.getpid(), heard.si_signo)


def _after_fork() -> None:
    """Shields a process that multiprocessing has forked."""
    at: Optional[FrameType] = sys._getframe()
    while at is not None and at.f_globals.get("__name__") != "multiprocessing.popen_fork":
        at = at.f_back
    if at is not None:
        for wishes in list(_active):
            wishes.shield()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
