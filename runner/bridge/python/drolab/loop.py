"""A script with a loop of its own: ``start`` makes a run of it. See docs/loop.md."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from typing import (Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Union)

import numpy as np

from .frames import FormatError, Gone, Wire, close_in_children, keep_in_children
from .job import MOST_LOGGED, Wrong
from .serve import VERSION, _packages

__all__ = ["Failed", "Lost", "Run", "start"]

Split = Union[int, Mapping[str, int]]
Counts = Union[Sequence[int], Mapping[str, Sequence[int]]]

_PATIENCE = 2.0  # seconds for an answer that an interrupt cut off
_OPTIONAL = ("label", "group", "index", "correct", "confidence")


class Failed(Exception):
    """The run has failed: drolab's reason, in one line."""


class Lost(Exception):
    """drolab's process of this run has ended. The run goes on with start(resume=...)."""


def start(name: Optional[str] = None, *, method: Optional[str] = None,
          samples: Optional[Split] = None, class_counts: Optional[Counts] = None,
          group_counts: Optional[Counts] = None, classes: Optional[Sequence[Any]] = None,
          groups: Optional[Sequence[Any]] = None, settings: Optional[Mapping[str, Any]] = None,
          resume: Optional[str] = None, from_: Optional[str] = None, restart: bool = False,
          steps_per_epoch: int = 0, parameters: int = 0, device: Any = "",
          packages: Sequence[str] = (), higher: Sequence[str] = (), lower: Sequence[str] = (),
          runs: Optional[str] = None, **more: Any) -> Run:
    """Starts a run whose loop is this script's. Use it as ``with drolab.start(...) as run:``.

    - ``name``: what the run is of; its name begins so
    - ``method``: one of drolab's methods, as ``"sfk"``
    - ``samples``: how many the training split has, or ``{"train": n, "val": n, "test": n}``;
      a validation split has to be here
    - ``class_counts``: how many samples each class has, by its number: of the training split,
      or by split as ``samples``. ``group_counts`` likewise. ``classes`` and ``groups`` are names
    - ``settings`` and further keywords: of drolab, by their keys, as ``rho=0.5`` or ``batch=64``
    - ``resume``: a run to go on with, with its settings; the rest may be left out
    - ``from_``: a run to fork, ``RUN``, ``RUN@STEP`` or ``RUN@selected``
    - ``restart``: the script obeys where ``end_epoch`` answers that the network starts anew
    - ``steps_per_epoch``: what progress is counted in; 0 is samples / batch, rounded up
    - ``parameters``, ``device``, ``packages`` (names of modules): for the record
    - ``higher``, ``lower``: names that ``run.log`` has, of which more, or less, is better
    - ``runs``: the folder of runs; by default drolab's own

    Raises Failed where drolab refuses the run, and Wrong where it cannot be started.
    """
    if os.name != "posix":
        raise Wrong("runs with a loop of their own need Linux or macOS")
    if int(os.environ.get("WORLD_SIZE") or 1) > 1:
        raise Wrong("several processes for one run are not supported: start it in one")
    given: Dict[str, Any] = dict(settings or {}, **more)
    if method is not None:
        given["method"] = method
    if resume is None and from_ is None:
        if method is None:
            raise Wrong('drolab.start has no method: write method="sfk"')
        if samples is None:
            raise Wrong("drolab.start has no samples: write samples=len(train)")
    head: Dict[str, Any] = {
        "do": "start", "version": VERSION, "name": name or "", "resume": resume or "",
        "from": from_ or "", "settings": {k: _plain(k, v) for k, v in given.items()},
        "higher": list(higher), "lower": list(lower), "restart": bool(restart),
        "steps_per_epoch": int(steps_per_epoch),
        "parameters": int(parameters), "device": str(device), "packages": _packages(packages),
        "path": os.path.abspath(sys.argv[0]) if sys.argv[0] else "", "arguments": sys.argv[1:],
        "interpreter": sys.executable or ""}
    if samples is not None:
        head["samples"] = {k: int(v) for k, v in _by_split(samples).items()}
        for key, counts, names in (("class", class_counts, classes),
                                   ("group", group_counts, groups)):
            if counts is not None:
                table = {k: [int(n) for n in v] for k, v in _by_split(counts).items()}
                head[key + "_counts"] = table
                if names is None:
                    names = range(len(table.get("train") or ()))
            if names is not None:
                head["groups" if key == "group" else "classes"] = [str(n) for n in names]
    return Run(head, runs)


def _plain(key: str, value: Any) -> Any:
    """A setting as JSON has it."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(key, v) for v in value]
    raise Wrong(f"the setting {key} is a {type(value).__name__}: give a number or text")


def _by_split(value: Any) -> Dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {"train": value}


def _command() -> str:
    """The drolab of this package, or the one of the PATH. DROLAB_COMMAND names another."""
    named = os.environ.get("DROLAB_COMMAND")
    if named:
        return named
    for scheme in (None, os.name + "_user"):
        with contextlib.suppress(KeyError):
            folder = sysconfig.get_path("scripts", *([scheme] if scheme else []))
            if folder and os.access(os.path.join(folder, "drolab"), os.X_OK):
                return os.path.join(folder, "drolab")
    found = shutil.which("drolab")
    if not found:
        raise Wrong("the command drolab is not there: pip install the wheel, or put it in the PATH")
    return found


class Run:
    """A run whose loop is the script's; ``start`` makes it.

    - ``id``: its name
    - ``saved``: the folder with the files of the checkpoint that it goes on from, or None
    - ``steps``, ``epoch``: steps and epochs that are done
    - ``lr``: drolab's step size, which knobs turn; it is of the last ``weights``
    - ``stopping``: somebody wants the run to stop: save, and leave the block
    - ``saving``: somebody wants a checkpoint
    """

    id: str
    saved: Optional[str]
    steps: int
    epoch: int
    lr: float = float("nan")
    stopping = False
    saving = False

    def __init__(self, head: Mapping[str, Any], runs: Optional[str]) -> None:
        self._over = self._waiting = self._torn = False
        self._fresh = False
        self._weighed = False
        self.id = str(head["resume"])
        command = [_command(), "loop"] + (["--runs", runs] if runs else [])
        said, says = os.pipe()  # what drolab says, and what it is told
        told, tells = os.pipe()
        self._errors = tempfile.TemporaryFile()
        try:
            for end in (told, says):
                os.set_blocking(end, False)
            self._process = subprocess.Popen(
                command, pass_fds=(told, says), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True,
                env=dict(os.environ, DROLAB_PIPES=f"{told},{says}"))
        except OSError as e:
            for end in (said, tells):
                os.close(end)
            raise Wrong(f"{command[0]} cannot be started: {e}") from None
        finally:
            os.close(told)
            os.close(says)
        self._pipes = said, tells
        close_in_children(said, tells)
        self._wire = Wire(said, tells)
        try:
            answer, _ = self._ask(head)
        except BaseException:
            self._close(kill=True)
            raise
        self.id, self.saved = str(answer["id"]), answer.get("folder")
        self.steps, self.epoch = int(answer["step"]), int(answer["epoch"])

    # What a step is.

    def weights(self, losses: Any, *, label: Any = None, group: Any = None,
                index: Any = None) -> Any:
        """The weights of the samples of a step: [n], as losses [n].

        ``losses`` is a tensor or an array of floats, finite. ``label``, ``group`` and ``index``
        (places in the training split) are [n] whole numbers, which some methods look at. The
        result is a tensor on the device of the losses where these are a tensor, else a NumPy
        array of float64. It waits while the run is paused.
        """
        if self._weighed:
            raise Wrong("run.weights comes twice: call run.step() behind optimizer.step(), "
                        "with skipped=True if no step was taken")
        has, arrays = _samples(losses, label=label, group=group, index=index)
        head, answer = self._ask_often("weights", has, arrays)
        if len(answer) != 2 or answer[0].shape != arrays[0].shape or answer[1].size != 1:
            raise Failed("drolab sends other arrays than weights: install both of one version")
        self.lr = float(answer[1][0])
        self._fresh = head.get("fresh") is True
        self.stopping = head.get("stop") is True
        self.saving = head.get("save") is True
        self._weighed = True
        w = answer[0]
        return losses.new_tensor(w) if hasattr(losses, "new_tensor") else w

    def step(self, lr: Optional[float] = None, grad_norm: Any = None,
             fresh: Optional[Callable[[], Any]] = None, skipped: bool = False) -> None:
        """Says that the network has moved. It does not wait for drolab.

        - ``lr``: the step size that was taken; None: ``run.lr``
        - ``grad_norm``: the Euclidean norm of the gradient, before clipping
        - ``fresh``: called if the method asks for it; an independent draw of training samples at
          the new x, as losses, or (losses, label, group, index), of which the last may be missing
        - ``skipped``: no step was taken, as by a GradScaler; the method hears nothing of it
        """
        if not self._weighed:
            raise Wrong("run.step comes without run.weights before it")
        has: Tuple[str, ...] = ()
        arrays = [np.array([np.nan if lr is None else float(lr),
                            np.nan if grad_norm is None else _number(grad_norm)])]
        if self._fresh and fresh is not None and not skipped:
            given = fresh()
            if isinstance(given, Mapping):
                has, drawn = _samples(**given)
            else:
                parts = given if isinstance(given, (tuple, list)) else (given,)
                has, drawn = _samples(parts[0], **dict(zip(_OPTIONAL, parts[1:4])))
            arrays += drawn
        self._weighed = False
        self.steps += 1
        self._tell_often("step", has, arrays, {"skipped": True} if skipped else {})

    # Between steps.

    def end_epoch(self, losses: Any = None, *, label: Any = None, group: Any = None,
                  index: Any = None, correct: Any = None) -> bool:
        """Ends an epoch, with a pass over the training split where there is one: losses [n],
        label, group, index and correct [n], each sample once. True: the method wants the network
        and the optimiser as they were at the start."""
        has, arrays = (), []  # type: Tuple[str, ...], List[np.ndarray]
        if losses is not None:
            has, arrays = _samples(losses, label=label, group=group, index=index,
                                   correct=_truth(correct))
        head, _ = self._ask({"do": "epoch", "has": list(has)}, arrays)
        self.epoch += 1
        return head.get("restart") is True

    def evaluate(self, split: str, *, losses: Any, label: Any = None, group: Any = None,
                 index: Any = None, probability: Any = None, correct: Any = None) -> None:
        """Measures a split, ``"test"``, ``"val"`` or ``"train"``: losses [n], label and group [n],
        and probability [n, classes], or correct [n]. What is given between two steps is one
        evaluation."""
        confidence = None
        if probability is not None:
            p = _array(probability)
            if p.ndim != 2 or label is None:
                raise Wrong(f"evaluate: probability has the shape {p.shape}: give [n, classes], "
                            "and label")
            best = p.argmax(1)
            confidence = np.clip(p[np.arange(len(p)), best].astype(np.float64), 0, 1)
            correct = best == _whole("label", label)
        has, arrays = _samples(losses, label=label, group=group, index=index,
                               correct=_truth(correct), confidence=confidence)
        self._ask({"do": "evaluate", "split": split, "has": list(has)}, arrays)

    def best(self) -> bool:
        """Whether the evaluation of this moment is the best so far by the setting ``select``,
        which looks at the validation split: then save a checkpoint."""
        return self._ask({"do": "selected"})[0].get("selected") is True

    def log(self, **values: float) -> None:
        """Records values of your own by their names, at most 64. It does not wait for drolab."""
        if len(values) > MOST_LOGGED:
            raise Wrong(f"run.log has {len(values)} values: at most {MOST_LOGGED}")
        if values:
            self._tell({"do": "log", "names": list(values)},
                       [np.array([_number(v) for v in values.values()])])

    @contextlib.contextmanager
    def checkpoint(self) -> Iterator[str]:
        """Saves what the block writes into the folder that it is given, with drolab's part of
        the run: all of it is on the disk when the block has ended, or nothing is."""
        if self._weighed:
            raise Wrong("run.checkpoint comes between run.weights and run.step")
        folder = str(self._ask({"do": "checkpoint"})[0].get("folder"))
        try:
            yield folder
        except Exception:
            self._ask({"do": "discard"})
            raise
        self._ask({"do": "saved"})
        self.saving = False

    # The end.

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        if self._over:
            return
        status, cause = "stopped" if self.stopping else "done", ""
        if isinstance(error, SystemExit) and error.code in (None, 0):
            status = "stopped"
        elif isinstance(error, KeyboardInterrupt):
            status = "stopped"
        elif error is not None:
            status, cause = "failed", _line(error)
        try:
            if not self._in_step():
                self._close(kill=True)
                return
            self._ask({"do": "end", "status": status, "cause": cause})
            self._close()
        except (Failed, Lost):
            if error is None:
                raise
        except KeyboardInterrupt:
            self._close(kill=True)
            raise

    def _in_step(self) -> bool:
        """Whether drolab can be told something now. An interrupt may have cut an answer off,
        which comes still, but of a run that is paused."""
        if self._torn:
            return False
        if self._waiting:
            if not select.select([self._pipes[0]], [], [], _PATIENCE)[0]:
                return False
            self._hear()
        return True

    def _close(self, kill: bool = False) -> None:
        """Leaves drolab's process, which ends by itself, or is told to."""
        if self._over:
            return
        self._over = True
        keep_in_children(*self._pipes)
        for end in self._pipes:
            with contextlib.suppress(OSError):
                os.close(end)
        if kill:
            self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)

    # The conversation.

    def _tell(self, head: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
        self._open()
        self._torn = True
        try:
            self._wire.send(head, arrays)
        except Gone:
            raise self._lost() from None
        self._torn = False

    def _tell_often(self, do: str, has: Tuple[str, ...], arrays: Sequence[np.ndarray],
                    more: Mapping[str, Any]) -> None:
        self._open()
        self._torn = True
        try:
            self._wire.send_known((do, has, bool(more)), lambda: dict(more, do=do, has=list(has)),
                                  arrays)
        except Gone:
            raise self._lost() from None
        self._torn = False

    def _open(self) -> None:
        if self._over:
            raise Wrong(f"run {self.id} has ended")

    def _ask(self, head: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()
             ) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        self._tell(head, arrays)
        self._waiting = True
        return self._hear()

    def _ask_often(self, do: str, has: Tuple[str, ...], arrays: Sequence[np.ndarray]
                   ) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        self._tell_often(do, has, arrays, {})
        self._waiting = True
        return self._hear()

    def _hear(self) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        try:
            frame = self._wire.receive()
        except FormatError:
            frame = None
        self._waiting = False
        if frame is None:
            raise self._lost()
        error = frame[0].get("error")
        if error:
            self._close()
            raise Failed(str(error))
        return frame

    def _lost(self) -> Lost:
        """The error of a process that is gone, with the last that it said."""
        self._close()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1][:300]}" if lines else ""
        if not self.id:
            return Lost(f"drolab's process has ended{said}")
        return Lost(f"drolab's process of run {self.id} has ended{said}: go on with "
                    f"drolab.start(resume={self.id!r})")


def _samples(losses: Any, **more: Any) -> Tuple[Tuple[str, ...], List[np.ndarray]]:
    """The arrays of samples, and their names."""
    a = _array(losses)
    if a.dtype.kind != "f":
        raise Wrong(f"losses are {a.dtype}: give floats")
    if a.ndim != 1:
        raise Wrong(f"losses have the shape {a.shape}: give the loss of each sample, as "
                    'reduction="none" does')
    if a.dtype.itemsize not in (4, 8) or not a.dtype.isnative:
        a = a.astype(np.float64)
    has, arrays = ["losses"], [np.ascontiguousarray(a)]
    for name, values in more.items():
        if values is None:
            continue
        b = values if name == "confidence" else _whole(name, values)
        if b.shape != a.shape:
            raise Wrong(f"{name} has the shape {b.shape} and losses have {a.shape}: give one for "
                        "each sample")
        has.append(name)
        arrays.append(b)
    return tuple(has), arrays


def _array(x: Any) -> np.ndarray:
    """An array of a tensor, of an array or of a list."""
    if hasattr(x, "detach"):
        x = x.detach()
        if str(x.dtype) in ("torch.float16", "torch.bfloat16"):
            x = x.float()
        x = x.cpu().numpy()
    return np.asarray(x)


def _number(x: Any) -> float:
    return float(x.detach() if hasattr(x, "detach") else x)


def _whole(name: str, x: Any) -> np.ndarray:
    a = _array(x)
    if a.dtype.kind not in "iub":
        raise Wrong(f"{name} is {a.dtype}: give whole numbers from 0")
    if a.dtype not in (np.int64, np.int32) or not a.dtype.isnative:
        a = a.astype(np.int64)
    return np.ascontiguousarray(a)


def _truth(x: Any) -> Any:
    return None if x is None else _array(x).astype(bool).astype(np.int32)


def _line(e: BaseException) -> str:
    """An error in one line, with the place in the script that it passed last."""
    said = (str(e).strip().split("\n") or [""])[0][:500]
    text = f"{type(e).__name__}: {said}" if said else type(e).__name__
    own = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        if not os.path.abspath(frame.filename).startswith(own) and os.path.exists(frame.filename):
            return f"{text} ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return text
