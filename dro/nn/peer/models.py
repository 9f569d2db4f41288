#!/usr/bin/env python3
"""Times a training step of every model here and in PyTorch, in turns, and prints a table in Markdown.

    models.py [--rounds 9] [--threads 2] [--compiled] [--processor] [--drolab PATH] [MODEL...]  (default: all but resnet18)

A step is ERM's at batch 128 on images of 3x32x32 and ten classes: forward, backward, SGD with momentum. PyTorch's figure
is its best form: fp32 or bf16 (autocast), channels last or not, and with --compiled also under torch.compile. A round runs
`drolab bench --model NAME --json` in each precision and then each form of PyTorch, so that what else the machine does
disturbs all alike. A cell has the median over the rounds, a ratio is the median of the rounds' ratios; the last column has
the ratio of the fastest steps, which a busy machine disturbs least. drolab's step loads its batch; PyTorch's has it in
memory. Without --drolab the program is built first. With --processor times are the processor's, of one thread, which other
work disturbs least, by BenchmarkPrecision of dro/nn in place of bench: no step loads its batch then, and the last column
has drolab's fastest round, a median, in place of its fastest step.
"""
import argparse
import functools
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy, relu

BATCH, STEPS, WARM = 128, 5, 2


class Block(nn.Module):
    """The basic block of He et al. 2016 with a projection where the shape changes."""

    def __init__(self, into, out, stride):
        super().__init__()
        self.first, self.second = normed(into, out, 3, stride), normed(out, out, 3, 1)
        self.shortcut = nn.Identity() if into == out and stride == 1 else normed(into, out, 1, stride)

    def forward(self, x):
        return relu(self.second(relu(self.first(x))) + self.shortcut(x))


def normed(into, out, kernel, stride):
    return nn.Sequential(nn.Conv2d(into, out, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(out))


def resnet(width, *blocks):
    layers, into = [normed(3, width, 3, 1), nn.ReLU()], width
    for out, stride in blocks:
        layers.append(Block(into, out, stride))
        into = out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(into, 10))


def plain(size, *convolutions):
    layers, into = [], 3
    for out, kernel, stride, pool in convolutions:
        layers += [nn.Conv2d(into, out, kernel, stride, kernel // 2), nn.ReLU()] + [nn.MaxPool2d(2)] * pool
        into = out
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(size, 10))


# By name, as dro/nn/model.go has them.
MODELS = {
    "linear": lambda: nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)),
    "mlp": lambda: nn.Sequential(nn.Flatten(), nn.Linear(3072, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(),
                                 nn.Linear(128, 10)),
    "convnet": lambda: plain(256, (16, 5, 2, 1), (32, 3, 1, 1), (64, 3, 1, 1)),
    "alexnet": lambda: plain(256, (64, 11, 4, 1), (192, 5, 1, 1), (384, 3, 1, 0), (256, 3, 1, 0), (256, 3, 1, 1)),
    "resnet8": lambda: resnet(16, (16, 1), (32, 2), (64, 2)),
    "resnet18": lambda: resnet(64, (64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)),
}

# drolab refuses linear in bf16.
PRECISIONS = {name: ("fp32",) if name == "linear" else ("fp32", "bf16") for name in MODELS}


def step(name, bf16, last, compiled):
    """Returns a function that takes one training step."""
    net, x, y = MODELS[name](), torch.randn(BATCH, 3, 32, 32), torch.randint(0, 10, (BATCH,))
    if last:
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    sgd = torch.optim.SGD(net.parameters(), 1e-4, momentum=0.9)
    forward = torch.compile(net) if compiled else net

    def run():
        sgd.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            logits = forward(x)
        cross_entropy(logits.float(), y).backward()
        sgd.step()

    for _ in range(WARM):
        run()
    return run


def forms(name, compiled):
    """Returns the steps of PyTorch's forms by precision and form."""
    kinds = {}
    for bf16 in (False, True):
        for last in (False, True):
            for whole in (False, True)[:1 + compiled]:
                form = "channels last" * last + ", " * (last and whole) + "compiled" * whole
                kinds["bf16" if bf16 else "fp32", form or "plain"] = step(name, bf16, last, whole)
    return kinds


def timed(run, clock):
    times = []
    for _ in range(STEPS):
        start = clock()
        run()
        times.append(1e3 * (clock() - start))
    return statistics.median(times), min(times)


def benched(drolab, name, threads):
    """Returns bench's figures by precision."""
    ours = {}
    for precision in PRECISIONS[name]:
        command = [drolab, "bench", "--json", "--model", name, "--precision", precision, "--threads", str(threads)]
        ours[precision] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return ours


def benchmarked(tests, name, _):
    """Returns the same of BenchmarkPrecision, in processor time of one thread."""
    command = [tests, "-test.run", "^$", "-test.bench", f"Precision/^{name}$/threads=1$", "-test.benchtime", f"{STEPS}x"]
    words = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    figure = lambda unit: float(words[words.index(unit) - 1])
    return {p: {"train_ms": figure(f"{p}-cpu-ms"), "train_best_ms": figure(f"{p}-cpu-ms"),
                "peak_share": figure(f"{p}-cpu-peak-%") / 100} for p in PRECISIONS[name]}


def measure(ours, name, asked):
    """Returns the rounds: of each, our figures by precision and PyTorch's median and best by precision and form."""
    kinds, clock = forms(name, asked.compiled), time.process_time if asked.processor else time.perf_counter
    return [(ours(name, asked.threads), {kind: timed(run, clock) for kind, run in kinds.items()})
            for _ in range(asked.rounds)]


def row(name, precision, taken):
    middle = lambda values: statistics.median(list(values))
    kinds = [kind for kind in taken[0][1] if kind[0] == precision]
    best = min(kinds, key=lambda kind: middle(theirs[kind][0] for _, theirs in taken))
    ours = middle(o[precision]["train_ms"] for o, _ in taken)
    ratio = middle(theirs[best][0] / o[precision]["train_ms"] for o, theirs in taken)
    share = middle(o[precision]["peak_share"] for o, _ in taken)
    theirs = middle(theirs[best][0] for _, theirs in taken)
    fastest = min(t[kind][1] for _, t in taken for kind in kinds) / min(o[precision]["train_best_ms"] for o, _ in taken)
    return (f"| `{name}` | {precision} | {ours:.1f} ms | {100 * share:.0f} % | "
            f"{theirs:.1f} ms | {best[1]} | {ratio:.2f} | {fastest:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--drolab")
    parser.add_argument("models", nargs="*", default=[m for m in MODELS if m != "resnet18"])
    asked = parser.parse_args()
    if asked.processor:
        asked.threads = 1
    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        drolab = asked.drolab or os.path.join(folder, "drolab")
        build = ["test", "-c", "-o", drolab, "./dro/nn"] if asked.processor else ["build", "-o", drolab, "."]
        if not asked.drolab:
            subprocess.run(["go", *build], cwd=pathlib.Path(__file__).resolve().parents[3], check=True)
        ours = functools.partial(benchmarked if asked.processor else benched, drolab)
        print(f"PyTorch {torch.__version__}, threads: {asked.threads}, batch {BATCH}, medians of {asked.rounds} rounds\n")
        print("| model | precision | drolab | of the peak | PyTorch | its best form | PyTorch / drolab | fastest |")
        print("|---|---|---:|---:|---:|---|---:|---:|")
        for name in asked.models:
            taken = measure(ours, name, asked)
            for precision in PRECISIONS[name]:
                print(row(name, precision, taken), flush=True)


if __name__ == "__main__":
    main()
