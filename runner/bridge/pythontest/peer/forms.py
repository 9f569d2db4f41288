"""Samples as others give them: forms.py FORM [workers=N]

wilds    (x, y, metadata), with a grouper
subpop   (i, x, y, a), as in SubpopBench
hugging  dictionaries of tokens and labels, as in Hugging Face, for a network with forward(**x)
fields   dictionaries with keys of their own
plain    (x, y, group), with the same numbers
"""

import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

import drolab.torch
from drolab import _network

FORM = sys.argv[1]


class Data(Dataset):
    def __init__(self, n):
        draw = torch.Generator().manual_seed(n)
        self.tokens = torch.randint(16, (n, 5), generator=draw)
        self.label = self.tokens[:, 0] % 2
        self.place = self.tokens[:, 1] % 3
        self.reads = 0

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        if isinstance(i, int):
            self.reads += 1
        y, a = self.label[i], self.place[i]
        if FORM == "wilds":
            return self.tokens[i], y, torch.stack([a, y, torch.tensor(7)])
        if FORM == "subpop":
            return i, self.tokens[i], int(y), int(a)
        if FORM == "hugging":
            return self.row(i)
        if FORM == "fields":
            return {"in": self.tokens[i], "kind": np.int64(y), "cell": int(3 * y + a)}
        return self.tokens[i], y, 3 * y + a


class Wilds(Data):
    @property
    def y_array(self):
        return self.label

    @property
    def metadata_array(self):
        return torch.stack([self.place, self.label, torch.full_like(self.label, 7)], 1)


class Subpop(Data):
    def __init__(self, n):
        super().__init__(n)
        self.idx = list(range(n))
        self.x, self.y, self.a = self.tokens, self.label.tolist(), self.place.tolist()


class Hugging(Data):
    column_names = ["input_ids", "attention_mask", "labels", "group", "idx", "sentence"]

    def row(self, i):
        return {"input_ids": self.tokens[i].tolist(), "attention_mask": [1] * 5,
                "labels": int(self.label[i]), "group": int(3 * self.label[i] + self.place[i]),
                "idx": i, "sentence": "a sentence"}

    def __getitem__(self, i):
        if isinstance(i, str):
            return [self.row(k)[i] for k in range(len(self))]
        return super().__getitem__(i)


class Grouper:
    n_groups = 6

    def metadata_to_group(self, metadata):
        return 3 * metadata[:, 1] + metadata[:, 0]

    def group_str(self, group):
        return f"y = {group // 3}, place = {group % 3}"


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(16, 8), nn.Linear(8, 2)

    def forward(self, input_ids, attention_mask=None):
        out = self.out(self.embedding(input_ids).mean(1))
        if attention_mask is None:
            return out
        assert attention_mask.shape == input_ids.shape
        return type("Output", (), {"logits": out})


class Job(drolab.torch.Job):
    def setup(self, settings):
        torch.manual_seed(1)
        self.num_workers = settings.get("workers", 0)
        self.model = Network()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=settings["lr"])
        if FORM == "wilds":
            self.grouper = Grouper()
        if FORM == "fields":
            self.fields = {"x": "in", "y": "kind", "group": "cell"}
        kind = {"wilds": Wilds, "subpop": Subpop, "hugging": Hugging}.get(FORM, Data)
        self.sets = {"train": kind(60), "val": kind(30), "test": kind(40)}
        return self.sets

    def _hold(self):
        return Counted(self)


class Counted(_network.Network):
    def begin(self):
        found = super().begin()
        print("reads", sum(d.reads for d in self.job.sets.values()))
        return found


drolab.torch.main(Job)
