"""The loop of examples/cifar_resnet18.py without drolab: bare.py PROGRAM key=value...

A line of standard input is a step: a batch of sample indices, and a second batch, or null, for a
second forward pass. The answer is the processor time of the step in seconds.
"""

import json
import sys
import time

import torch
from torch.nn import functional as F
from torch.utils.data import default_collate

program = {"__name__": "program"}
exec(open(sys.argv[1]).read().replace("drolab.torch.main(Job)", ""), program)
words = dict(w.split("=", 1) for w in sys.argv[2:])
torch.set_num_threads(1)
torch.manual_seed(1)
model = program["resnet18"](10, int(words["width"]))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
names = ["data_batch_%d.bin" % i for i in range(1, 6)]
samples = program["CIFAR"](words["folder"], names, augment=True)


def batch(index):
    x, y = default_collate([samples[i] for i in index])
    return model(x), torch.as_tensor(y)


model.train()
print("ready", flush=True)
for line in sys.stdin:
    before = time.process_time()
    step = json.loads(line)
    output, y = batch(step["batch"])
    losses = F.cross_entropy(output, y, reduction="none")
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()
    losses.detach().numpy()
    if step["fresh"]:
        with torch.no_grad():
            output, y = batch(step["fresh"])
            F.cross_entropy(output, y, reduction="none").numpy()
    print(time.process_time() - before, flush=True)
