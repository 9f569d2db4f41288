"""Write the features task: x = y·1·u + s·3·v + N(0, I), u ⟂ v unit vectors, labels y = ±1. The attribute s
equals y for 97 % of the training and validation samples and for half of the test samples. The NPZ has x (float32),
y and g (0: −1, 1: +1; g is s) and split (0 train, 1 val, 2 test).

    python3 features.py features.npz --n 200000 --d 512 --seed 0

--npy also writes features-x.npy and so on, --compressed writes a compressed file. Needs numpy."""

import argparse
import os

import numpy as np


def draw(n, d, seed):
    """The arrays by name. A tenth of the samples is val, a fifth is test."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((d, 2)))
    split = rng.permutation(np.repeat([0, 1, 2], [n - n // 10 - n // 5, n // 10, n // 5])).astype(np.int64)
    y = rng.integers(0, 2, n)
    differs = rng.random(n) < np.where(split == 2, 0.5, 0.03)
    g = np.where(differs, 1 - y, y)
    x = rng.standard_normal((n, d), dtype=np.float32)
    u, v = basis.T.astype(np.float32)
    for i in range(0, n, 4096):  # no second copy of x
        rows = slice(i, i + 4096)
        x[rows] += np.outer(2 * y[rows] - 1, u) + np.outer(3 * (2 * g[rows] - 1), v)
    return {"x": x, "y": y, "g": g, "split": split}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--n", type=int, default=200_000)
    p.add_argument("--d", type=int, default=512)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--dtype", default="float32", choices=["float16", "float32", "float64"])
    p.add_argument("--compressed", action="store_true")
    p.add_argument("--npy", action="store_true")
    a = p.parse_args()
    arrays = draw(a.n, a.d, a.seed)
    arrays["x"] = arrays["x"].astype(a.dtype, copy=False)
    (np.savez_compressed if a.compressed else np.savez)(a.out, **arrays)
    if a.npy:
        for name, array in arrays.items():
            np.save(f"{os.path.splitext(a.out)[0]}-{name}.npy", array)


if __name__ == "__main__":
    main()
