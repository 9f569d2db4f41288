"""DFR in scikit-learn on features that drolab exported: refit.py FILE

FILE has, for each of several networks, the features, labels and groups of the splits val and test.
It prints, for each network, the accuracy on the worst group of the test split, in percent, of the
network's own layer and of three fits.
"""

import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../queue/peer"))
from groups import dfr, worst  # noqa: E402

found = []
for net in json.load(open(sys.argv[1])):
    of = {s["split"]: [np.array(s[k]) for k in ("x", "y", "g")] for s in net["splits"]}
    x, y, g = of["test"]
    layer = x @ np.array(net["weight"]).T + np.array(net["bias"])
    found.append({"own": 100 * worst(layer.argmax(1) == y, g), "fits": [
        100 * worst(dfr(np.random.default_rng(seed), *of["val"], x)[0] == y, g)
        for seed in range(3)]})
print(json.dumps(found))
