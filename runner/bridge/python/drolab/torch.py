"""Programs in PyTorch: see ``Job``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import default_collate

from ._errors import UsageError
from ._job import BaseJob
from ._modules import load_state, probe, state_of
from ._serve import main

if TYPE_CHECKING:
    from ._trainee import Trainee

__all__ = ["Job", "load_state", "main", "probe", "state_of"]


class Job(BaseJob):
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

    _by_name = False  # samples are dictionaries, whose numbers the network gets by their names

    def _hold(self) -> Trainee:
        from ._network import Network

        return Network(self)

    # Hooks that a program may write beside setup.

    def collate(self, samples: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Returns the batch (x, y) of a list of samples (x, y). It runs in the workers, if any."""
        x, y = default_collate(samples)
        return x, y

    def augment(self, x: Any) -> Any:
        """Returns a sample of the training split as training sees it.

        It runs in the workers, if any, with the generators of Python, NumPy and PyTorch seeded
        for this sample and epoch.
        """
        return x

    def forward(self, x: Any) -> Any:
        """Returns the network's outputs for a batch; by default its logits, where it names them."""
        given = self.model(**x) if self._by_name else self.model(x)
        return getattr(given, "logits", given)

    def loss(self, outputs: Any, y: Any) -> Tensor:
        """Returns the loss of each sample [n]; by default the cross-entropy."""
        if outputs.dim() != 2 or outputs.shape[1] != self.class_count:
            raise UsageError(f"the network's outputs have the shape {tuple(outputs.shape)}, and "
                             f"the labels have {self.class_count} classes: give it as many "
                             "outputs, or write loss")
        return F.cross_entropy(outputs, y.long(), reduction="none")

    def probabilities(self, outputs: Any) -> Tensor:
        """Returns the probabilities [n, classes] for outputs; by default their softmax."""
        p: Tensor = outputs.float().softmax(dim=1)
        return p

    def state(self) -> dict[str, Any]:
        """Returns what checkpoints keep beside network, optimiser, scaler and generators.

        The values are tensors, numbers, texts, and lists and dictionaries of them.
        """
        return {}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restores the state that ``state`` returned."""

