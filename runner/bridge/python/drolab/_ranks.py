"""One run of several processes, over torch.distributed: see docs/loop.md.

Every rank makes the same calls in the same order. Rank 0 alone speaks with drolab. A call goes over
the host, by a gloo group of its own:

1. Every rank says to all which call it makes, and how many samples it gives.
2. Rank 0 receives the samples of all, in the order of the ranks.
3. Every rank receives drolab's answer from rank 0.

The store of torch.distributed has what the ranks must know where a call fails: the fault of the
first rank that left the run, and a pulse of each rank.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pickle
import select
import tempfile
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from . import _restarts
from ._errors import ConnectionLost, RunStopped, UsageError
from ._forms import Processes
from ._talk import Answer, Talk, end_of

__all__ = ["Group"]

_PATIENCE = 600.0  # seconds; the default of the setting program_patience
_BEAT = 0.25  # seconds between two beats of a pulse
_DEAD = 12  # beats without a sign of life
_GLANCE = datetime.timedelta(seconds=0.5)  # between two looks at the other ranks in a wait
_NEWS = 5.0  # seconds; rank 0 says at least so often that it still waits for drolab

_NAMES = ("losses", "label", "group", "index", "correct", "confidence")
_CALLS = {"start": "drolab.start", "weights": "run.weights", "step": "run.step",
          "fresh": "run.step(fresh=...)", "evaluate": "run.evaluate", "epoch": "run.end_epoch",
          "selected": "run.best", "checkpoint": "run.checkpoint",
          "kept": "the end of run.checkpoint", "saved": "the end of run.checkpoint",
          "discard": "the end of run.checkpoint", "end": "the end of its block"}
_CODES = list(_CALLS)
_SAME = ("name", "resume", "from", "samples", "class_counts", "group_counts", "classes", "groups",
         "restart", "higher", "lower", "steps_per_epoch")

#: How the fault of one rank ends the block of the others, by the kind of the fault.
_FAULTS: dict[str, Any] = {
    "failed": RunStopped, "lost": ConnectionLost, "stopped": KeyboardInterrupt}
_ERRORS = tuple(_FAULTS.values())


class Group(Processes):
    """All ranks of a run, as one of them sees them.

    Attributes:
        rank: The number of this one.
        size: The number of all.
        talk: The conversation with drolab, on rank 0.
        run: The name of the run, once it is known.
        wish: Whether this rank was told to end.
    """

    def __init__(self) -> None:
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.talk: Optional[Talk] = None
        self.run, self.wish = "", False
        self._counts = [0] * self.size  # samples of each rank in the last call
        self._calls, self._doing = 0, "start"
        self._room = 0  # bytes of the last answer
        self._gloo: Any = None
        self._pending = False  # a call of this rank waits for the others
        self._patience = _PATIENCE
        store = dist.distributed_c10d._get_default_store()
        store = store.clone() if hasattr(store, "clone") else store  # nobody else's waits hold it
        # When torchrun starts the processes again, the store has the addresses of those before.
        restarts = _restarts.count()
        starts = store.add(f"drolab-{restarts}-starts-{self.rank}", 1)
        if restarts and starts == 1:
            dist.distributed_c10d._world.group_count += 1000 * restarts
        self._store = dist.distributed_c10d.PrefixStore(f"drolab-{restarts}-{starts}", store)
        self._fault: Optional[tuple[str, str]] = None  # kind and line of the first one
        self._dead: set[int] = set()  # ranks without a pulse
        self._over = threading.Event()
        self._store.set(f"pulse-{self.rank}", "[0, 0, false]")
        self._thread = threading.Thread(target=self._pulse, daemon=True)
        self._thread.start()

    # The calls.

    def same(self, text: str) -> str:
        """Returns the text of rank 0."""
        if self.rank == 0:
            self._store.set("text", text)
        return str(self._store.get("text").decode())

    def agree(self, head: Mapping[str, Any]) -> None:
        """Waits until all ranks have come to start, and checks that they ask for the same run."""
        settings = dict(head["settings"])
        given = settings.get("program_patience")
        if isinstance(given, (int, float)) and given >= 1:  # drolab refuses others
            self._patience = float(given)
        own = dict({k: head.get(k) for k in _SAME}, **settings)
        self._store.set(f"head-{self.rank}", json.dumps(own))
        until = time.monotonic() + self._patience
        while not self._store.check([f"head-{r}" for r in range(self.size)]):
            self.look()
            if time.monotonic() > until:
                late = [r for r in range(self.size) if not self._store.check([f"head-{r}"])]
                raise self._file("failed", f"{_named(late)} did not come to drolab.start within "
                                           f"{self._patience:g} s")
            time.sleep(0.01)
        heads = [json.loads(self._store.get(f"head-{r}")) for r in range(self.size)]
        for r, other in enumerate(heads):
            for key in sorted({*heads[0], *other}):
                here, there = heads[0].get(key), other.get(key)
                if here != there:
                    raise self._file(
                        "failed", f"drolab.start: rank {r} has {key}={there!r:.60} and rank 0 has "
                                  f"{key}={here!r:.60}: give the same on every rank")
        self.wait_for(self._patience)

    def wait_for(self, patience: float) -> None:
        """Sets how many seconds a rank waits for the others, the same on all."""
        if self._gloo is None or patience != self._patience:
            self._patience, limit = patience, datetime.timedelta(seconds=patience)
            self._gloo = dist.new_group(backend="gloo", timeout=limit)

    def ask(self, do: str, has: tuple[str, ...] = (), arrays: Sequence[np.ndarray] = (),
            most: Optional[int] = 0, **more: Any) -> Answer:
        """Asks drolab about the samples of all ranks: see Talk.ask."""
        arrays = self.join(do, has, arrays)
        if self.talk is None:
            while not (data := self._spread()):
                pass
            told: Answer = pickle.loads(data)
            return told
        if do in ("evaluate", "epoch") and has:
            _, first = np.unique(arrays[has.index("index")], return_index=True)
            arrays = [a[first] for a in arrays]  # a sampler repeats some to fill its batches
        try:
            answer = self.talk.ask(do, has, arrays, most, **more)
        except (RunStopped, ConnectionLost) as e:
            raise self._file(*end_of(e)) from None
        self._spread(pickle.dumps(answer))
        return answer

    def join(self, do: str, has: tuple[str, ...] = (), arrays: Sequence[np.ndarray] = (),
             count: int = 0) -> list[np.ndarray]:
        """Brings samples to rank 0, and returns them there, those of each rank in turn.

        Without samples, the ranks exchange a number each.
        """
        self._calls, self._doing = self._calls + 1, do
        self.look()
        n = len(arrays[0]) if has else count
        given = sum(1 << _NAMES.index(name) for name in has)
        mine = torch.tensor([_CODES.index(do), given, n, self.wish])
        heads = [torch.empty_like(mine) for _ in range(self.size)]
        self._wait(dist.all_gather(heads, mine, group=self._gloo, async_op=True))
        table = torch.stack(heads).tolist()
        for r, head in enumerate(table):
            if head[:2] != table[0][:2]:
                raise self._file("failed", _differ(r, head, table[0]))
        self._counts = [head[2] for head in table]
        if self.talk is not None and any(head[3] for head in table):
            self.talk.stop()
        if not has:
            return []
        most = max(1, *self._counts)
        sent = torch.zeros(len(has), most, dtype=torch.float64)  # it holds labels and places, too
        for row, a in zip(sent, arrays):
            row[:n] = torch.from_numpy(np.asarray(a, np.float64))
        parts = None if self.rank else [torch.empty_like(sent) for _ in range(self.size)]
        self._wait(dist.gather(sent, parts, 0, group=self._gloo, async_op=True))
        if parts is None:
            return []
        return [torch.cat([p[k, :c] for p, c in zip(parts, self._counts)]).numpy().astype(a.dtype)
                for k, a in enumerate(arrays)]

    def all(self, well: bool) -> bool:
        """Reports whether all ranks say that it went well."""
        self.join("kept", count=int(well))
        return min(self._counts) > 0

    def mine(self, weights: np.ndarray) -> np.ndarray:
        """Returns this rank's part of the weights of the last batch.

        DDP takes the mean of the gradients of all ranks. With these weights, it is the gradient of
        the mean over all samples, also where a rank has fewer samples than another.
        """
        before, n = sum(self._counts[:self.rank]), self._counts[self.rank]
        return weights[before:before + n] * (self.size * n / sum(self._counts))

    def scale(self, w: Tensor) -> Tensor:
        return w * (self.size * len(w) / self.reduce(w.new_full((), len(w)), "SUM"))

    def reduce(self, x: Tensor, how: str) -> Tensor:
        op = getattr(dist.ReduceOp, how)
        if x.device.type == "cpu":
            self._wait(dist.all_reduce(x, op, group=self._gloo, async_op=True))
        else:
            dist.all_reduce(x, op)  # nothing waits for the device
        return x

    @contextlib.contextmanager
    def folder(self, of_run: str) -> Iterator[str]:
        """Yields the folder for this rank's files of a checkpoint, whose folder is given.

        On a machine that does not see the folder, it is one that nobody keeps.
        """
        if self.rank == 0:
            yield of_run
        elif os.path.isdir(of_run):
            own = os.path.join(of_run, f"rank-{self.rank}")
            os.mkdir(own)
            yield own
        else:
            with tempfile.TemporaryDirectory() as own:
                yield own

    def saved(self, of_run: str) -> str:
        """Returns the folder from which this rank goes on."""
        own = os.path.join(of_run, f"rank-{self.rank}")
        if not os.path.isdir(of_run):
            raise UsageError("the files of the run's checkpoint are on another machine: give "
                             "drolab.start runs=, a folder on a disk that all machines share")
        return own if os.path.isdir(own) else of_run

    # Answers of rank 0.

    def _spread(self, data: bytes = b"") -> bytes:
        """Gives all ranks the bytes of rank 0; none at all say that there will be some.

        There is room for as many as the last time, and only more need a second broadcast.
        """
        room, sent = 8 + self._room, len(data).to_bytes(8, "little") + data
        memory = bytearray(sent[:room].ljust(room))
        whole = torch.frombuffer(memory, dtype=torch.uint8)
        self._wait(dist.broadcast(whole, 0, group=self._gloo, async_op=True))
        n = self._room = int.from_bytes(memory[:8], "little")
        return bytes(memory[8:8 + n]) if 8 + n <= room else self._spread(data)

    def attend(self, pipe: int) -> None:
        """Waits until drolab has answered. A paused run takes long, and the others hear of it."""
        told = time.monotonic()
        while not select.select([pipe], [], [], _GLANCE.total_seconds())[0]:
            self.look()
            if time.monotonic() - told > min(_NEWS, self._patience / 4):
                self._spread()
                told = time.monotonic()

    # Faults.

    def _wait(self, work: Any) -> None:
        self._pending = True
        while True:
            with contextlib.suppress(RuntimeError):  # also that the time is over
                work.wait(_GLANCE)
            if work.is_completed():
                break
            self.look()
        self._pending, error = False, None
        try:
            work.wait()
        except RuntimeError as e:
            error = e
        if error is not None:
            self._blame()
            raise error

    def look(self) -> None:
        """Raises the fault of another rank, if there is one."""
        if self._fault is not None:
            raise _FAULTS[self._fault[0]](self._fault[1])

    def _file(self, kind: str, line: str) -> BaseException:
        """Makes this fault the run's, unless another was first. Returns the error of the first."""
        if self._fault is None:
            self._fault = kind, line
            with contextlib.suppress(RuntimeError):  # the store may have gone
                own = json.dumps(self._fault)
                kind, line = json.loads(self._store.compare_set("fault", "", own))
                self._fault = kind, line
        first: BaseException = _FAULTS[self._fault[0]](self._fault[1])
        return first

    def leave(self, error: BaseException) -> tuple[BaseException, str, str]:
        """Tells the others the error with which this rank leaves.

        Returns the first error of all, and its kind and line.
        """
        kind, line = end_of(error, f"rank {self.rank}: ")
        try:
            self.look()
            if _of_torch(error):
                self._blame()
            raise self._file(kind, line)
        except _ERRORS as e:
            assert self._fault is not None
            kind, first = self._fault
            return error if str(e) in (str(error), line) else e, kind, first

    def _blame(self) -> None:
        """Finds the rank behind an error of torch.distributed, and raises its fault."""
        self.look()
        others = set(range(self.size)) - {self.rank}
        try:
            before, late = self._pulses(others), time.monotonic() + _DEAD * _BEAT
            self._dead = others
            while self._dead and time.monotonic() < late:
                time.sleep(_BEAT / 4)
                self.look()
                now = self._pulses(others)
                self._dead = {r for r in self._dead if now[r][0] == before[r][0]}
        except RuntimeError:  # the store has gone, and rank 0 has it unless a launcher has
            raise self._file("lost", self._ended([0])) from None
        if self._dead:
            raise self._file("lost" if 0 in self._dead else "failed", self._ended(self._dead))
        behind = [r for r in others if now[r][1] < self._calls]
        if behind:
            raise self._file("failed", f"{_named(behind)} did not come to {_CALLS[self._doing]} "
                                       f"within {self._patience:g} s: it hangs, or leaves out a "
                                       "call")

    def _ended(self, ranks: Collection[int]) -> str:
        how = f"{_named(sorted(ranks))} ended without a word: killed, or cut off"
        if 0 in ranks and self.run:
            how += f": go on with drolab.start(resume={self.run!r})"
        return how

    def _pulses(self, ranks: Collection[int]) -> dict[int, Sequence[int]]:
        """Returns of each rank its beats, the number of its calls, and whether it knows a fault."""
        return {r: json.loads(self._store.get(f"pulse-{r}")) for r in ranks
                if self._store.check([f"pulse-{r}"])}

    def _pulse(self) -> None:
        """Shows the others that this process lives, and looks for their faults."""
        beats = 0
        while not self._over.wait(_BEAT):
            beats += 1
            try:
                if self._store.check(["fault"]):
                    kind, line = json.loads(self._store.get("fault"))
                    self._fault = kind, line
                known = self._fault is not None
                self._store.set(f"pulse-{self.rank}", json.dumps([beats, self._calls, known]))
                if known:
                    return
            except RuntimeError:
                self._fault = self._fault or ("lost", self._ended([0]))
                return

    def close(self) -> None:
        """Ends this rank's part. Rank 0, which may have the store, first lets the others read."""
        if self._over.is_set():
            return
        if self.rank == 0 and self._fault is not None:
            late = time.monotonic() + _DEAD * _BEAT
            while time.monotonic() < late and not self._known():
                time.sleep(_BEAT / 4)
        self._over.set()
        self._thread.join(_DEAD * _BEAT)
        if self._gloo is not None and not self._pending:  # that would wait for the others
            dist.destroy_process_group(self._gloo)

    def _known(self) -> bool:
        """Reports whether all who live know the fault."""
        others = set(range(1, self.size)) - self._dead
        try:
            pulses = self._pulses(others)
        except RuntimeError:
            return True
        return all(r in pulses and pulses[r][2] for r in others)


def _named(ranks: Sequence[int]) -> str:
    return ("rank " if len(ranks) == 1 else "ranks ") + " and ".join(str(r) for r in ranks)


def _differ(r: int, head: Sequence[int], first: Sequence[int]) -> str:
    """Says how the call of rank r differs from that of rank 0."""
    here, there = (_CALLS[_CODES[h[0]]] for h in (first, head))
    if here != there:
        return f"rank {r} comes to {there} and rank 0 to {here}: give every rank the same calls, " \
               "and as many steps"
    mine, theirs = (", ".join(n for i, n in enumerate(_NAMES) if h[1] >> i & 1) or "nothing"
                    for h in (first, head))
    return f"{here}: rank {r} gives {theirs} and rank 0 gives {mine}: give the same on every rank"


def _of_torch(error: BaseException) -> bool:
    """Reports whether an error only says that other ranks are gone, or late."""
    if isinstance(error, getattr(dist, "DistError", ())):
        return True
    return isinstance(error, RuntimeError) and any(
        word in str(error) for word in ("gloo", "NCCL", "Connection closed by peer", "TCPStore"))
