"""The network of a run of drolab, for PyTorch: `import` this file, or run it on a table:

    python FILE.py TABLE.csv > predictions.csv

Network() has the trained weights and is in evaluation mode. It takes samples [N, channels, rows, columns]:
of pictures, pixels in [0, 1] (normalisation is part of it); of tables, what encode() gives.
"""
import base64
import csv
import gzip
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
                cell, known = "" if missing(cell) else cell, c["categories"]
                if c.get("rest") and cell not in known:
                    cell = known[-1]
                x += [float(v == cell) for v in known]
                continue
            x.append(0.0 if missing(cell) else (float(cell) - c.get("mean", 0)) / c.get("std", 1))
            if c.get("flagged"):
                x.append(float(missing(cell)))
        out.append(x)
    return torch.tensor(numpy.array(out, "f4")).reshape(-1, *FACTS["shape"])


def read(path):
    """The rows of a table, each a dict from columns' names to text: as drolab reads it."""
    asked = FACTS["options"] or {}
    words = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}
    plain = path[:-3] if path.endswith(".gz") else path
    sep = asked.get("sep", "tab" if plain.endswith(".tsv") else "comma")
    sep = words.get(sep, sep)
    bare = asked.get("header") == "none"
    encoding = {"latin1": "latin1", "cp1252": "cp1252", "utf16": "utf-16"}.get(asked.get("encoding"), "utf-8-sig")
    with (gzip.open if plain != path else open)(path, "rt", newline="", encoding=encoding) as f:
        lines = f if bare or sep == "#" else uncommented(f)
        cells = list(csv.reader(lines, delimiter=sep, skipinitialspace=sep not in "\t "))
    cells = [[c.strip() for c in line] for line in cells if len(line) > 1 or "".join(line).strip()]
    if not bare:
        names = unique(cells[0])
        return [dict(zip(names, line)) for line in cells[1:]]
    if len(cells[0]) == 1 and cells[0][0].startswith("|"):
        cells = cells[1:]
    rows = [dict(("c%d" % (i + 1), c) for i, c in enumerate(line)) for line in cells]
    return rows[1:] if names_columns(rows[0]) else rows


def uncommented(lines):
    """The lines from the header on: before it, a number sign begins a comment."""
    head = True
    for line in lines:
        if head and (line.startswith("#") or not line.strip()):
            continue
        head = False
        yield line


def unique(header):
    """The names of a header, made different from one another."""
    names = [name or "c%d" % (i + 1) for i, name in enumerate(header)]
    taken, seen, copies = set(header), set(), {}
    for i, base in enumerate(names):
        name = base
        while name in seen or name != base and name in taken:
            copies[base] = copies.get(base, 0) + 1
            name = "%s.%d" % (base, copies[base])
        names[i] = name
        taken.add(name)
        seen.add(name)
    return names


def names_columns(row):
    """Whether the first line of a file without a header is one: none of its cells is what its column takes."""
    def takes(c):
        cell = row[c["name"]]
        return missing(cell) or cell in c["categories"] if "categories" in c else missing(cell) or is_number(cell)
    asked = FACTS["options"] or {}
    label = (row.get(asked.get("label")) or "").rstrip(asked.get("label_trim", "")).strip()
    return label not in CLASSES and not any(takes(c) for c in FACTS["columns"])


def is_number(cell):
    try:
        return float(cell) is not None
    except ValueError:
        return False


def probabilities(x):
    with torch.no_grad():
        return torch.softmax(Network()(x), 1)


#:WEIGHTS

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    p = probabilities(encode(read(sys.argv[1])))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["row", "prediction"] + ["p_" + c for c in CLASSES])
    for i, q in enumerate(p.tolist()):
        out.writerow([i, CLASSES[q.index(max(q))]] + q)
