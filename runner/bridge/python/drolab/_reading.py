"""Reads samples of data sets, in this process or ahead in workers.

The random draws of a sample depend on the seed of the run, the epoch and the sample's place,
and not on the number of workers or the order of reading.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import os
import random
import signal
import struct
import traceback
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ._errors import UsageError
from ._frames import close_in_children, keep_in_children

__all__ = ["Generators", "Plan", "Workers", "torch_seed", "unread"]

MOST_AHEAD = 16  # largest number of batches that are ordered and not yet asked for
_MOST_SENT = 1 << 15  # most bytes of a worker's unanswered orders, far below a pipe's room


class Generators:
    """The generators of random numbers that data sets draw from: those of Python and NumPy."""

    def seed(self, n: int) -> None:
        """Seeds all generators with 63 bits."""
        random.seed(n)
        np.random.seed(n & 0xFFFFFFFF)

    def states(self) -> list[Any]:
        return [random.getstate(), np.random.get_state()]

    def restore(self, states: Sequence[Any]) -> None:
        random.setstate(states[0])
        np.random.set_state(states[1])

    def sow(self, seed: int, epoch: int, index: int) -> None:
        """Seeds all generators for one sample."""
        self.seed(_hash(struct.pack("<QqQ", seed & (1 << 64) - 1, epoch, index)))

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Restores the states of all generators after the block.

        So reading data changes none of the network's draws.
        """
        states = self.states()
        try:
            yield
        finally:
            self.restore(states)


def torch_seed(seed: int) -> int:
    """Returns the seed of PyTorch's generators for the seed of a run: itself below 2**32, else 63
    bits of a hash.

    On the CPU, PyTorch takes the last 32 bits of a seed. Seeds that agree in them would share all
    draws; two hashes agree in them by chance, once in 2**32.
    """
    return seed if seed < 2**32 else _hash(struct.pack("<Q", seed))


def _hash(raw: bytes) -> int:
    """Returns 63 bits of a hash."""
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little") >> 1


class Plan(NamedTuple):
    """The data sets and functions that a worker needs to read samples.

    ``collate`` makes a batch of a list of samples. A worker calls ``begin`` before it reads.
    """

    datasets: dict[str, Any]
    sample: Callable[[Any, bool], Any]  # takes an item of the data set, and whether to augment
    collate: Callable[[list[Any]], Any]
    seed: int
    generators: Generators
    begin: Callable[[], None]

    def read(self, name: str, index: np.ndarray, epoch: int) -> Any:
        """Returns the batch of the samples at the places ``index`` of the data set ``name``.

        An epoch below 0 is for evaluations, which augment nothing.
        """
        dataset, samples = self.datasets[name], []
        for i in index.tolist():
            self.generators.sow(self.seed, epoch, i)
            try:
                samples.append(self.sample(dataset[i], epoch >= 0))
            except Exception as e:
                traceback.print_exc()
                raise UsageError(unread(i, name, e)) from None
        try:
            return self.collate(samples)
        except Exception as e:
            traceback.print_exc()
            raise UsageError(f"a batch of {name} cannot be collated: {_line_of(e)}") from None


def unread(i: int, name: str, e: Exception) -> str:
    """Returns the error line for a sample that cannot be read."""
    return f"sample {i} of {name} cannot be read: {_line_of(e)}"


def _line_of(e: Exception) -> str:
    """Returns an error as one line, with the place that raised it."""
    said = str(e).strip().split("\n")[0][:300]
    last = traceback.extract_tb(e.__traceback__)[-1]
    return f"{type(e).__name__}: {said} ({os.path.basename(last.filename)}, line {last.lineno})"


Order = tuple[str, bytes, int]  # data set, places as int64, epoch


class _Worker:
    """A process that reads the samples that it is sent, and this end of the pipe to it."""

    def __init__(self, context: Any, plan: Plan, number: int) -> None:
        self.pipe, theirs = context.Pipe()
        # Forked children close this end, so that a worker sees when this process is gone.
        close_in_children(self.pipe.fileno())
        self.process = context.Process(target=_work, args=(theirs, plan), daemon=True,
                                       name=f"drolab worker {number}")
        self.process.start()
        theirs.close()
        # Batch, part and bytes of each order that waits for an answer, and the sum of the bytes.
        self.orders: collections.deque[tuple[_Batch, int, int]] = collections.deque()
        self.sent = 0

    def send(self, order: Order, batch: _Batch, part: int) -> None:
        size = len(order[1])
        while self.orders and self.sent + size > _MOST_SENT:
            self.receive()
        try:
            self.pipe.send(order)
        except OSError:
            raise UsageError(self.dead()) from None
        self.orders.append((batch, part, size))
        self.sent += size

    def receive(self) -> None:
        """Receives the answer to the oldest order, and stores it in its batch."""
        try:
            result, error = self.pipe.recv()
        except (EOFError, OSError):
            raise UsageError(self.dead()) from None
        batch, part, size = self.orders.popleft()
        self.sent -= size
        batch.take(part, result, error)

    def dead(self) -> str:
        self.process.join(5)
        return (f"{self.process.name} has ended with the status {self.process.exitcode}: "
                "it may lack memory; try num_workers = 0")

    def close(self) -> None:
        keep_in_children(self.pipe.fileno())
        self.pipe.close()


def _work(pipe: Any, plan: Plan) -> None:
    """Runs a worker until the other end of its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are for drolab
    plan.begin()
    while True:
        try:
            name, places, epoch = pipe.recv()
        except (EOFError, OSError):
            return
        answer: tuple[Any, Optional[str]]
        try:
            answer = plan.read(name, np.frombuffer(places, np.int64), epoch), None
        except UsageError as e:
            answer = None, str(e)
        try:
            pipe.send(answer)
        except OSError:
            return


class _Batch:
    """A batch that workers read, in parts."""

    def __init__(self, parts: int) -> None:
        self.parts: list[Any] = [None] * parts
        self.workers: list[_Worker] = []  # the one of each part
        self.left = parts  # number of parts that have not come
        self.error: Optional[str] = None

    def take(self, part: int, result: Any, error: Optional[str]) -> None:
        self.parts[part] = result
        self.error = self.error or error
        self.left -= 1


class Workers:
    """Processes that read batches ahead.

    If the parts of a batch can be joined (``cut``), it is cut into as many parts as there are
    workers. Otherwise one worker reads the whole batch.
    """

    def __init__(self, context: Any, plan: Plan, count: int, cut: bool) -> None:
        self._cut = cut
        self._workers = [_Worker(context, plan, n) for n in range(count)]
        self._ahead: collections.OrderedDict[Order, _Batch] = collections.OrderedDict()
        self._turn = 0  # number of the worker that reads the next part

    def announce(self, name: str, index: np.ndarray, epoch: int) -> None:
        """Orders a batch from the workers, unless it is ordered already."""
        order = (name, index.tobytes(), epoch)
        if order in self._ahead:
            return
        while len(self._ahead) >= MOST_AHEAD:  # nobody asked for the oldest
            self._ahead.popitem(last=False)
        pieces = np.array_split(index, min(len(self._workers), len(index))) if self._cut \
            else [index]
        batch = self._ahead[order] = _Batch(len(pieces))
        for part, piece in enumerate(pieces):
            w = self._workers[self._turn]
            self._turn = (self._turn + 1) % len(self._workers)
            batch.workers.append(w)
            w.send((name, piece.tobytes(), epoch), batch, part)

    def read(self, name: str, index: np.ndarray, epoch: int) -> list[Any]:
        """Returns the parts of a batch, in order."""
        self.announce(name, index, epoch)
        batch = self._ahead.pop((name, index.tobytes(), epoch))
        for w in batch.workers:
            while batch.left and any(b is batch for b, _, _ in w.orders):
                w.receive()
        if batch.error is not None:
            raise UsageError(batch.error)
        return batch.parts

    def close(self) -> None:
        for w in self._workers:
            w.close()
        for w in self._workers:
            w.process.join(5)
