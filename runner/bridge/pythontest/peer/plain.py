"""The training that the tests run with job.py, in plain PyTorch: plain.py OUT LR FOLDER."""

import json
import sys

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, sys.argv[3])
from job import Noisy, network  # noqa: E402

out, lr = {"losses": [], "norms": [], "probe": []}, float(sys.argv[2])
torch.manual_seed(7)
model = network(0.0)
optimizer = torch.optim.SGD([
    {"params": model[0].parameters(), "lr": lr},
    {"params": model[4].parameters(), "lr": 3 * lr}], momentum=0.9)
train, test = Noisy(300, False), Noisy(100, False)
learned = [p for g in optimizer.param_groups for p in g["params"]]
for step in range(20):
    i = torch.arange(32) * (step + 3) % 300
    w = torch.arange(32) / 16
    losses = F.cross_entropy(model(train.x[i]), train.y[i], reduction="none")
    for p in learned:
        p.grad = None
    (w * losses).mean().backward()
    out["losses"] += losses.tolist()
    out["norms"].append(float(torch.nn.utils.clip_grad_norm_(learned, 0.5)))
    optimizer.step()
    with torch.no_grad():
        kept = {k: v.clone() for k, v in model.state_dict().items()}
        out["probe"] += F.cross_entropy(model(train.x[i]), train.y[i], reduction="none").tolist()
        model.load_state_dict(kept)
model.eval()
with torch.no_grad():
    out["probabilities"] = model(test.x).softmax(1).double().ravel().tolist()
w = torch.arange(100) / 50
losses = F.cross_entropy(model(test.x), test.y, reduction="none")
for p in learned:
    p.grad = None
(w * losses).mean().backward()
out["norm"] = float(np.sqrt(sum(float(p.grad.double().square().sum()) for p in learned)))
with open(sys.argv[1], "w") as f:
    json.dump(out, f)
