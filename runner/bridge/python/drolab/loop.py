"""Runs of scripts that keep their own loop; ``start`` begins one. See docs/loop.md."""

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

from .frames import USUAL_HEAD, FormatError, Gone, Wire, close_in_children, keep_in_children
from .job import MOST_LOGGED, Wrong
from .serve import VERSION, _packages

__all__ = ["Failed", "Lost", "Run", "start"]

Split = Union[int, Mapping[str, int]]
Counts = Union[Sequence[int], Mapping[str, Sequence[int]]]

_PATIENCE = 2.0  # seconds to wait for an answer that an interrupt cut off
_OPTIONAL = ("label", "group", "index")
_BY_DROLAB = ("cpu", "mps")  # devices: nothing waits for a CPU, and MPS has no float64
_STRANGE = "drolab sends other arrays than weights: install both of one version"


class Failed(Exception):
    """The run has failed. The message is drolab's reason, in one line."""


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

    Args:
        name: The subject of the run. The name of a new run begins with it, except for a fork,
            whose name begins like its parent's.
        method: One of drolab's methods, such as ``"sfk"``.
        samples: The number of training samples, or the number for each split,
            ``{"train": n, "val": n, "test": n}``. A validation split must be named here.
        class_counts: The number of samples of each class, in the order of the class numbers: of
            the training split, or by split as in ``samples``.
        group_counts: The number of samples of each group, given like ``class_counts``.
        classes: The names of the classes.
        groups: The names of the groups.
        settings: Settings of drolab by their keys.
        resume: A run to go on with, with its settings. The arguments that describe the run may
            be left out, and a setting that differs is refused.
        from_: A run to fork: ``RUN``, ``RUN@STEP`` or ``RUN@selected``.
        restart: Whether the script obeys when ``end_epoch`` returns True, and starts the network
            and the optimiser anew.
        steps_per_epoch: The number of steps in an epoch, for progress and for the schedule of
            ``run.lr``; 0 means samples / batch, rounded up.
        parameters: The number of parameters of the network, for the record.
        device: The device of the network, for the record.
        packages: The names of modules whose versions are recorded.
        higher: Names given to ``run.log`` whose values are better when they are greater.
        lower: Names given to ``run.log`` whose values are better when they are smaller.
        runs: The folder of runs; by default drolab's own.
        more: Further settings of drolab as keywords, such as ``rho=0.5`` or ``batch=64``.

    Returns:
        The run.

    Raises:
        Failed: drolab refuses the run.
        Wrong: The run cannot be started.
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
    if samples is None and any(x is not None for x in
                               (class_counts, group_counts, classes, groups)):
        raise Wrong("drolab.start has classes or groups and no samples: write samples=len(train)")
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
    """Returns a setting as a value that JSON can hold."""
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
    """Returns the command drolab of this package, or else the one in the PATH.

    The variable DROLAB_COMMAND names another.
    """
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
    """A run whose loop is the script's own; ``start`` makes it.

    Attributes:
        id: The name of the run.
        saved: The folder with the files of the checkpoint that the run goes on from, or None.
        steps: The number of steps that are done.
        epoch: The number of epochs that are done.
        lr: drolab's step size as of the last ``weights``. Knobs turn it.
        stopping: Whether somebody wants the run to stop: then save, and leave the block.
        saving: Whether somebody wants a checkpoint.
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
        self._most = 0  # bytes of the arrays of the answer
        self._form: Any = None  # forms.Form, once a tensor was weighed by a form
        self._copies: Any = None  # device.Copies
        self._ready = False  # the form is that of the next weights
        self._later: List[Callable[[], None]] = []  # messages whose arrays are on their way
        self.id = str(head["resume"])
        command = [_command(), "loop"] + (["--runs", runs] if runs else [])
        said, says = os.pipe()  # from drolab: the end of this process, and drolab's
        told, tells = os.pipe()  # to drolab: drolab's end, and that of this process
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
        self._formed = int(answer.get("form_bytes") or 0)  # bytes of a form's numbers; 0: no form

    # Calls of a step.

    def weights(self, losses: Any, *, label: Any = None, group: Any = None,
                index: Any = None) -> Any:
        """Returns the weights [n] of the samples of a step from their losses [n].

        ``losses`` is a tensor or an array of finite floats. ``label``, ``group`` and ``index`` (the
        places in the training split) are whole numbers [n], which some methods look at. The
        result is a tensor on the device of the losses if they are a tensor, otherwise a NumPy
        array of float64. The call waits while the run is paused.

        If the method has a form, the weights of a tensor on a GPU are computed there. Then the
        call waits for the step before, but not for these losses.
        """
        if self._weighed:
            raise Wrong("run.weights comes twice: call run.step() behind optimizer.step(), "
                        "with skipped=True if no step was taken")
        given = {"label": label, "group": group, "index": index}
        if self._computes(losses):
            if not self._ready:
                self.ready(losses.device)
            w = self._form.weights(losses, given)
            self._samples = _samples(losses, self._copies.take, **given)
            self._copies.mark()
            self._ready, self._weighed = False, True
            return w
        self._settle()
        has, arrays = _samples(losses, **given)
        head, answer = self._ask_often("weights", has, arrays, 8 * len(arrays[0]) + 8)
        if len(answer) != 2 or answer[0].shape != arrays[0].shape:
            raise Failed(_STRANGE)
        self._samples = (), []
        self._hear_wishes(head, answer[1])
        self._weighed = True
        if not hasattr(losses, "new_tensor"):
            return answer[0]
        from .forms import rounded

        return rounded(answer[0], losses)

    def ready(self, device: Any) -> None:
        """Gets the numbers of the next weights, on a device, for ``form``.

        ``weights`` does this by itself. Call it where a captured graph computes the weights:
        before the graph runs. It waits for the step before, and while the run is paused.
        """
        import torch

        from . import device as moves
        from . import forms

        if self._form is None:
            self._form, self._copies = forms.Form(), moves.Copies()
        if not self._formed:
            raise Wrong("the method has no form, or weights is host: use run.weights")
        self._settle()
        head, answer = self._ask_often("weights", (), [], self._formed)
        if len(answer) not in (2, 3):
            raise Failed(_STRANGE)
        self._hear_wishes(head, answer[1])
        self._form.set(head, answer[0], answer[2] if len(answer) > 2 else None,
                       torch.empty(0, device=device).device)
        self._ready = True

    def form(self, losses: Any, *, label: Any = None, group: Any = None, index: Any = None) -> Any:
        """Returns the weights of losses by the numbers of the last ``ready`` or ``weights``.

        It tells drolab nothing and looks at nothing but tensors on the device, so that a graph can
        capture it. The numbers stay in the same memory.
        """
        if self._form is None:
            raise Wrong("run.form comes before run.ready")
        return self._form.weights(losses, {"label": label, "group": group, "index": index})

    def _computes(self, losses: Any) -> bool:
        """Reports whether the weights of losses are computed by the method's form."""
        return self._ready or self._formed > 0 and hasattr(losses, "new_tensor") and \
            losses.device.type not in _BY_DROLAB

    def _hear_wishes(self, head: Mapping[str, Any], rate: np.ndarray) -> None:
        if rate.size != 1:
            raise Failed(_STRANGE)
        self.lr = float(rate[0])
        self._fresh = head.get("fresh") is True
        self.stopping = head.get("stop") is True
        self.saving = head.get("save") is True

    def step(self, lr: Optional[float] = None, grad_norm: Any = None,
             fresh: Optional[Callable[[], Any]] = None, skipped: bool = False) -> None:
        """Tells drolab that the network has moved. It does not wait for drolab.

        Args:
            lr: The step size that was taken; None means ``run.lr``.
            grad_norm: The Euclidean norm of the gradient before clipping.
            fresh: A function that is called only if the method asks for it. It draws training
                samples independently and returns their losses at the new parameters, or (losses,
                label, group, index), of which the last ones may be missing.
            skipped: Whether no step was taken, as when a GradScaler skips one. The method then
                hears nothing of it.
        """
        if not self._weighed:
            raise Wrong("run.step comes without run.weights before it")
        has, arrays = self._samples
        late = bool(has)
        rate = np.nan if lr is None else float(lr)
        norm = np.nan if grad_norm is None else self._value("norm", grad_norm, late)
        of: Tuple[str, ...] = ()
        if self._fresh and fresh is not None and not skipped:
            given = fresh()
            if not isinstance(given, Mapping):
                parts = given if isinstance(given, (tuple, list)) else (given,)
                given = dict(zip(("losses", *_OPTIONAL), parts[:4]))
            take = (lambda name, x: self._copies.take("fresh " + name, x)) if late else None
            of, drawn = _samples(given["losses"], take,
                                 **{k: v for k, v in given.items() if k != "losses"})
            arrays = arrays + drawn

        def send() -> None:
            self._tell_often("step", has, [np.array([rate, float(norm)]), *arrays], of,
                             {"skipped": True} if skipped else {})

        self._weighed = False
        self.steps += 1
        if late:
            self._copies.mark()
            self._later.append(send)
        else:
            send()

    # Between steps.

    def end_epoch(self, losses: Any = None, *, label: Any = None, group: Any = None,
                  index: Any = None, correct: Any = None) -> bool:
        """Ends an epoch, with a pass over the training split if the script has made one.

        The pass is the losses, label, group, index and correct, each [n], of every sample once.
        Returns True if the method wants the network and the optimiser as they were at the start.
        """
        has, arrays = (), []  # type: Tuple[str, ...], List[np.ndarray]
        if losses is not None:
            has, arrays = _samples(losses, label=label, group=group, index=index,
                                   correct=_truth(correct))
        head, _ = self._ask({"do": "epoch", "has": list(has)}, arrays)
        self.epoch += 1
        return head.get("restart") is True

    def evaluate(self, split: str, *, losses: Any, label: Any = None, group: Any = None,
                 index: Any = None, probability: Any = None, correct: Any = None) -> None:
        """Gives drolab a pass over a split, ``"test"``, ``"val"`` or ``"train"``, to measure it.

        The pass is the losses [n], label [n], group [n] and either probability [n, classes] or
        correct [n]. All passes between two steps make one evaluation.
        """
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
        """Reports whether the present evaluation is the best so far by the setting ``select``.

        That setting looks at the validation split. If the answer is True, save a checkpoint.
        """
        return self._ask({"do": "selected"})[0].get("selected") is True

    def log(self, **values: float) -> None:
        """Records the script's own values, of at most 64 names. It does not wait for drolab."""
        if len(values) > MOST_LOGGED:
            raise Wrong(f"run.log has {len(values)} values: at most {MOST_LOGGED}")
        late = self._form is not None
        kept = [self._value(f"log {len(self._later)} {k}", v, late) for k, v in values.items()]

        def send() -> None:
            self._tell({"do": "log", "names": list(values)}, [np.array([float(v) for v in kept])])

        if late and values:
            self._copies.mark()
            self._later.append(send)
        elif values:
            send()

    def _value(self, name: str, x: Any, late: bool) -> Any:
        """Returns a number, or if late the copy of a tensor that will hold it."""
        if late and hasattr(x, "new_tensor"):
            return self._copies.take(name, x.reshape(()))
        return _number(x)

    @contextlib.contextmanager
    def checkpoint(self) -> Iterator[str]:
        """Saves the files that the block writes into its folder, with drolab's part of the run.

        When the block has ended, either all of it is on the disk or nothing is.
        """
        if self._weighed or self._ready:
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
            try:
                self._settle()
            except RuntimeError:  # the device has failed, and that is why the script ends
                if error is None:
                    raise
                self._later.clear()
                self._copies = None
            self._ask({"do": "end", "status": status, "cause": cause})
            self._close()
        except (Failed, Lost):
            if error is None:
                raise
        except KeyboardInterrupt:
            self._close(kill=True)
            raise

    def _in_step(self) -> bool:
        """Reports whether drolab can be sent a message now.

        An interrupt may have cut off the wait for an answer. The answer still comes and is read
        here, unless the run is paused.
        """
        if self._torn:
            return False
        if self._waiting:
            if not select.select([self._pipes[0]], [], [], _PATIENCE)[0]:
                return False
            self._hear()
        return True

    def _close(self, kill: bool = False) -> None:
        """Closes the pipes and waits for drolab's process to end.

        The process ends by itself; ``kill`` tells it to end at once.
        """
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

    def _settle(self) -> None:
        """Tells drolab what it has not heard yet of the last step, when the device is done."""
        if self._copies is not None:
            self._copies.wait()
        while self._later:
            self._later.pop(0)()

    def _tell(self, head: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
        self._open()
        self._torn = True
        try:
            self._wire.send(head, arrays)
        except Gone:
            raise self._lost() from None
        self._torn = False

    def _tell_often(self, do: str, has: Tuple[str, ...], arrays: Sequence[np.ndarray],
                    fresh: Tuple[str, ...], more: Mapping[str, Any]) -> None:
        self._open()
        self._torn = True
        try:
            self._wire.send_known((do, has, fresh, bool(more)), lambda: dict(
                more, do=do, has=list(has), fresh=list(fresh)), arrays)
        except Gone:
            raise self._lost() from None
        self._torn = False

    def _open(self) -> None:
        if self._over:
            raise Wrong(f"run {self.id} has ended")

    def _ask(self, head: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()
             ) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        self._settle()
        self._tell(head, arrays)
        self._waiting, self._most = True, 0
        return self._hear()

    def _ask_often(self, do: str, has: Tuple[str, ...], arrays: Sequence[np.ndarray], most: int
                   ) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        self._tell_often(do, has, arrays, (), {})
        self._waiting, self._most = True, most
        return self._hear()

    def _hear(self) -> Tuple[Mapping[str, Any], List[np.ndarray]]:
        try:
            frame = self._wire.receive(USUAL_HEAD, self._most)
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
        """Closes the run and returns the error of a process that has gone, with its last line."""
        self._close()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1][:300]}" if lines else ""
        if not self.id:
            return Lost(f"drolab's process has ended{said}")
        return Lost(f"drolab's process of run {self.id} has ended{said}: go on with "
                    f"drolab.start(resume={self.id!r})")


def _samples(losses: Any, take: Optional[Callable[[str, Any], Any]] = None, **more: Any
             ) -> Tuple[Tuple[str, ...], List[np.ndarray]]:
    """Returns the names of the arrays of samples, and the arrays. Their values may come later."""
    take = take or (lambda _, x: _array(x))
    a = take("losses", losses)
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
        b = values if name == "confidence" else _whole(name, take(name, values))
        if b.shape != a.shape:
            raise Wrong(f"{name} has the shape {b.shape} and losses have {a.shape}: give one for "
                        "each sample")
        has.append(name)
        arrays.append(b)
    return tuple(has), arrays


def _array(x: Any) -> np.ndarray:
    """Returns a tensor, an array or a list as a NumPy array."""
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
    """Returns an error as one line, with the last place in the script that it passed."""
    said = (str(e).strip().split("\n") or [""])[0][:500]
    text = f"{type(e).__name__}: {said}" if said else type(e).__name__
    own = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        if not os.path.abspath(frame.filename).startswith(own) and os.path.exists(frame.filename):
            return f"{text} ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return text
