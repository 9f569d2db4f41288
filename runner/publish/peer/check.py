#!/usr/bin/env python3
"""Compare the outputs of an exported network with drolab's figures on the same samples.

    check.py torch  MODEL.py   X.npy  SAMPLES.csv [MODEL.py X.npy SAMPLES.csv ...]
    check.py onnx   MODEL.onnx X.npy  SAMPLES.csv [MODEL.onnx X.npy SAMPLES.csv ...]
    check.py table  MODEL.py   T.csv  SAMPLES.csv [MODEL.py T.csv SAMPLES.csv ...]
    check.py events FOLDER     SUMMARY.csv

Probabilities agree to 1e-5, losses to 1e-5 relative, and predictions wherever the two largest probabilities differ by
more than 1e-5.
"""
import csv
import importlib.util
import math
import subprocess
import sys


def samples(path):
    rows = list(csv.DictReader(open(path, newline="", encoding="utf-8")))
    classes = [k[2:] for k in rows[0] if k.startswith("p_")]
    return rows, classes


def compare(p, rows, classes):
    worst = 0
    for got, row in zip(p, rows, strict=True):
        want = [float(row["p_" + c]) for c in classes]
        worst = max(worst, max(abs(a - b) for a, b in zip(got, want)))
        top = sorted(want)
        if top[-1] - top[-2] > 1e-5:
            assert classes[max(range(len(got)), key=got.__getitem__)] == row["prediction"], row
        loss = -math.log(got[classes.index(row["label"])])
        assert abs(loss - float(row["loss"])) <= 1e-5 * (1 + abs(loss)), (loss, row)
    assert worst <= 1e-5, worst
    print(f"{len(rows)} samples, probabilities within {worst:.2e}")


def module(path):
    spec = importlib.util.spec_from_file_location("model", path)
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m


def main():
    kind, model, x = sys.argv[1:4]
    if kind == "events":
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        a = EventAccumulator(model)
        a.Reload()
        tags = a.Tags()["scalars"]
        final = {(r["measure"], r["place"]): float(r["value"]) for r in csv.DictReader(open(x, newline=""))}
        seen = 0
        for (name, place), value in final.items():
            tag = f"{name}/{place}" if place else f"evaluation/{name}"
            if tag in tags:
                last = a.Scalars(tag)[-1].value
                assert abs(last - value) <= 1e-6 * (1 + abs(value)), (tag, last, value)
                seen += 1
        assert seen >= 8 and "step/loss" in tags and len(a.Scalars("step/loss")) > 1, (seen, tags)
        print(f"{len(tags)} curves, {seen} of them end as the summary says")
        return
    if kind == "table":
        rows, classes = samples(sys.argv[4])
        out = subprocess.run([sys.executable, model, x], capture_output=True, encoding="utf-8", check=True).stdout
        lines = list(csv.DictReader(out.splitlines()))
        compare([[float(lines[int(r["row"])]["p_" + c]) for c in classes] for r in rows], rows, classes)
        for model, x, path in triples(5):  # in this process, since PyTorch starts slowly
            rows, classes = samples(path)
            m = module(model)
            p = m.probabilities(m.encode(m.read(x))).tolist()
            print(x, end=": ")
            compare([p[int(r["row"])] for r in rows], rows, classes)
        return
    import numpy
    for model, x, path in triples(2):
        rows, classes = samples(path)
        x = numpy.load(x)
        x = x.reshape(*x.shape, *[1] * (4 - x.ndim))[[int(r["row"]) for r in rows]].astype("f4")
        print(model, end=": ", flush=True)
        if kind == "torch":
            import torch
            p = module(model).probabilities(torch.from_numpy(x))
        else:
            import onnxruntime
            s = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            p = s.run(["probabilities"], {"x": x})[0]
        compare(p.tolist(), rows, classes)


def triples(first):
    """Returns the arguments from the first on, three by three."""
    return zip(*[iter(sys.argv[first:])] * 3, strict=True)


main()
