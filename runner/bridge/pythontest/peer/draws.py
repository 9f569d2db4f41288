"""Prints the first draws of a job for seeds, and those of the generators that a seed below 2**32
seeds: draws.py SEED..."""

import json
import random
import sys

import numpy as np
import torch

import drolab
import drolab.torch
from drolab import _network


def drawn():
    """Returns the first draws of the three generators, which have 53, 53 and 24 bits."""
    return {"random": random.random(), "numpy": np.random.random_sample(),
            "torch": float(torch.rand(()))}


class Plain(drolab.Job):
    def setup(self, settings):
        return drawn()


class Torch(drolab.torch.Job):
    def setup(self, settings):
        return [drawn()]  # not a mapping of splits, with which the start would go on


def begun(kind, seed):
    job = kind()
    job.settings, job.seed, job.threads, job.purpose = {}, seed, 1, "train"
    return job._hold().begin()


def plainly(seed):
    if seed >= 2**32:
        return None
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return drawn()


def sample(seed):
    _network.GENERATORS.sow(seed, 0, 0)
    return drawn()


json.dump([{"plain": begun(Plain, s), "torch": begun(Torch, s)[0], "sample": sample(s),
            "want": plainly(s)} for s in map(int, sys.argv[1:])], sys.stdout)
