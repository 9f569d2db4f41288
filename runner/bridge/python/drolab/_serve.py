"""Answers drolab's questions to a job: see docs/protocol.md."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import platform
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from . import _labels
from ._errors import ConnectionLost, Error, ProtocolError, UsageError
from ._frames import (MOST_BODY, MOST_HEAD, USUAL_HEAD, Head, PipeClosed, Wire,
                      close_in_children)
from ._job import BaseJob, settings_of
from ._shapes import remedy_of
from ._trainee import OFFERS, Trainee

__all__ = ["VERSION", "main", "packages_of"]

VERSION = 2
MODES = ("train", "evaluate", "probe")

Arrays = Sequence[np.ndarray]


def main(job: type[BaseJob]) -> None:
    """Runs a job for the drolab that has started this program; does not return.

    In a process that multiprocessing has started from this program, it returns at once. So a
    program needs no ``if __name__ == "__main__"``.
    """
    if multiprocessing.parent_process() is not None:
        return
    sys.exit(serve(job))


def serve(job: type[BaseJob]) -> int:
    """Holds the conversation over the pipes of DROLAB_PIPES, and returns the exit status."""
    pipes = os.environ.pop("DROLAB_PIPES", "")
    if not pipes:
        name = os.path.basename(sys.argv[0]) or "PROGRAM"
        return _say(f"drolab starts this program: drolab run {name}", 2)
    try:
        read, write = (int(n) for n in pipes.split(","))
        close_in_children(read, write)
    except (ValueError, OSError):
        return _say(f"DROLAB_PIPES={pipes!r} are no two pipes", 2)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    with _uninterrupted():
        return _Conversation(Wire(read, write), job).run()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignores interrupts, which are for drolab. It then asks for a checkpoint."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _say(line: str, status: int) -> int:
    print(f"drolab: {line}", file=sys.stderr, flush=True)
    return status


class _Conversation:
    """Answers drolab's questions until drolab closes the program or has gone."""

    def __init__(self, wire: Wire, kind: type[BaseJob]) -> None:
        self.wire, self.kind = wire, kind
        self.trainee: Optional[Trainee] = None
        self.counts: dict[str, int] = {}  # number of samples of each split
        self.classes = self.features = 0
        self.several = int(os.environ.get("WORLD_SIZE") or 1) > 1  # processes for one run
        self.last: Optional[int] = None  # number of samples of the last losses
        self.most = MOST_HEAD, 0  # bytes of the next question's head and body
        self.answers: dict[str, Callable[[Head, Arrays], Any]] = {
            name: getattr(self, "_" + name)
            for name in ("hello", "losses", "outputs", "norm", "step", "accumulate", "advance",
                         "restart", "pick", "swap", "save", "load", "results", "features", "layer")}
        self.silent: dict[str, Callable[[Head, Arrays], None]] = {
            name: getattr(self, "_" + name)
            for name in ("mode", "next", "gradient", "begin", "weigh", "draw")}
        self.begun = self.weighed = np.empty(0, np.int64)  # places of samples
        self.drawn: list[np.ndarray] = []  # those of each draw behind the step

    def run(self) -> int:
        """Returns the exit status.

        The error of a message that has no answer is the answer to the next one that has one.
        """
        failed: Optional[str] = None
        lost = False
        try:
            while True:
                frame = self.wire.receive(*self.most)
                if frame is None:
                    return _say(failed or "the pipe ended: drolab has gone", 1)
                head, arrays = frame
                do = str(head.get("do"))
                if do == "close":
                    if self.trainee is not None:
                        self.trainee.close()
                    return 0
                if failed is None:
                    try:
                        self._carry_out(do, head, arrays)
                    except PipeClosed:
                        raise
                    except (Exception, SystemExit) as e:
                        failed, lost = _line(e), isinstance(e, ConnectionLost)
                if failed is not None and do not in self.silent:
                    return self._fail(failed, lost)
        except (ProtocolError, PipeClosed) as e:
            return _say(failed or str(e), 1)

    def _carry_out(self, do: str, head: Head, arrays: Arrays) -> None:
        act = self.silent.get(do) or self.answers.get(do)
        if act is None:
            raise ProtocolError(f"drolab asks for {do[:40]!r}, which this client does not know: "
                                "install both of one version")
        act(head, arrays)

    def _fail(self, error: str, lost: bool) -> int:
        """Answers with an error, and returns the exit status."""
        if not lost:
            self.wire.send({"error": error})
            return _say(error, 1)
        # The process that ends first is taken for the cause, so this one waits for drolab's end.
        self.wire.send({"error": error, "lost": True})
        while self.wire.receive(MOST_HEAD, MOST_BODY) is not None:
            pass
        return 1

    def _reply(self, head: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
        """Sends an answer, with the values that the job has logged since the last answer."""
        assert self.trainee is not None
        logged = self.trainee.logged
        if logged:
            head = dict(head, log=list(logged))
            arrays = list(arrays) + [np.array(list(logged.values()), np.float64)]
            self.trainee.logged = {}
        self.wire.send(head, arrays)

    def _reply_array(self, a: np.ndarray) -> None:
        assert self.trainee is not None
        if self.trainee.logged:
            self._reply({}, [a])
        else:
            self.wire.send_array(a)

    def _hello(self, head: Head, arrays: Arrays) -> None:
        version = head.get("version")
        if version != VERSION:
            raise ProtocolError(f"drolab speaks version {version} of the protocol and this client "
                                f"{VERSION}: install both of one version")
        if self.trainee is not None:
            raise ProtocolError("drolab greets twice")
        job = self.kind()
        trainee = self.trainee = job._hold()
        try:
            job.arguments = [str(w) for w in head.get("arguments") or []]
            job.settings = settings_of(head.get("settings") or {}, job.arguments)
            job.seed, job.batch = int(head.get("seed", 0)), int(head.get("batch", 1))
            job.threads = int(head.get("threads", 1))
            job.purpose, job.scratch = str(head.get("purpose")), str(head.get("scratch"))
        except (TypeError, ValueError) as e:
            raise ProtocolError(f"drolab's greeting has a member of another type: {e}") from None
        if self.several and job.settings.get("procs") != int(os.environ["WORLD_SIZE"]):
            raise UsageError("WORLD_SIZE says that there are several processes for one run, which "
                             "only drolab starts: unset it, and write procs=N behind the program's "
                             "name")
        trainee.tell_alive = lambda: self.wire.send({"alive": True})
        waits = {"alive": True, "waits": True}
        trainee.tell_waits = lambda: self.wire.send_known(("waits",), lambda: waits, ())
        splits = _labels.table(trainee.begin())
        classes = _labels.names(job.classes, splits, 0, "label")
        groups = _labels.names(job.groups, splits, 1, "group")
        self.counts = {name: len(pair[0]) for name, pair in splits.items()}
        self.classes = job.class_count = len(classes)
        self.features = int(trainee.feature_count())
        # The largest question has the numbers of a form, the groups of its samples and its flags,
        # or it has a last layer.
        most = 8 * (2 * max(len(classes), len(groups)) + 5 + job.batch + self.counts["train"])
        most = max(most, 8 * self.classes * (self.features + 1), USUAL_HEAD)
        self.most = USUAL_HEAD, min(most, MOST_BODY)
        answer: dict[str, Any] = {
            "version": VERSION, "samples": self.counts, "classes": classes,
            "parameters": trainee.parameters(), "forms": list(trainee.forms()),
            "features": self.features, **{name: name in trainee.offers() for name in OFFERS},
            "packages": packages_of(job.packages), "device": str(job.device),
            "higher": list(job.higher), "lower": list(job.lower), "procs": job.several}
        if groups:
            answer["groups"] = groups
        self._reply(answer, [a for name in _labels.SPLITS if name in splits
                             for a in splits[name] if a is not None])

    def _need(self) -> Trainee:
        if self.trainee is None:
            raise ProtocolError("drolab asks before it greets")
        return self.trainee

    def _mode(self, head: Head, arrays: Arrays) -> None:
        mode = head.get("mode")
        if mode not in MODES:
            raise ProtocolError(f"drolab sets a mode {str(mode)[:40]!r}, which this client does "
                                "not know")
        trainee = self._need()
        trainee.job.current_mode = mode
        trainee.mode(mode)

    def _samples(self, head: Head, arrays: Arrays) -> tuple[str, np.ndarray, int]:
        """Returns the split, the places (int64 [n]) and the epoch that a question is about."""
        split, epoch = str(head.get("split")), head.get("epoch", 0)
        count = self.counts.get(split)
        if count is None:
            raise ProtocolError(f"drolab asks about a split {split[:40]!r}, which there is not")
        index = _array(arrays, 0, "i8")
        if not len(index) and not self.several:
            raise ProtocolError("drolab asks about no samples")
        if index.view(np.uint64).max(initial=0) >= count:  # a negative number is a large one
            raise ProtocolError(f"drolab asks about a sample that {split} does not have: it has "
                                f"{count}")
        if type(epoch) is not int or epoch < 0:
            raise ProtocolError(f"drolab asks about the epoch {str(epoch)[:40]}")
        return split, index, epoch

    def _next(self, head: Head, arrays: Arrays) -> None:
        trainee = self._need()
        split, index, epoch = self._samples(head, arrays)
        trainee.ahead(split, index, epoch, head.get("mode") or trainee.job.current_mode)

    def _losses(self, head: Head, arrays: Arrays) -> None:
        trainee = self._need()
        split, index, epoch = self._samples(head, arrays)
        self.last = None
        given = trainee.losses(split, index, epoch) if len(index) else ()
        losses = np.ascontiguousarray(given, dtype=np.float64)
        _check(split, index, losses)
        self.last = len(index)
        self._reply_array(losses)

    def _outputs(self, head: Head, arrays: Arrays) -> None:
        trainee, want = self._need(), head.get("want")
        kinds = {"classes": np.int32, "confidences": np.float64, "probabilities": np.float32}
        if not isinstance(want, list) or not all(isinstance(w, str) and w in kinds for w in want):
            raise ProtocolError(f"drolab wants outputs {str(want)[:40]}, which this client does "
                                "not know")
        self._asked("outputs")
        n = self.last or 0
        shapes: list[tuple[int, ...]] = [(n, self.classes) if name == "probabilities" else (n,)
                                         for name in want]
        outputs = trainee.outputs(want) if n else [np.empty(shape) for shape in shapes]
        given = [np.ascontiguousarray(a, dtype=kinds[w]) for w, a in zip(want, outputs)]
        for name, a, shape in zip(want, given, shapes):
            if a.shape != shape:
                raise UsageError(f"outputs gave {name} of the shape {a.shape}, expected {shape}: "
                                 "the network must have one output for each class")
            if not np.isfinite(a).all():
                raise UsageError(f"some {name} are not finite: lower lr, or set clip")
        self._reply({}, given)

    def _features(self, head: Head, arrays: Arrays) -> None:
        trainee = self._need()
        self._asked("features")
        shape = self.last or 0, self.features
        given = np.ascontiguousarray(trainee.last_features() if self.last else np.empty(shape),
                                     dtype=np.float32)
        if given.shape != shape:
            raise UsageError(f"last_features gave the shape {given.shape}, expected {shape}")
        self._reply({}, [given])

    def _layer(self, head: Head, arrays: Arrays) -> None:
        trainee, shape = self._need(), (self.classes, self.features)
        if arrays:
            weights = _array(arrays[:1], self.classes * self.features, "f8")
            biases = _array(arrays[1:], self.classes, "f8")
            trainee.set_last_layer(weights.reshape(shape), biases)
        weights, biases = (np.ascontiguousarray(a, np.float64) for a in trainee.last_layer())
        if weights.shape != shape or biases.shape != shape[:1]:
            raise UsageError(f"last_layer gave the shapes {weights.shape} and {biases.shape}, "
                             f"expected {shape} and {shape[:1]}")
        self._reply({}, [weights, biases])

    def _asked(self, what: str) -> None:
        if self.last is None:
            raise ProtocolError(f"drolab asks for {what} before losses")

    def _gradient(self, head: Head, arrays: Arrays) -> None:
        trainee = self._need()
        self._asked("a gradient")
        weights = _array(arrays, self.last or 0, "f8")
        if not math.isfinite(weights.sum()) and not np.isfinite(weights).all():
            raise ProtocolError("drolab sends weights that are not finite")
        trainee.gradient(weights, _whole(head, weights), head.get("add") is True)

    def _norm(self, head: Head, arrays: Arrays) -> None:
        self._reply_array(_norms(self._need().norm()))

    def _step(self, head: Head, arrays: Arrays) -> None:
        trainee = self._need()
        norm = trainee.step(*_rule(arrays))
        if norm is None:
            self._reply({"skipped": True}, [np.zeros(1)])
        else:
            self._reply_array(_norms(norm))

    def _accumulate(self, head: Head, arrays: Arrays) -> None:
        _, momentum, decay, clip = _rule(arrays)
        self._reply_array(_norms(*self._need().accumulate(momentum, decay, clip)))

    def _advance(self, head: Head, arrays: Arrays) -> None:
        (rate,) = _finite(_array(arrays, 1, "f8"))
        self._need().advance(rate)
        self._reply({})

    # A whole step by a form. Only its results are waited for.

    def _begin(self, head: Head, arrays: Arrays) -> None:
        split, self.begun, epoch = self._samples(head, arrays)
        self._need().begin_step(split, self.begun, epoch)

    def _weigh(self, head: Head, arrays: Arrays) -> None:
        rest = list(arrays[2:])
        given = {"label": None, "group": None, "index": self.begun}
        if head.get("by") == "group" and rest:
            given["group"] = rest.pop(0)
        if len(arrays) < 2 or not len(self.begun) and not self.several or len(rest) > 1:
            raise ProtocolError("drolab weighs no samples: install both of one version")
        self.weighed, self.drawn = self.begun, []
        self._need().take_step(head, arrays[0], rest[0] if rest else None, given,
                               _whole(head, self.begun), _rule(arrays[1:2]))

    def _draw(self, head: Head, arrays: Arrays) -> None:
        split, index, epoch = self._samples(head, arrays)
        self.drawn.append(index)
        self._need().draw(split, index, epoch)

    def _results(self, head: Head, arrays: Arrays) -> None:
        losses, norm, drawn = self._need().results()
        for index, of in zip([self.weighed, *self.drawn], [losses, *drawn]):
            _check("train", index, of)
        self._reply({}, [losses, _norms(norm), *drawn])

    def _restart(self, head: Head, arrays: Arrays) -> None:
        self._need().restart()
        self._reply({})

    def _pick(self, head: Head, arrays: Arrays) -> None:
        self._need().pick()
        self._reply({})

    def _swap(self, head: Head, arrays: Arrays) -> None:
        self._need().swap()
        self._reply({})

    def _folder(self, head: Head) -> str:
        folder = head.get("folder")
        if not isinstance(folder, str) or not os.path.isdir(folder):
            raise ProtocolError(f"drolab names a folder that is not there: {str(folder)[:200]}")
        return folder

    def _save(self, head: Head, arrays: Arrays) -> None:
        self._need().save(self._folder(head))
        self._reply({})

    def _load(self, head: Head, arrays: Arrays) -> None:
        self._need().load(self._folder(head))
        self._reply({})


def _check(split: str, index: np.ndarray, losses: np.ndarray) -> None:
    """Raises UsageError unless there is a finite loss of each sample."""
    n = len(index)
    if losses.shape != (n,):
        raise UsageError(f"losses gave the shape {losses.shape} for {n} samples: "
                         f"{remedy_of(losses.shape, n)}")
    if not math.isfinite(losses.sum()) and not np.isfinite(losses).all():
        bad = int(np.flatnonzero(~np.isfinite(losses))[0])
        raise UsageError(f"the loss of sample {index[bad]} of {split} is {losses[bad]}: lower lr, "
                         "set clip, or look at this sample")


def _array(arrays: Arrays, n: int, kind: str) -> np.ndarray:
    """Returns the only array of a question, of type kind and length n (0: any length)."""
    if len(arrays) != 1 or arrays[0].dtype != kind or n and len(arrays[0]) != n:
        raise ProtocolError("drolab sends other arrays than the question takes: install both of "
                            "one version")
    return arrays[0]


def _whole(head: Head, part: np.ndarray) -> int:
    """Returns the number of samples that are weighed together, of which this process has a part."""
    of = head.get("of")
    return of if type(of) is int and of >= max(1, len(part)) else len(part)


def _rule(arrays: Arrays) -> list[float]:
    """Returns step size, momentum, weight decay and the length that a gradient is cut to."""
    return _finite(_array(arrays, 4, "f8"))


def _finite(a: np.ndarray) -> list[float]:
    values: list[float] = a.tolist()
    if not all(map(math.isfinite, values)):
        raise ProtocolError("drolab sends a number that is not finite")
    return values


def _norms(*norms: float) -> np.ndarray:
    if not all(map(math.isfinite, norms)):
        raise UsageError(f"the gradient's norm is {norms[0]}: lower lr, set clip, or in half "
                         "precision set self.scaler")
    return np.array(norms, np.float64)


def packages_of(modules: Sequence[str]) -> dict[str, str]:
    """Returns the versions of Python, this client, NumPy and the modules that are imported."""
    from ._version import __version__

    found = {"python": platform.python_version(), "drolab": __version__}
    for name in ("numpy", *modules):
        module = sys.modules.get(name)
        if module is not None:
            found[name] = str(getattr(module, "__version__", "unknown"))
    return found


def _line(e: BaseException) -> str:
    """Returns an error as one line.

    Its trace goes to standard error, except for drolab's own errors and SystemExit, whose line says
    all.
    """
    if isinstance(e, Error):
        return " ".join(str(e).split())
    if isinstance(e, SystemExit):
        return f"the program ended itself, by sys.exit({e.code!r:.200})"
    traceback.print_exception(type(e), e, e.__traceback__)
    sys.stderr.flush()
    said = str(e).strip().split("\n")[0]
    return f"{type(e).__name__}: {said[:500]}{_where(e)}"


def _where(e: BaseException) -> str:
    """Returns the place of the last line of the program itself that an error passed, or no text."""
    own = os.path.dirname(os.path.abspath(__file__))
    script = os.path.dirname(os.path.abspath(sys.argv[0]))
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        if frame.filename.startswith(script) and not frame.filename.startswith(own):
            return f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return ""
