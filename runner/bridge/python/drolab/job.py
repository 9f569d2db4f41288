"""The base class of programs whose losses drolab asks for: see ``Job``."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

__all__ = ["Job", "Lost", "Settings", "Wrong"]

MOST_LOGGED = 64  # largest number of names that a run may log


class Wrong(Exception):
    """A mistake in a program or script. The message is one line that names the cure."""


class Lost(Exception):
    """Another process of the run has ended, or the connection to it."""


class Settings(Dict[str, Any]):
    """The settings of the run by their keys, with the program's own words.

    The own words are the words ``key=value`` behind the program's name. Their values take the
    type that they look like: 3, 0.1, true, text. ``settings[key]`` raises ``Wrong`` if nobody gave
    the key.
    """

    def __missing__(self, key: str) -> Any:
        raise Wrong(f"the program reads the setting {key}, which nobody gave: "
                    f"write {key}=... behind the program's name")


def settings_of(given: Mapping[str, Any], arguments: Sequence[str]) -> Settings:
    """Returns the settings that drolab sends, with types for the program's own words."""
    s = Settings(given)
    for word in arguments:
        key, sign, text = word.lstrip("-").partition("=")
        if sign and key:
            s[key] = _typed(text)
    return s


def _typed(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float) if text.isascii() else ():  # digits of other scripts are text
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
    and ends with ``drolab.main(Job)``. The other methods answer what a run asks beyond these.
    ``restart``, the pair ``accumulate`` and ``advance``, and the pair ``pick`` and ``swap`` are
    offered only if the class writes them, and drolab says which training methods need them. A run
    that asks for ``norm``, ``probabilities``, ``save`` or ``load`` fails if the class lacks it.

    A method that raises ends the run as failed, with the error in one line. ``Wrong`` is for
    mistakes that this line explains completely; no trace is printed for it.

    The following attributes are set before ``setup``.

    Attributes:
        settings: The settings of the run, with the program's own words (``Settings``).
        arguments: All words behind the program's name.
        seed: The seed of the run. The generators of Python and NumPy are already seeded with it.
        batch: The largest number of samples in a batch.
        threads: The number of processor cores that the run has.
        purpose: Why drolab started the program: ``"describe"``, ``"train"`` or ``"evaluate"``.
        scratch: A folder for the program's own use, which drolab removes at the end. Several
            processes of one run share it.

    Attributes set before ``gradient``:
        whole: The number of samples that are weighed together. Several processes of one run have
            a part of them each.
    """

    #: Names of the classes; None: the numbers of the labels.
    classes: Optional[Sequence[str]] = None
    #: Names of the groups; None: the numbers of the groups.
    groups: Optional[Sequence[str]] = None
    #: Where the network is, for the record.
    device: Any = "cpu"
    #: Modules whose versions are recorded, beside Python's and NumPy's.
    packages: Sequence[str] = ()
    #: Names given to ``log`` whose values are better when they are greater.
    higher: Sequence[str] = ()
    #: Names given to ``log`` whose values are better when they are smaller.
    lower: Sequence[str] = ()
    #: Whether several processes of the program can compute one run, with the word ``procs=``.
    several = False

    settings: Settings
    arguments: List[str]
    seed: int
    batch: int
    threads: int
    purpose: str
    scratch: str
    whole: int
    class_count: int  # known after setup

    def __init__(self) -> None:
        self.current_mode = "train"
        self._logged: Dict[str, float] = {}
        self._names: Dict[str, None] = {}
        self._alive: Callable[[], None] = lambda: None
        self._waits: Callable[[], None] = lambda: None

    def __getstate__(self) -> Dict[str, Any]:
        """Returns what a worker that is not forked gets of a job: its settings, not the network."""
        kept = ("settings", "arguments", "seed", "batch", "threads", "purpose", "scratch", "_places")
        return {k: v for k, v in self.__dict__.items() if k in kept}

    # Methods that every program writes.

    def setup(self, settings: Settings) -> Mapping[str, Any]:
        """Makes the network, the optimiser and the data. It is called once.

        Returns ``{"train": ..., "val": ..., "test": ...}``, of which ``val`` may be missing. The
        value of a split is an array of labels, or a tuple of an array of labels and an array of
        groups. Labels and groups are whole numbers from 0, one for each sample.
        """
        raise NotImplementedError

    def losses(self, split: str, index: np.ndarray, epoch: int) -> Any:
        """Returns the loss of each sample: n finite numbers for n samples.

        ``index`` (int64 [n]) holds the places of the samples in the split. ``epoch`` is the number
        of the pass over the training split, from 0. With the seed and the sample's place it
        decides the augmentation.
        """
        raise NotImplementedError

    def gradient(self, weights: np.ndarray, add: bool) -> None:
        """Computes the gradient of mean(weights * losses) over the samples of the last ``losses``.

        The weights (float64 [n]) are held constant. If ``add`` is true, the result is added to the
        last gradient; otherwise it takes the place of that gradient.
        """
        raise NotImplementedError

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        """Moves the parameters along the gradient, with the step size ``lr``.

        ``momentum`` and the weight decay ``decay`` may be left to the program's own optimiser. A
        gradient longer than ``clip`` is first cut to that length (0: not cut). Returns the
        Euclidean norm of the gradient before it was cut, or None if the step was skipped.
        """
        raise NotImplementedError

    # What evaluations ask for.

    def probabilities(self) -> Any:
        """Returns the probabilities [n, classes] for the samples of the last ``losses``."""
        raise NotImplementedError

    def outputs(self, want: Sequence[str]) -> List[np.ndarray]:
        """Returns the outputs that ``want`` names, in its order, for the last ``losses``.

        The names are ``classes`` (int32 [n], the class of the greatest probability, the first of
        equals), ``confidences`` (float64 [n], that probability) and ``probabilities``
        (float32 [n, classes]).
        """
        p = np.asarray(self.probabilities())
        made: Dict[str, Callable[[], np.ndarray]] = {
            "classes": lambda: p.argmax(axis=1).astype(np.int32),
            "confidences": lambda: p.max(axis=1).astype(np.float64),
            "probabilities": lambda: np.ascontiguousarray(p, dtype=np.float32),
        }
        return [made[name]() for name in want]

    def norm(self) -> float:
        """Returns the Euclidean norm of the gradient."""
        raise NotImplementedError

    def mode(self, name: str) -> None:
        """Sets the mode in which further ``losses`` are computed. A job starts in ``train``.

        In ``train``, dropout draws and running statistics move. In ``evaluate``, neither happens.
        ``probe`` is as ``train``, but running statistics stay, and no gradient follows.
        """

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        """Learns which samples a later ``losses`` will ask for. It may do nothing."""

    # What only some training methods ask for.

    def accumulate(self, momentum: float, decay: float, clip: float) -> Tuple[float, float]:
        """Sets the velocity v to momentum * v + (1 - momentum) * (g + decay * x).

        Here g is the gradient, cut to ``clip`` as in ``step``, and x are the parameters. Returns
        the norm of g before it was cut, and the norm of v.
        """
        raise NotImplementedError

    def advance(self, rate: float) -> None:
        """Sets the parameters x to x - rate * v, where v is the velocity of ``accumulate``."""
        raise NotImplementedError

    def restart(self) -> None:
        """Goes back to the first parameters and a new optimiser, exact to the bit."""
        raise NotImplementedError

    def pick(self) -> None:
        """Keeps a copy of the network as it is."""
        raise NotImplementedError

    def swap(self) -> None:
        """Exchanges the network and its copy."""
        raise NotImplementedError

    # What only methods that fit the last layer again ask for, and ``drolab features``.

    def feature_count(self) -> int:
        """Returns the number of features, the inputs of the last layer; 0: it is not shown."""
        return 0

    def last_features(self) -> Any:
        """Returns the features [n, count] of the samples of the last ``losses``, as of evaluation.
        """
        raise NotImplementedError

    def last_layer(self) -> Tuple[Any, Any]:
        """Returns the weights [classes, count] and the biases [classes] of the last layer."""
        raise NotImplementedError

    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        """Replaces the last layer by weights and biases in float64."""
        raise NotImplementedError

    # What only a program on a GPU offers: whole steps, by the forms of drolab.forms.

    def forms(self) -> Sequence[str]:
        """Returns the kinds of forms by which the program takes whole steps."""
        return ()

    def begin_step(self, split: str, index: np.ndarray, epoch: int) -> None:
        """Begins to compute the losses of a step."""
        raise NotImplementedError

    def take_step(self, head: Mapping[str, Any], numbers: np.ndarray, flags: Optional[np.ndarray],
                  given: Mapping[str, Any], rule: Sequence[float]) -> None:
        """Begins the rest of the step: its weights by a form, its gradient, and its move."""
        raise NotImplementedError

    def draw(self, split: str, index: np.ndarray, epoch: int) -> None:
        """Begins to compute the losses of samples of a draw behind the step."""
        raise NotImplementedError

    def results(self) -> Tuple[np.ndarray, float, List[np.ndarray]]:
        """Waits for the step: its losses, its gradient's norm, and the losses of each draw."""
        raise NotImplementedError

    # Checkpoints.

    def save(self, folder: str) -> None:
        """Writes all that ``load`` needs to go on exactly into an empty folder.

        The setting ``checkpoint_gb`` limits the size of the files, holes included.
        """
        raise NotImplementedError

    def load(self, folder: str) -> None:
        """Restores the state that ``save`` wrote into a folder."""
        raise NotImplementedError

    def close(self) -> None:
        """Runs when drolab closes the program."""

    # What a job may call.

    def log(self, **values: float) -> None:
        """Records the program's own values as measures ``user.NAME``.

        A run has at most 64 names; one more raises ``Wrong``. A value that is not finite is
        recorded as none.
        """
        for name, value in values.items():
            self._names[name] = None
            if len(self._names) > MOST_LOGGED:
                raise Wrong(f"log was given more than {MOST_LOGGED} names: {name} is one too many")
            self._logged[name] = float(value)

    def alive(self) -> None:
        """Tells drolab that the program is at work.

        Call it where an answer takes longer than the setting ``program_patience`` (seconds). It
        gains no time for a run that is to stop.
        """
        self._alive()

    # What main asks of a job.

    def offers(self, *names: str) -> bool:
        """Reports whether the class writes all of these methods."""
        return all(getattr(type(self), n) is not getattr(Job, n) for n in names)

    def parameters(self) -> int:
        """Returns the number of parameters of the network, or 0 if it is unknown."""
        return 0

    def begin(self) -> Mapping[str, Any]:
        """Seeds the generators and calls ``setup``.

        Returns the labels, or the labels and groups, of each split.
        """
        import random

        random.seed(self.seed)
        low, high = self.seed % 2**32, self.seed >> 32
        np.random.seed([low, high] if high else low)  # NumPy takes words of 32 bits
        return self.setup(self.settings)

    def path(self, folder: str, name: str) -> str:
        """Returns the path of the file ``name`` in the folder of a checkpoint."""
        return os.path.join(folder, name)
