import multiprocessing
import random

import numpy as np
import pytest

from drolab import UsageError
from drolab._reading import Generators, Plan, Workers, torch_seed

GENERATORS = Generators()


class Noisy:
    def __getitem__(self, i):
        if i == 7:
            raise OSError("no such picture")
        return i + random.random() + np.random.rand()


def sample(given, augmented):
    return given if augmented else round(given)


def nothing():
    pass


def plan(seed=1):
    return Plan({"train": Noisy()}, sample, list, seed, GENERATORS, nothing)


def test_draws_depend_on_seed_epoch_and_sample_alone():
    index = np.array([3, 5])
    a, b = plan().read("train", index, 2), plan().read("train", index[::-1], 2)
    assert a == b[::-1]
    assert a != plan().read("train", index, 3)
    assert a != plan(2).read("train", index, 2)
    assert a[0] != a[1]


def test_reading_changes_no_draw_of_others():
    random.seed(1)
    np.random.seed(1)
    want = random.random(), np.random.rand()
    random.seed(1)
    np.random.seed(1)
    with GENERATORS.kept():
        plan().read("train", np.array([1]), 0)
    assert (random.random(), np.random.rand()) == want


@pytest.mark.parametrize("count", [1, 2])
def test_workers_read_what_this_process_reads(count):
    context = multiprocessing.get_context("fork")
    workers = Workers(context, plan(), count, True)
    try:
        index = np.arange(5)
        workers.announce("train", index, 4)
        parts = workers.read("train", index, 4)
        assert [x for p in parts for x in p] == plan().read("train", index, 4)
        with pytest.raises(UsageError, match="sample 7 of train cannot be read: OSError"):
            workers.read("train", np.array([7]), 0)
    finally:
        workers.close()


def test_seeds_above_32_bits_are_hashed():
    assert torch_seed(5) == 5
    assert torch_seed(2**32) not in (0, 2**32) and 0 <= torch_seed(2**32) < 2**63
