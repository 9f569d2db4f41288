import warnings

import numpy as np
import pytest

from drolab import UsageError
from drolab._loop import Run, _samples
from drolab._shapes import remedy_of


@pytest.mark.parametrize("shape, remedy", [
    ((), 'reduction="none"'),
    ((4, 1), "losses.squeeze(1)"),
    ((4, 4), "outputs.squeeze(1)"),
    ((4, 5), "losses.mean(1)"),
    ((4, 128), "labels != -100"),
    ((4, 8, 8), "losses.flatten(1).mean(1)"),
])
def test_losses_of_another_shape_name_it_and_their_remedy(shape, remedy):
    assert remedy in remedy_of(shape)
    with pytest.raises(UsageError) as e:
        _samples(np.zeros(shape))
    assert str(shape) in str(e.value) and remedy in str(e.value) and "\n" not in str(e.value)


def test_targets_of_regression_are_no_labels():
    with pytest.raises(UsageError, match="leave label out, as in regression"):
        _samples(np.zeros(3), label=np.zeros(3))
    assert _samples(np.zeros(3), label=None)[0] == ("losses",)


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
