import warnings

import numpy as np
import pytest

import drolab
from drolab import UsageError
from drolab._labels import table
from drolab._loop import Run, _samples
from drolab._serve import _check
from drolab._shapes import remedy_of


SHAPES = [  # of losses of 4 samples
    ((), 'reduction="none"'),  # a mean over the batch
    ((1,), 'reduction="none"'),  # the same, as of DataParallel
    ((4, 1), "losses.squeeze(1)"),
    ((4, 4), "outputs.squeeze(1)"),
    ((4, 5), "losses.mean(1)"),  # labels
    ((4, 128), "labels != -100"),  # tokens
    ((512,), "losses.reshape(4, -1).mean(1)"),  # tokens in a row
    ((128, 4), "losses.transpose(0, 1)"),  # tokens first
    ((4, 8, 8), "losses.flatten(1).mean(1)"),  # pixels
    ((4, 1, 8, 8), "losses.flatten(1).mean(1)"),
]


@pytest.mark.parametrize("shape, remedy", SHAPES)
def test_losses_of_another_shape_name_it_and_their_remedy(shape, remedy):
    assert remedy in remedy_of(shape, 4)
    for name in ("label", "group", "index"):
        with pytest.raises(UsageError) as e:
            _samples(np.zeros(shape), **{name: np.zeros(4, np.int64)})
        assert f"{shape}: " in str(e.value) and remedy in str(e.value)
        assert "\n" not in str(e.value)


@pytest.mark.parametrize("shape, remedy", [c for c in SHAPES if len(c[0]) != 1])
def test_such_losses_without_labels_do_so_too(shape, remedy):
    if shape == (128, 4):  # nothing says which dimension the samples are
        remedy = "losses.mean(1)"
    with pytest.raises(UsageError) as e:
        _samples(np.zeros(shape))
    assert str(shape) in str(e.value) and remedy in str(e.value)


@pytest.mark.parametrize("shape, remedy", SHAPES)
def test_programs_are_told_the_same(shape, remedy):
    with pytest.raises(UsageError) as e:
        _check("train", np.arange(4), np.zeros(shape))
    assert f"{shape} for 4 samples: " in str(e.value) and remedy in str(e.value)


@pytest.mark.parametrize("n", [3, 5, 1])
def test_another_number_of_labels_is_no_shape(n):
    with pytest.raises(UsageError, match=f"label has the shape .{n},. and losses have .4,.: give "
                                         "one for each sample"):
        _samples(np.zeros(4), label=np.zeros(n, np.int64))


def test_targets_of_regression_are_no_labels():
    with pytest.raises(UsageError, match="leave label out, as in regression"):
        _samples(np.zeros(3), label=np.zeros(3))
    assert _samples(np.zeros(3), label=None)[0] == ("losses",)


def test_targets_of_regression_have_no_counts():
    head = drolab.Data(train=(np.zeros(3), np.array([0, 1, 1])), test=np.zeros(2)).head()
    assert "class_counts" not in head and head["group_counts"] == {"train": [1, 2]}


def test_a_program_of_regression_is_told_of_its_own_loop():
    with pytest.raises(UsageError, match="float64 and no whole numbers: .* drolab.start"):
        table({"train": np.zeros(3), "test": np.zeros(3)})


def test_norms_before_unscaling_are_a_warning():
    run = Run(None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            run._suspect(74176.0)
    with pytest.warns(RuntimeWarning, match="scaler.unscale_"):
        run._suspect(74176.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run._suspect(74176.0)
