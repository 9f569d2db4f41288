"""What the trainers of other libraries have in common: see lightning.py and transformers.py."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable

import numpy as np
import torch
from torch.utils.data import DataLoader

__all__ = ["Passes", "copied", "draws", "joined", "quiet"]

Samples = Mapping[str, Any]  # losses, label, group, index and probability, each [n] or None


class _Endless:
    """Lists of random places, each of which depends on its number alone."""

    def __init__(self, n: int, batch: int, first: int, rank: int) -> None:
        self.n, self.batch, self.first, self.rank = n, batch, first, rank

    def __iter__(self) -> Iterator[list[int]]:
        k = self.first
        while True:
            yield np.random.default_rng([self.rank, k]).integers(self.n, size=self.batch).tolist()
            k += 1


def draws(dataset: Any, batch: int, collate: Any, first: int, rank: int, **more: Any
          ) -> Iterator[Any]:
    """Returns independent batches of a data set, from the one with the number ``first`` on.

    A resumed run goes on with the same draws. They leave the generator of PyTorch alone.
    """
    return iter(DataLoader(dataset, batch_sampler=_Endless(len(dataset), batch, first, rank),
                           collate_fn=collate, generator=torch.Generator(), **more))


def joined(parts: Sequence[Samples]) -> dict[str, Any]:
    """Returns the samples of all parts, without what the first part has not."""
    return {k: torch.cat([torch.as_tensor(p[k]) for p in parts])
            for k, v in parts[0].items() if v is not None}


class Passes:
    """Passes over splits that are under way, in batches."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Samples]] = {}

    def add(self, split: str, **given: Any) -> None:
        self._parts.setdefault(split, []).append(
            {k: v.detach().cpu() if isinstance(v, torch.Tensor) else v for k, v in given.items()})

    def give(self, evaluate: Callable[..., Any]) -> None:
        """Calls evaluate(split, losses=..., ...) for each split, and forgets the passes."""
        parts, self._parts = self._parts, {}
        for split, of in parts.items():
            evaluate(split, **joined(of))


def copied(path: str, to: str) -> None:
    """Brings a folder of files into another one, without a second copy on the same disk."""
    def link(a: str, b: str) -> None:
        try:
            os.link(a, b)
        except OSError:
            shutil.copy2(a, b)

    shutil.copytree(path, to, copy_function=link, dirs_exist_ok=True)


@contextlib.contextmanager
def quiet(module: Any, names: Sequence[str]) -> Iterator[None]:
    """Lets these methods of a module do nothing within the block."""
    for name in names:
        module.__dict__[name] = lambda *_, **__: None
    try:
        yield
    finally:
        for name in names:
            del module.__dict__[name]
