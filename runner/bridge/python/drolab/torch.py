"""Programs in PyTorch: see ``Job``."""

from __future__ import annotations

import contextlib
import copy
import math
import os
import random
import sys
import time
from typing import Any, ContextManager, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch
import torch.multiprocessing
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrize import is_parametrized
from torch.utils.data import ConcatDataset, Subset, TensorDataset, default_collate

from . import device, forms, job, procs, reading, samples
from .job import Wrong
from .serve import main

__all__ = ["Job", "load_state", "main", "probe", "state_of"]

_BY_DROLAB = ("cpu", "mps")  # devices whose weights drolab computes: see loop.py
_WRAPPERS = (nn.parallel.DistributedDataParallel, nn.DataParallel)
_SINGLE = "Expected more than 1 value per channel"  # what PyTorch says of it
_LONE = ("batch normalisation is given a single sample, which has no variance: raise microbatch or "
         "batch, so that each part has 2 samples, or use nn.GroupNorm")
_TELL = 10.0  # seconds between two signs of life in a pass over a data set

reading.GENERATORS.append(reading.Generator(
    torch.default_generator.manual_seed, torch.default_generator.get_state,
    torch.default_generator.set_state))
reading.AT_START.append(lambda: torch.set_num_threads(1))


@contextlib.contextmanager
def probe(model: nn.Module) -> Iterator[None]:
    """Lets the block compute without gradients and without moving running statistics.

    Normalisation takes the statistics of the batch, as in training. Layers that a model in
    training mode holds in evaluation mode stay so. All layers have their modes back at the end.
    """
    modes = [(m, m.training) for m in model.modules()]
    if not model.training:
        model.train()
    try:
        with torch.no_grad(), _still(_norms(model)):
            yield
    finally:
        for m, training in modes:
            m.training = training


def state_of(model: nn.Module) -> Dict[str, Any]:
    """Returns the ``state_dict`` of a model, whose names are those without wrappers.

    So a checkpoint of a model under ``torch.compile`` or DDP fits the model without, too.
    """
    return {_bare(model, name): value for name, value in model.state_dict().items()}


def load_state(model: nn.Module, state: Mapping[str, Any]) -> None:
    """Loads what ``state_of`` returned, also if the model has other wrappers now."""
    names = {_bare(model, name): name for name in model.state_dict()}
    model.load_state_dict({names.get(name, name): value for name, value in state.items()})


def _bare(model: nn.Module, name: str) -> str:
    """Returns the name of a tensor of a model without the parts that wrappers add."""
    compiled = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", ())
    at: Any = model
    kept = []
    for part in name.split("."):
        if not (isinstance(at, compiled) and part == "_orig_mod" or
                isinstance(at, _WRAPPERS) and part == "module"):
            kept.append(part)
        at = at._modules.get(part) if isinstance(at, nn.Module) else None
    return ".".join(kept)


def states_of_generators(device: Optional[torch.device] = None) -> Dict[str, Any]:
    """Returns the states of all random number generators, as plain values and tensors."""
    version, words, gauss = random.getstate()
    kind, keys, at, has, cached = np.random.get_state()
    states: Dict[str, Any] = {
        "python": [version, list(words), gauss], "torch": torch.get_rng_state(),
        "numpy": [kind, torch.from_numpy(np.asarray(keys).astype(np.int64)), at, has, cached]}
    of = device or _device(None)
    if of.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(of)
    elif of.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def restore_generators(states: Mapping[str, Any], device: Optional[torch.device] = None) -> None:
    """Restores the states that ``states_of_generators`` returned."""
    of = device or _device(None)
    version, words, gauss = states["python"]
    random.setstate((version, tuple(words), gauss))
    kind, keys, at, has, cached = states["numpy"]
    np.random.set_state((kind, keys.numpy().astype(np.uint32), at, has, cached))
    torch.set_rng_state(states["torch"].cpu())
    if "cuda" in states and of.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"].cpu(), of)
    if "mps" in states and of.type == "mps":
        torch.mps.set_rng_state(states["mps"].cpu())


def _norms(model: nn.Module) -> List[Any]:
    """Returns the layers that keep running statistics."""
    return [m for m in model.modules()
            if isinstance(m, nn.modules.batchnorm._NormBase) and m.track_running_stats]


@contextlib.contextmanager
def _still(norms: Sequence[Any]) -> Iterator[None]:
    """Lets norms in training mode take the statistics of the batch, without moving their own.

    InstanceNorm moves its statistics whenever it has them, so it does without them for the time.
    """
    norms = [m for m in norms if m.training]
    hidden = [(m, m.running_mean, m.running_var) for m in norms
              if isinstance(m, nn.modules.instancenorm._InstanceNorm)]
    for m in norms:
        m.track_running_stats = False
    for m, _, _ in hidden:
        m.running_mean = m.running_var = None
    try:
        yield
    finally:
        for m in norms:
            m.track_running_stats = True
        for m, mean, var in hidden:
            m.running_mean, m.running_var = mean, var


class Job(job.Job):
    """A network in PyTorch, its data sets and its optimiser, which drolab trains.

    ``setup`` sets ``self.model`` and ``self.optimizer`` and returns the data sets of the
    splits, ``{"train": ..., "val": ..., "test": ...}``. Their samples are x, y or x, y, group, or
    have a form that ``fields`` describes. One more data set, ``"plain"``, may be the training
    split as evaluations see it, without augmentation.

    Labels and groups are whole numbers from 0. They are read from the attributes ``targets`` (or
    ``labels``) and ``groups`` of a data set if it has them, or else in a pass over it.
    """

    #: The device of the network: that of the program's word ``device=``, or the current CUDA
    #: device, or MPS, or the CPU.
    device: torch.device
    model: nn.Module
    optimizer: Optional[torch.optim.Optimizer] = None
    #: The last layer of the network, for methods that fit it again, such as dfr, and for
    #: ``drolab features``: a part of ``model``, whose outputs ``forward`` returns.
    head: Optional[nn.Linear] = None
    #: A torch.amp.GradScaler, for gradients in half precision.
    scaler: Any = None
    #: The type for products, such as torch.bfloat16; None: the type of the network.
    autocast: Optional[torch.dtype] = None
    #: The number of processes that read samples ahead; 0: this process reads them.
    num_workers: int = 0
    #: The start method of the workers; None: fork on Linux, and spawn elsewhere.
    start_method: Optional[str] = None
    #: The largest number of samples that pass the network at once; 0: the whole batch. A larger
    #: batch is cut into parts, which are weighted as one batch. Each part passes the network twice.
    microbatch: int = 0
    #: Where the parts of a sample are: a key or a number for ``x``, ``y`` and ``group``. Instead
    #: of groups there may be an ``attribute``, which makes a group with each class, or
    #: ``metadata``. None: drolab looks at the first sample.
    fields: Optional[Mapping[str, Any]] = None
    #: A function that turns metadata [n, k] into groups [n], or a grouper of WILDS.
    grouper: Any = None
    packages: Sequence[str] = ("torch", "torchvision", "lightning", "transformers", "timm")

    several = True

    _places: samples.Places = samples.PLAIN  # of the parts of a sample
    _attributes = False
    _group: Optional[procs.Group] = None  # the other processes of this run, if there are any
    _apart = False  # each of them has the gradient of its own samples
    _late: Optional[Dict[str, Tensor]] = None  # tensors logged in a step that has begun

    # Methods that a program may override.

    def collate(self, samples: List[Tuple[Any, Any]]) -> Tuple[Any, Any]:
        """Returns the batch (x, y) of a list of samples (x, y). It runs in the workers, if any."""
        return default_collate(samples)

    def augment(self, x: Any) -> Any:
        """Returns a sample of the training split as training sees it.

        It runs in the workers, if any, with the generators of Python, NumPy and PyTorch seeded
        for this sample and epoch.
        """
        return x

    def forward(self, x: Any) -> Any:
        """Returns the network's outputs for a batch; by default its logits, where it names them."""
        given = self.model(x) if "x" in self._places else self.model(**x)
        return getattr(given, "logits", given)

    def loss(self, outputs: Any, y: Any) -> Tensor:
        """Returns the loss of each sample [n]; by default the cross-entropy."""
        if outputs.dim() != 2 or outputs.shape[1] != self.class_count:
            raise Wrong(f"the network's outputs have the shape {tuple(outputs.shape)}, and the "
                        f"labels have {self.class_count} classes: give it as many outputs, "
                        "or write loss")
        return F.cross_entropy(outputs, y.long(), reduction="none")

    def probabilities(self, outputs: Any = None) -> Any:
        """Returns the probabilities [n, classes] for outputs; by default their softmax."""
        return outputs.float().softmax(dim=1)

    def state(self) -> Dict[str, Any]:
        """Returns what checkpoints keep beside network, optimiser, scaler and generators.

        The values are tensors, numbers, texts, and lists and dictionaries of them.
        """
        return {}

    def load_state(self, state: Dict[str, Any]) -> None:
        """Restores the state that ``state`` returned."""

    # The start.

    def begin(self) -> Mapping[str, Any]:
        torch.manual_seed(reading.torch_seed(self.seed))
        torch.set_num_threads(max(1, self.threads))
        word, count = self.settings.get("device"), self.settings.get("procs", 1)
        self.device = _device(word)
        if count > 1:
            self.device = procs.place(self.device, word, count)
            if self.purpose != "describe":
                self._group = procs.Group(self.device, word, self._waits)
        given = super().begin()
        if not isinstance(given, Mapping):
            return given
        self._datasets = dict(given)
        if not isinstance(getattr(self, "model", None), nn.Module):
            raise Wrong("setup made no network: set self.model to a torch.nn.Module")
        if not isinstance(self.optimizer, torch.optim.Optimizer):
            raise Wrong("setup made no optimiser: set self.optimizer to one of torch.optim")
        self._check_device()
        first = sorted((name for name in given if name != "plain"), key=lambda n: n != "train")
        found = {name: self._labels(name, given[name]) for name in first}
        if self._attributes:  # a group is a class with an attribute
            count = max(int(np.max(a)) for _, a in found.values()) + 1
            found = {name: (y, y * count + a) for name, (y, a) in found.items()}
        if self.groups is None and hasattr(self.grouper, "group_str"):
            self.groups = [self.grouper.group_str(g) for g in range(self.grouper.n_groups)]
        plain = self._datasets.get("plain")
        if plain is not None and len(plain) != len(self._datasets.get("train", ())):
            raise Wrong("the split plain has another length than train: "
                        "it is the same samples without augmentation")
        self._prepare()
        if self._group is not None and self._group.rank > 0:  # draws of its own in the network
            reading.sow(self.seed, -2, self._group.rank)
            torch.cuda.manual_seed(torch.initial_seed())
        return found

    def _check_device(self) -> None:
        for p in self.model.parameters():
            if p.device.type != self.device.type:
                raise Wrong(f"the network is on {p.device} and the job on {self.device}: "
                            "write .to(self.device) behind the network")
            return

    def _prepare(self) -> None:
        assert self.optimizer is not None
        groups = self.optimizer.param_groups
        self._learned = [p for g in groups for p in g["params"] if p.requires_grad]
        if not self._learned:
            raise Wrong("the optimiser has no parameters: give it self.model.parameters()")
        first = float(groups[0]["lr"])
        if not first > 0:
            raise Wrong("the optimiser's first step size is 0: start it with settings[\"lr\"], "
                        "since drolab's step size is set in proportion to it")
        self._rates = [float(g["lr"]) / first for g in groups]
        self._hyper = [{k: v for k, v in g.items() if k != "params"} for g in groups]
        self._lr = math.nan
        self.model.train()
        if self._group is not None:
            self._group.share(self._held())
        self._norms = _norms(self.model)
        self._first = self._copy("cpu"), copy.deepcopy(self.optimizer.state_dict()), \
            self.scaler.state_dict() if self.scaler else None
        self._velocity: Optional[List[Tensor]] = None
        self._picked: Optional[List[Tensor]] = None
        self._spare: Optional[List[Tensor]] = None  # a copy behind the last step,
        self._kept = False  # if this is true
        self._graph: Optional[Tensor] = None  # losses with their graph
        self._samples: Tuple[Any, Any] = (None, None)  # x and y of the last losses
        self._random: Any = None  # states of the generators before a batch in parts
        self._outputs: Any = None
        self._form, self._copies = forms.Form(), device.Copies()
        self._took: List[np.ndarray] = []  # of a step: losses, norm, and parts of its draw
        self._noted: Dict[str, np.ndarray] = {}  # those of the step that is taken
        self._eager = False  # a gradient of the last losses was asked for in an evaluation
        overridden = {n for n in ("collate", "augment")
                      if getattr(type(self), n) is not getattr(Job, n)}
        at = self._places
        self._tensors = {n: (d.tensors[at["x"]], d.tensors[at["y"]])
                         for n, d in self._datasets.items()
                         if type(d) is TensorDataset and not overridden}
        self._plan = reading.Plan(self._datasets, self._sample, self.collate, self.seed)
        self._workers: Optional[reading.Workers] = None
        read = [n for n in self._datasets if n not in self._tensors]
        if self.num_workers > 0 and read and self.purpose != "describe":
            method = self.start_method or ("fork" if sys.platform == "linux" else "spawn")
            self._workers = reading.Workers(torch.multiprocessing.get_context(method), self._plan,
                                            self.num_workers, "collate" not in overridden)

    def parameters(self) -> int:
        return sum(p.numel() for p in self.model.parameters())

    def offers(self, *names: str) -> bool:
        if "accumulate" in names and self.scaler is not None:
            return False  # it has no step that a scaler could skip
        if names == ("ahead",):
            return self._workers is not None or type(self).ahead is not Job.ahead
        return super().offers(*names)

    # Labels.

    def _labels(self, name: str, dataset: Any) -> Any:
        """Returns the labels, or the labels and groups, of a data set."""
        try:
            n = len(dataset)
            with reading.kept():
                first = dataset[0] if n else ()
        except (TypeError, NotImplementedError) as e:
            raise Wrong(f"the data set {name} has no length or no items ({e}): drolab asks for "
                        "samples by their places, which an iterable does not have: keep your own "
                        "loop for it, with drolab.start") from None
        if not n:
            raise Wrong(f"the split {name} is empty: give it samples, or leave it out")
        at = samples.places(first, name, self.fields, self.grouper)
        if name == "train":
            self._places = at
            if not at.items() <= samples.PLAIN.items() and os.environ.get("RANK", "0") == "0":
                print(f"drolab: samples are read by fields = {at}")
        elif any(at.get(role) != self._places.get(role) for role in ("x", "y")):
            raise Wrong(f"samples of {name} have the form {at}, and those of train "
                        f"{self._places}: let all data sets give the same")
        roles = [role for role in at if role != "x"]
        roles.sort(key=lambda role: role != "y")
        found = [_known(dataset, role, at[role]) for role in roles]
        if any(a is None or not self._agrees(a, dataset, at[role])
               for role, a in zip(roles, found)):
            found = self._pass(name, dataset, [at[role] for role in roles])
        if "metadata" in roles:
            metadata = torch.from_numpy(found.pop())
            group_of = getattr(self.grouper, "metadata_to_group", self.grouper)
            found.append(np.asarray(group_of(metadata)))
        elif "attribute" in roles:
            self._attributes = True
        return found[0] if len(found) == 1 else tuple(found[:2])

    def _agrees(self, known: np.ndarray, dataset: Any, key: Any) -> bool:
        """Reports whether known labels or groups agree with the first and the last sample."""
        if len(known) != len(dataset):
            return False
        with reading.kept():
            return all(np.array_equal(known[i], _number(dataset[i][key]))
                       for i in (0, len(known) - 1))

    def _pass(self, name: str, dataset: Any, keys: Sequence[Any]) -> List[Any]:
        rows, told = [], time.monotonic()
        with reading.kept():
            for i in range(len(dataset)):
                try:
                    sample = dataset[i]
                    rows.append([_number(sample[key]) for key in keys])
                except Exception as e:
                    raise Wrong(reading.unread(i, name, e)) from None
                if time.monotonic() > told + _TELL:
                    told = time.monotonic()
                    self.alive()
        return [np.array(values) for values in zip(*rows)]

    # Samples.

    def _sample(self, given: Any, augmented: bool) -> Tuple[Any, Any]:
        x = samples.inputs(given, self._places, torch.as_tensor)
        return (self.augment(x) if augmented else x), given[self._places["y"]]

    def _source(self, split: str, epoch: int, mode: str) -> Tuple[str, int]:
        """Returns the data set that a split is read from, and the epoch, -1 for evaluations."""
        if split == "train" and mode != "evaluate":
            return split, epoch
        return ("plain" if split == "train" and "plain" in self._datasets else split), -1

    def ahead(self, split: str, index: np.ndarray, epoch: int, mode: str) -> None:
        name, epoch = self._source(split, epoch, mode)
        if self._workers is not None and name not in self._tensors:
            self._workers.announce(name, index, epoch)

    def _read(self, split: str, index: np.ndarray, epoch: int) -> Tuple[Any, Any]:
        """Returns a batch (x, y) on the device."""
        name, epoch = self._source(split, epoch, self.current_mode)
        tensors = self._tensors.get(name)
        if tensors is not None:
            at = _to(torch.from_numpy(index), tensors[0].device)
            return _to(tensors[0][at], self.device), _to(tensors[1][at], self.device)
        if self._workers is not None:
            parts = [_to(p, self.device) for p in self._workers.read(name, index, epoch)]
            batch = parts[0] if len(parts) == 1 else _join(parts)
        else:
            with reading.kept():
                batch = _to(self._plan.read(name, index, epoch), self.device)
        return batch[0], batch[1]

    # Losses.

    def mode(self, name: str) -> None:
        if self.model.training != (name != "evaluate"):
            self.model.train(name != "evaluate")
        if name == "evaluate":
            self._share_buffers()
        self._eager = False

    def _cast(self) -> ContextManager[Any]:
        if self.autocast is None:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=self.autocast)

    def _compute(self, x: Any, y: Any, graph: bool) -> Tensor:
        """Returns the losses [n] of a batch, and stores its outputs.

        Running statistics move with a graph alone: each batch of training has one pass with it.
        """
        still = contextlib.nullcontext() if graph else _still(self._norms)
        with torch.set_grad_enabled(graph), self._cast(), still:
            try:
                outputs = self.forward(x)
            except ValueError as e:
                if _SINGLE in str(e):
                    raise Wrong(_LONE) from None
                raise
            losses = self.loss(outputs, y)
        if not isinstance(losses, Tensor) or losses.dim() != 1:
            shape = tuple(losses.shape) if isinstance(losses, Tensor) else type(losses).__name__
            raise Wrong(f"loss gave {shape} and not the loss of each sample: "
                        "use reduction=\"none\"")
        if graph and not losses.requires_grad:
            raise Wrong("the losses have no gradient: compute them from self.model's outputs, "
                        "without detach and no_grad")
        self._outputs = outputs.detach() if isinstance(outputs, Tensor) else outputs
        return losses

    def losses(self, split: str, index: np.ndarray, epoch: int) -> np.ndarray:
        return self._forward(split, index, epoch).detach().cpu().double().numpy()

    def _forward(self, split: str, index: np.ndarray, epoch: int) -> Tensor:
        """Returns the losses of samples, with their graph where one is needed."""
        if not len(index):  # the other processes have them
            return torch.empty(0, device=self.device)
        x, y = self._samples = self._read(split, index, epoch)
        self._graph = None
        if 0 < self.microbatch < len(index):
            losses = self._in_parts(x, y)
        else:
            graph = self.current_mode == "train" or self._eager
            losses = self._compute(x, y, graph)
            if graph:
                self._graph = losses
            elif self.current_mode == "evaluate":
                self._random = None
        self._eager = False
        return losses

    def _in_parts(self, x: Any, y: Any) -> Tensor:
        """Returns the losses of a batch that is too large to be held with its graph.

        The gradient passes the parts again, with the same draws.
        """
        self._random = states_of_generators(self.device)
        losses, outputs = [], []
        for part_x, part_y in _parts(x, y, self.microbatch):
            losses.append(self._compute(part_x, part_y, False))
            outputs.append(self._outputs)
        self._outputs = torch.cat(outputs) if isinstance(outputs[0], Tensor) else outputs
        return torch.cat(losses)

    def outputs(self, want: Sequence[str]) -> List[np.ndarray]:
        with torch.no_grad():
            p = self.probabilities(self._outputs).cpu().numpy()
        if p.ndim != 2:
            raise Wrong(f"probabilities gave the shape {p.shape}: expected one row for each sample")
        made = {"classes": lambda: p.argmax(axis=1), "confidences": lambda: p.max(axis=1),
                "probabilities": lambda: p}
        return [made[name]() for name in want]

    # The last layer.

    def feature_count(self) -> int:
        head = self.head
        if head is None:
            return 0
        if not isinstance(head, nn.Linear) or is_parametrized(head) or head.bias is None:
            raise Wrong(f"self.head is {type(head).__name__} and no plain nn.Linear with a bias, "
                        "which drolab could fit again: leave self.head out")
        if all(m is not head for m in self.model.modules()):
            raise Wrong("self.head is no part of self.model, so that no checkpoint has it: put it "
                        "into the network")
        if head.out_features != self.class_count:
            raise Wrong(f"self.head has {head.out_features} outputs, and the labels have "
                        f"{self.class_count} classes: give it as many outputs")
        if type(self).loss is not Job.loss:
            raise Wrong("self.head is fitted again by cross-entropy, and the class writes loss: "
                        "leave out one of them")
        # The first sample shows now what would else fail at the end of the training.
        x, _ = self._read("test", np.zeros(1, np.int64), 0)
        with reading.kept():
            self._entering(x)
        return head.in_features

    def _entering(self, x: Any) -> Tensor:
        """Returns what enters the head for a batch, in evaluation mode.

        Compiled networks are run as they are written, since hooks see nothing of compiled code.
        """
        assert self.head is not None
        seen: List[Tuple[Any, Any]] = []
        hook = self.head.register_forward_hook(lambda _, given, out: seen.append((given, out)))
        training = self.model.training
        self.model.eval()
        eager = torch.compiler.set_stance("force_eager") if "torch._dynamo" in sys.modules \
            else contextlib.nullcontext()
        try:
            with torch.no_grad(), self._cast(), eager:
                outputs = self.forward(x)
        finally:
            hook.remove()
            self.model.train(training)
        if len(seen) != 1:
            raise Wrong(f"forward uses self.head {len(seen)} times: let it be the last layer, "
                        "used once and called as a module")
        (entered, *_), out = seen[0]
        if not isinstance(outputs, Tensor) or outputs.shape != out.shape or \
                not torch.allclose(outputs, out, equal_nan=True):
            raise Wrong("forward returns other outputs than those of self.head: let it return them "
                        "as they are, or leave self.head out")
        return entered.float()

    def last_features(self) -> np.ndarray:
        x, y = self._samples
        return torch.cat([self._entering(part) for part, _ in
                          _parts(x, y, self.microbatch or len(y))]).cpu().numpy()

    def last_layer(self) -> Tuple[np.ndarray, np.ndarray]:
        assert self.head is not None
        return self.head.weight.detach().double().cpu().numpy(), \
            self.head.bias.detach().double().cpu().numpy()

    @torch.no_grad()
    def set_last_layer(self, weights: np.ndarray, biases: np.ndarray) -> None:
        assert self.head is not None
        self.head.weight.copy_(torch.from_numpy(weights))
        self.head.bias.copy_(torch.from_numpy(biases))

    # Gradients.

    def gradient(self, weights: Any, add: bool) -> None:
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
            self._backward(each.mean() if len(each) == self.whole else each.sum() / self.whole)
            self._eager = self.current_mode == "evaluate"
            return
        # No graph is kept of a batch in parts or in an evaluation: the samples pass again.
        x, y = self._samples
        n, done = len(weights), 0
        if self._random is not None:
            restore_generators(self._random, self.device)
        for part_x, part_y in _parts(x, y, self.microbatch or n):
            losses = self._compute(part_x, part_y, True)
            part = weights[done:done + len(losses)]
            done += len(losses)
            self._backward((self._weights(part, losses) * losses).sum() / self.whole)
        self._eager = self.current_mode == "evaluate"

    def _add_up(self) -> None:
        """Adds up the gradients of all processes, unless that is done."""
        if self._group is None or not self._apart:
            return
        self._apart = False
        for p in self._learned:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        self._group.add([p.grad for p in self._learned])  # type: ignore

    def _share_buffers(self) -> None:
        """Takes over the running statistics of the first process."""
        if self._group is not None:
            self._group.share(list(self.model.buffers()))

    def _weights(self, weights: Any, losses: Tensor) -> Tensor:
        return weights if isinstance(weights, Tensor) else forms.rounded(weights, losses)

    def _backward(self, mean: Tensor) -> None:
        (self.scaler.scale(mean) if self.scaler else mean).backward()

    # Whole steps, whose weights are computed here.

    def forms(self) -> Sequence[str]:
        own = all(getattr(type(self), n) is getattr(Job, n)
                  for n in ("losses", "gradient", "step"))
        by_drolab = self.scaler is not None or self.device.type in _BY_DROLAB
        return tuple(forms.KINDS) if own and not by_drolab else ()

    def begin_step(self, split: str, index: np.ndarray, epoch: int) -> None:
        self._late = {}
        self._begun = self._forward(split, index, epoch)

    def log(self, **values: Any) -> None:
        if self._late is not None and self.current_mode == "train":
            self._late.update({k: v.detach().reshape(()) for k, v in values.items()
                               if isinstance(v, Tensor)})
            values = {k: v for k, v in values.items() if not isinstance(v, Tensor)}
        super().log(**values)

    def take_step(self, head: Mapping[str, Any], numbers: np.ndarray, flags: Optional[np.ndarray],
                  given: Mapping[str, Any], rule: Sequence[float]) -> None:
        losses, lr, clip = self._begun.detach(), rule[0], rule[3]
        self._form.set(head, numbers, flags, losses.device)
        self.gradient(self._form.weights(losses, given, self._group), False)
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

    def results(self) -> Tuple[np.ndarray, float, List[np.ndarray]]:
        self._copies.wait()
        super().log(**{k: float(v) for k, v in self._noted.items()})
        losses, norm, *drawn = self._took
        return losses.astype(np.float64), float(norm), [d.astype(np.float64) for d in drawn]

    # Steps.

    def _length(self) -> Tensor:
        """Returns the norm of the present gradient, as a tensor on the device."""
        return _length([p.grad for p in self._learned if p.grad is not None], self.device)

    def norm(self) -> float:
        self._add_up()
        return float(self._length()) / (self.scaler.get_scale() if self.scaler else 1)

    def step(self, lr: float, momentum: float, decay: float, clip: float) -> Optional[float]:
        length = self._move(lr, clip)
        return None if length is None else float(length)  # the device has the step already

    def _move(self, lr: float, clip: float) -> Optional[Tensor]:
        """Moves the parameters. Returns the gradient's norm on the device; None: it did not."""
        assert self.optimizer is not None
        if lr != self._lr:
            self._set_rate(lr)
        self._add_up()
        if self.scaler:
            self.scaler.unscale_(self.optimizer)
        length = self._length()
        self._cut(length, clip)
        if self.scaler:
            before = self.scaler.get_scale()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            if self.scaler.get_scale() < before:
                return None
        else:
            self.optimizer.step()
        return length

    def _cut(self, length: Tensor, clip: float) -> None:
        """Cuts a gradient that is longer than clip, without waiting for its length."""
        grads = [p.grad for p in self._learned if p.grad is not None]
        if 0 < clip < math.inf and grads:
            exact = length if length.device.type == "mps" else length.double()
            torch._foreach_mul_(grads, (clip / exact).clamp(max=1).to(length.dtype))

    def _set_rate(self, lr: float) -> None:
        assert self.optimizer is not None
        self._lr = lr
        for g, rate in zip(self.optimizer.param_groups, self._rates):
            if isinstance(g["lr"], Tensor):
                g["lr"].fill_(lr * rate)
            else:
                g["lr"] = lr * rate

    @torch.no_grad()
    def accumulate(self, momentum: float, decay: float, clip: float) -> Tuple[float, float]:
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
        return float(length), float(_length(self._velocity, self.device))

    @torch.no_grad()
    def advance(self, rate: float) -> None:
        for v, p in zip(self._velocity or (), self._learned):
            p.sub_(v, alpha=rate)

    # Copies of the network.

    def _held(self) -> List[Tensor]:
        """Returns all tensors of the network: its parameters and its running statistics."""
        return [*self.model.parameters(), *self.model.buffers()]

    def _copy(self, device: Any = None) -> List[Tensor]:
        return [t.detach().to(device or t.device, copy=True) for t in self._held()]

    @torch.no_grad()
    def _put(self, copies: Sequence[Tensor]) -> None:
        for t, c in zip(self._held(), copies):
            t.copy_(c)

    def restart(self) -> None:
        assert self.optimizer is not None
        parameters, optimizer, scaler = self._first
        self._put(parameters)
        self.optimizer.load_state_dict(copy.deepcopy(optimizer))
        if self.scaler:
            self.scaler.load_state_dict(scaler)
        self._velocity, self._lr = None, math.nan

    def pick(self) -> None:
        if self._kept:  # the next step may have begun, and moved running statistics
            self._picked, self._spare, self._kept = self._spare, self._picked, False
        else:
            self._share_buffers()
            self._picked = self._copied(self._picked)

    @torch.no_grad()
    def _copied(self, copies: Optional[List[Tensor]]) -> List[Tensor]:
        """Returns a copy of the network as it is, in the memory of an earlier one."""
        if copies is None:
            return self._copy()
        for c, t in zip(copies, self._held()):
            c.copy_(t)
        return copies

    def swap(self) -> None:
        if self._picked is None:
            raise Wrong("drolab swaps with a copy of the network before it picked one")
        now = self._copy()
        self._put(self._picked)
        self._picked = now

    # Checkpoints.

    def save(self, folder: str) -> None:
        assert self.optimizer is not None
        self._share_buffers()
        own = {"generators": states_of_generators(self.device), "own": self.state()}
        if self._group is not None and self._group.rank > 0:
            torch.save(own, self._own_path(folder))
            return
        torch.save({
            "model": state_of(self.model), "optimizer": self.optimizer.state_dict(),
            "hyper": self._hyper, "scaler": self.scaler.state_dict() if self.scaler else None,
            "velocity": self._velocity, "picked": self._picked, **own,
        }, self.path(folder, "state.pt"))

    def _own_path(self, folder: str) -> str:
        """Returns the file that a process has beside that of the first one."""
        assert self._group is not None
        return self.path(folder, f"rank-{self._group.rank}.pt")

    def load(self, folder: str) -> None:
        assert self.optimizer is not None
        # A checkpoint may come from a stranger: only tensors and plain values are read.
        s = torch.load(self.path(folder, "state.pt"), map_location="cpu", weights_only=True)
        try:
            load_state(self.model, s["model"])
            self.optimizer.load_state_dict(s["optimizer"])
        except (RuntimeError, ValueError, KeyError) as e:
            raise Wrong(f"the checkpoint is of another network or optimiser: {e}") from None
        # A fork may have been given other hyperparameters than those of the checkpoint.
        for group, now, then in zip(self.optimizer.param_groups, self._hyper, s["hyper"]):
            group.update({k: v for k, v in now.items() if k not in then or then[k] != v})
        self._lr = math.nan
        if self.scaler and s["scaler"]:
            self.scaler.load_state_dict(s["scaler"])
        self._velocity = _like(s["velocity"], self._learned)
        self._picked = _like(s["picked"], self._held())
        if self._group is not None and self._group.rank > 0:
            s = torch.load(self._own_path(folder), map_location="cpu", weights_only=True)
        restore_generators(s["generators"], self.device)
        self.load_state(s["own"])

    def close(self) -> None:
        if getattr(self, "_workers", None) is not None:
            self._workers.close()  # type: ignore
        if self._group is not None:
            self._group.leave()


def _device(word: Any) -> torch.device:
    if word is not None:
        try:
            return torch.device(str(word))
        except RuntimeError as e:
            raise Wrong(f"device={word} is no device: {str(e).splitlines()[0]}") from None
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _length(tensors: List[Tensor], device: torch.device) -> Tensor:
    """Returns the Euclidean norm of all tensors together."""
    if not tensors:
        return torch.zeros((), device=device)
    return torch.linalg.vector_norm(torch.stack(torch._foreach_norm(tensors)))


def _like(saved: Optional[List[Tensor]], tensors: Sequence[Tensor]) -> Optional[List[Tensor]]:
    if saved is None:
        return None
    return [s.to(t.device) for s, t in zip(saved, tensors)]


def _number(value: Any) -> Any:
    if math.prod(np.shape(value)) != 1:  # metadata
        return np.asarray(value.cpu() if isinstance(value, Tensor) else value)
    return value.item() if hasattr(value, "item") else value


def _known(dataset: Any, role: str, key: Any) -> Optional[np.ndarray]:
    """Returns the labels, groups or the like that a data set stores, or else None."""
    if isinstance(dataset, TensorDataset):
        return dataset.tensors[key].cpu().numpy()
    if isinstance(dataset, Subset):
        below = _known(dataset.dataset, role, key)
        return None if below is None else below[np.asarray(dataset.indices, np.int64)]
    if isinstance(dataset, ConcatDataset):
        all_of = [_known(d, role, key) for d in dataset.datasets]
        return None if any(a is None for a in all_of) else np.concatenate(all_of)  # type: ignore
    return samples.column(dataset, role, key)


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


def _parts(x: Any, y: Any, size: int) -> Iterator[Tuple[Any, Any]]:
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
