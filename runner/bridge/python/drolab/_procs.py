"""Several processes of a program that compute one run: see docs/bridge.md.

drolab starts the processes, and asks each of them about its part of the samples. They add up their
gradients, and take over from the first process what they must have in common.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable

import torch
import torch.distributed as dist
from torch import Tensor

from ._errors import ConnectionLost, UsageError
from ._forms import Processes

__all__ = ["Group", "place"]

_BUCKET = 1 << 23  # most elements of tensors that travel as one, unless one alone has more
_PATIENCE = datetime.timedelta(days=20)  # that of drolab ends sooner


def place(device: torch.device, word: Any, count: int) -> torch.device:
    """Returns the device of this one of several processes.

    Each has a GPU of its own, unless the word ``device=`` numbers one for all of them.
    """
    if device.type == "mps":
        raise UsageError(f"procs={count} works on CPUs and with CUDA: add device=cpu, or leave it "
                         "out")
    if device.type != "cuda" or _numbered(word):
        return device
    found = torch.cuda.device_count()
    if count > found:
        raise UsageError(f"procs={count}: PyTorch sees {found} GPUs: write procs={found}, or add "
                         "device=cpu")
    torch.cuda.set_device(_rank())
    return torch.device("cuda", _rank())


def _numbered(word: Any) -> bool:
    return word is not None and torch.device(str(word)).index is not None


def _rank() -> int:
    return int(os.environ.get("LOCAL_RANK") or 0)


class Group(Processes):
    """The processes of a run, of which this one has the number ``rank``.

    It is PyTorch's default group, so modules such as SyncBatchNorm find it. ``waits`` tells drolab
    that this process waits for the others.
    """

    def __init__(self, device: torch.device, word: Any, waits: Callable[[], None]) -> None:
        if not dist.is_available():
            raise UsageError("this PyTorch has no torch.distributed: leave out procs=")
        self.rank, self._waits = _rank(), waits
        size, socket = int(os.environ["WORLD_SIZE"]), os.environ.pop("DROLAB_MEETING", None)
        # All processes are on this machine, whose name may lead to an address that is not there.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo" if sys.platform == "linux" else "lo0")
        apart = device.type == "cuda" and not _numbered(word)
        with self._together():
            store = dist.TCPStore(  # type: ignore[attr-defined]
                os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), size, self.rank == 0,
                _PATIENCE, master_listen_fd=None if socket is None else int(socket))
            dist.init_process_group("nccl" if apart else "gloo", store=store, rank=self.rank,
                                    world_size=size, timeout=_PATIENCE)

    @contextlib.contextmanager
    def _together(self) -> Iterator[None]:
        self._waits()
        try:
            yield
        except RuntimeError as e:
            raise ConnectionLost("it has lost the other processes: "
                                 f"{str(e).splitlines()[0]}") from None

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Sets tensors to their sums over all processes."""
        self._each(tensors, dist.all_reduce)

    def reduce(self, x: Tensor, how: str) -> Tensor:
        self._each([x], lambda flat: dist.all_reduce(flat, getattr(dist.ReduceOp, how)))
        return x

    def share(self, tensors: Sequence[Tensor]) -> None:
        """Sets tensors to those of the first process."""
        self._each(tensors, lambda flat: dist.broadcast(flat, 0))

    def leave(self) -> None:
        """Closes the connections to the others, at the end."""
        dist.destroy_process_group()

    @torch.no_grad()
    def _each(self, tensors: Sequence[Tensor], do: Callable[[Tensor], Any]) -> None:
        if not tensors:
            return
        with self._together():
            for bucket in _buckets(tensors):
                flat = torch.cat([t.reshape(-1) for t in bucket])
                do(flat)
                at = 0
                for t in bucket:
                    t.copy_(flat[at:at + t.numel()].view_as(t))
                    at += t.numel()


def _buckets(tensors: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Yields the tensors in lists of one type and a bounded size."""
    bucket: list[Tensor] = []
    size = 0
    for t in tensors:
        if bucket and (t.dtype != bucket[0].dtype or size + t.numel() > _BUCKET):
            yield bucket
            bucket, size = [], 0
        bucket.append(t)
        size += t.numel()
    if bucket:
        yield bucket
