"""A loop with accelerate that takes its weights from drolab: see docs/stacks.md.

python accelerated.py [--method sfk] [--accumulate 4] [--resume RUN]
accelerate launch --cpu --num_processes 2 accelerated.py
"""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from own_loop import drawn, parsed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import drolab
import drolab.torch


def main(words=None):
    chosen = parsed(words, method="pgd", epochs=5, accumulate=1)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=chosen.accumulate)
    x, y, g = drawn(2000, 0.95, 1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9),
        DataLoader(TensorDataset(x, y, g, torch.arange(len(x))), 50, shuffle=True))
    batch = 50 * chosen.accumulate * accelerator.num_processes
    given = {} if chosen.resume else dict(method=chosen.method, rho=1, batch=batch,
                                          epochs=chosen.epochs)
    with drolab.start("accelerated", drolab.Data(train=(y, g)), runs=chosen.runs,
                      resume=chosen.resume, **given) as run:
        if run.saved:
            accelerator.load_state(run.saved)

        def draw():
            """Returns an independent batch at the new network, for methods that ask for it."""
            i = torch.randint(len(x), (batch,))  # all processes draw the same numbers
            i = i[accelerator.process_index::accelerator.num_processes]
            with drolab.torch.probe(model):
                losses = F.cross_entropy(model(x[i]), y[i], reduction="none")
            return dict(losses=losses, label=y[i], group=g[i], index=i)

        for epoch in range(run.epoch, chosen.epochs):
            for bx, by, bg, bi in loader:
                with accelerator.accumulate(model):
                    losses = F.cross_entropy(model(bx), by, reduction="none")
                    weights = run.weights(losses, label=by, group=bg, index=bi,
                                          more=not accelerator.sync_gradients)
                    accelerator.backward((weights * losses).mean())
                    optimizer.step()
                    optimizer.zero_grad()
                if accelerator.sync_gradients:
                    run.step(lr=optimizer.param_groups[0]["lr"], fresh=draw,
                             skipped=accelerator.optimizer_step_was_skipped)
                    if run.stopping:
                        break
            if not run.stopping:
                run.end_epoch()
            with run.checkpoint() as folder:
                accelerator.save_state(folder)
            if run.stopping:
                break
    return run.id


if __name__ == "__main__":
    main()
