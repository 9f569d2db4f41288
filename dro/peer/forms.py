"""Weights by drolab._forms beside drolab's own: forms.py CLIENT CASES.

CASES is a file of JSON lines, each a batch of one method. Prints, for each method, its name, the
number of weights, how many differ after rounding, and the largest relative difference in float64.
"""

import base64
import json
import sys

import numpy as np
import torch

sys.path.insert(0, sys.argv[1])
from drolab import _forms as forms  # noqa: E402

torch.set_num_threads(1)


def read(text, kind):
    return torch.from_numpy(np.frombuffer(base64.b64decode(text or ""), kind).copy())


found = {}
with open(sys.argv[2]) as f:
    for line in f:
        c = json.loads(line)
        losses, want = read(c["losses"], "<f4"), read(c["weights"], "<f8")
        flags = read(c["flags"], "<i8") if c["flags"] else None
        given = c["kind"], read(c["numbers"], "<f8")
        at = read(c["at"], "<i8")
        got = forms.weights(*given, losses, at, flags)
        exact = forms.weights(*given, losses.double(), at, flags)
        assert got.dtype == torch.float32 and exact.dtype == torch.float64
        if c["method"] not in found:
            half = losses.bfloat16()
            assert forms.weights(*given, half, at, flags).dtype == torch.float32
        row = found.setdefault(c["method"], [0, 0, 0.0])
        row[0] += len(want)
        row[1] += int((~torch.isclose(got, want.float(), 0, 0, equal_nan=True)).sum())
        differ = torch.where(exact == want, 0, (exact - want).abs() / (1 + want.abs()))
        row[2] = max(row[2], float(differ.max()))
for name, row in found.items():
    print(name.replace(" ", "_"), *row)
