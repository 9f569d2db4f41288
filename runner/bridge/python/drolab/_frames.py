"""Sends and receives the frames of docs/protocol.md over a pair of pipes.

A frame begins with three little-endian uint32: the bytes of the head, the bytes of the body, and
``MAGIC``. The head follows, which is a JSON object, and then the body, which is the arrays that
the head declares, one behind the other. Lengths are compared with what the reader expects before
memory is allocated.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from ._errors import ConnectionLost, ProtocolError

__all__ = ["MOST_BODY", "MOST_HEAD", "USUAL_HEAD", "Head", "PipeClosed", "Wire",
           "close_in_children", "keep_in_children"]

MAGIC = 0x316F7264  # "dro1"
MOST_HEAD = 1 << 20  # bytes
MOST_BODY = 1 << 30  # bytes
USUAL_HEAD = 1 << 16  # bytes; of a head that describes nothing

_LENGTHS = struct.Struct("<III")
_TYPES = {name: np.dtype("<" + name) for name in ("f8", "f4", "i8", "i4")}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_STEP = 1 << 20  # bytes; memory grows with what has come, by this or more
_LOOKING = 100e-6  # seconds of looking at a pipe before this process sleeps
_WORTH = 64  # successful looks in a row that make the next pause a short one
_PAUSE = 4096  # largest number of waits in a pause
_KEPT = 256  # number of heads kept in memory, since most questions come again and again
_CUT = "a frame is cut short: drolab has gone"

Head = Mapping[str, Any]
Declared = tuple[tuple[np.dtype, int, int], ...]  # type, elements, bytes


class PipeClosed(ConnectionLost):
    """The other side has closed its pipe."""


class Wire:
    """A connection over two pipes, given by their numbers.

    It reads and writes without a buffer of Python's own, so that a question costs one system
    call and its answer another. ``meanwhile`` receives a frame that comes while a long one waits
    to be sent: the other side may have to say why it does not read.
    """

    def __init__(self, read: int, write: int,
                 meanwhile: Optional[Callable[[], Any]] = None) -> None:
        self.read, self.write = read, write
        self._memory = bytearray(1 << 16)
        self._view = memoryview(self._memory)
        self._from = self._to = 0  # bounds of the bytes in memory that are not yet read
        self._worth = 0  # successful looks in a row: see _wait
        self._without = 0  # number of the next waits that go without a look
        self._pause = 1  # number of waits without a look after the next failed look
        os.set_blocking(read, False)
        self._poll = select.poll()
        self._poll.register(read, select.POLLIN)
        self._meanwhile = meanwhile
        if meanwhile is not None:
            os.set_blocking(write, False)
            self._both = select.poll()
            self._both.register(read, select.POLLIN)
            self._both.register(write, select.POLLOUT)
        self._heads: dict[bytes, tuple[Head, Declared, int]] = {}
        self._prefixes: dict[tuple[Any, ...], bytes] = {}

    def receive(self, most_head: int, most_body: int
                ) -> Optional[tuple[Head, list[np.ndarray]]]:
        """Returns the head and copies of the arrays of the next frame. Do not change the head.

        Returns None if the pipe ends between two frames. Raises ProtocolError if the bytes are not
        a frame, if its head or body has more than these numbers of bytes, or if the pipe ends
        within it.
        """
        if not self._fill(_LENGTHS.size):
            if self._to == self._from:
                return None
            raise ProtocolError(_CUT)
        text, body, magic = _LENGTHS.unpack_from(self._memory, self._from)
        if magic != MAGIC:
            raise ProtocolError("not a frame of the protocol: it does not begin as one")
        if text > most_head or body > most_body:
            raise ProtocolError(f"not a frame of the protocol: it declares {text} and {body} "
                                f"bytes: expected at most {most_head} and {most_body}")
        if not self._fill(_LENGTHS.size + text):
            raise ProtocolError(_CUT)
        at = self._from + _LENGTHS.size
        raw = bytes(self._view[at:at + text])
        known = self._heads.get(raw)
        if known is None:
            known = _parse(raw)
            if len(self._heads) >= _KEPT:
                self._heads.clear()
            if text <= 1024:
                self._heads[raw] = known
        head, declared, size = known
        if size != body:
            raise ProtocolError(f"not a frame of the protocol: its arrays take {size} bytes and "
                                f"its body has {body}")
        if not self._fill(_LENGTHS.size + text + body):
            raise ProtocolError(_CUT)
        at = self._from + _LENGTHS.size + text
        arrays = []
        for kind, n, length in declared:
            arrays.append(np.frombuffer(self._memory, kind, n, at).copy())
            at += length
        self._from = at
        if self._from == self._to:
            self._from = self._to = 0
            if len(self._memory) > 4 * _STEP:  # a long answer's memory is not kept
                self._resize(1 << 16)
        return head, arrays

    def _fill(self, n: int) -> bool:
        """Reads until n unread bytes are there. Returns False if the pipe ends before that."""
        while self._to - self._from < n:
            full = self._to == len(self._memory)
            if self._from + n > len(self._memory) and (self._from or full):
                have = self._to - self._from
                self._resize(min(max(n, 1 << 16), max(2 * have, have + _STEP)))
            got = self._read_some([self._view[self._to:]])
            if got == 0:
                return False
            self._to += got
        return True

    def _read_some(self, room: list[memoryview]) -> int:
        """Reads the bytes that have come, or waits for some.

        Returns their number, 0 at the end of the pipe.
        """
        try:
            return os.readv(self.read, room)
        except BlockingIOError:
            self._wait()
            return os.readv(self.read, room)

    def _wait(self) -> None:
        """Waits until bytes have come.

        A process that sleeps takes longer to wake than drolab takes for a short answer. So this
        method looks at the pipe again and again for a moment before it sleeps. If that fails,
        since drolab computes or others want this processor, more and more waits go without it.
        """
        if self._without:
            self._without -= 1
        else:
            until = time.perf_counter() + _LOOKING
            while time.perf_counter() < until:
                if self._poll.poll(0):
                    self._worth += 1
                    if self._worth == _WORTH:
                        self._pause = 1
                    return
            self._worth, self._without = 0, self._pause
            self._pause = min(2 * self._pause, _PAUSE)
        self._poll.poll()

    def _resize(self, size: int) -> None:
        """Moves the unread bytes into memory of another size. Arrays from receive are copies."""
        rest = self._view[self._from:self._to]
        self._memory = bytearray(max(size, len(rest)))
        self._view = memoryview(self._memory)
        self._view[:len(rest)] = rest
        self._from, self._to = 0, len(rest)

    def send(self, head: Head, arrays: Sequence[np.ndarray] = ()) -> None:
        """Sends a frame. The arrays are float64, float32, int64 or int32, of any shape.

        Raises PipeClosed if drolab has gone, and ValueError if the frame exceeds the limits.
        """
        bodies = []
        declared = []
        body = 0
        for a in arrays:
            a = np.ascontiguousarray(a)
            if a.dtype not in _NAMES:
                a = a.astype(a.dtype.newbyteorder("<"))
            declared.append([_NAMES[a.dtype], a.size])
            bodies.append(a.reshape(-1).view(np.uint8))
            body += a.nbytes
        if declared:
            head = dict(head, arrays=declared)
        text = json.dumps(head, separators=(",", ":")).encode()
        if len(text) > MOST_HEAD or body > MOST_BODY:
            raise ValueError(f"an answer of {len(text)} and {body} bytes: at most "
                             f"{MOST_HEAD} and {MOST_BODY}")
        prefix = _LENGTHS.pack(len(text), body, MAGIC) + text
        self._write_all([prefix, *bodies], len(prefix) + body)

    def send_known(self, key: tuple[Any, ...], head: Callable[[], Head],
                   arrays: Sequence[np.ndarray]) -> None:
        """Sends a frame whose head is made once for each key and the arrays' types and sizes.

        The arrays are contiguous and have types of the protocol.
        """
        kinds, body = [], 0
        for a in arrays:
            kinds.append((a.dtype, a.size))
            body += a.nbytes
        known = (key, *kinds)
        prefix = self._prefixes.get(known)
        if prefix is None:
            text = json.dumps(dict(head(), arrays=[[_NAMES[a.dtype], a.size] for a in arrays]),
                              separators=(",", ":")).encode()
            prefix = _LENGTHS.pack(len(text), body, MAGIC) + text
            if len(self._prefixes) >= _KEPT:
                self._prefixes.clear()
            self._prefixes[known] = prefix
        self._write_all((prefix, *arrays), len(prefix) + body)

    def send_array(self, a: np.ndarray) -> None:
        """Sends a frame of one array alone, which is contiguous and has a type of the protocol."""
        key = (a.dtype, a.size)
        prefix = self._prefixes.get(key)
        if prefix is None:
            text = b'{"arrays":[["%s",%d]]}' % (_NAMES[a.dtype].encode(), a.size)
            prefix = _LENGTHS.pack(len(text), a.nbytes, MAGIC) + text
            if len(self._prefixes) >= _KEPT:
                self._prefixes.clear()
            self._prefixes[key] = prefix
        self._write_all((prefix, a), len(prefix) + a.nbytes)

    def _write_all(self, parts: Sequence[Any], n: int) -> None:
        """Writes the n bytes of all parts. Most frames go in one system call."""
        try:
            sent = self._write_some(parts)
            if sent == n:
                return
            rest = [memoryview(p).cast("B") for p in parts if memoryview(p).nbytes]
            while True:
                while rest and sent >= len(rest[0]):
                    sent -= len(rest.pop(0))
                if not rest:
                    return
                rest[0] = rest[0][sent:]
                self._await_room()
                sent = self._write_some(rest)
        except BrokenPipeError:
            raise PipeClosed("the pipe is closed: drolab has gone") from None

    def _write_some(self, parts: Sequence[Any]) -> int:
        """Writes as much as the pipe has room for. Returns the number of bytes."""
        try:
            return os.writev(self.write, parts)
        except BlockingIOError:
            return 0

    def _await_room(self) -> None:
        """Waits until drolab takes more bytes of a long frame, and hears it meanwhile."""
        if self._meanwhile is None:
            return  # the write waits
        while self.write not in dict(self._both.poll()):
            self._meanwhile()


def _parse(raw: bytes) -> tuple[Head, Declared, int]:
    """Returns a head, the arrays that it declares, and the bytes of all of them together."""
    try:
        head = json.loads(raw)
    except (ValueError, RecursionError) as e:
        raise ProtocolError(f"not a frame of the protocol: its head: {e}") from None
    if not isinstance(head, dict):
        raise ProtocolError("not a frame of the protocol: its head is no object")
    declared, size = [], 0
    listed = head.get("arrays") or []
    if not isinstance(listed, list):
        raise ProtocolError("not a frame of the protocol: its arrays are no list")
    for i, d in enumerate(listed):
        kind = _TYPES.get(d[0]) if isinstance(d, list) and len(d) == 2 and \
            isinstance(d[0], str) else None
        if kind is None or type(d[1]) is not int or not 0 <= d[1] <= MOST_BODY // kind.itemsize:
            raise ProtocolError(f"not a frame of the protocol: array {i} is declared as "
                                f"{str(d)[:40]!r}")
        declared.append((kind, d[1], d[1] * kind.itemsize))
        size += d[1] * kind.itemsize
    return head, tuple(declared), size


_closed_in_children: set[int] = set()


def close_in_children(*descriptors: int) -> None:
    """Makes forked children close the descriptors, and keeps programs from inheriting them.

    A worker that held a pipe open would hide this process's end from the other side.
    """
    for d in descriptors:
        os.set_inheritable(d, False)
    _closed_in_children.update(descriptors)


def keep_in_children(*descriptors: int) -> None:
    """Undoes close_in_children for these descriptors, as when this process closes them."""
    _closed_in_children.difference_update(descriptors)


def _after_fork() -> None:
    for d in _closed_in_children:
        try:
            os.close(d)
        except OSError:
            pass
    _closed_in_children.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
