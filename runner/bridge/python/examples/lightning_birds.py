"""A Lightning module that drolab trains: see docs/stacks.md.

python lightning_birds.py [--method group] [--accumulate 4] [--resume RUN], or by torchrun
"""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from own_loop import drawn, parsed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import drolab.lightning
from drolab.lightning import Run


class Birds(pl.LightningModule):
    drolab: Run  # the callback, which sets it

    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))

    def training_step(self, batch, k):
        x, y, g, i = batch
        losses = F.cross_entropy(self.model(x), y, reduction="none")
        return self.drolab.loss(losses, label=y, group=g, index=i)

    def validation_step(self, batch, k):
        x, y, g, i = batch
        out = self.model(x)
        self.drolab.evaluated("test", losses=F.cross_entropy(out, y, reduction="none"), label=y,
                              group=g, index=i, probability=out.softmax(1))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


def main(words=None, **more):
    chosen = parsed(words, method="pgd", epochs=5, accumulate=1)
    pl.seed_everything(0, verbose=False)
    sets = {k: TensorDataset(*drawn(*of), torch.arange(of[0])) for k, of in
            {"train": (2000, 0.95, 1), "test": (1000, 0.5, 2)}.items()}
    train, test = DataLoader(sets["train"], 50, shuffle=True), DataLoader(sets["test"], 50)
    devices = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    given = {} if chosen.resume else dict(method=chosen.method, rho=1, epochs=chosen.epochs,
                                          batch=50 * chosen.accumulate * devices)
    cb = drolab.lightning.Run(
        "birds", drolab.Data(train=sets["train"], test=sets["test"]), fresh=train,
        resume=chosen.resume, runs=chosen.runs, packages=["torch", "lightning"], **given)
    trainer = pl.Trainer(max_epochs=chosen.epochs, accumulate_grad_batches=chosen.accumulate,
                         callbacks=[cb], devices=devices, accelerator="cpu", logger=False,
                         enable_checkpointing=False, enable_progress_bar=False, **more)
    trainer.fit(Birds(), train, test, ckpt_path=cb.ckpt_path, weights_only=True)
    return cb.run.id


if __name__ == "__main__":
    main()
