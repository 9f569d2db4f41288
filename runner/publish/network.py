"""The network of a run of drolab, for PyTorch: `import` this file, or run it on a table:

    python FILE.py TABLE.csv > predictions.csv

Network() has the trained weights and is in evaluation mode. It takes samples [N, channels, rows, columns]:
of pictures, pixels in [0, 1] (normalisation is part of it); of tables, what encode() gives.
"""
import base64
import csv
import json
import sys
import zlib

import numpy
import torch
from torch import nn

#:FACTS
CLASSES = FACTS["classes"]


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        #:LAYERS
        self.load_state_dict(tensors())
        self.eval()

    def forward(self, x):
        if FACTS["mean"]:
            mean, std = (torch.tensor(FACTS[k]).reshape(1, -1, 1, 1) for k in ("mean", "std"))
            x = (x - mean) / std
        #:FORWARD


def tensors():
    """The weights, by name; batch normalisation counts no batches."""
    values = numpy.frombuffer(zlib.decompress(base64.b64decode(WEIGHTS)), "<f4")
    state, at = {}, 0
    for name, shape in TENSORS:
        n = int(numpy.prod(shape))
        state[name] = torch.from_numpy(values[at:at + n].reshape(shape).copy())
        at += n
        if name.endswith("running_var"):
            state[name.replace("running_var", "num_batches_tracked")] = torch.tensor(0)
    return state


def missing(cell):
    return cell.strip().lower() in ("", "?", "na", "n/a", "nan", "null", "none", "-")


def encode(rows):
    """The features of rows of a table, each a dict from columns' names to text: as in training."""
    out = []
    for row in rows:
        x = []
        for c in FACTS["columns"]:
            cell = row[c["name"]].strip()
            if "categories" in c:
                x += [float(v == ("" if missing(cell) else cell)) for v in c["categories"]]
                continue
            x.append(0.0 if missing(cell) else (float(cell) - c.get("mean", 0)) / c.get("std", 1))
            if c.get("flagged"):
                x.append(float(missing(cell)))
        out.append(x)
    return torch.tensor(numpy.array(out, "f4")).reshape(-1, *FACTS["shape"])


def probabilities(x):
    with torch.no_grad():
        return torch.softmax(Network()(x), 1)


#:WEIGHTS

if __name__ == "__main__":
    with open(sys.argv[1], newline="") as f:
        p = probabilities(encode(list(csv.DictReader(f, skipinitialspace=True))))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["row", "prediction"] + ["p_" + c for c in CLASSES])
    for i, q in enumerate(p.tolist()):
        out.writerow([i, CLASSES[q.index(max(q))]] + q)
