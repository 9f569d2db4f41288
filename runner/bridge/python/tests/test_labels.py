import numpy as np
import pytest

from drolab import UsageError
from drolab._labels import names, table


def test_labels_and_groups_become_int32():
    found = table({"train": ([0, 1, 1], [0, 0, 2]), "test": (np.array([1]), np.array([2]))})
    assert list(found) == ["train", "test"]
    labels, groups = found["train"]
    assert labels.dtype == groups.dtype == np.int32
    assert labels.tolist() == [0, 1, 1] and groups.tolist() == [0, 0, 2]


@pytest.mark.parametrize("given, text", [
    (None, "no data sets"),
    ({"train": [0]}, "no split test"),
    ({"train": [0], "test": [0], "valid": [0]}, "a split 'valid'"),
    ({"train": [], "test": [0]}, "train is empty"),
    ({"train": [0.5], "test": [0]}, "no whole numbers"),
    ({"train": [-1], "test": [0]}, "number them from 0"),
    ({"train": [[0]], "test": [0]}, "one whole number"),
    ({"train": ([0], [0, 1]), "test": [0]}, "a group for each sample"),
    ({"train": ([0], [0]), "test": [0]}, "test has none"),
])
def test_other_labels_are_refused(given, text):
    with pytest.raises(UsageError, match=text) as e:
        table(given)
    assert "\n" not in str(e.value)


def test_names_are_shared_by_all_splits():
    splits = table({"train": [0, 1, 2], "test": [1]})
    assert names(None, splits, 0, "label") == ["0", "1", "2"]
    assert names(["a", "b", "c", "d"], splits, 0, "label") == ["a", "b", "c", "d"]
    assert names(None, splits, 1, "group") == []
    with pytest.raises(UsageError, match="name all of them in self.classes"):
        names(["a"], splits, 0, "label")
