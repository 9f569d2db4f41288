import numpy as np
import pytest

import drolab

LABELS, GROUPS = np.array([0, 1, 1, 2]), np.array([1, 1, 0, 0])


class Stored:
    targets, groups = [0, 1, 1, 2], [1, 1, 0, 0]

    def __len__(self):
        return 4


class Bare:
    def __len__(self):
        return 4


WANT = {"samples": {"train": 4}, "class_counts": {"train": [1, 2, 1]}, "classes": ["0", "1", "2"]}
GROUPED = dict(WANT, group_counts={"train": [2, 2]}, groups=["0", "1"])


@pytest.mark.parametrize("train, want", [
    (4, {"samples": {"train": 4}}),
    (np.int64(4), {"samples": {"train": 4}}),
    (LABELS, WANT),
    (LABELS.tolist(), WANT),
    ((LABELS, GROUPS), GROUPED),
    (Stored(), GROUPED),
    (Bare(), {"samples": {"train": 4}}),
    (np.array([0.5, 1.5]), {"samples": {"train": 2}}),  # regression
])
def test_a_split_is_counted(train, want):
    assert drolab.Data(train).head() == want


def test_datasets_of_pytorch_are_counted():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.zeros(4, 2), torch.tensor(LABELS),
                                          torch.tensor(GROUPS))
    assert drolab.Data(data).head() == GROUPED
    head = drolab.Data(torch.utils.data.Subset(data, [1, 2])).head()
    assert head["class_counts"] == {"train": [0, 2]} and head["group_counts"] == {"train": [1, 1]}


def test_splits_share_their_classes():
    head = drolab.Data(LABELS, test=[0, 0], classes=["a", "b", "c", "d"]).head()
    assert head["class_counts"] == {"train": [1, 2, 1, 0], "test": [2, 0, 0, 0]}
    assert head["classes"] == ["a", "b", "c", "d"]


def test_counts_may_be_given():
    head = drolab.Data(4, test=2, class_counts=[2, 2], groups=["x"]).head()
    assert head["samples"] == {"train": 4, "test": 2}
    assert head["class_counts"] == {"train": [2, 2]} and head["groups"] == ["x"]


@pytest.mark.parametrize("given, text", [
    (dict(train=iter([1])), "without a length"),
    (dict(train=[0, -1]), "from -1 to 0"),
    (dict(train=LABELS, classes=["a"]), "a name for each"),
])
def test_other_data_is_refused(given, text):
    with pytest.raises(drolab.SettingError, match=text):
        drolab.Data(**given)


def test_the_arguments_of_the_version_before_warn(monkeypatch):
    monkeypatch.setenv("DROLAB_COMMAND", "/nonexistent")
    with pytest.warns(DeprecationWarning, match="drolab.Data"), pytest.raises(drolab.UsageError):
        drolab.start("x", method="erm", samples=4, class_counts=[2, 2])
    with pytest.warns(DeprecationWarning, match="settings="), pytest.raises(drolab.UsageError):
        drolab.start("x", drolab.Data(4), method="erm", settings={"rho": 1})
    with pytest.raises(drolab.SettingError, match="to drolab.Data alone"):
        drolab.start("x", drolab.Data(4), method="erm", samples=4)


def test_a_loader_is_no_split():
    torch = pytest.importorskip("torch")
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(20, 2)), 10)
    with pytest.raises(drolab.SettingError, match="train is a DataLoader: give its dataset"):
        drolab.Data(train=loader)
    assert drolab.Data(train=loader.dataset).samples == {"train": 20}


def test_names_are_those_of_any_split_that_is_counted():
    head = drolab.Data(train=100, test=np.array([0, 2, 1])).head()
    assert head["classes"] == ["0", "1", "2"] and head["class_counts"] == {"test": [1, 1, 1]}
