"""Programs whose losses drolab asks for: see ``Job``."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, SupportsFloat

import numpy as np

from ._errors import SettingError, UsageError

if TYPE_CHECKING:
    from ._trainee import Trainee

__all__ = ["MOST_LOGGED", "BaseJob", "Job", "Settings", "check_hooks", "settings_of"]

MOST_LOGGED = 64  # largest number of names that a run may log


class Settings(dict[str, Any]):
    """The settings of the run by their keys, with the program's own words.

    The own words are the words ``key=value`` behind the program's name. Their values take the
    type that they look like: 3, 0.1, true, text. ``settings[key]`` raises ``SettingError`` if
    nobody gave the key.
    """

    def __missing__(self, key: str) -> Any:
        raise SettingError(f"the program reads the setting {key}, which nobody gave: "
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


class BaseJob:
    """What all programs have in common that drolab trains: ``Job`` and ``drolab.torch.Job``.

    A class of a program has hooks, which drolab calls. Its other methods and attributes are its
    own: drolab calls none of them.

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
        current_mode: ``"train"``, ``"evaluate"``, or ``"probe"``, which is as ``"train"``, but
            running statistics stay, and no gradient follows.

    Attributes set after ``setup``:
        class_count: The number of classes.
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
    arguments: list[str]
    seed: int
    batch: int
    threads: int
    purpose: str
    scratch: str
    class_count: int
    current_mode: str = "train"

    _held: Trainee  # the object that drolab asks, which asks this one

    def _hold(self) -> Trainee:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a worker that is not forked gets of a job: its settings, not the network."""
        kept = ("settings", "arguments", "seed", "batch", "threads", "purpose", "scratch")
        return {k: v for k, v in self.__dict__.items() if k in kept}

    # Hooks.

    def setup(self, settings: Settings) -> Mapping[str, Any]:
        """Makes the network, the optimiser and the data. It is called once."""
        raise NotImplementedError

    # What a job may call.

    def log(self, **values: SupportsFloat) -> None:
        """Records the program's own values as measures ``user.NAME``.

        A run has at most 64 names; one more raises ``UsageError``. A value that is not finite is
        recorded as none.
        """
        self._held.log(values)

    def alive(self) -> None:
        """Tells drolab that the program is at work.

        Call it where an answer takes longer than the setting ``program_patience`` (seconds). It
        gains no time for a run that is to stop.
        """
        self._held.tell_alive()


_CALLED = ("log", "alive", "path")  # methods that a program calls, and drolab does not


def check_hooks(kind: type[BaseJob]) -> None:
    """Raises UsageError if a class writes a hook under a wrong name, such as colate."""
    package = __name__.partition(".")[0] + "."
    ours = [c for c in kind.__mro__ if c.__module__.startswith(package)]
    hooks = {name for c in ours for name, of in vars(c).items()
             if callable(of) and not name.startswith("_") and name not in _CALLED}
    for c in kind.__mro__:
        if c in ours or c is object:
            continue
        for name, of in vars(c).items():
            if callable(of) and not name.startswith("_") and name not in hooks:
                near = difflib.get_close_matches(name, sorted(hooks), 1, 0.8)
                if near:
                    raise UsageError(f"the class {kind.__name__} has a method {name}, which drolab "
                                     f"does not call: write {near[0]}, or give it another name, "
                                     f"such as _{name}")


class Job(BaseJob):
    """A network, its data and its optimiser, which drolab trains.

    A program derives its own class, writes ``setup``, ``losses``, ``gradient`` and ``step``,
    and ends with ``drolab.main(Job)``. The other hooks answer what a run asks beyond these. A
    run that asks for ``norm``, ``probabilities``, ``save`` or ``load`` fails if the class lacks it.
    Some training methods need more: the class writes these hooks and names them in ``offers``.

    A hook that raises ends the run as failed, with the error in one line. ``UsageError`` is for
    mistakes that this line explains completely; no trace is printed for it.

    Attributes set before ``gradient``:
        whole: The number of samples that are weighed together. Several processes of one run have
            a part of them each.
    """

    #: What the class can do beyond the usual: ``"restart"``, ``"accumulate"`` (the hooks
    #: ``accumulate`` and ``advance``), ``"pick"`` (``pick`` and ``swap``), ``"ahead"``.
    offers: Sequence[str] = ()
    #: The number of parameters of the network, for the record; 0: unknown. Set it in ``setup``.
    parameter_count = 0

    whole: int

    def _hold(self) -> Trainee:
        from ._trainee import Arrays

        return Arrays(self)

    # Hooks that every program writes.

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

    # What only some training methods ask for: see ``offers``.

    def accumulate(self, momentum: float, decay: float, clip: float) -> tuple[float, float]:
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

    def last_layer(self) -> tuple[Any, Any]:
        """Returns the weights [classes, count] and the biases [classes] of the last layer."""
        raise NotImplementedError

    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        """Replaces the last layer by weights and biases in float64."""
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

    def path(self, folder: str, name: str) -> str:
        """Returns the path of the file ``name`` in the folder of a checkpoint."""
        return os.path.join(folder, name)
