#!/usr/bin/env python3
"""Times a training step of every model in drolab and in PyTorch, in turns, and prints a Markdown section for docs/results.md.

    models.py [--rounds 9] [--threads 2] [--precision fp32] [--convolution direct] [--eager] [--processor | --forward]
              [--drolab PATH] [MODEL...]

A step is a step of ERM at batch 128 on images of 3x32x32 and ten classes: forward, backward, SGD with momentum. PyTorch's
figure is that of its best form in fp32 or bf16 (autocast): channels last or not, and, unless --eager is given, under
torch.compile or not. A form that takes longer than COMPILATION seconds to compile, or fails to compile, is left out. So is
a form that takes over 1.5 times as long as the best form of its precision in the first round. PyTorch's memory comes from
the C library, which returns large blocks to the system and requests them again at every step. The script runs PyTorch with
the library set to keep them.

A round runs `drolab bench --model NAME --json` in each precision and then each form of PyTorch, so that other work on the
machine disturbs all of them alike. A cell is the median over the rounds, and a ratio is the median of the rounds' ratios.
The last column is the ratio of the fastest steps, which a busy machine disturbs least. drolab's step loads its batch;
PyTorch's has it in memory. Without --drolab the program is built first.

With --processor the times are processor times of one thread, which other work disturbs least. BenchmarkPrecision of dro/nn
then replaces bench: no step loads its batch, and the last column uses drolab's fastest round, a median, in place of its
fastest step. With --forward the times are those of a forward pass, in PyTorch without gradients, and the last column uses
drolab's fastest round, too. With --convolution winograd drolab computes fp32 by Winograd's algorithm. PyTorch chooses its
own algorithm in any case.
"""
import argparse
import datetime
import functools
import json
import math
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy, relu

BATCH, STEPS, WARM = 128, 5, 2
COMPILATION = 300  # seconds
KEEP = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_TOP_PAD_": str(1 << 28)}


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


# The models of dro/nn/models.go, by name.
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


def step(name, bf16, last, compiled, forward_only):
    """Returns a function that takes one training step or only a forward pass."""
    net, x, y = MODELS[name](), torch.randn(BATCH, 3, 32, 32), torch.randint(0, 10, (BATCH,))
    if last:
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    sgd = torch.optim.SGD(net.parameters(), 1e-4, momentum=0.9)
    forward = torch.compile(net) if compiled else net

    @torch.no_grad()
    def run_forward():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            forward(x)

    def run():
        sgd.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            logits = forward(x)
        cross_entropy(logits.float(), y).backward()
        sgd.step()

    taken = run_forward if forward_only else run
    for _ in range(WARM):
        taken()
    return taken


def forms(name, asked):
    """Returns the step functions of PyTorch, by precision and form."""
    kinds = {}
    for precision in precisions(name, asked):
        for last in (False, True):
            for whole in (False, True)[:2 - asked.eager]:
                form = "channels last" * last + ", " * (last and whole) + "compiled" * whole or "plain"
                try:
                    signal.alarm(whole * COMPILATION)
                    kinds[precision, form] = step(name, precision == "bf16", last, whole, asked.forward)
                except Exception as e:  # one of the compiler's many exceptions, or the time is over
                    print(f"{name}, {precision}, {form}: left out: {str(e)[:200]}", file=sys.stderr)
                finally:
                    signal.alarm(0)
    return kinds


def precisions(name, asked):
    return [p for p in PRECISIONS[name] if p in (asked.precision or p)]


def late(*_):
    raise TimeoutError(f"no compiled step after {COMPILATION} s")


def timed(run, clock):
    times = []
    for _ in range(STEPS):
        start = clock()
        run()
        times.append(1e3 * (clock() - start))
    return statistics.median(times), min(times)


def benched(drolab, name, asked):
    """Returns the figures of drolab bench by precision."""
    ours = {}
    for precision in precisions(name, asked):
        command = [drolab, "bench", "--json", "--model", name, "--precision", precision, "--threads", str(asked.threads)]
        command += ["--convolution", asked.convolution] * (precision == "fp32")
        figures = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        if asked.forward:
            figures["train_ms"] = figures["train_best_ms"] = figures["forward_ms"]
            figures["peak_share"] = math.nan  # known of steps
        ours[precision] = figures
    return ours


def benchmarked(tests, name, asked):
    """Returns the same figures from BenchmarkPrecision, in processor time of one thread."""
    command = [tests, "-test.run", "^$", "-test.bench", f"Precision/^{name}$/threads=1$", "-test.benchtime", f"{STEPS}x"]
    words = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    figure = lambda unit: float(words[words.index(unit) - 1])
    return {p: {"train_ms": figure(f"{p}-cpu-ms"), "train_best_ms": figure(f"{p}-cpu-ms"),
                "peak_share": figure(f"{p}-cpu-peak-%") / 100} for p in precisions(name, asked)}


def measure(ours, name, asked):
    """Returns, for each round, drolab's figures by precision and PyTorch's median and best by precision and form."""
    kinds, clock = forms(name, asked), time.process_time if asked.processor else time.perf_counter
    rounds = []
    for _ in range(asked.rounds):
        rounds.append((ours(name, asked), {kind: timed(run, clock) for kind, run in kinds.items()}))
        best = {}
        for (precision, _), (_, least) in rounds[0][1].items():
            best[precision] = min(best.get(precision, least), least)
        kinds = {kind: run for kind, run in kinds.items() if rounds[0][1][kind][1] <= 1.5 * best[kind[0]]}
    return rounds


def row(name, precision, taken):
    middle = lambda values: statistics.median(list(values))
    kinds = [kind for kind in taken[-1][1] if kind[0] == precision]
    best = min(kinds, key=lambda kind: middle(theirs[kind][0] for _, theirs in taken))
    ours = middle(o[precision]["train_ms"] for o, _ in taken)
    ratio = middle(theirs[best][0] / o[precision]["train_ms"] for o, theirs in taken)
    share = middle(o[precision]["peak_share"] for o, _ in taken)
    of_peak = "–" if math.isnan(share) else f"{100 * share:.0f} %"
    theirs = middle(theirs[best][0] for _, theirs in taken)
    fastest = min(t[kind][1] for _, t in taken for kind in kinds) / min(o[precision]["train_best_ms"] for o, _ in taken)
    return (f"| `{name}` | {precision} | {ours:.1f} ms | {of_peak} | "
            f"{theirs:.1f} ms | {best[1]} | {ratio:.2f} | {fastest:.2f} |")


def heading(asked):
    """Returns the text before the table: when, where and how the script ran."""
    about = pathlib.Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    has = [title for flag, title in (("avx512f", "AVX-512"), ("avx512_bf16", "AVX512-BF16"), ("amx_bf16", "AMX"))
           if re.search(rf"\b{flag}\b", about)]
    names = re.findall(r"model name\s*: (.*)", about) or ["processor unknown"]
    command = re.sub(r" --drolab \S+", "", " " + shlex.join(sys.argv[1:]))
    clock = "times are the processor's" if asked.processor else "times are the clock's"
    what = "forward passes; " * asked.forward
    return (f"This ran on {datetime.date.today():%-d %B %Y} on {names[0]} ({', '.join(has) or 'no AVX-512'}), "
            f"{len(names)} processors:\n\n    dro/nn/peer/models.py{command}\n\n"
            f"Threads: {asked.threads}; {what}{clock}; PyTorch {torch.__version__.split('+')[0]}; "
            f"medians of {asked.rounds} rounds.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=["fp32", "bf16"])
    parser.add_argument("--convolution", choices=["direct", "winograd"], default="direct")
    parser.add_argument("--eager", action="store_true")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--processor", action="store_true")
    one.add_argument("--forward", action="store_true")
    parser.add_argument("--drolab")
    parser.add_argument("models", nargs="*", default=list(MODELS))
    asked = parser.parse_args()
    if not KEEP.keys() <= os.environ.keys():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})
    signal.signal(signal.SIGALRM, late)
    if asked.processor:
        asked.threads = 1
        if asked.convolution != "direct":
            parser.error("--processor is for convolution direct")
    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        drolab = asked.drolab or os.path.join(folder, "drolab")
        build = ["test", "-c", "-o", drolab, "./dro/nn"] if asked.processor else ["build", "-o", drolab, "."]
        if not asked.drolab:
            subprocess.run(["go", *build], cwd=pathlib.Path(__file__).resolve().parents[3], check=True)
        ours = functools.partial(benchmarked if asked.processor else benched, drolab)
        print(heading(asked), flush=True)
        print("| model | precision | drolab | of the peak | PyTorch | its best form | PyTorch / drolab | fastest |")
        print("|---|---|---:|---:|---:|---|---:|---:|")
        for name in asked.models:
            taken = measure(ours, name, asked)
            for precision in precisions(name, asked):
                print(row(name, precision, taken), flush=True)


if __name__ == "__main__":
    main()
