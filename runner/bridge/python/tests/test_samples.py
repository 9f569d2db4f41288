import numpy as np
import pytest

from drolab import UsageError
from drolab._samples import column, inputs, places


@pytest.mark.parametrize("sample, want", [
    ((1.0, 2), {"x": 0, "y": 1}),
    ((1.0, 2, 3), {"x": 0, "y": 1, "group": 2}),
    ((7, np.zeros(4), 1, 0), {"x": 1, "y": 2, "attribute": 3}),
    ({"input_ids": [1], "labels": 0, "group": 1}, {"y": "labels", "group": "group"}),
])
def test_the_form_of_a_sample_is_recognised(sample, want):
    assert places(sample, "train", None, None) == want


def test_metadata_needs_a_grouper():
    sample = np.zeros(3), 1, np.zeros(2)
    with pytest.raises(UsageError, match="self.grouper"):
        places(sample, "train", None, None)
    assert places(sample, "train", None, len)["metadata"] == 2


@pytest.mark.parametrize("sample, fields, text", [
    ((1,), None, "no x, y"),
    ({"target": 0}, None, "none is label or labels"),
    ((1, 2), {"x": 0, "label": 1}, "has the role 'label'"),
    ((1, 2), {"x": 0, "y": 5}, "does not have"),
    ((1, [0, 1]), None, "as by argmax"),
    ((1, 2), {"y": 1}, "does not name y, or x"),
])
def test_other_samples_are_refused(sample, fields, text):
    with pytest.raises(UsageError, match=text):
        places(sample, "train", fields, None)


def test_numbers_without_a_place_are_inputs_by_name():
    sample = {"labels": 1, "ids": [1, 2], "text": "a", "index": 3}
    assert inputs(sample, {"y": "labels"}, list) == {"ids": [1, 2]}
    assert inputs((5, 1), {"x": 0, "y": 1}, list) == 5


def test_stored_columns_are_found():
    class Data:
        targets = [0, 1]
        groups = np.array([2, 3])

    assert column(Data(), "y", 1).tolist() == [0, 1]
    assert column(Data(), "group", 2).tolist() == [2, 3]
    assert column(object(), "y", 1) is None
