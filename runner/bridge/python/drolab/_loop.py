"""Runs of scripts that keep their own loop; ``start`` begins one. See docs/loop.md."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Optional, SupportsFloat, Union

import numpy as np

from . import _restarts
from ._data import Counts, Data
from ._errors import ConnectionLost, ProtocolError, RunStopped, SettingError, UsageError
from ._job import MOST_LOGGED
from ._serve import VERSION, packages_of
from ._shapes import remedy_of
from ._signals import Wishes
from ._talk import Answer, Talk, end_of

if TYPE_CHECKING:
    from ._ranks import Group

__all__ = ["Run", "start"]

Split = Union[int, Mapping[str, int]]
Samples = tuple[tuple[str, ...], list[np.ndarray]]  # what the arrays are, and the arrays

_OPTIONAL = ("label", "group", "index")
_BY_DROLAB = ("cpu", "mps")  # devices: nothing waits for a CPU, and MPS has no float64
_WHOLE = ("weights(more=True) needs tensors, and a method that weighs each sample by itself, such "
          "as sfk, with weights=device: {} needs all losses of a batch in one call")
_ROUNDING = 0.01  # by which probabilities in half precision may miss the sum of 1
_SCALED = 1e4  # norms of gradients above it are rare, and usual for those of a GradScaler
_SCALED_STEPS = 3
_FIRST = "call torch.distributed.init_process_group before drolab.start"
_WORKERS = ("the signal of a stop was sent to all processes of the script, and has ended workers "
            "of its DataLoader before a checkpoint could be saved: use workers of the start method "
            "fork, or send the signal to the script alone")
_STRANGE = "drolab sends other arrays than weights: install both of one version"


def start(name: Optional[str] = None, data: Optional[Data] = None, *, method: Optional[str] = None,
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
        data: The numbers of samples, classes and groups: see ``drolab.Data``.
        method: One of drolab's methods, such as ``"sfk"``.
        resume: A run to go on with, with its settings. The arguments that describe the run may
            be left out, and a setting that differs is refused. ``"auto"`` is the run that this
            script had before torchrun started it again, or else a new one.
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
        samples: A number of samples, or one by split. It goes with the next version, as do
            ``class_counts``, ``group_counts``, ``classes``, ``groups`` and ``settings``: give
            ``data``, and settings as keywords.
        more: Settings of drolab as keywords, such as ``rho=0.5`` or ``batch=64``.

    Returns:
        The run.

    Raises:
        RunStopped: drolab refuses the run.
        UsageError: The run cannot be started.
    """
    old = dict(samples=samples, class_counts=class_counts, group_counts=group_counts,
               classes=classes, groups=groups)
    if any(x is not None for x in old.values()):
        data = _old_data(data, **old)
    if settings is not None:
        warnings.warn("settings= goes with the next version: give each setting as a keyword",
                      DeprecationWarning, stacklevel=2)
    if os.name != "posix":
        raise UsageError("runs with a loop of their own need Linux or macOS")
    group = None
    if _several():
        from ._ranks import Group

        group = Group()
    elif int(os.environ.get("WORLD_SIZE") or 1) > 1:
        raise UsageError(f"WORLD_SIZE is {os.environ['WORLD_SIZE']}: {_FIRST}")
    if resume == "auto":
        before = _restarts.run_before(name or "") or ""
        resume = (group.same(before) if group is not None else before) or None
    run = Run(group)
    try:
        given: dict[str, Any] = dict(settings or {}, **more)
        if method is not None:
            given["method"] = method
        if resume is None and from_ is None:
            if method is None:
                raise SettingError('drolab.start has no method: write method="sfk"')
            if data is None:
                raise SettingError("drolab.start has no data: write data=drolab.Data(train=train), "
                                   "or drolab.Data(train=len(train))")
        head: dict[str, Any] = {
            "version": VERSION, "notes": True, "name": name or "", "resume": resume or "",
            "from": from_ or "", "settings": {k: _plain(k, v) for k, v in given.items()},
            "higher": list(higher), "lower": list(lower), "restart": bool(restart),
            "restarts": _restarts.count(),
            "steps_per_epoch": int(steps_per_epoch),
            "parameters": int(parameters), "device": str(device), "packages": packages_of(packages),
            "path": os.path.abspath(sys.argv[0]) if sys.argv[0] else "", "arguments": sys.argv[1:],
            "interpreter": sys.executable or ""}
        if data is not None:
            head.update(data.head())
        run._begin(head, runs)
    except BaseException as e:
        run._leave(e)
        raise
    return run


def _old_data(data: Optional[Data], samples: Any, **more: Any) -> Data:
    """Returns the data as the version before took them."""
    if data is not None:
        raise SettingError("drolab.start has data and samples, or counts and names: give them to "
                           "drolab.Data alone")
    if samples is None:
        raise SettingError("drolab.start has classes or groups and no samples: write "
                           "data=drolab.Data(train=train)")
    warnings.warn("samples=, class_counts=, group_counts=, classes= and groups= go with the next "
                  "version: give data=drolab.Data(...)", DeprecationWarning, stacklevel=3)
    return Data(**_by_split(samples), **more)


def _plain(key: str, value: Any) -> Any:
    """Returns a setting as a value that JSON can hold."""
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(key, v) for v in value]
    raise SettingError(f"the setting {key} is a {type(value).__name__}: give a number or text")


def _by_split(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {"train": value}


def _several() -> bool:
    """Reports whether this process is one of several in torch.distributed."""
    dist = sys.modules.get("torch.distributed")
    return dist is not None and dist.is_available() and dist.is_initialized() and \
        dist.get_world_size() > 1


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

    def __init__(self, group: Optional[Group]) -> None:
        self._group = group  # of all ranks; None: this process is alone
        self._talk: Optional[Talk] = None  # on rank 0
        self._fresh = False
        self._weighed = False
        self._form: Any = None  # forms.Form, once a tensor was weighed by a form
        self._copies: Any = None  # device.Copies
        self._ready = False  # the form is that of the next weights
        self._parts: list[Samples] = []  # of the present batch, if it comes in parts
        self._later: list[Callable[[], None]] = []  # messages whose arrays are on their way
        self._signals = Wishes(self._wish, lambda: self._talk is not None and self._talk.over)
        self._taken = contextlib.ExitStack()  # what the end of the run gives back
        self._over = False
        self._long = 0  # steps with a gradient as of a GradScaler
        self.id = ""

    def _begin(self, head: dict[str, Any], runs: Optional[str]) -> None:
        """Asks drolab for the run."""
        self.id, self._subject, group = str(head["resume"]), str(head["name"]), self._group
        if group is not None:
            group.agree(head)
            head["processes"] = group.size
        if group is None or group.rank == 0:
            self._talk = Talk(self.id, runs)
            if group is not None:
                group.talk, self._talk.attend = self._talk, group.attend
        answer, _ = self._ask("start", **head)
        self.id, self.saved = str(answer["id"]), answer.get("folder")
        self.steps, self.epoch = int(answer["step"]), int(answer["epoch"])
        self._formed = int(answer.get("form_bytes") or 0)  # of a form's numbers; 0: no form
        if self._talk is not None:
            self._talk.id, self._talk.begun = self.id, True
            _restarts.begun(self._subject, self.id)
        if group is not None:
            group.run = self.id
            group.wait_for(float(answer["patience"]))
            self.saved = self.saved and group.saved(self.saved)
        self._taken.enter_context(self._signals)

    # Calls of a step.

    def weights(self, losses: Any, *, label: Any = None, group: Any = None,
                index: Any = None, more: bool = False) -> Any:
        """Returns the weights [n] of the samples of a step from their losses [n].

        ``losses`` is a tensor or an array of finite floats. ``label``, ``group`` and ``index`` (the
        places in the training split) are whole numbers [n], which some methods look at. The
        result is a tensor on the device of the losses if they are a tensor, otherwise a NumPy
        array of float64. The call waits while the run is paused.

        If the method has a form, the weights of a tensor on a GPU are computed there. Then the
        call waits for the step before, but not for these losses.

        ``more`` says that further parts of the batch follow before the step, as in gradient
        accumulation. The method must then weigh each sample by itself.
        """
        if self._weighed:
            raise UsageError("run.weights comes twice: call run.step() behind optimizer.step(), "
                             "with skipped=True if no step was taken")
        given = {"label": label, "group": group, "index": index}
        in_parts = more or bool(self._parts)
        computes = in_parts or self._computes(losses)
        if in_parts and not (self._formed and hasattr(losses, "new_tensor") and
                             losses.device.type != "mps"):
            raise UsageError(_WHOLE.format("this run"))
        if computes and not self._ready:
            self.ready(losses.device)
        if in_parts and not self._form.each:
            raise UsageError(_WHOLE.format(f"the form {self._form.kind}"))
        part = f"part {len(self._parts)} " if in_parts else ""
        take = (lambda name, x: self._copies.take(part + name, x)) if computes else None
        has, arrays = _samples(losses, take, **given)
        if self._parts and has != self._parts[0][0]:
            raise UsageError("the parts of a batch have different arrays: give label, group and "
                             "index with all of them, or with none")
        if self._group is not None and not len(arrays[0]):
            raise UsageError("the batch of this rank is empty: give every rank samples in each "
                             "step, as a DistributedSampler does")
        if computes:
            self._copies.mark()
            self._parts.append((has, arrays))
            if not more:
                self._samples, self._parts = self._parts, []
                self._ready, self._weighed = False, True
            return self.form(losses, **given)
        head, answer = self._ask("weights", has, arrays, None)
        if self._group is not None and answer:
            answer[0] = self._group.mine(answer[0])
        if len(answer) != 2 or answer[0].shape != arrays[0].shape:
            raise ProtocolError(_STRANGE)
        self._samples = []
        self._hear_wishes(head, answer[1])
        self._weighed = True
        if not hasattr(losses, "new_tensor"):
            return answer[0]
        from ._forms import rounded

        return rounded(answer[0], losses)

    def ready(self, device: Any) -> None:
        """Gets the numbers of the next weights, on a device, for ``form``.

        ``weights`` does this by itself. Call it where a captured graph computes the weights:
        before the graph runs. It waits for the step before, and while the run is paused.
        """
        import torch

        from . import _device, _forms

        if self._form is None:
            self._form, self._copies = _forms.Form(), _device.Copies()
        if not self._formed:
            raise UsageError("the method has no form, or weights is host: use run.weights")
        head, answer = self._ask("weights", (), [], self._formed)
        if len(answer) not in (2, 3):
            raise ProtocolError(_STRANGE)
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
            raise UsageError("run.form comes before run.ready")
        return self._form.weights(losses, {"label": label, "group": group, "index": index},
                                  self._group)

    def _computes(self, losses: Any) -> bool:
        """Reports whether the weights of losses are computed by the method's form."""
        return self._ready or self._formed > 0 and hasattr(losses, "new_tensor") and \
            losses.device.type not in _BY_DROLAB

    def _hear_wishes(self, head: Mapping[str, Any], rate: np.ndarray) -> None:
        if rate.size != 1:
            raise ProtocolError(_STRANGE)
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
            raise UsageError("run.step comes before the last part of its batch: it is the one "
                             "without more=True" if self._parts else
                             "run.step comes without run.weights before it")
        samples, late = self._samples, bool(self._samples)
        rate = np.nan if lr is None else float(lr)
        norm = np.nan if grad_norm is None else self._value("norm", _full(grad_norm), late)
        of: tuple[str, ...] = ()
        drawn: list[np.ndarray] = []
        if self._fresh and fresh is not None and not skipped:
            given = fresh()
            take = (lambda name, x: self._copies.take("fresh " + name, x)) if late else None
            if isinstance(given, Mapping):
                of, drawn = _samples(take=take, **given)
            else:
                parts = given if isinstance(given, (tuple, list)) else (given,)
                of, drawn = _samples(parts[0], take, **dict(zip(_OPTIONAL, parts[1:4])))
        self._weighed = False
        self.steps += 1
        if late:
            self._copies.mark()
            self._later.append(partial(self._tell_step, samples, rate, norm, of, drawn, skipped))
        else:
            self._tell_step(samples, rate, norm, of, drawn, skipped)

    def _tell_step(self, samples: list[Samples], rate: float, norm: Any, of: tuple[str, ...],
                   drawn: list[np.ndarray], skipped: bool) -> None:
        """Tells drolab of a step, whose samples and fresh samples have come from the device."""
        has = samples[0][0] if samples else ()
        arrays = [a[0] if len(a) == 1 else np.concatenate(a)
                  for a in zip(*(part for _, part in samples))]
        if self._group is not None:
            arrays = self._group.join("step", has, arrays) if has else []
            drawn = self._group.join("fresh", of, drawn) if of else []
        if self._talk is not None:
            more = {"skipped": True} if skipped else {}
            length = float(norm)
            if length > _SCALED:
                self._suspect(length)
            self._talk.tell("step", has, [np.array([rate, length]), *arrays, *drawn], of, **more)

    def _suspect(self, length: float) -> None:
        """Warns once that gradients seem to be scaled, after some of such a length."""
        self._long += 1
        if self._long == _SCALED_STEPS:
            warnings.warn(
                f"the gradient norm is {length:.4g}, as before a GradScaler unscales it: call "
                "scaler.unscale_(optimizer) before clip_grad_norm_, which would else clip to next "
                "to nothing", RuntimeWarning, stacklevel=4)

    # Between steps.

    def end_epoch(self, losses: Any = None, *, label: Any = None, group: Any = None,
                  index: Any = None, correct: Any = None) -> bool:
        """Ends an epoch, with a pass over the training split if the script has made one.

        The pass is the losses, label, group, index and correct, each [n], of every sample once. On
        several ranks it needs the index, and each gives its part.
        Returns True if the method wants the network and the optimiser as they were at the start.
        """
        has, arrays = (), []  # type: tuple[str, ...], list[np.ndarray]
        if losses is not None:
            has, arrays = _samples(losses, label=label, group=group, index=index,
                                   correct=_truth("end_epoch", correct))
            self._check_pass("end_epoch", index)
        head, _ = self._ask("epoch", has, arrays)
        self.epoch += 1
        return head.get("restart") is True

    def evaluate(self, split: str, *, losses: Any, label: Any = None, group: Any = None,
                 index: Any = None, probability: Any = None, correct: Any = None) -> None:
        """Gives drolab a pass over a split, ``"test"``, ``"val"`` or ``"train"``, to measure it.

        The pass is the losses [n], label [n], group [n] and either probability [n, classes] or
        correct [n]. On several ranks it needs the index [n], and each gives its part: none, some
        or all samples. All passes between two steps make one evaluation.
        """
        self._check_pass("evaluate", index)
        confidence = None
        if probability is not None:
            correct, confidence = _predicted(probability, label)
        has, arrays = _samples(losses, label=label, group=group, index=index,
                               correct=_truth("evaluate", correct), confidence=confidence)
        self._ask("evaluate", has, arrays, split=split)

    def _check_pass(self, call: str, index: Any) -> None:
        if self._group is not None and index is None:
            raise UsageError(f"{call}: give index, the places of the samples in the split: several "
                             "ranks may give the same sample")

    def best(self) -> bool:
        """Reports whether the present evaluation is the best so far by the setting ``select``.

        That setting looks at the validation split. If the answer is True, save a checkpoint.
        """
        return self._ask("selected")[0].get("selected") is True

    def log(self, **values: SupportsFloat) -> None:
        """Records the script's own values, of at most 64 names. It does not wait for drolab."""
        if len(values) > MOST_LOGGED:
            raise UsageError(f"run.log has {len(values)} values: at most {MOST_LOGGED}")
        values = {name: _full(value) for name, value in values.items()}
        talk = self._talk
        if talk is None:  # rank 0 logs its own
            return
        late = self._form is not None
        kept = [self._value(f"log {len(self._later)} {k}", v, late) for k, v in values.items()]

        def send() -> None:
            talk.tell("log", (), [np.array([float(v) for v in kept])], names=list(values))

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
            raise UsageError("run.checkpoint comes between run.weights and run.step")
        folder = str(self._ask("checkpoint")[0].get("folder"))
        own = contextlib.nullcontext(folder) if self._group is None else self._group.folder(folder)
        with own as mine:
            try:
                yield mine
            except Exception:
                self._keep(False)
                raise
            self._keep(True)

    def _keep(self, well: bool) -> None:
        """Keeps the files of a checkpoint if it went well on all ranks."""
        well = well if self._group is None else self._group.all(well)
        self._ask("saved" if well else "discard")
        self.saving = self.saving and not well

    # The end.

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        if self._over:
            return
        if error is not None:
            self._leave(error)
            return
        try:
            self._ask("end", status="stopped" if self.stopping else "done", cause="")
        except BaseException as e:
            self._leave(e)
            raise
        if self._talk is not None:
            _restarts.ended(self._subject)
        self._close()

    def _leave(self, error: BaseException) -> None:
        """Ends the run because of an error. Raises that of another rank, if it came first."""
        first, (status, cause) = error, end_of(error)
        if self._group is not None:
            first, status, cause = self._group.leave(error)
            self._later.clear()
        if first is error and self._signals.heard and "DataLoader worker" in str(error):
            cause = _WORKERS
            print(f"drolab: run {self.id}: {cause}", file=sys.stderr)
        try:
            if self._talk is not None:
                self._end(self._talk, "stopped" if status == "stopped" else "failed", cause)
        except (RunStopped, ConnectionLost):
            pass
        except KeyboardInterrupt:
            self._close(kill=True)
            raise
        finally:
            self._close()
        if first is not error:
            raise first from error

    def _end(self, talk: Talk, status: str, cause: str) -> None:
        """Tells drolab how the run ends, if drolab can hear it."""
        if status == "failed" and talk.waiting:
            talk.stop()  # a paused run goes on, to hear of the failure of another rank
        if not talk.in_step():
            self._close(kill=True)
            return
        try:
            self._settle()
        except RuntimeError:  # the device has failed, and that is why the script ends
            self._later.clear()
            self._copies = None
        talk.ask("end", status=status, cause=cause)

    def _close(self, kill: bool = False) -> None:
        """Ends what this run has of the process: signals, drolab's process, the group."""
        if self._over:
            return
        self._over = True
        self._taken.close()
        if self._talk is not None:
            self._talk.close(kill)
        if self._group is not None:
            self._group.close()

    # The wish to stop.

    def take_signals(self) -> None:
        """Takes back the signals that a library has taken since the start."""
        self._signals.take_again()

    def _wish(self) -> None:
        if self._talk is not None:
            self._talk.stop()
        elif self._group is not None:
            self._group.wish = True

    # The conversation.

    def _settle(self) -> None:
        """Tells drolab what it has not heard yet of the last step, when the device is done."""
        if self._copies is not None:
            self._copies.wait()
        while self._later:
            self._later.pop(0)()

    def _ask(self, do: str, has: tuple[str, ...] = (), arrays: Sequence[np.ndarray] = (),
             most: Optional[int] = 0, **more: Any) -> Answer:
        """Asks drolab, about the samples of all ranks: see Talk.ask."""
        if self._over:
            raise UsageError(f"run {self.id} has ended")
        if self._group is None and _several():
            raise UsageError(f"the processes of torch.distributed train a run each: {_FIRST}")
        if self._copies is not None:
            self._settle()
        asked = self._talk if self._group is None else self._group
        assert asked is not None
        return asked.ask(do, has, arrays, most, **more)


def _samples(losses: Any, take: Optional[Callable[[str, Any], Any]] = None, **more: Any
             ) -> Samples:
    """Returns the names of the arrays of samples, and the arrays. Their values may come later."""
    a = take("losses", losses) if take else _array(losses)
    if a.dtype.kind != "f":
        raise UsageError(f"losses are {a.dtype}: give floats")
    if a.ndim != 1:
        raise UsageError(f"losses have the shape {a.shape}: give the loss of each sample: "
                         f"{remedy_of(a.shape, _count(more.values()))}")
    if a.dtype.itemsize not in (4, 8) or not a.dtype.isnative:
        a = a.astype(np.float64)
    has, arrays = ["losses"], [np.ascontiguousarray(a)]
    for name, values in more.items():
        if values is None:
            continue
        b = values if name == "confidence" else _whole(name, take(name, values) if take else values)
        if b.shape != a.shape:
            how = remedy_of(a.shape, len(b)) if b.ndim == 1 else "give one for each sample"
            raise UsageError(f"{name} has the shape {b.shape} and losses have {a.shape}: {how}")
        has.append(name)
        arrays.append(b)
    return tuple(has), arrays


def _count(given: Iterable[Any]) -> Optional[int]:
    """Returns the number of samples by what is given beside their losses; None: by nothing."""
    return next((x.shape[0] for x in given if len(getattr(x, "shape", ())) == 1), None)


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


def _full(x: Any) -> Any:
    """Returns a value as every rank has it. A DTensor, as of FSDP2, is put together from parts."""
    return x.full_tensor() if hasattr(x, "full_tensor") else x


def _whole(name: str, x: Any) -> np.ndarray:
    a = _array(x)
    if a.dtype.kind not in "iub":
        raise UsageError(f"{name} is {a.dtype}: give whole numbers from 0, or leave {name} out, as "
                         "in regression")
    if a.dtype not in (np.int64, np.int32) or not a.dtype.isnative:
        a = a.astype(np.int64)
    return np.ascontiguousarray(a)


def _predicted(probability: Any, label: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns which samples are classified correctly, and the greatest probability of each."""
    p = _array(probability)
    if p.ndim != 2 or p.shape[1] == 0 or label is None:
        raise UsageError(f"evaluate: probability has the shape {p.shape}: give [n, classes], and "
                         "label")
    labels = _whole("label", label)
    if labels.shape != p.shape[:1]:
        raise UsageError(f"evaluate: probability has {len(p)} rows and label has {labels.size}: "
                         "give one of each for each sample")
    fits = (p.min(1) >= -_ROUNDING) & (abs(p.sum(1, dtype=np.float64) - 1) <= _ROUNDING)
    if not fits.all():
        first = int(np.argmin(fits))
        row = ", ".join(f"{v:.4g}" for v in p[first, :3]) + (", ..." if p.shape[1] > 3 else "")
        remedy = "logits.softmax(1)"
        if p.shape[1] == 1:
            remedy = "torch.stack([1 - p, p], 1) for the p of a sigmoid"
        raise UsageError(f"evaluate: probability: sample {first} has {row}, and numbers from 0 to "
                         f"1 that add up to 1 are needed: give {remedy}")
    best = p.argmax(1)
    confidence = p[np.arange(len(p)), best].astype(np.float64)
    return best == labels, np.clip(confidence, 0, 1)  # rounding has made some greater than 1


def _truth(call: str, x: Any) -> Any:
    """Returns which samples are classified correctly as 0 and 1; None stays None."""
    if x is None:
        return None
    a = _array(x)
    wrong = (a != 0) & (a != 1)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise UsageError(f"{call}: correct: sample {first} has {a.flat[first]:.4g}: give True or "
                         "False, as out.argmax(1) == label")
    return a.astype(np.int32)
