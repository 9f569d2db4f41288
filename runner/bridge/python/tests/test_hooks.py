import numpy as np
import pytest

import drolab
from drolab._job import check_hooks, settings_of


def job(**members):
    kind = type("Job", (drolab.Job,), members)
    made = kind()
    made.settings, made.seed = drolab.Settings(), 1
    return made._hold()


def labels(self, settings):
    return {"train": np.zeros(2, int), "test": np.zeros(2, int)}


def test_a_job_offers_what_it_declares():
    held = job(setup=labels, offers=("restart",), restart=lambda self: None)
    held.begin()
    assert held.offers() == ("restart",)


@pytest.mark.parametrize("members, text", [
    ({"restart": len}, "add 'restart' to offers"),
    ({"advance": len}, "add 'accumulate' to offers"),
    ({"offers": ("pick",), "pick": len}, "does not write swap"),
    ({"offers": ("refit",)}, "offers has 'refit': expected restart"),
    ({"probability": len}, "write probabilities"),
    ({"gradients": len}, "write gradient"),
])
def test_a_job_that_declares_otherwise_is_refused(members, text):
    with pytest.raises(drolab.UsageError, match=text):
        job(setup=labels, **members).begin()


def test_a_misspelt_hook_is_named():
    torch = pytest.importorskip("drolab.torch")

    class Colated(torch.Job):
        def colate(self, samples):
            return samples

    with pytest.raises(drolab.UsageError, match="method colate.*: write collate"):
        check_hooks(Colated)


def test_methods_of_a_program_of_its_own_override_nothing():
    torch = pytest.importorskip("drolab.torch")

    class Own(torch.Job):
        def step(self):
            pass

        def save(self, path):
            pass

        def parameters(self):
            pass

        def log(self, text):
            pass

    check_hooks(Own)


def test_words_of_a_program_have_the_types_that_they_look_like():
    s = settings_of({"lr": 0.1}, ["a=3", "--b=0.5", "c=true", "d=word", "flag", "e=nan"])
    assert dict(s) == {"lr": 0.1, "a": 3, "b": 0.5, "c": True, "d": "word", "e": "nan"}
    with pytest.raises(drolab.SettingError, match="write width=... behind the program's name"):
        s["width"]
