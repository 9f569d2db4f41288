"""Multinomial logistic regression in NumPy alone, on random clouds of points.

Usage: numpy_softmax.py [classes=3]
"""

import numpy as np

import drolab


class Job(drolab.Job):
    offers = ("restart", "pick")

    def setup(self, settings):
        k, draw = settings.get("classes", 3), np.random.default_rng(1)  # fixed seed, not the run's
        self.x, labels = {}, {}
        for split, n in ("train", 3000), ("test", 1000):
            y = np.minimum(draw.geometric(0.5, n) - 1, k - 1)  # the later classes are rare
            angle = 2 * np.pi * y / k
            centre = np.stack([np.cos(angle), np.sin(angle)], 1)
            self.x[split] = np.hstack([centre + 0.6 * draw.normal(size=(n, 2)), np.ones((n, 1))])
            labels[split] = y
        self.y = labels
        self.w = self.picked = np.zeros((3, k))
        self.v = np.zeros_like(self.w)
        self.g = np.zeros_like(self.w)
        self.parameter_count = self.w.size
        return labels

    def losses(self, split, index, epoch):
        self.rows, self.at = self.x[split][index], self.y[split][index]
        out = self.rows @ self.w
        out -= out.max(1, keepdims=True)
        self.p = np.exp(out)
        total = self.p.sum(1, keepdims=True)
        self.p /= total
        return np.log(total[:, 0]) - out[np.arange(len(index)), self.at]

    def probabilities(self):
        return self.p

    def gradient(self, weights, add):
        error = self.p.copy()
        error[np.arange(len(weights)), self.at] -= 1
        g = self.rows.T @ (weights[:, None] * error) / len(weights)
        self.g = self.g + g if add else g

    def norm(self):
        return np.linalg.norm(self.g)

    def step(self, lr, momentum, decay, clip):
        norm = self.norm()
        g = self.g * (clip / norm) if 0 < clip < norm else self.g
        self.v = momentum * self.v + g + decay * self.w
        self.w = self.w - lr * self.v
        return norm

    def restart(self):
        self.w, self.v = np.zeros_like(self.w), np.zeros_like(self.v)

    def pick(self):
        self.picked = self.w

    def swap(self):
        self.w, self.picked = self.picked, self.w

    def save(self, folder):
        np.savez(self.path(folder, "state.npz"), w=self.w, v=self.v, picked=self.picked)

    def load(self, folder):
        with np.load(self.path(folder, "state.npz")) as f:
            self.w, self.v, self.picked = f["w"], f["v"], f["picked"]


drolab.main(Job)
