"""The base of a program whose losses drolab asks for: see ``Job``."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

__all__ = ["Job", "Settings", "Wrong"]

MOST_LOGGED = 64  # names of values of one's own


class Wrong(Exception):
    """A mistake in a program's setup, in one line that names its cure."""


class Settings(Dict[str, Any]):
    """The settings of the run by their keys, and the words ``key=value`` behind the
    program's name, which take the type that they look like: 3, 0.1, true, text."""

    def __missing__(self, key: str) -> Any:
        raise Wrong(f"the program reads the setting {key}, which nobody gave: "
                    f"write {key}=... behind the program's name")


def settings_of(given: Mapping[str, Any], arguments: Sequence[str]) -> Settings:
    """The settings that drolab sends, of which the program's own words are texts."""
    s = Settings(given)
    for word in arguments:
        key, sign, text = word.lstrip("-").partition("=")
        if sign and key:
            s[key] = _typed(text)
    return s


def _typed(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return text


class Job:
    """A network, its data and its optimiser, which drolab trains.

    A program derives its own class, writes ``setup``, ``losses``, ``gradient`` and ``step``,
    and ends in ``drolab.main(Job)``. The other methods are for what a run asks of it beyond
    these; a method that is not written is not offered, and drolab says which training
    methods need it.

    Before ``setup`` these are there:

    - ``settings``: the run's, with the program's own words (``Settings``)
    - ``arguments``: all words behind the program's name
    - ``seed``: the run's seed. Python's and NumPy's generators are seeded with it already
    - ``batch``: the most samples of a batch
    - ``threads``: how many processor cores the run has
    - ``purpose``: ``"describe"``, ``"train"`` or ``"evaluate"``
    - ``scratch``: a folder that drolab removes at the end

    A method that raises ends the run as failed, with the error in one line; ``Wrong`` is for
    mistakes of which the line says all.
    """

    #: Names of the classes; None: the labels' numbers.
    classes: Optional[Sequence[str]] = None
    #: Names of the groups; None: the groups' numbers.
    groups: Optional[Sequence[str]] = None
    #: Where the network is, for the record.
    device: Any = "cpu"
    #: Modules whose versions are recorded, beside Python's and NumPy's.
    packages: Sequence[str] = ()
    #: Of the names that ``log`` is given, those whose greater or smaller values are better.
    higher: Sequence[str] = ()
    lower: Sequence[str] = ()

    settings: Settings
    arguments: List[str]
    seed: int
    batch: int
    threads: int
    purpose: str
    scratch: str
    class_count: int  # known after setup

    def __init__(self) -> None:
        self.current_mode = "train"
        self._logged: Dict[str, float] = {}
        self._names: Dict[str, None] = {}
        self._alive: Callable[[], None] = lambda: None

    def __getstate__(self) -> Dict[str, Any]:
        """What a worker that is not forked gets of a job: its settings, and not the network."""
        kept = ("settings", "arguments", "seed", "batch", "threads", "purpose", "scratch")
        return {k: v for k, v in self.__dict__.items() if k in kept}

    # What every program has.

    def setup(self, settings: Settings) -> Mapping[str, Any]:
        """Makes network, optimiser and data. Called once.

        Returns the labels of each split, ``{"train": ..., "val": ..., "test": ...}``, of
        which ``val`` may be missing: whole numbers from 0, one for each sample, or a pair
        of labels and groups.
        """
        raise NotImplementedError

    def losses(self, split: str, index: np.ndarray, epoch: int) -> Any:
        """The loss of each sample, finite: n numbers for n places in the split (int64).

        ``epoch`` is the pass over the training split, from 0. With the seed and the
        sample's place it decides the augmentation.
        """
        raise NotImplementedError

    def gradient(self, weights: np.ndarray, add: bool) -> None:
        """Computes the gradient of mean(weights * losses) over the samples of the last
        ``losses``, the weights (float64 [n]) held constant; ``add``: adds it to the last."""
        raise NotImplementedError

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        """Moves along the gradient and returns the gradient's Euclidean norm before it was
        cut to the length ``clip`` (0: not cut). None: the step was skipped."""
        raise NotImplementedError

    # What evaluations ask for.

    def probabilities(self) -> Any:
        """The probabilities [n, classes] of the samples of the last ``losses``."""
        raise NotImplementedError

    def outputs(self, want: Sequence[str]) -> List[np.ndarray]:
        """What is wanted of the samples of the last ``losses``, in that order: ``classes``
        (int32 [n], of the greatest probability, the first of equals), ``confidences``
        (float64 [n]) and ``probabilities`` (float32 [n, classes])."""
        p = np.asarray(self.probabilities())
        made: Dict[str, Callable[[], np.ndarray]] = {
            "classes": lambda: p.argmax(axis=1).astype(np.int32),
            "confidences": lambda: p.max(axis=1).astype(np.float64),
            "probabilities": lambda: np.ascontiguousarray(p, dtype=np.float32),
        }
        return [made[name]() for name in want]

    def norm(self) -> float:
        """The Euclidean norm of the gradient."""
        raise NotImplementedError

    def mode(self, name: str) -> None:
        """How further ``losses`` are computed: ``train`` (dropout draws, statistics move),
        ``evaluate``, or ``probe`` (as train, but running statistics stay, and no gradient
        follows). A job starts in ``train``."""

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        """Told which samples a later ``losses`` will ask for; may do nothing."""

    # What only some training methods ask for.

    def accumulate(self, momentum: float, decay: float, clip: float) -> Tuple[float, float]:
        """v = momentum * v + (1 - momentum) * (g + decay * x); returns the norms of g, before
        it was cut to ``clip``, and of v."""
        raise NotImplementedError

    def advance(self, rate: float) -> None:
        """x = x - rate * v."""
        raise NotImplementedError

    def restart(self) -> None:
        """Goes back to the first parameters and a new optimiser, to the bit."""
        raise NotImplementedError

    def pick(self) -> None:
        """Keeps a copy of the network as it is."""
        raise NotImplementedError

    def swap(self) -> None:
        """Exchanges the network and its copy."""
        raise NotImplementedError

    # Checkpoints.

    def save(self, folder: str) -> None:
        """Writes all that ``load`` needs to go on exactly into a folder, which is empty."""
        raise NotImplementedError

    def load(self, folder: str) -> None:
        """Takes up what ``save`` wrote."""
        raise NotImplementedError

    def close(self) -> None:
        """Called at the end."""

    # What a job may call.

    def log(self, **values: float) -> None:
        """Records values of one's own as ``user.NAME``: at most 64 names. A value that is
        not finite is recorded as none."""
        for name, value in values.items():
            self._names[name] = None
            if len(self._names) > MOST_LOGGED:
                raise Wrong(f"log was given more than {MOST_LOGGED} names: {name} is one too many")
            self._logged[name] = float(value)

    def alive(self) -> None:
        """Says that the program is at work, where an answer takes longer than the setting
        program_patience (seconds)."""
        self._alive()

    # What main asks of a job.

    def offers(self, *names: str) -> bool:
        """Whether the methods are written."""
        return all(getattr(type(self), n) is not getattr(Job, n) for n in names)

    def parameters(self) -> int:
        """How many numbers are learned; 0: unknown."""
        return 0

    def begin(self) -> Mapping[str, Any]:
        """Seeds the generators and calls ``setup``; returns labels, or labels and groups, of
        each split."""
        import random

        random.seed(self.seed)
        np.random.seed(self.seed % 2**32)
        return self.setup(self.settings)

    def path(self, folder: str, name: str) -> str:
        """The path of a file of a checkpoint."""
        return os.path.join(folder, name)
