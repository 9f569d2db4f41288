"""Prints as JSON the weights to which PyTorch's AdamW comes by given gradients, and the learning rates of its schedules.

Its argument is a file with the weights, the gradients of each step, and the settings."""
import json
import sys

import torch
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

torch.set_num_threads(1)
given = json.load(open(sys.argv[1]))


def weights(clip):
    x = torch.nn.Parameter(torch.tensor(given["weights"], dtype=torch.float32))
    adam = AdamW([x], lr=given["lr"], betas=(given["beta1"], given["beta2"]), eps=given["eps"],
                 weight_decay=given["decay"])
    for g in given["gradients"]:
        x.grad = torch.tensor(g, dtype=torch.float32)
        if clip:
            torch.nn.utils.clip_grad_norm_([x], clip)
        adam.step()
    return x.tolist()


def rates(schedule):
    """The learning rates of 20 steps, of which the first 5 warm up."""
    o = SGD([torch.nn.Parameter(torch.zeros(1))], lr=given["lr"])
    warm = LinearLR(o, start_factor=1 / 5, total_iters=4)
    s = SequentialLR(o, [warm, schedule(o)], milestones=[5])
    list = []
    for _ in range(20):
        list.append(o.param_groups[0]["lr"])
        o.step()
        s.step()
    return list


print(json.dumps({
    "weights": [weights(clip) for clip in given["clips"]],
    "cosine": rates(lambda o: CosineAnnealingLR(o, T_max=15)),
    "linear": rates(lambda o: LinearLR(o, start_factor=1, end_factor=0, total_iters=15)),
}))
