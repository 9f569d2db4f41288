"""Trains networks of Hugging Face by drolab's methods: see docs/stacks.md."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator
from typing import Any, Optional

import torch.nn.functional as F
import transformers
from torch import Tensor

from . import _stacks
from ._errors import UsageError
from ._loop import Run
from ._modules import probe
from ._shapes import remedy_of

__all__ = ["RobustTrainer"]

_PASS = "eval"  # the name of the pass that is under way


class RobustTrainer(transformers.Trainer):
    """A Trainer whose batches drolab weighs.

    ``run`` is the run, as ``drolab.start`` returns it. ``group`` and ``index`` name the columns of
    the data sets that hold the group of a sample and its place in the split; None: they have no
    such column. Evaluations, checkpoints, orders and the progress of accumulation reach drolab by
    themselves. ``train`` resumes from the checkpoint of a resumed run.
    """

    def __init__(self, model: Any = None, args: Any = None, *, run: Run,
                 group: Optional[str] = "group", index: Optional[str] = "index",
                 **more: Any) -> None:
        if not isinstance(run, Run):
            raise UsageError(f"RobustTrainer: run is a {type(run).__name__}: give what "
                             "drolab.start returns")
        args = copy.copy(args or transformers.TrainingArguments())
        args.remove_unused_columns = False  # the model's forward has no groups and places
        # A limit on checkpoints would take those of another run for newer ones.
        args.output_dir = os.path.join(args.output_dir, run.id)
        super().__init__(model, args, **more)
        if self.compute_loss_func is not None:
            raise UsageError("RobustTrainer takes no compute_loss_func, which has one loss for a "
                             "batch: override losses(logits, labels)")
        if self.args.n_gpu > 1:
            raise UsageError("RobustTrainer has one GPU for each process: start the script with "
                             "torchrun --nproc-per-node N, or set CUDA_VISIBLE_DEVICES")
        self.model_accepts_loss_kwargs = False  # drolab weighs each part by itself
        self.run, self._columns = run, {"group": group, "index": index}
        self._passes = _stacks.Passes()
        self._length: Any = None  # of the gradient of the last step
        self._unmeasured = False  # the user has been warned of it
        self._draws: Optional[Iterator[Any]] = None
        self.add_callback(_Steps(self))

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns the loss of each sample [n]; by default the cross-entropy."""
        return F.cross_entropy(logits, labels, reduction="none")

    def correct(self, logits: Tensor, labels: Tensor) -> Optional[Tensor]:
        """Returns for each sample [n] whether it is right; None: evaluations are not measured.

        By default, the greatest logit tells the class, and a sample of tokens is right if all its
        tokens are. Targets of regression have no default.
        """
        if labels.is_floating_point() or logits.dim() != labels.dim() + 1:
            return None
        right = (logits.argmax(-1) == labels) | (labels == -100)
        return right.reshape(len(labels), -1).all(1)

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False,
                     num_items_in_batch: Any = None) -> Any:
        given, outputs = self._samples(model, inputs)
        losses = given["losses"]
        if model.training:
            weights = self.run.weights(**given, more=not self.accelerator.sync_gradients)
            mean = (weights * losses).mean()
        else:
            self._measure(given, outputs.logits, inputs["labels"])
            mean = losses.mean()
        return (mean, outputs) if return_outputs else mean

    def _measure(self, given: dict[str, Any], logits: Tensor, labels: Tensor) -> None:
        """Keeps a batch of a pass, whose split ``evaluate`` knows. Only classes have probabilities.
        """
        if given["label"] is not None and logits.dim() == 2:
            self._passes.add(_PASS, **given, probability=logits.float().softmax(-1))
            return
        right = self.correct(logits, labels)
        if right is not None:
            self._passes.add(_PASS, **given, correct=right)
        elif not self._unmeasured:
            self._unmeasured = True
            warnings.warn("RobustTrainer gives drolab no evaluation: override correct(logits, "
                          "labels), which says of each sample whether it is right", RuntimeWarning,
                          stacklevel=2)

    def _samples(self, model: Any, inputs: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Returns the losses of a batch with what else is known of its samples, and the outputs."""
        own = dict(inputs)
        given = {k: own.pop(c, None) for k, c in self._columns.items() if c is not None}
        labels = own.pop("labels", None)
        if labels is None:
            raise UsageError("the samples have no labels: give the data set a column labels, or "
                             "label")
        outputs = model(**own)
        losses = self.losses(outputs.logits, labels)
        if not isinstance(losses, Tensor) or losses.dim() != 1:
            shape = tuple(losses.shape) if isinstance(losses, Tensor) else type(losses).__name__
            how = remedy_of(losses.shape if isinstance(losses, Tensor) else (), len(labels))
            raise UsageError(f"RobustTrainer.losses gave {shape} and not the loss of each sample: "
                             f"override losses(logits, labels), and {how}")
        classes = labels.dim() == 1 and not labels.is_floating_point()
        return dict(given, losses=losses, label=labels if classes else None), outputs

    def evaluate(self, eval_dataset: Any = None, ignore_keys: Any = None,
                 metric_key_prefix: str = "eval") -> dict[str, float]:
        self._passes = _stacks.Passes()
        found = super().evaluate(eval_dataset, ignore_keys, metric_key_prefix)
        name = metric_key_prefix.rpartition("_")[2]  # eval, or eval_SPLIT for a dictionary
        split = "val" if name == "eval" else name
        if self.is_in_train and not self.run.stopping:
            self._passes.give(lambda _, **given: self.run.evaluate(split, **given))
        return found

    def train(self, resume_from_checkpoint: Any = None, *given: Any, **more: Any) -> Any:
        return super().train(resume_from_checkpoint or self.run.saved, *given, **more)

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        self._length = super()._get_grad_norm(  # type: ignore[no-untyped-call]
            model, grad_norm=grad_norm)
        return self._length

    def _fresh(self) -> dict[str, Any]:
        """Returns an independent draw at the new network, of as many samples as a step has."""
        parts = self.args.gradient_accumulation_steps
        if self._draws is None:
            self._draws = _stacks.draws(self.train_dataset, self.args.train_batch_size,
                                       self.data_collator, self.run.steps * parts,
                                       self.args.process_index)
        assert self.model is not None
        with probe(self.model), self.compute_loss_context_manager():
            return _stacks.joined([self._samples(
                self.model, self._prepare_inputs(next(self._draws)))[0] for _ in range(parts)])


class _Steps(transformers.TrainerCallback):
    """Tells drolab of the progress of a RobustTrainer, and the trainer of drolab's orders."""

    def __init__(self, trainer: RobustTrainer) -> None:
        self.trainer, self.run = trainer, trainer.run

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        t = self.trainer
        self.run.step(lr=float(more["optimizer"].param_groups[0]["lr"]), grad_norm=t._length,
                      fresh=t._fresh, skipped=t.accelerator.optimizer_step_was_skipped)

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
        if self.run.stopping:
            control.should_training_stop = True
        if self.run.stopping or self.run.saving:
            control.should_save = True
        return control

    def on_epoch_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        if not self.run.stopping:
            self.run.end_epoch()

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        saved = os.path.join(self.trainer._get_output_dir(None), f"checkpoint-{state.global_step}")
        with self.run.checkpoint() as folder:
            if args.process_index == 0:
                _stacks.copied(saved, folder)
