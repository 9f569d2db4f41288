"""What networks and generators of PyTorch are asked for, whoever has the loop."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy as np
import torch
from torch import nn

from ._errors import UsageError

__all__ = ["device_of", "load_state", "norms_of", "probe", "restore_generators", "state_of",
           "states_of_generators", "still"]

_WRAPPERS = (nn.parallel.DistributedDataParallel, nn.DataParallel)


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
        with torch.no_grad(), still(norms_of(model)):
            yield
    finally:
        for m, training in modes:
            m.training = training


def state_of(model: nn.Module) -> dict[str, Any]:
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


def states_of_generators(device: Optional[torch.device] = None) -> dict[str, Any]:
    """Returns the states of all random number generators, as plain values and tensors."""
    version, words, gauss = random.getstate()
    kind, keys, at, has, cached = np.random.get_state()
    states: dict[str, Any] = {
        "python": [version, list(words), gauss], "torch": torch.get_rng_state(),
        "numpy": [kind, torch.from_numpy(np.asarray(keys).astype(np.int64)), at, has, cached]}
    of = device or device_of(None)
    if of.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(of)
    elif of.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def restore_generators(states: Mapping[str, Any], device: Optional[torch.device] = None) -> None:
    """Restores the states that ``states_of_generators`` returned."""
    of = device or device_of(None)
    version, words, gauss = states["python"]
    random.setstate((version, tuple(words), gauss))
    kind, keys, at, has, cached = states["numpy"]
    np.random.set_state((kind, keys.numpy().astype(np.uint32), at, has, cached))
    torch.set_rng_state(states["torch"].cpu())
    if "cuda" in states and of.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"].cpu(), of)
    if "mps" in states and of.type == "mps":
        torch.mps.set_rng_state(states["mps"].cpu())


def norms_of(model: nn.Module) -> list[Any]:
    """Returns the layers that keep running statistics."""
    return [m for m in model.modules()
            if isinstance(m, nn.modules.batchnorm._NormBase) and m.track_running_stats]


@contextlib.contextmanager
def still(norms: Sequence[Any]) -> Iterator[None]:
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


def device_of(word: Any) -> torch.device:
    if word is not None:
        try:
            return torch.device(str(word))
        except RuntimeError as e:
            raise UsageError(f"device={word} is no device: {str(e).splitlines()[0]}") from None
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
