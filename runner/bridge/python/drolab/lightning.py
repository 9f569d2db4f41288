"""Trains Lightning modules by drolab's methods: see docs/stacks.md."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any, Optional

import torch
import torch.distributed as dist
from lightning.pytorch import Callback
from lightning.pytorch.callbacks import BatchSizeFinder

from . import _stacks
from ._data import Data
from ._errors import UsageError
from ._loop import start
from ._modules import probe, restore_generators, states_of_generators

__all__ = ["Run"]

_LAUNCH = "start the script with torchrun --nproc-per-node N, which starts all processes alike"
_FILE = "lightning.ckpt"


class Run(Callback):
    """A run of drolab as a callback of a Trainer. The run starts when the callback is made.

    The module finds the callback as ``self.drolab``: ``training_step`` returns
    ``self.drolab.loss(losses, ...)``, and ``validation_step`` calls ``self.drolab.evaluated``.

    Args:
        name: The subject of the run.
        data: The numbers of samples, classes and groups: see ``drolab.Data``.
        fresh: A DataLoader of the training split, for methods that look at independent draws.
        test: Whether ``trainer.test`` follows ``trainer.fit``, and ends the run.
        resume: A run to go on with: call ``trainer.fit(..., ckpt_path=callback.ckpt_path)``.
        more: What ``drolab.start`` takes.

    Attributes:
        run: The run, as ``drolab.start`` returns it.
        ckpt_path: The file from which a resumed run goes on, or None.
    """

    def __init__(self, name: Optional[str] = None, data: Optional[Data] = None, *,
                 fresh: Any = None, resume: Optional[str] = None, test: bool = False,
                 **more: Any) -> None:
        if int(os.environ.get("WORLD_SIZE") or 1) > 1 and not dist.is_initialized():
            if "RANK" not in os.environ:
                raise UsageError(f"Lightning starts the processes of this run: {_LAUNCH}")
            dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        self.run = start(name, data, resume=resume, **more)
        self.ckpt_path = self.run.saved and os.path.join(self.run.saved, _FILE)
        self._loader, self._test = fresh, test
        self._ended = self._limited = False
        self._steps = int(more.get("steps_per_epoch") or 0)  # of an epoch; 0: not known
        if not self._steps and data is not None and more.get("batch"):
            self._steps = -(-data.samples["train"] // int(more["batch"]))
        new = not resume and not more.get("from_")
        self._ungiven = [key for key in ("batch", "epochs") if new and key not in more]
        self._draws: Optional[Iterator[Any]] = None
        self._drawn: Optional[list[dict[str, Any]]] = None  # samples of a draw that is under way
        self._passes = _stacks.Passes()
        self._last, self._weighed, self._sanity, self._known = True, False, False, 0
        self._trainer: Any = None
        self._length: Any = None
        self._scale = 0.0

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        """Returns this callback: a copy of the module, as for an average, has the same run."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        raise UsageError(f"a run of drolab cannot be sent to other processes: {_LAUNCH}")

    # What a module calls.

    def loss(self, losses: Any, *, label: Any = None, group: Any = None, index: Any = None) -> Any:
        """Returns the loss of a batch for ``training_step``, from the losses [n] of its samples."""
        given = dict(losses=losses, label=label, group=group, index=index)
        if self._tunes():
            return losses.mean()
        if self._drawn is not None:
            self._drawn.append(given)
            return losses.mean()
        self._weighed = True
        return (self.run.weights(**given, more=not self._last) * losses).mean()

    def evaluated(self, split: str, *, losses: Any, label: Any = None, group: Any = None,
                  index: Any = None, probability: Any = None, correct: Any = None) -> None:
        """Takes in a batch of a pass over a split, which is complete when the validation ends."""
        if self._tunes():
            return
        if self._ended:
            raise UsageError("the run has ended with trainer.fit: give drolab.lightning.Run "
                             "test=True if trainer.test follows, or evaluate the test split in "
                             "validation_step")
        if self._limited:
            raise UsageError("limit_val_batches gives drolab a part of a split, of which it knows "
                             "the number of samples: leave it out, or call evaluated in full "
                             "validations alone")
        if not self._sanity and not self.run.stopping:
            self._passes.add(split, losses=losses, label=label, group=group, index=index,
                             probability=probability, correct=correct)

    def _tunes(self) -> bool:
        """Reports whether a tuner tries steps, which it takes without callbacks."""
        return self not in self._trainer.callbacks

    # What the trainer calls.

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        pl_module.drolab, self._trainer = self, trainer
        if any(isinstance(c, BatchSizeFinder) for c in trainer.callbacks):
            raise UsageError("the batch size is a setting of the run, which has begun: find it "
                             "before drolab.lightning.Run is made")
        if trainer.world_size > 1 and self.run._group is None:
            raise UsageError(f"the Trainer has {trainer.world_size} processes and this run one: "
                             f"{_LAUNCH}")

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._limited = trainer.limit_val_batches not in (None, 1.0)
        if not pl_module.automatic_optimization:
            raise UsageError("the module sets automatic_optimization = False, and takes its steps "
                             "itself: keep your own loop, with drolab.start")
        if self.ckpt_path and trainer.ckpt_path is None:
            raise UsageError("the run is resumed and the Trainer starts anew: write "
                             "trainer.fit(..., ckpt_path=callback.ckpt_path)")

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        steps = -(-trainer.num_training_batches // trainer.accumulate_grad_batches)
        if self._steps and steps != self._steps:
            warnings.warn(f"the Trainer takes {steps} steps in an epoch and the run expects "
                          f"{self._steps}: give drolab.lightning.Run steps_per_epoch={steps}",
                          RuntimeWarning, stacklevel=2)
        if self._ungiven:
            warnings.warn(f"the Trainer's {' and '.join(self._ungiven)} may be others than the "
                          "run's, which are drolab's usual ones: give drolab.lightning.Run those "
                          "of the Trainer, as in batch=32, epochs=3", RuntimeWarning, stacklevel=2)
        self._known = trainer.global_step  # now that the checkpoint is loaded
        self.run.take_signals()  # a Trainer that hears SIGTERM raises, and saves nothing

    def on_sanity_check_start(self, trainer: Any, pl_module: Any) -> None:
        self._sanity = True

    def on_sanity_check_end(self, trainer: Any, pl_module: Any) -> None:
        self._sanity = False

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any,
                             batch_idx: int) -> None:
        every = trainer.accumulate_grad_batches
        self._last = (batch_idx + 1) % every == 0 or \
            batch_idx + 1 >= trainer.num_training_batches or \
            trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
        self._weighed = False

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        self._length = torch.nn.utils.get_total_norm(grads)
        self._rate = float(optimizer.param_groups[0]["lr"])
        self._scale = self._scale_of(trainer)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any,
                           batch_idx: int) -> None:
        if not self._weighed:
            raise UsageError("training_step has not called drolab: return self.drolab.loss(losses, "
                             "...), with the loss of each sample")
        if trainer.global_step == self._known:
            return
        self._known = trainer.global_step
        self.run.step(lr=self._rate, grad_norm=self._length,
                      fresh=self._loader and (lambda: self._fresh(trainer, pl_module)),
                      skipped=self._scale_of(trainer) < self._scale)
        if self.run.stopping:
            trainer.should_stop = True
        if self.run.stopping or self.run.saving:
            self._save(trainer)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._passes.give(self.run.evaluate)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if not self.run.stopping:
            self.run.end_epoch()
            self._save(trainer)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        if not self._test or self.run.stopping:
            self._end()

    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._passes.give(self.run.evaluate)

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        self._end()

    def _end(self) -> None:
        self._ended = True
        self.run.__exit__(None, None, None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.run.__exit__(type(exception), exception, exception.__traceback__)

    # Checkpoints.

    def _save(self, trainer: Any) -> None:
        with self.run.checkpoint() as folder:
            trainer.save_checkpoint(trainer.strategy.broadcast(os.path.join(folder, _FILE)))

    def state_dict(self) -> dict[str, Any]:
        return {"random": states_of_generators()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        restore_generators(state["random"])  # before the trainer begins to draw batches

    # The step.

    def _scale_of(self, trainer: Any) -> float:
        scaler = getattr(trainer.precision_plugin, "scaler", None)
        return scaler.get_scale() if scaler is not None else 0.0

    def _fresh(self, trainer: Any, pl_module: Any) -> dict[str, Any]:
        """Returns an independent draw at the new network, of as many samples as a step has."""
        parts, of = trainer.accumulate_grad_batches, self._loader
        if self._draws is None:
            self._draws = _stacks.draws(of.dataset, of.batch_size, of.collate_fn,
                                       self.run.steps * parts, trainer.global_rank,
                                       num_workers=of.num_workers, pin_memory=of.pin_memory)
        drawn: list[dict[str, Any]] = []
        self._drawn = drawn
        try:
            with probe(pl_module), trainer.precision_plugin.train_step_context(), \
                    _stacks.quiet(pl_module, ("log", "log_dict")):
                for k in range(parts):
                    batch = trainer.strategy.batch_to_device(next(self._draws), dataloader_idx=0)
                    pl_module.training_step(batch, k)
        finally:
            self._drawn = None
        return _stacks.joined(drawn)
