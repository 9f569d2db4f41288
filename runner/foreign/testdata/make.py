"""Writes the logs of this folder, and expected.json beside them: the numbers of each log as the
library that writes or reads that kind of log has them, and times.json, the seconds of each step.

It needs lightning, tensorboard, torch, transformers and wandb. The log of DomainBed is made by name
only. DOMAINBED is the folder of a checkout of it. Its data set Debug28 uses neither wilds nor timm,
so these may be empty modules on PYTHONPATH.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
expected = {}


def plain(x):
    if isinstance(x, float) and not math.isfinite(x):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(x, "NaN")
    return x


def lightning():
    from lightning.pytorch.loggers import CSVLogger

    shutil.rmtree(f"{here}/lightning", ignore_errors=True)
    log = CSVLogger(here, name="", version="lightning", flush_logs_every_n_steps=3)
    log.log_hyperparams({"lr": 0.1, "batch_size": 8, "seed": 7, "optimizer": "sgd"})
    want = {}
    for step in range(12):
        values = {"train_loss": 1 / (step + 1), "epoch": step // 4}
        if step % 4 == 3:
            values = values | {"val_acc": step / 12, "val_loss": math.nan if step == 7 else 1.5}
        log.log_metrics(values, step)
        for name, x in values.items():
            if name != "epoch":
                want.setdefault(name, []).append([step, plain(x)])
    log.finalize("success")
    expected["lightning"] = want


def tensorboard():
    import tensorboard.compat.proto.summary_pb2 as summary
    import tensorboard.compat.proto.tensor_pb2 as tensor
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util
    from torch.utils.tensorboard import SummaryWriter

    folder = f"{here}/tensorboard"
    shutil.rmtree(folder, ignore_errors=True)
    first = SummaryWriter(folder, filename_suffix=".a")
    for step in range(8):
        first.add_scalar("train/loss", 1 / (step + 1), step)
        if step < 5:  # this reader takes back no tensors
            first.add_scalar("new style", step / 3, step, new_style=True)
    first.add_histogram("weights", tensor_of(), 1)
    first.add_text("note", "no scalar", 1)
    first.close()
    again = SummaryWriter(folder, filename_suffix=".b", purge_step=5)
    for step in range(5, 10):
        again.add_scalar("train/loss", 2 / (step + 1), step)
    again.close()
    for i, name in enumerate(sorted(os.listdir(folder))):
        os.rename(f"{folder}/{name}", f"{folder}/events.out.tfevents.{i}")
    reader = EventAccumulator(folder, size_guidance={"scalars": 0, "tensors": 0})
    reader.Reload()
    want = {t: [[e.step, plain(e.value)] for e in reader.Scalars(t)]
            for t in reader.Tags()["scalars"]}
    for t in reader.Tags()["tensors"]:
        if reader.summary_metadata[t].plugin_data.plugin_name == "scalars":
            want[t] = [[e.step, tensor_util.make_ndarray(e.tensor_proto).item()]
                       for e in reader.Tensors(t)]
    expected["tensorboard"] = want


def tensor_of():
    import torch

    return torch.arange(10.0)


def trainer():
    import torch
    from transformers import Trainer, TrainingArguments

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

        def forward(self, x, labels=None):
            y = self.layer(x)
            return {"loss": torch.nn.functional.cross_entropy(y, labels), "logits": y}

    torch.manual_seed(0)
    data = [{"x": torch.randn(2), "labels": i % 2} for i in range(16)]
    work = f"{here}/work"
    arguments = TrainingArguments(work, num_train_epochs=2, per_device_train_batch_size=4,
                                  logging_steps=2, eval_strategy="epoch", save_strategy="no",
                                  report_to=[], use_cpu=True, seed=3)
    t = Trainer(Net(), arguments, train_dataset=data, eval_dataset=data)
    t.train()
    os.makedirs(f"{here}/trainer", exist_ok=True)
    t.state.save_to_json(f"{here}/trainer/trainer_state.json")
    shutil.rmtree(work, ignore_errors=True)
    want = {}
    for entry in t.state.log_history:
        for name, x in entry.items():
            if name not in ("step", "epoch"):
                want.setdefault(name, []).append([entry["step"], plain(float(x))])
    expected["trainer"] = want


def wandb():
    os.environ["WANDB_SILENT"] = "true"
    import wandb

    work = f"{here}/work"
    os.makedirs(work, exist_ok=True)
    run = wandb.init(mode="offline", project="fixture", name="first", dir=work,
                     config={"lr": 0.5, "seed": 4, "epochs": 3, "model": {"width": 8}},
                     settings=wandb.Settings(disable_git=True, console="off",
                                             x_disable_stats=True, x_disable_meta=True))
    want = {}
    for step in range(20):
        values = {"loss": 1 / (step + 1), "nested": {"acc": step / 20},
                  "strange": math.nan if step == 3 else math.inf if step == 4 else -1.0,
                  "text": "no number"}
        if step == 9:
            values["long"] = 1.0
            values["padding"] = "x" * 40_000  # a record of several blocks
        run.log(values)
        for name in ("loss", "strange"):
            want.setdefault(name, []).append([step, plain(values[name])])
        want.setdefault("nested.acc", []).append([step, values["nested"]["acc"]])
        if step == 9:
            want["long"] = [[step, 1.0]]
    run.summary["best"] = 0.75
    want["best"] = [[19, 0.75]]
    path = run.dir
    run.finish()
    wandb.teardown()
    folder = os.path.dirname(path)
    os.makedirs(f"{here}/wandb", exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".wandb"):
            shutil.copy(f"{folder}/{name}", f"{here}/wandb/run-first.wandb")
    shutil.rmtree(work, ignore_errors=True)
    expected["wandb"] = want


def domainbed():
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, "-m", "domainbed.scripts.train", "--data_dir", "none",
                        "--dataset", "Debug28", "--algorithm", "GroupDRO", "--seed", "1",
                        "--steps", "40", "--checkpoint_freq", "10", "--hparams",
                        '{"batch_size": 8}', "--output_dir", work, "--skip_model_save"],
                       cwd=os.environ["DOMAINBED"], check=True)
        os.makedirs(f"{here}/domainbed", exist_ok=True)
        log = open(f"{work}/results.jsonl").read().replace(work, "out")
    with open(f"{here}/domainbed/results.jsonl", "w") as to:
        to.write(log)
    want = {}
    for line in open(f"{here}/domainbed/results.jsonl"):
        entry = json.loads(line)
        for name, x in entry.items():
            if isinstance(x, float) and name != "epoch":
                want.setdefault(name, []).append([entry["step"], plain(x)])
    expected["domainbed"] = want


def rotated():
    """Writes JSON lines through logging, which rotates them. Python's own library is enough."""
    import logging
    from logging.handlers import RotatingFileHandler

    folder = f"{here}/rotated"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    to = RotatingFileHandler(f"{folder}/metrics.jsonl", maxBytes=400, backupCount=99)
    log = logging.Logger("metrics")
    log.addHandler(to)
    for step in range(90):
        log.info(json.dumps({"step": step, "loss": 1 / (step + 1)}))
        if step % 4 == 3:
            log.info(json.dumps({"step": step, "val_accuracy": step / 90}))
    to.close()


def times():
    """Reads the seconds of each step from the logs that are here."""
    path = f"{here}/times.json"
    want = json.load(open(path)) if os.path.exists(path) else {}
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        reader = EventAccumulator(f"{here}/tensorboard", size_guidance={"scalars": 0, "tensors": 0})
        reader.Reload()
        tags = reader.Tags()
        events = [e for t in tags["scalars"] for e in reader.Scalars(t)]
        events += [e for t in tags["tensors"] for e in reader.Tensors(t)
                   if reader.summary_metadata[t].plugin_data.plugin_name == "scalars"]
        start = min(e.wall_time for e in events)
        last = {}
        for e in events:
            last[e.step] = max(last.get(e.step, 0), e.wall_time - start)
        want["tensorboard"] = sorted(last.items())
    except ImportError:
        pass
    try:
        from wandb.proto import wandb_internal_pb2
        from wandb.sdk.internal.datastore import DataStore  # wandb 0.19 or before
        store, rows = DataStore(), []
        store.open_for_scan(f"{here}/wandb/run-first.wandb")
        while (data := store.scan_data()) is not None:
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            items = {i.key or ".".join(i.nested_key): json.loads(i.value_json)
                     for i in record.history.item}
            if items:
                rows.append([items["_step"], items["_runtime"]])
        want["wandb"] = rows
    except ImportError:
        pass
    json.dump(want, open(path, "w"), indent=1, sort_keys=True)


for one in sys.argv[1:] or ["lightning", "tensorboard", "trainer", "wandb", "rotated", "times"]:
    if os.path.exists(f"{here}/expected.json"):
        expected.update(json.load(open(f"{here}/expected.json")))
    globals()[one]()
    json.dump(expected, open(f"{here}/expected.json", "w"), indent=1, sort_keys=True)
