import os
import sys

import pytest

import drolab


def command(tmp_path, monkeypatch, text):
    path = tmp_path / "drolab"
    path.write_text(f"#!{sys.executable}\nimport os, sys\n" + text)
    path.chmod(0o755)
    monkeypatch.setenv("DROLAB_COMMAND", str(path))


def test_a_client_without_the_command_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.delenv("DROLAB_COMMAND", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda *_: None)
    with pytest.raises(drolab.UsageError, match="install a wheel of this platform"):
        drolab.start("x", drolab.Data(4), method="erm")


def test_an_older_command_is_named_with_both_versions(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, """
if sys.argv[1] == "version":
    print("drolab 0123456789ab")
else:
    sys.exit('drolab: unknown command "loop": see drolab --help')
""")
    with pytest.raises(drolab.ProtocolError) as e:
        drolab.start("x", drolab.Data(4), method="erm")
    for text in ('unknown command "loop"', drolab.__version__, "'drolab 0123456789ab'",
                 "install both of one version"):
        assert text in str(e.value)
    assert "\n" not in str(e.value)


def test_a_program_that_is_not_drolab_is_named(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, "")
    with pytest.raises(drolab.ProtocolError, match="says 'none': install both"):
        drolab.start("x", drolab.Data(4), method="erm")


def test_what_drolab_refuses_at_once_is_its_line_alone(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, "sys.exit('drolab: --runs x: expected a folder of runs')")
    with pytest.raises(drolab.RunStopped) as e:
        drolab.start("x", drolab.Data(4), method="erm", runs="x")
    assert str(e.value) == "--runs x: expected a folder of runs"


def test_a_command_that_is_killed_at_once_is_lost(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, "os.kill(os.getpid(), 9)")
    with pytest.raises(drolab.ConnectionLost, match="drolab's process has ended"):
        drolab.start("x", drolab.Data(4), method="erm")


def test_a_command_of_another_protocol_is_named_with_both_versions(tmp_path, monkeypatch):
    command(tmp_path, monkeypatch, """
if sys.argv[1] == "version":
    print("drolab 99")
else:
    hears, says = map(int, os.environ["DROLAB_PIPES"].split(","))
    head = b'{"error":"it speaks version 2 of the protocol: expected 3"}'
    os.write(says, len(head).to_bytes(4, "little") + bytes(4) + b"dro1" + head)
    os.set_blocking(hears, True)
    while os.read(hears, 1 << 16):
        pass
""")
    with pytest.raises(drolab.ProtocolError, match="expected 3 .*'drolab 99': install both"):
        drolab.start("x", drolab.Data(4), method="erm")


def test_another_system_is_named(monkeypatch):
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(drolab.UsageError, match="need Linux or macOS"):
        drolab.start("x", drolab.Data(4), method="erm")
