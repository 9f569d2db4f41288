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
    with pytest.warns(DeprecationWarning, match=f"drolab.{old} is now drolab.{new.__name__}") as w:
        try:
            raise new("a line")
        except getattr(drolab, old) as e:
            assert str(e) == "a line"
    assert w[0].filename == __file__  # the line of the user


def test_old_names_can_be_imported():
    with pytest.warns(DeprecationWarning):
        from drolab import Failed, Lost, Wrong
    assert (Failed, Lost, Wrong) == (drolab.RunStopped, drolab.ConnectionLost, drolab.UsageError)
    assert not {"Failed", "Lost", "Wrong"} & set(drolab.__all__)


def test_other_names_are_none():
    with warnings.catch_warnings(), pytest.raises(AttributeError):
        drolab.nothing
