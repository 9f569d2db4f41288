"""A PyTorch script that trains, is killed in another process, and resumes: torch_script.py RUNS."""

import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

import drolab
import drolab.torch

runs = sys.argv[1]
torch.set_num_threads(1)
made = torch.Generator().manual_seed(1)
x = torch.randn(120, 6, generator=made)
y = (x[:, 0] > 0).long()
g = (x[:, 1] > 0.8).long()
counts = {"class_counts": torch.bincount(y), "group_counts": torch.bincount(g)}

# A layer that the script keeps in evaluation mode stays in that mode during a probe and after it.
frozen = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5))
frozen[1].eval(), frozen[2].eval()
for on in (True, False):
    frozen.training = on
    with drolab.torch.probe(frozen):
        assert torch.equal(frozen(x), frozen[1](frozen[0](x))) == on
    assert [m.training for m in frozen.modules()] == [on, True, False, False]

# Running statistics stay in a probe, those of InstanceNorm, too.
for norm in (nn.BatchNorm1d(3), nn.InstanceNorm1d(3, track_running_stats=True)):
    before = {k: v.clone() for k, v in norm.state_dict().items()}
    z = torch.randn(4, 3, 5) + 2
    with drolab.torch.probe(norm):
        probed = norm(z)
    assert all(torch.equal(v, before[k]) for k, v in norm.state_dict().items())
    assert torch.equal(probed, norm(z))
    assert not torch.equal(norm.running_mean, before["running_mean"])


def train(stop, resume=None):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1),
                          nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    with drolab.start("torch", method="sfk", runs=runs, samples=len(x), batch=30, epochs=3,
                      log_every=1,
                      lr=0.05, resume=resume,
                      packages=["torch"], **counts) as run:
        if run.saved:
            kept = torch.load(os.path.join(run.saved, "all.pt"), weights_only=True)
            model.load_state_dict(kept["model"])
            optimizer.load_state_dict(kept["optimizer"])
            torch.set_rng_state(kept["random"])
        print(run.id, flush=True)
        while run.steps < 12:
            if run.steps % 4 == 0:
                order = torch.randperm(len(x))
            i = order[run.steps % 4 * 30:][:30]
            loss = F.cross_entropy(model(x[i]), y[i], reduction="none")
            w = run.weights(loss, label=y[i], group=g[i], index=i)
            assert w.device == loss.device and w.dtype == loss.dtype and not w.requires_grad
            optimizer.zero_grad()
            (w * loss).mean().backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5)
            for group in optimizer.param_groups:
                group["lr"] = run.lr
            optimizer.step()

            def draw():
                before = {k: v.clone() for k, v in model.state_dict().items()}
                j = torch.randint(len(x), (30,))
                with drolab.torch.probe(model):
                    drawn = F.cross_entropy(model(x[j]), y[j], reduction="none")
                assert not drawn.requires_grad and model.training
                assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
                return drawn, y[j], g[j], j

            run.step(grad_norm=norm, fresh=draw)
            if run.steps % 4 == 0:
                model.eval()
                with torch.no_grad():
                    out = model(x)
                model.train()
                loss = F.cross_entropy(out, y, reduction="none")
                run.evaluate("test", losses=loss, label=y, group=g, probability=out.softmax(1))
                run.end_epoch(loss, label=y, group=g, index=torch.arange(len(x)),
                              correct=out.argmax(1) == y)
                with run.checkpoint() as folder:
                    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                                "random": torch.get_rng_state()}, os.path.join(folder, "all.pt"))
            if run.steps == stop:
                os._exit(9)
    return run.id


train(0)
said, says = os.pipe()
child = os.fork()
if child == 0:
    os.dup2(says, 1)
    train(10)
os.close(says)
os.waitpid(child, 0)
cut = os.read(said, 1000).decode().strip()
for _ in range(600):  # the drolab process of the killed script takes a moment to end
    try:
        train(0, cut)
        break
    except drolab.RunStopped as e:
        assert "elsewhere" in str(e), e
        time.sleep(0.1)

sys.path.insert(0, os.path.join(os.path.dirname(drolab.__file__), "..", "examples"))
import own_loop  # noqa: E402

print(own_loop.main(["--epochs", "2", "--method", "group", "--runs", runs]))
