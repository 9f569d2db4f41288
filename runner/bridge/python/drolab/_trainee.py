"""What drolab asks of a program, whatever its framework: see docs/protocol.md."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, SupportsFloat

import numpy as np

from ._errors import UsageError
from ._job import MOST_LOGGED, BaseJob, Job, check_hooks

__all__ = ["OFFERS", "Arrays", "Trainee"]

#: What only some programs can do, with the hooks of ``drolab.Job`` for it.
OFFERS: Mapping[str, Sequence[str]] = {
    "restart": ("restart",), "accumulate": ("accumulate", "advance"), "pick": ("pick", "swap"),
    "ahead": ("ahead",),
}


class Trainee:
    """Holds a job, and answers drolab's questions from its hooks.

    Each question of the protocol has a method here. ``drolab.Job`` says what most of them do.

    Attributes:
        job: The job.
        logged: The values that the job has logged since the last answer.
        tell_alive: Tells drolab that the program is at work.
        tell_waits: Tells drolab that this process waits for the other ones of its run.
    """

    def __init__(self, job: BaseJob) -> None:
        self.job = job
        job._held = self
        self.logged: dict[str, float] = {}
        self._names: set[str] = set()
        self.tell_alive: Callable[[], None] = lambda: None
        self.tell_waits: Callable[[], None] = lambda: None

    # The start.

    def begin(self) -> Mapping[str, Any]:
        """Seeds the generators and calls ``setup``.

        Returns the labels, or the labels and groups, of each split.
        """
        job = self.job
        check_hooks(type(job))
        random.seed(job.seed)
        low, high = job.seed % 2**32, job.seed >> 32
        np.random.seed([low, high] if high else low)  # NumPy takes words of 32 bits
        return job.setup(job.settings)

    def offers(self) -> Sequence[str]:
        """Returns what the program can do, of ``OFFERS``."""
        return ()

    def forms(self) -> Sequence[str]:
        """Returns the kinds of forms by which the program takes whole steps."""
        return ()

    def parameters(self) -> int:
        """Returns the number of parameters of the network, or 0 if it is unknown."""
        return 0

    def feature_count(self) -> int:
        """Returns the number of features, the inputs of the last layer; 0: it is not shown."""
        return 0

    # Values.

    def log(self, values: Mapping[str, SupportsFloat]) -> None:
        for name, value in values.items():
            self._names.add(name)
            if len(self._names) > MOST_LOGGED:
                raise UsageError(f"log was given more than {MOST_LOGGED} names: {name} is one too "
                                 "many")
            self.logged[name] = float(value)

    # Losses and steps.

    def mode(self, name: str) -> None:
        raise NotImplementedError

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        raise NotImplementedError

    def losses(self, split: str, index: np.ndarray, epoch: int) -> Any:
        raise NotImplementedError

    def outputs(self, want: Sequence[str]) -> list[np.ndarray]:
        """Returns the outputs that ``want`` names, in its order, for the last ``losses``.

        The names are ``classes`` (int32 [n], the class of the greatest probability, the first of
        equals), ``confidences`` (float64 [n], that probability) and ``probabilities``
        (float32 [n, classes]).
        """
        raise NotImplementedError

    def gradient(self, weights: np.ndarray, whole: int, add: bool) -> None:
        """Computes the gradient for weights of the last losses, a part of ``whole`` samples."""
        raise NotImplementedError

    def norm(self) -> float:
        raise NotImplementedError

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        raise NotImplementedError

    def accumulate(self, momentum: float, decay: float, clip: float) -> tuple[float, float]:
        raise NotImplementedError

    def advance(self, rate: float) -> None:
        raise NotImplementedError

    def restart(self) -> None:
        raise NotImplementedError

    def pick(self) -> None:
        raise NotImplementedError

    def swap(self) -> None:
        raise NotImplementedError

    # The last layer.

    def last_features(self) -> Any:
        raise NotImplementedError

    def last_layer(self) -> tuple[Any, Any]:
        raise NotImplementedError

    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        raise NotImplementedError

    # Whole steps, by the forms of _forms.

    def begin_step(self, split: str, index: np.ndarray, epoch: int) -> None:
        """Begins to compute the losses of a step."""
        raise NotImplementedError

    def take_step(self, head: Mapping[str, Any], numbers: np.ndarray, flags: Optional[np.ndarray],
                  given: Mapping[str, Any], whole: int, rule: Sequence[float]) -> None:
        """Begins the rest of the step: its weights by a form, its gradient, and its move."""
        raise NotImplementedError

    def draw(self, split: str, index: np.ndarray, epoch: int) -> None:
        """Begins to compute the losses of samples of a draw behind the step."""
        raise NotImplementedError

    def results(self) -> tuple[np.ndarray, float, list[np.ndarray]]:
        """Waits for the step: its losses, its gradient's norm, and the losses of each draw."""
        raise NotImplementedError

    # Checkpoints.

    def save(self, folder: str) -> None:
        raise NotImplementedError

    def load(self, folder: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Runs when drolab closes the program."""


class Arrays(Trainee):
    """A ``drolab.Job``, whose hooks are the questions themselves."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.job: Job = job

    def begin(self) -> Mapping[str, Any]:
        given = super().begin()
        for name in self.job.offers:
            if name not in OFFERS:
                raise UsageError(f"offers has {name!r}: expected {', '.join(OFFERS)}")
        for name, hooks in OFFERS.items():
            for hook in hooks:
                written = getattr(type(self.job), hook) is not getattr(Job, hook)
                if written and name not in self.job.offers:
                    raise UsageError(f"the class writes {hook} and does not declare it: add "
                                     f"{name!r} to offers")
                if name in self.job.offers and not written:
                    raise UsageError(f"offers has {name!r}, and the class does not write {hook}")
        return given

    def offers(self) -> Sequence[str]:
        return self.job.offers

    def parameters(self) -> int:
        return self.job.parameter_count

    def feature_count(self) -> int:
        return self.job.feature_count()

    def mode(self, name: str) -> None:
        self.job.mode(name)

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        self.job.ahead(split, index, epoch, mode)

    def losses(self, split: str, index: np.ndarray, epoch: int) -> Any:
        return self.job.losses(split, index, epoch)

    def outputs(self, want: Sequence[str]) -> list[np.ndarray]:
        p = np.asarray(self.job.probabilities())
        made: dict[str, Callable[[], np.ndarray]] = {
            "classes": lambda: p.argmax(axis=1).astype(np.int32),
            "confidences": lambda: p.max(axis=1).astype(np.float64),
            "probabilities": lambda: np.ascontiguousarray(p, dtype=np.float32),
        }
        return [made[name]() for name in want]

    def gradient(self, weights: np.ndarray, whole: int, add: bool) -> None:
        self.job.whole = whole
        self.job.gradient(weights, add)

    def norm(self) -> float:
        return self.job.norm()

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        return self.job.step(lr, momentum, decay, clip)

    def accumulate(self, momentum: float, decay: float, clip: float) -> tuple[float, float]:
        return self.job.accumulate(momentum, decay, clip)

    def advance(self, rate: float) -> None:
        self.job.advance(rate)

    def restart(self) -> None:
        self.job.restart()

    def pick(self) -> None:
        self.job.pick()

    def swap(self) -> None:
        self.job.swap()

    def last_features(self) -> Any:
        return self.job.last_features()

    def last_layer(self) -> tuple[Any, Any]:
        return self.job.last_layer()

    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        self.job.set_last_layer(weights, biases)

    def save(self, folder: str) -> None:
        self.job.save(folder)

    def load(self, folder: str) -> None:
        self.job.load(folder)

    def close(self) -> None:
        self.job.close()
