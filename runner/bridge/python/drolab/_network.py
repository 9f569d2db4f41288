"""A program in PyTorch as drolab asks it: a ``torch.Job`` with its network in training."""

from __future__ import annotations

import contextlib
import copy
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, ContextManager, Optional, SupportsFloat

import numpy as np
import torch
import torch.multiprocessing
from torch import Tensor, nn
from torch.nn.utils.parametrize import is_parametrized
from torch.utils.data import ConcatDataset, Subset, TensorDataset

from . import _device, _forms, _procs, _reading, _samples
from ._errors import ProtocolError, UsageError
from ._modules import (device_of, load_state, norms_of, restore_generators, state_of,
                       states_of_generators, still)
from ._shapes import remedy_of
from ._trainee import Trainee

if TYPE_CHECKING:
    from .torch import Job

__all__ = ["GENERATORS", "Network"]

_BY_DROLAB = ("cpu", "mps")  # devices whose weights drolab computes: see _loop.py
_SINGLE = "Expected more than 1 value per channel"  # PyTorch, of a batch of a single sample
_LONE = ("batch normalisation is given a single sample, which has no variance: raise microbatch or "
         "batch, so that each part has 2 samples, or use nn.GroupNorm")
_TELL = 10.0  # seconds between two signs of life in a pass over a data set


class Generators(_reading.Generators):
    """The generators of Python, NumPy and PyTorch."""

    def seed(self, n: int) -> None:
        super().seed(n)
        torch.default_generator.manual_seed(n)

    def states(self) -> list[Any]:
        return [*super().states(), torch.default_generator.get_state()]

    def restore(self, states: Sequence[Any]) -> None:
        super().restore(states[:-1])
        torch.default_generator.set_state(states[-1])


GENERATORS = Generators()


def _one_thread() -> None:
    torch.set_num_threads(1)


class _Reader:
    """Reads a sample as a job wants it. A worker that is not forked gets it without the network."""

    def __init__(self, job: Job, places: _samples.Places) -> None:
        self._job, self._places = job, places

    def sample(self, given: Any, augmented: bool) -> tuple[Any, Any]:
        x = _samples.inputs(given, self._places, torch.as_tensor)
        return (self._job.augment(x) if augmented else x), given[self._places["y"]]

    def collate(self, samples: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        return self._job.collate(samples)


class Network(Trainee):
    """The network, the data sets and the optimiser of a job, in training."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.job: Job = job
        self._places = _samples.PLAIN  # of the parts of a sample
        self._attributes = False
        self._group: Optional[_procs.Group] = None  # the other processes of this run, if any
        self._apart = False  # whether each of them has the gradient of its own samples
        self._workers: Optional[_reading.Workers] = None
        self._late: Optional[dict[str, Tensor]] = None  # tensors logged in a step that has begun

    # The start.

    def begin(self) -> Mapping[str, Any]:
        job = self.job
        torch.manual_seed(_reading.torch_seed(job.seed))
        torch.set_num_threads(max(1, job.threads))
        word, procs = job.settings.get("device"), job.settings.get("procs", 1)
        job.device = device_of(word)
        if procs > 1:
            job.device = _procs.place(job.device, word, procs)
            if job.purpose != "describe":
                self._group = _procs.Group(job.device, word, self.tell_waits)
        given = super().begin()
        if not isinstance(given, Mapping):
            return given
        self._datasets = dict(given)
        if not isinstance(getattr(job, "model", None), nn.Module):
            raise UsageError("setup made no network: set self.model to a torch.nn.Module")
        if not isinstance(job.optimizer, torch.optim.Optimizer):
            raise UsageError("setup made no optimiser: set self.optimizer to one of torch.optim")
        self._check_device()
        splits = [name for name in given if name != "plain"]
        splits.sort(key=lambda name: name != "train")  # whose samples show the form of all
        found = {name: self._labels(name, given[name]) for name in splits}
        if self._attributes:  # a group is a class with an attribute
            count = max(int(np.max(a)) for _, a in found.values()) + 1
            found = {name: (y, y * count + a) for name, (y, a) in found.items()}
        grouper = job.grouper
        if job.groups is None and hasattr(grouper, "group_str"):
            job.groups = [grouper.group_str(g) for g in range(grouper.n_groups)]
        plain = self._datasets.get("plain")
        if plain is not None and len(plain) != len(self._datasets.get("train", ())):
            raise UsageError("the split plain has another length than train: it is the same "
                             "samples without augmentation")
        self._prepare()
        if self._group is not None and self._group.rank > 0:  # draws of its own in the network
            GENERATORS.sow(job.seed, -2, self._group.rank)
            torch.cuda.manual_seed(torch.initial_seed())
        return found

    def _check_device(self) -> None:
        """Raises UsageError if the network is elsewhere. Its first parameter stands for all."""
        p = next(self.job.model.parameters(), None)
        if p is not None and p.device.type != self.job.device.type:
            raise UsageError(f"the network is on {p.device} and the job on {self.job.device}: "
                             "write .to(self.device) behind the network")

    def _prepare(self) -> None:
        """Gets ready to train and to read samples."""
        assert self.job.optimizer is not None
        groups = self.job.optimizer.param_groups
        self._learned = [p for g in groups for p in g["params"] if p.requires_grad]
        if not self._learned:
            raise UsageError("the optimiser has no parameters: give it self.model.parameters()")
        first = float(groups[0]["lr"])
        if not first > 0:
            raise UsageError("the optimiser's first step size is 0: start it with "
                             "settings[\"lr\"], since drolab's step size is set in proportion to "
                             "it")
        self._rates = [float(g["lr"]) / first for g in groups]
        self._hyper = [{k: v for k, v in g.items() if k != "params"} for g in groups]
        self._lr = math.nan
        self.job.model.train()
        if self._group is not None:
            self._group.share(self._held())
        self._norms = norms_of(self.job.model)
        scaler = self.job.scaler
        self._first = (self._copy("cpu"), copy.deepcopy(self.job.optimizer.state_dict()),
                       scaler.state_dict() if scaler else None)  # what restart goes back to
        self._velocity: Optional[list[Tensor]] = None
        self._picked: Optional[list[Tensor]] = None
        self._spare: Optional[list[Tensor]] = None  # memory for a copy of the network
        self._kept = False  # whether it holds the network after the last step
        self._graph: Optional[Tensor] = None  # the last losses with their graph, if it is kept
        self._samples: tuple[Any, Any] = (None, None)  # x and y of the last losses
        self._random: Any = None  # states of the generators before a batch in parts
        self._outputs: Any = None  # of the network, for the last losses
        self._form, self._copies = _forms.Form(), _device.Copies()
        self._took: list[np.ndarray] = []  # losses and norm of the last step, and its draws
        self._noted: dict[str, np.ndarray] = {}  # values of tensors that were logged in it
        self._eager = False  # whether evaluations ask for gradients, and so keep the graph
        self._tensors: dict[str, tuple[Tensor, Tensor]] = {}  # x and y of splits read without items
        if not _writes(self.job, "collate") and not _writes(self.job, "augment"):
            at = self._places
            self._tensors = {name: (of.tensors[at["x"]], of.tensors[at["y"]])
                             for name, of in self._datasets.items() if type(of) is TensorDataset}
        reader = _Reader(self.job, self._places)
        self._plan = _reading.Plan(self._datasets, reader.sample, reader.collate, self.job.seed,
                                   GENERATORS, _one_thread)
        read = [n for n in self._datasets if n not in self._tensors]
        if self.job.num_workers > 0 and read and self.job.purpose != "describe":
            method = self.job.start_method or ("fork" if sys.platform == "linux" else "spawn")
            self._workers = _reading.Workers(torch.multiprocessing.get_context(method), self._plan,
                                            self.job.num_workers, not _writes(self.job, "collate"))

    def parameters(self) -> int:
        return sum(p.numel() for p in self.job.model.parameters())

    def offers(self) -> Sequence[str]:
        ahead = ["ahead"] if self._workers is not None else []
        # A scaler may skip a step, and accumulate has no step that could be skipped.
        accumulate = [] if self.job.scaler is not None else ["accumulate"]
        return ["restart", "pick", *ahead, *accumulate]

    # Labels.

    def _labels(self, name: str, dataset: Any) -> Any:
        """Returns the labels, or the labels and groups, of a data set."""
        try:
            n = len(dataset)
            with GENERATORS.kept():
                first = dataset[0] if n else ()
        except (TypeError, NotImplementedError) as e:
            raise UsageError(f"the data set {name} has no length or no items ({e}): drolab asks "
                             "for samples by their places, which an iterable does not have: keep "
                             "your own loop for it, with drolab.start") from None
        if not n:
            raise UsageError(f"the split {name} is empty: give it samples, or leave it out")
        at = _samples.places(first, name, self.job.fields, self.job.grouper)
        if name == "train":
            self._places, self.job._by_name = at, "x" not in at
            if not at.items() <= _samples.PLAIN.items() and os.environ.get("RANK", "0") == "0":
                print(f"drolab: samples are read by fields = {at}")
        elif any(at.get(role) != self._places.get(role) for role in ("x", "y")):
            raise UsageError(f"samples of {name} have the form {at}, and those of train "
                             f"{self._places}: let all data sets give the same")
        roles = [role for role in at if role != "x"]
        roles.sort(key=lambda role: role != "y")
        found = [_known(dataset, role, at[role]) for role in roles]
        if any(a is None or not self._agrees(a, dataset, at[role])
               for role, a in zip(roles, found)):
            found = self._pass(name, dataset, [at[role] for role in roles])
        if "metadata" in roles:
            metadata = torch.from_numpy(found.pop())
            group_of = getattr(self.job.grouper, "metadata_to_group", self.job.grouper)
            found.append(np.asarray(group_of(metadata)))
        elif "attribute" in roles:
            self._attributes = True
        return found[0] if len(found) == 1 else tuple(found[:2])

    def _agrees(self, known: np.ndarray, dataset: Any, key: Any) -> bool:
        """Reports whether known labels or groups agree with the first and the last sample."""
        if len(known) != len(dataset):
            return False
        with GENERATORS.kept():
            return all(np.array_equal(known[i], _number(dataset[i][key]))
                       for i in (0, len(known) - 1))

    def _pass(self, name: str, dataset: Any, keys: Sequence[Any]) -> list[Any]:
        """Returns the parts of all samples that the keys name, as an array for each key."""
        rows, told = [], time.monotonic()
        with GENERATORS.kept():
            for i in range(len(dataset)):
                try:
                    sample = dataset[i]
                    rows.append([_number(sample[key]) for key in keys])
                except Exception as e:
                    raise UsageError(_reading.unread(i, name, e)) from None
                if time.monotonic() > told + _TELL:
                    told = time.monotonic()
                    self.job.alive()
        return [np.array(values) for values in zip(*rows)]

    # Samples.

    def _source(self, split: str, epoch: int, mode: str) -> tuple[str, int]:
        """Returns the data set that a split is read from, and the epoch, -1 for evaluations."""
        if split == "train" and mode != "evaluate":
            return split, epoch
        return ("plain" if split == "train" and "plain" in self._datasets else split), -1

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        name, epoch = self._source(split, epoch, mode)
        if self._workers is not None and name not in self._tensors:
            self._workers.announce(name, index, epoch)

    def _read(self, split: str, index: np.ndarray, epoch: int) -> tuple[Any, Any]:
        """Returns a batch (x, y) on the device."""
        name, epoch = self._source(split, epoch, self.job.current_mode)
        tensors = self._tensors.get(name)
        if tensors is not None:
            at = _to(torch.from_numpy(index), tensors[0].device)
            return _to(tensors[0][at], self.job.device), _to(tensors[1][at], self.job.device)
        if self._workers is not None:
            parts = [_to(p, self.job.device) for p in self._workers.read(name, index, epoch)]
            batch = parts[0] if len(parts) == 1 else _join(parts)
        else:
            with GENERATORS.kept():
                batch = _to(self._plan.read(name, index, epoch), self.job.device)
        return batch[0], batch[1]

    # Losses.

    def mode(self, name: str) -> None:
        if self.job.model.training != (name != "evaluate"):
            self.job.model.train(name != "evaluate")
        if name == "evaluate":
            self._share_buffers()
        self._eager = False

    def _cast(self) -> ContextManager[Any]:
        if self.job.autocast is None:
            return contextlib.nullcontext()
        return torch.autocast(self.job.device.type, dtype=self.job.autocast)

    def _compute(self, x: Any, y: Any, graph: bool) -> Tensor:
        """Returns the losses [n] of a batch, and stores its outputs.

        Running statistics move with a graph alone: each batch of training has one pass with it.
        """
        kept = contextlib.nullcontext() if graph else still(self._norms)
        with torch.set_grad_enabled(graph), self._cast(), kept:
            try:
                outputs = self.job.forward(x)
            except ValueError as e:
                if _SINGLE in str(e):
                    raise UsageError(_LONE) from None
                raise
            losses = self.job.loss(outputs, y)
        if not isinstance(losses, Tensor) or losses.dim() != 1:
            shape = tuple(losses.shape) if isinstance(losses, Tensor) else type(losses).__name__
            how = remedy_of(losses.shape if isinstance(losses, Tensor) else ())
            raise UsageError(f"loss gave {shape} and not the loss of each sample: {how}")
        if graph and not losses.requires_grad:
            raise UsageError("the losses have no gradient: compute them from self.model's outputs, "
                             "without detach and no_grad")
        self._outputs = outputs.detach() if isinstance(outputs, Tensor) else outputs
        return losses

    def losses(self, split: str, index: np.ndarray, epoch: int) -> np.ndarray:
        return self._forward(split, index, epoch).detach().cpu().double().numpy()

    def _forward(self, split: str, index: np.ndarray, epoch: int) -> Tensor:
        """Returns the losses of samples, with their graph where one is needed."""
        if not len(index):  # the other processes have them
            return torch.empty(0, device=self.job.device)
        x, y = self._samples = self._read(split, index, epoch)
        self._graph = None
        if 0 < self.job.microbatch < len(index):
            losses = self._in_parts(x, y)
        else:
            graph = self.job.current_mode == "train" or self._eager
            losses = self._compute(x, y, graph)
            if graph:
                self._graph = losses
            elif self.job.current_mode == "evaluate":
                self._random = None
        self._eager = False
        return losses

    def _in_parts(self, x: Any, y: Any) -> Tensor:
        """Returns the losses of a batch that is too large to be held with its graph.

        The gradient passes the parts again, with the same draws.
        """
        self._random = states_of_generators(self.job.device)
        losses, outputs = [], []
        for part_x, part_y in _parts(x, y, self.job.microbatch):
            losses.append(self._compute(part_x, part_y, False))
            outputs.append(self._outputs)
        self._outputs = torch.cat(outputs) if isinstance(outputs[0], Tensor) else outputs
        return torch.cat(losses)

    def outputs(self, want: Sequence[str]) -> list[np.ndarray]:
        with torch.no_grad():
            p = self.job.probabilities(self._outputs).cpu().numpy()
        if p.ndim != 2:
            raise UsageError(f"probabilities gave the shape {p.shape}: expected one row for each "
                             "sample")
        made: dict[str, Callable[[], np.ndarray]] = {
            "classes": lambda: p.argmax(axis=1), "confidences": lambda: p.max(axis=1),
            "probabilities": lambda: p}
        return [made[name]() for name in want]

    # The last layer.

    def feature_count(self) -> int:
        head = self.job.head
        if head is None:
            return 0
        if not isinstance(head, nn.Linear) or is_parametrized(head) or head.bias is None:
            raise UsageError(f"self.head is {type(head).__name__} and no plain nn.Linear with a "
                             "bias, which drolab could fit again: leave self.head out")
        if all(m is not head for m in self.job.model.modules()):
            raise UsageError("self.head is no part of self.model, so that no checkpoint has it: "
                             "put it into the network")
        if head.out_features != self.job.class_count:
            raise UsageError(f"self.head has {head.out_features} outputs, and the labels have "
                             f"{self.job.class_count} classes: give it as many outputs")
        if _writes(self.job, "loss"):
            raise UsageError("self.head is fitted again by cross-entropy, and the class writes "
                             "loss: leave out one of them")
        # The first sample shows now what would else fail at the end of the training.
        x, _ = self._read("test", np.zeros(1, np.int64), 0)
        with GENERATORS.kept():
            self._entering(x)
        return head.in_features

    def _entering(self, x: Any) -> Tensor:
        """Returns what enters the head for a batch, in evaluation mode.

        Compiled networks are run as they are written, since hooks see nothing of compiled code.
        """
        assert self.job.head is not None
        seen: list[tuple[Any, Any]] = []
        hook = self.job.head.register_forward_hook(lambda _, given, out: seen.append((given, out)))
        training = self.job.model.training
        self.job.model.eval()
        eager: Any = contextlib.nullcontext()
        if "torch._dynamo" in sys.modules:
            eager = torch.compiler.set_stance("force_eager")
        try:
            with torch.no_grad(), self._cast(), eager:
                outputs = self.job.forward(x)
        finally:
            hook.remove()
            self.job.model.train(training)
        if len(seen) != 1:
            raise UsageError(f"forward uses self.head {len(seen)} times: let it be the last layer, "
                             "used once and called as a module")
        (entered, *_), out = seen[0]
        if not isinstance(outputs, Tensor) or outputs.shape != out.shape or \
                not torch.allclose(outputs, out, equal_nan=True):
            raise UsageError("forward returns other outputs than those of self.head: let it return "
                             "them as they are, or leave self.head out")
        features: Tensor = entered.float()
        return features

    def last_features(self) -> np.ndarray:
        x, y = self._samples
        return torch.cat([self._entering(part) for part, _ in
                          _parts(x, y, self.job.microbatch or len(y))]).cpu().numpy()

    def last_layer(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.job.head is not None
        weight, bias = self.job.head.weight.detach(), self.job.head.bias.detach()
        return weight.double().cpu().numpy(), bias.double().cpu().numpy()

    @torch.no_grad()
    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        assert self.job.head is not None
        self.job.head.weight.copy_(torch.from_numpy(weights))
        self.job.head.bias.copy_(torch.from_numpy(biases))

    # Gradients.

    def gradient(self, weights: Any, whole: int, add: bool) -> None:
        group = self._group
        # What is added up already stays in the first process alone.
        if not add or group is not None and group.rank > 0 and not self._apart:
            for p in self._learned:
                p.grad = None
        self._apart = group is not None
        if not len(weights):
            return
        if self._graph is not None:
            losses, self._graph = self._graph, None
            each = self._weights(weights, losses) * losses
            self._backward(each.mean() if len(each) == whole else each.sum() / whole)
            self._eager = self.job.current_mode == "evaluate"
            return
        # No graph is kept of a batch in parts or in an evaluation: the samples pass again.
        x, y = self._samples
        n, done = len(weights), 0
        if self._random is not None:
            restore_generators(self._random, self.job.device)
        for part_x, part_y in _parts(x, y, self.job.microbatch or n):
            losses = self._compute(part_x, part_y, True)
            part = weights[done:done + len(losses)]
            done += len(losses)
            self._backward((self._weights(part, losses) * losses).sum() / whole)
        self._eager = self.job.current_mode == "evaluate"

    def _add_up(self) -> None:
        """Adds up the gradients of all processes, unless that is done."""
        if self._group is None or not self._apart:
            return
        self._apart = False
        grads = []
        for p in self._learned:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            grads.append(p.grad)
        self._group.add(grads)

    def _share_buffers(self) -> None:
        """Takes over the running statistics of the first process."""
        if self._group is not None:
            self._group.share(list(self.job.model.buffers()))

    def _weights(self, weights: Any, losses: Tensor) -> Tensor:
        return weights if isinstance(weights, Tensor) else _forms.rounded(weights, losses)

    def _backward(self, mean: Tensor) -> None:
        (self.job.scaler.scale(mean) if self.job.scaler else mean).backward()

    # Whole steps, whose weights are computed here.

    def forms(self) -> Sequence[str]:
        by_drolab = self.job.scaler is not None or self.job.device.type in _BY_DROLAB
        return () if by_drolab else tuple(_forms.KINDS)

    def begin_step(self, split: str, index: np.ndarray, epoch: int) -> None:
        self._late = {}
        self._begun = self._forward(split, index, epoch)

    def log(self, values: Mapping[str, SupportsFloat]) -> None:
        if self._late is not None and self.job.current_mode == "train":
            self._late.update({k: v.detach().reshape(()) for k, v in values.items()
                               if isinstance(v, Tensor)})
            values = {k: v for k, v in values.items() if not isinstance(v, Tensor)}
        super().log(values)

    def take_step(self, head: Mapping[str, Any], numbers: np.ndarray, flags: Optional[np.ndarray],
                  given: Mapping[str, Any], whole: int, rule: Sequence[float]) -> None:
        losses = self._begun.detach()
        lr, _, _, clip = rule  # the optimiser has momentum and weight decay
        self._form.set(head, numbers, flags, losses.device)
        self.gradient(self._form.weights(losses, given, self._group), whole, False)
        length = self._move(lr, clip)
        if head.get("keep") is True:
            self._share_buffers()
            self._spare, self._kept = self._copied(self._spare), True
        self._took = [self._copies.take("losses", losses), self._copies.take("norm", length)]
        self._noted = {k: self._copies.take("log " + k, v) for k, v in (self._late or {}).items()}
        self._late = None
        self._copies.mark()

    def draw(self, split: str, index: np.ndarray, epoch: int) -> None:
        losses = self._forward(split, index, epoch)
        self._took.append(self._copies.take(f"drawn {len(self._took)}", losses))
        self._copies.mark()

    def results(self) -> tuple[np.ndarray, float, list[np.ndarray]]:
        self._copies.wait()
        super().log({k: float(v) for k, v in self._noted.items()})
        losses, norm, *drawn = self._took
        return losses.astype(np.float64), float(norm), [d.astype(np.float64) for d in drawn]

    # Steps.

    def _length(self) -> Tensor:
        """Returns the norm of the present gradient, as a tensor on the device."""
        return _length([p.grad for p in self._learned if p.grad is not None], self.job.device)

    def norm(self) -> float:
        self._add_up()
        return float(self._length()) / (self.job.scaler.get_scale() if self.job.scaler else 1)

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        length = self._move(lr, clip)
        return None if length is None else float(length)  # the device has the step already

    def _move(self, lr: float, clip: float) -> Optional[Tensor]:
        """Moves the parameters. Returns the gradient's norm on the device; None: it did not."""
        assert self.job.optimizer is not None
        if lr != self._lr:
            self._set_rate(lr)
        self._add_up()
        if self.job.scaler:
            self.job.scaler.unscale_(self.job.optimizer)
        length = self._length()
        self._cut(length, clip)
        if self.job.scaler:
            before = self.job.scaler.get_scale()
            self.job.scaler.step(self.job.optimizer)
            self.job.scaler.update()
            if self.job.scaler.get_scale() < before:
                return None
        else:
            self.job.optimizer.step()
        return length

    def _cut(self, length: Tensor, clip: float) -> None:
        """Cuts a gradient of this length to clip if it is longer, without waiting for the device.
        """
        grads = [p.grad for p in self._learned if p.grad is not None]
        if 0 < clip < math.inf and grads:
            exact = length if length.device.type == "mps" else length.double()
            torch._foreach_mul_(grads, (clip / exact).clamp(max=1).to(length.dtype))

    def _set_rate(self, lr: float) -> None:
        assert self.job.optimizer is not None
        self._lr = lr
        for g, rate in zip(self.job.optimizer.param_groups, self._rates):
            if isinstance(g["lr"], Tensor):
                g["lr"].fill_(lr * rate)
            else:
                g["lr"] = lr * rate

    @torch.no_grad()
    def accumulate(self, momentum: float, decay: float, clip: float) -> tuple[float, float]:
        self._add_up()
        length = self._length()
        self._cut(length, clip)
        if self._velocity is None:
            self._velocity = [torch.zeros_like(p) for p in self._learned]
        for v, p in zip(self._velocity, self._learned):
            v.mul_(momentum)
            if p.grad is not None:
                v.add_(p.grad, alpha=1 - momentum)
            if decay:
                v.add_(p, alpha=(1 - momentum) * decay)
        return float(length), float(_length(self._velocity, self.job.device))

    @torch.no_grad()
    def advance(self, rate: float) -> None:
        for v, p in zip(self._velocity or (), self._learned):
            p.sub_(v, alpha=rate)

    # Copies of the network.

    def _held(self) -> list[Tensor]:
        """Returns all tensors of the network: its parameters and its running statistics."""
        return [*self.job.model.parameters(), *self.job.model.buffers()]

    def _copy(self, device: Any = None) -> list[Tensor]:
        return [t.detach().to(device or t.device, copy=True) for t in self._held()]

    @torch.no_grad()
    def _put(self, copies: Sequence[Tensor]) -> None:
        for t, c in zip(self._held(), copies):
            t.copy_(c)

    def restart(self) -> None:
        assert self.job.optimizer is not None
        parameters, optimizer, scaler = self._first
        self._put(parameters)
        self.job.optimizer.load_state_dict(copy.deepcopy(optimizer))
        if self.job.scaler:
            self.job.scaler.load_state_dict(scaler)
        self._velocity, self._lr = None, math.nan

    def pick(self) -> None:
        if self._kept:  # the next step may have begun, and moved running statistics
            self._picked, self._spare, self._kept = self._spare, self._picked, False
        else:
            self._share_buffers()
            self._picked = self._copied(self._picked)

    @torch.no_grad()
    def _copied(self, copies: Optional[list[Tensor]]) -> list[Tensor]:
        """Returns a copy of the network as it is, in the memory of an earlier one."""
        if copies is None:
            return self._copy()
        for c, t in zip(copies, self._held()):
            c.copy_(t)
        return copies

    def swap(self) -> None:
        if self._picked is None:
            raise ProtocolError("drolab swaps with a copy of the network before it picked one")
        now = self._copy()
        self._put(self._picked)
        self._picked = now

    # Checkpoints.

    def save(self, folder: str) -> None:
        assert self.job.optimizer is not None
        self._share_buffers()
        own = {"generators": states_of_generators(self.job.device), "own": self.job.state()}
        if self._group is not None and self._group.rank > 0:
            torch.save(own, self._own_path(folder))
            return
        torch.save({
            "model": state_of(self.job.model), "optimizer": self.job.optimizer.state_dict(),
            "hyper": self._hyper,
            "scaler": self.job.scaler.state_dict() if self.job.scaler else None,
            "velocity": self._velocity, "picked": self._picked, **own,
        }, os.path.join(folder, "state.pt"))

    def _own_path(self, folder: str) -> str:
        """Returns the file that a process has beside that of the first one."""
        assert self._group is not None
        return os.path.join(folder, f"rank-{self._group.rank}.pt")

    def load(self, folder: str) -> None:
        assert self.job.optimizer is not None
        saved = _loaded(os.path.join(folder, "state.pt"))
        try:
            load_state(self.job.model, saved["model"])
            self.job.optimizer.load_state_dict(saved["optimizer"])
        except (RuntimeError, ValueError, KeyError) as e:
            raise UsageError(f"the checkpoint is of another network or optimiser: {e}") from None
        # A fork may have been given other hyperparameters than those of the checkpoint.
        for group, now, then in zip(self.job.optimizer.param_groups, self._hyper, saved["hyper"]):
            group.update({k: v for k, v in now.items() if k not in then or then[k] != v})
        self._lr = math.nan
        if self.job.scaler and saved["scaler"]:
            self.job.scaler.load_state_dict(saved["scaler"])
        self._velocity = _like(saved["velocity"], self._learned)
        self._picked = _like(saved["picked"], self._held())
        first = self._group is None or self._group.rank == 0
        own = saved if first else _loaded(self._own_path(folder))
        restore_generators(own["generators"], self.job.device)
        self.job.load_state(own["own"])

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._group is not None:
            self._group.leave()


def _length(tensors: list[Tensor], device: torch.device) -> Tensor:
    """Returns the Euclidean norm of all tensors together."""
    if not tensors:
        return torch.zeros((), device=device)
    length: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(tensors)))
    return length


def _loaded(path: str) -> Any:
    """Returns what a file of a checkpoint holds.

    A checkpoint may come from a stranger: only tensors and plain values are read.
    """
    return torch.load(path, map_location="cpu", weights_only=True)


def _like(saved: Optional[list[Tensor]], tensors: Sequence[Tensor]) -> Optional[list[Tensor]]:
    """Returns saved tensors on the devices of those that they belong to."""
    if saved is None:
        return None
    return [s.to(t.device) for s, t in zip(saved, tensors)]


def _number(value: Any) -> Any:
    """Returns a label or a group as a number, and metadata as an array."""
    if math.prod(np.shape(value)) != 1:
        return np.asarray(value.cpu() if isinstance(value, Tensor) else value)
    return value.item() if hasattr(value, "item") else value


def _known(dataset: Any, role: str, key: Any) -> Optional[np.ndarray]:
    """Returns the labels, groups or the like that a data set stores, or else None."""
    if isinstance(dataset, TensorDataset):
        stored: np.ndarray = dataset.tensors[key].cpu().numpy()
        return stored
    if isinstance(dataset, Subset):
        below = _known(dataset.dataset, role, key)
        return None if below is None else below[np.asarray(dataset.indices, np.int64)]
    if isinstance(dataset, ConcatDataset):
        all_of = [a for a in (_known(d, role, key) for d in dataset.datasets) if a is not None]
        return np.concatenate(all_of) if len(all_of) == len(dataset.datasets) else None
    return _samples.column(dataset, role, key)


def _to(batch: Any, device: torch.device) -> Any:
    """Returns a batch on a device: tensors, and containers of them."""
    if isinstance(batch, Tensor):
        if device.type == "cuda" and batch.device.type == "cpu":
            batch = batch.pin_memory()  # else the copy would wait for the device
        return batch.to(device, non_blocking=True)
    if isinstance(batch, Mapping):
        return {k: _to(v, device) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [_to(v, device) for v in batch]
    return batch


def _join(parts: Sequence[Any]) -> Any:
    """Joins the parts of a batch that default_collate made."""
    if isinstance(parts[0], Tensor):
        return torch.cat(list(parts))
    if isinstance(parts[0], Mapping):
        return {k: _join([p[k] for p in parts]) for k in parts[0]}
    if parts[0] and isinstance(parts[0][0], (str, bytes)):
        return [text for p in parts for text in p]
    return [_join(column) for column in zip(*parts)]


def _parts(x: Any, y: Any, size: int) -> Iterator[tuple[Any, Any]]:
    """Yields a batch in parts of at most size samples.

    No part has a single sample unless size is 1, since normalisation fails for it: the last two
    parts then share their samples, and for size 2 the last part has three.
    """
    ends = list(range(size, len(y), size)) + [len(y)]
    if len(ends) > 1 and size > 1 and ends[-1] - ends[-2] == 1:
        ends[-2:] = [ends[-2] - 1, ends[-1]] if size > 2 else [ends[-1]]
    for start, end in zip([0] + ends, ends):
        yield _slice(x, start, end - start), _slice(y, start, end - start)


def _slice(batch: Any, start: int, size: int) -> Any:
    if isinstance(batch, Mapping):
        return {k: _slice(v, start, size) for k, v in batch.items()}
    if isinstance(batch, Tensor):
        return batch[start:start + size]
    # A list that holds tensors is a list of columns; any other list is a list of samples.
    if batch and isinstance(batch[0], (Tensor, Mapping)):
        return [_slice(v, start, size) for v in batch]
    return batch[start:start + size]


def _writes(job: Job, hook: str) -> bool:
    """Reports whether the class of a program writes a hook that has a default."""
    from .torch import Job

    return getattr(type(job), hook) is not getattr(Job, hook)
