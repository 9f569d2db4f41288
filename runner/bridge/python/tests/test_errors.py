import warnings

import pytest

import drolab


@pytest.mark.parametrize("name", ["UsageError", "SettingError", "RunStopped", "ConnectionLost",
                                  "ProtocolError"])
def test_all_errors_have_one_base(name):
    assert issubclass(getattr(drolab, name), drolab.Error)


@pytest.mark.parametrize("old, new", [
    ("Wrong", drolab.UsageError), ("Failed", drolab.RunStopped), ("Lost", drolab.ConnectionLost)])
def test_old_names_warn_and_catch(old, new):
    with pytest.warns(DeprecationWarning, match=f"drolab.{old} is now drolab.{new.__name__}"):
        assert getattr(drolab, old) is new


def test_other_names_are_none():
    with warnings.catch_warnings(), pytest.raises(AttributeError):
        drolab.nothing
