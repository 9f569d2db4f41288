"""The examples of other libraries' trainers, beside loops by hand: stacks.py RUNS WHAT

same       the weights of each example are those of drolab.start by hand on the same batches
resumed    kills each example, and stops it, and goes on to the same bits; prints the runs
groups     trains the tiny BERT by erm, group and sfk with four seeds; prints method and run
limits     Lightning with limits and accumulation: drolab's steps are the Trainer's
tuned      the search of Lightning for a step size leaves the run as it is
averaged   an average of Lightning's weights before and after the callback, and a resume of both
wrong      mistakes, each of which is refused in one line
"""

import contextlib
import io
import logging
import os
import pickle
import signal
import socket
import sys
import tempfile
import traceback
import warnings

import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import BatchSizeFinder, EMAWeightAveraging, LearningRateFinder
from torch import nn

RUNS, WHAT = sys.argv[1:3]
sys.path.insert(0, os.path.join(os.environ["PYTHONPATH"], "examples"))
warnings.simplefilter("ignore")
import accelerated  # noqa: E402
import lightning_birds  # noqa: E402
import tiny_bert  # noqa: E402

import drolab  # noqa: E402
import drolab.torch  # noqa: E402
from drolab import _loop as loop  # noqa: E402

logging.disable()
torch.set_num_threads(1)
os.chdir(tempfile.mkdtemp())  # for the files of the libraries
EXAMPLES = {"lightning": lightning_birds, "transformers": tiny_bert, "accelerate": accelerated}
KEPT = []  # what the run was given: places and weights of each part, and then of the step


class Recorded(loop.Run):
    """A run that keeps what it is given."""

    def weights(self, losses, **given):
        w = super().weights(losses, **given)
        KEPT.append((given["index"].tolist(), w.tolist()))
        return w

    def step(self, lr=None, grad_norm=None, fresh=None, skipped=False):
        drawn = []

        def kept():
            found = fresh()
            drawn.extend(found["index"].tolist())
            return found

        super().step(lr, grad_norm, fresh and kept, skipped)
        KEPT.append((lr, drawn))


def by_hand(kind, method, kept, most, cast=contextlib.nullcontext):
    """Trains on the same batches in one process, without parts. Returns the largest difference.

    kept has what each rank was given.
    """
    x, y, g, losses_of, model, optimizer, clip = kind()
    far, steps = 0, 0
    with drolab.start("by-hand", method=method, rho=1, batch=most, samples=len(y), runs=RUNS,
                      epochs=3, class_counts=y.bincount().tolist(),
                      group_counts=g.bincount().tolist()) as run:
        parts = [[] for _ in kept]
        for told in zip(*kept):
            if isinstance(told[0][0], list):
                for mine, part in zip(parts, told):
                    mine.append(part)
                continue
            index = torch.tensor([i for mine in parts for places, _ in mine for i in places])
            theirs = torch.tensor([w for mine in parts for _, of in mine for w in of])
            parts = [[] for _ in kept]
            with cast():
                losses = losses_of(model, x, y, index)
            w = run.weights(losses, label=y[index], group=g[index], index=index)
            far, steps = max(far, float((w - theirs).abs().max())), steps + 1
            optimizer.zero_grad()
            (w * losses).mean().backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
            for group in optimizer.param_groups:
                group["lr"] = told[0][0]
            optimizer.step()

            def fresh():
                i = torch.tensor([i for _, drawn in told for i in drawn])
                with drolab.torch.probe(model), cast():
                    return losses_of(model, x, y, i), y[i], g[i], i

            run.step(lr=told[0][0], grad_norm=norm, fresh=fresh)
    return far, steps


def birds():
    x, y, g = lightning_birds.drawn(2000, 0.95, 1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
    return x, y, g, lambda m, x, y, i: F.cross_entropy(m(x[i]), y[i], reduction="none"), model, \
        torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), 1e9


def tokens():
    rows = tiny_bert.sentences(2000, 0.95, 1)
    x, y, g = (torch.tensor([r[k] for r in rows]) for k in ("input_ids", "labels", "group"))
    torch.manual_seed(0)
    config = tiny_bert.BertConfig(
        vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=8)
    model = tiny_bert.BertForSequenceClassification(config).train()
    return x, y, g, lambda m, x, y, i: F.cross_entropy(m(input_ids=x[i]).logits, y[i],
                                                       reduction="none"), model, \
        torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0), 1.0


def forked(size, work, ends=None):
    """Runs work() in as many processes of torchrun's environment. Returns what each printed."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    pipes, children = [], []
    for rank in range(size):
        hear, say = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank),
                                  LOCAL_RANK=str(rank), WORLD_SIZE=str(size),
                                  LOCAL_WORLD_SIZE=str(size), GROUP_RANK="0",
                                  TORCHELASTIC_RUN_ID="stacks", ACCELERATE_USE_CPU="true")
                if size == 1:
                    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID"):
                        del os.environ[name]
                text = io.BytesIO()
                with contextlib.redirect_stdout(sys.stderr):
                    torch.save(work(), text)
                with os.fdopen(say, "wb") as f:
                    f.write(text.getvalue())
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.close(say)
        pipes.append(hear)
        children.append(child)
    found = []
    for hear in pipes:
        with os.fdopen(hear, "rb") as f:
            found.append(f.read())
    statuses = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
    assert statuses == (ends or [0] * size), statuses
    return [torch.load(io.BytesIO(f)) for f in found if f]


def exact():
    """Computes in float64, without dropout."""
    torch.set_default_dtype(torch.float64)
    lightning_birds.drawn = accelerated.drawn = doubled(lightning_birds.drawn)
    config, model = tiny_bert.BertConfig, tiny_bert.BertForSequenceClassification
    tiny_bert.BertConfig = lambda **more: config(
        hidden_dropout_prob=0, attention_probs_dropout_prob=0, **more)
    tiny_bert.BertForSequenceClassification = lambda c: model(c).double()


def doubled(drawn):
    def of(*more):
        torch.set_default_dtype(torch.float32)
        x, y, g = drawn(*more)
        torch.set_default_dtype(torch.float64)
        return x.double(), y, g
    return of


def words(*more):
    return [*more, "--runs", RUNS]


def same():
    compared("lightning", "sfk", 1, 1, lambda: torch.autocast("cpu", torch.bfloat16),
             precision="bf16-mixed")
    exact()
    for case in (("lightning", "sfk", 1, 1), ("lightning", "sfk", 4, 2),
                 ("lightning", "group", 1, 2), ("transformers", "sfk", 4, 1),
                 ("transformers", "sfk", 1, 2), ("accelerate", "sfk", 4, 1),
                 ("accelerate", "tilted", 1, 2), ("lightning", "scent", 1, 1)):
        compared(*case)


def compared(name, method, accumulate, size, cast=contextlib.nullcontext, **more):
    def work():
        KEPT.clear()
        EXAMPLES[name].main(words("--method", method, "--epochs", "1", "--accumulate",
                                  str(accumulate)), **more)
        return KEPT

    loop.Run = Recorded
    kept = forked(size, work)
    loop.Run = drolab.Run
    most = size * sum(len(part[0]) for part in kept[0][:accumulate])
    far, steps = by_hand(tokens if name == "transformers" else birds, method, kept, most, cast)
    print(name, method, accumulate, size, steps, far, flush=True)
    assert far < 1e-6 and steps == -(-2000 // most), (name, method, far, steps, most)


def resumed():
    """Kills each example in its second epoch, or stops it, and goes on."""
    exact()
    for name in EXAMPLES:
        at, end, ids = [None, None], [None], []

        class Troubled(Recorded):
            def _begin(self, *more):
                super()._begin(*more)
                ids.append(self.id)

            def weights(self, losses, **given):
                if self.steps == at[0] and at[1] == "stop" and not given.get("more"):
                    if name == "lightning":
                        os.kill(os.getpid(), signal.SIGTERM)
                    elif self._talk is not None:
                        self._talk.stop()  # as drolab stop does
                if self.steps == at[0] and at[1] == "kill":
                    os.write(end[0], self.id.encode())
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().weights(losses, **given)

        loop.Run = Troubled

        def work(*more):
            KEPT.clear()
            EXAMPLES[name].main(words("--method", "sfk" if name != "accelerate" else "pgd",
                                      "--epochs", "2", *more))
            return KEPT, ids[-1]

        (whole, first), = forked(1, work)
        print("run", first, "done")
        steps = len(whole) // 2
        hear, end[0] = os.pipe()
        at[:] = steps * 3 // 4, "kill"
        forked(1, work, [-signal.SIGKILL])
        killed = os.read(hear, 1000).decode()
        at[:] = None, None
        (rest, run), = forked(1, lambda: work("--resume", killed))
        assert run == killed and rest == whole[-len(rest):] and len(rest) == steps, \
            (name, len(rest), len(whole))
        print("run", run, "done")
        at[:] = steps // 4, "stop"
        (half, stopped), = forked(1, work)
        assert half == whole[:len(half)] and len(half) < len(whole), (name, len(half))
        print("run", stopped, "stopped")
        at[:] = None, None
        (rest, run), = forked(1, lambda: work("--resume", stopped))
        # Within an epoch, only transformers finds its place in the data again.
        assert run == stopped and (name != "transformers" or rest == whole[-len(rest):]), name
        print("run", run, "done")
        # A run of two processes goes on in one, which takes two parts, and the reverse.
        for first, second in ((2, 1), (1, 2)):
            def of(size, *more):
                return forked(size, lambda: work("--accumulate", str(3 - size), *more))

            at[:] = 1, "stop"
            stopped = of(first)[0][1]
            at[:] = None, None
            for rest, run in of(second, "--resume", stopped):
                assert run == stopped and len(rest) > 10, (name, first, run)
            print("run", run, "done")


class Trouble(Exception):
    pass


def small_trainer(epochs, *, before=(), after=(), resume=None, fails_in=None, **more):
    """Trains on 64 samples by 8. Returns the Trainer, its run, and the state of the module."""
    torch.manual_seed(0)
    x, y, g = lightning_birds.drawn(64, 0.9, 1)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x, y, g, torch.arange(64)), 8)
    given = {} if resume else dict(method="pgd", rho=1, batch=8, epochs=epochs)
    cb = drolab.lightning.Run("small", drolab.Data(train=(y, g)), resume=resume, runs=RUNS,
                              fresh=loader, **given)
    trainer = lightning_birds.pl.Trainer(
        max_epochs=epochs, callbacks=[*before, cb, *after], accelerator="cpu", logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, **more)
    module = lightning_birds.Birds()

    def begins_epoch():
        if trainer.current_epoch == fails_in:
            raise Trouble

    module.on_train_epoch_start = begins_epoch
    with contextlib.suppress(Trouble):
        trainer.fit(module, loader, ckpt_path=cb.ckpt_path, weights_only=True)
    return trainer, cb.run, module.state_dict()


def limits():
    for limit, accumulate in ((1.0, 1), (1.0, 3), (5, 1), (5, 2), (5, 3), (0.5, 3)):
        trainer, run, _ = small_trainer(2, limit_train_batches=limit,
                                        accumulate_grad_batches=accumulate)
        of_epoch = 8 if limit == 1.0 else 4 if limit == 0.5 else limit
        expected = 2 * -(-of_epoch // accumulate)
        print("limits", limit, accumulate, run.id, trainer.global_step, run.steps)
        assert trainer.global_step == run.steps == expected, (limit, accumulate, expected)


def same_bits(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def tuned():
    class Finder(LearningRateFinder):
        """Finds a step size, and leaves that of the module."""

        def lr_find(self, trainer, module):
            self._update_attr = False
            super().lr_find(trainer, module)

    _, _, plain = small_trainer(2)
    finder = Finder(num_training_steps=5)
    trainer, run, found = small_trainer(2, before=[finder])
    assert len(finder.optimal_lr.results["lr"]) == 5
    assert trainer.global_step == run.steps == 16, run.steps
    assert same_bits(plain, found)
    print("tuned", run.id)


def averaged():
    def average():
        return EMAWeightAveraging(decay=0.9)

    ends = []
    for place in ("before", "after"):
        _, _, whole = small_trainer(3, **{place: [average()]})
        _, run, part = small_trainer(3, fails_in=1, **{place: [average()]})
        _, again, rest = small_trainer(3, resume=run.id, **{place: [average()]})
        assert again.id == run.id and run.steps == 8 and again.steps == 24, place
        assert not same_bits(part, whole), place
        assert same_bits(rest, whole), place
        print("averaged", place, run.id)
        ends.append(whole)
    assert same_bits(*ends)
    assert not same_bits(ends[0], small_trainer(3)[2])


def groups():
    for method in ("erm", "group", "sfk"):
        def work():
            return [tiny_bert.main(words("--method", method), seed) for seed in range(4)]

        for run in forked(1, work)[0]:
            print(method, run)


def refused(text, work):
    """Calls work() in a process of its own, which must be refused in a line with this text."""
    def one():
        try:
            work()
        except (drolab.UsageError, drolab.RunStopped) as e:
            return str(e)
        return "nothing was refused"

    line, = forked(1, one)
    assert text in line and "\n" not in line, (text, line)
    print(line)


def wrong():
    def birds(accumulate=1, method="pgd", **changed):
        def work():
            for name, value in changed.items():
                setattr(lightning_birds.Birds, name, value)
            lightning_birds.main(words("--method", method, "--epochs", "1", "--accumulate",
                                       str(accumulate)))
        return work

    robust = tiny_bert.RobustTrainer

    def bert(method="erm", accumulate=1, **changed):
        def work():
            for name, value in changed.items():
                setattr(tiny_bert if hasattr(tiny_bert, name) else robust, name, value)
            tiny_bert.main(words("--method", method, "--epochs", "1", "--accumulate",
                                 str(accumulate)))
        return work

    def loop_of(*calls, **more):
        def work():
            given = dict(dict(method="erm", samples=8, batch=8), **more)
            with drolab.start("wrong", runs=RUNS, class_counts=[4, 4], **given) as run:
                for call in calls:
                    call(run)
        return work

    losses, label = torch.ones(4), torch.tensor([0, 0, 1, 1])
    refused("the form tilted needs all losses", birds(4, "tilted"))
    refused("the form groups needs all losses", birds(4, "group"))
    refused("this run needs all losses", birds(4, "batch"))
    refused("evals: expected a method that does not fit the last layer again", birds(
        method="evals"))
    refused("keep your own loop", birds(automatic_optimization=False))
    refused("self.drolab.loss(losses", birds(
        training_step=lambda self, batch, k: self.model(batch[0]).sum()))
    refused("reduction=", birds(training_step=lambda self, batch, k: self.drolab.loss(
        F.cross_entropy(self.model(batch[0]), batch[1]), label=batch[1])))
    refused("run.step(fresh=draw)", no_draw)
    refused("the form groups needs all losses", bert("group", 4))
    refused("and not the loss of each sample", bert(
        losses=lambda self, logits, labels: F.cross_entropy(logits, labels)))
    refused("give what drolab.start returns", lambda: tiny_bert.RobustTrainer(None, None, run=3))
    refused("needs tensors", loop_of(lambda r: r.weights(losses.numpy(), label=label, more=True)))
    refused("with weights=device", loop_of(
        lambda r: r.weights(losses, label=label, more=True), weights="host"))
    refused("before the last part of its batch", loop_of(
        lambda r: r.weights(losses, label=label, more=True), lambda r: r.step()))
    refused("give label, group and index with all", loop_of(
        lambda r: r.weights(losses, label=label, more=True), lambda r: r.weights(losses)))
    refused("between run.weights and run.step", loop_of(
        lambda r: r.weights(losses, label=label, more=True),
        lambda r: r.checkpoint().__enter__()))
    refused("override losses(logits, labels)", bert(
        RobustTrainer=lambda *of, **more: robust(*of, compute_loss_func=len, **more)))
    refused("give the data set a column labels", bert(
        RobustTrainer=lambda *of, **more: robust(*of, data_collator=lambda rows: {
            "input_ids": torch.tensor([r["input_ids"] for r in rows])}, **more)))
    refused("trainer.fit(..., ckpt_path=callback.ckpt_path)", birds(
        setup=lambda self, stage: setattr(self.drolab, "ckpt_path", "lightning.ckpt")))
    refused("find it before drolab.lightning.Run", lambda: small_trainer(
        1, after=[UncheckedFinder()]))
    refused("cannot be sent to other processes", birds(
        setup=lambda self, stage: pickle.dumps(self.drolab)))
    refused("give [n, classes], and label", loop_of(
        lambda r: r.evaluate("train", losses=losses, label=label, probability=losses)))
    refused("start the script with torchrun", lambda: (
        os.environ.update(WORLD_SIZE="2"), lightning_birds.main(words())))


class UncheckedFinder(BatchSizeFinder):
    """A finder without Lightning's own check, that the module has the loaders."""

    def setup(self, trainer, pl_module, stage=None):
        pass


def no_draw():
    run = lightning_birds.drolab.lightning.Run

    class Undrawn(run):
        def __init__(self, name, data, fresh, **more):
            super().__init__(name, data, **more)

    lightning_birds.drolab.lightning.Run = Undrawn
    lightning_birds.main(words("--method", "sfk", "--epochs", "1"))


{"same": same, "resumed": resumed, "groups": groups, "wrong": wrong,
 "limits": limits, "tuned": tuned, "averaged": averaged}[WHAT]()
