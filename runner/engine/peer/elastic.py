"""Processes that torch.distributed's elastic agent starts again: elastic.py RUNS HOW FAULT

HOW is auto or new: whether a restart continues the run. FAULT is what happens in the second epoch:
rank 0 or rank 1 is killed or raises an error. Prints the name of each run that rank 0 had, whether
it began from a checkpoint, and the last parameter.
"""

import contextlib
import logging
import os
import signal
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import drolab

RUNS, HOW, FAULT = sys.argv[1:4]
N, BATCH, EPOCHS = 32, 8, 3
torch.set_num_threads(1)
# A store that all starts share has the addresses of processes that are gone.
os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
logging.disable()  # PyTorch's words on a fault


def fail(rank):
    """Fails in the first of all starts, in the way that FAULT says."""
    how, of = FAULT.split("-")
    if os.environ["TORCHELASTIC_RESTART_COUNT"] != "0" or rank != int(of):
        return
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise ValueError("no such sample")


def work(told):
    """Trains one number in two processes."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    x = torch.linspace(0, 2, N, dtype=torch.float64)
    w = torch.zeros((), dtype=torch.float64, requires_grad=True)
    with drolab.start("elastic", drolab.Data(train=N), method="sfk", rho=1, batch=BATCH,
                      epochs=EPOCHS, runs=RUNS, resume="auto" if HOW == "auto" else None) as run:
        if run.saved:
            with torch.no_grad():
                w.copy_(torch.load(os.path.join(run.saved, "w.pt")))
        if rank == 0:
            with open(told, "a") as f:
                print("run", run.id, run.saved is not None, file=f)

        def draw():
            return (w.detach() - x[torch.arange(run.steps, run.steps + 4) % N]).square()

        for epoch in range(run.epoch, EPOCHS):
            for k, i in enumerate(torch.arange(N).split(BATCH)):
                losses = (w - x[i[rank::2]]).square()
                (run.weights(losses, index=i[rank::2]) * losses).mean().backward()
                dist.all_reduce(w.grad)
                with torch.no_grad():
                    w -= 0.1 * w.grad / 2
                w.grad = None
                run.step(lr=0.1, fresh=draw)
                if epoch == 1 and k == 1:
                    fail(rank)
            run.end_epoch()
            with run.checkpoint() as folder:
                torch.save(w.detach(), os.path.join(folder, "w.pt"))
    if rank == 0:
        with open(told, "a") as f:
            print("end", w.item().hex(), file=f)
    dist.destroy_process_group()


with tempfile.TemporaryDirectory() as folder:
    agreed = LaunchConfig(
        min_nodes=1, max_nodes=1, nproc_per_node=2, max_restarts=1, monitor_interval=0.1,
        rdzv_backend="c10d", rdzv_endpoint="127.0.0.1:0", start_method="fork", run_id="elastic")
    path = os.path.join(folder, "told")
    with contextlib.redirect_stdout(sys.stderr):
        try:
            elastic_launch(agreed, work)(path)
        except ChildFailedError as e:
            print(e, file=sys.stderr)
            raise SystemExit(1) from None
    with open(path) as lines:
        print(lines.read(), end="")
