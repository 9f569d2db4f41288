import os
import struct
import threading

import numpy as np
import pytest

from drolab import ProtocolError
from drolab._frames import MAGIC, MOST_BODY, MOST_HEAD, PipeClosed, Wire


@pytest.fixture
def pair():
    """Yields a wire, and the ends of its pipes that the other side has."""
    said, says = os.pipe()
    told, tells = os.pipe()
    wire = Wire(said, tells)
    yield wire, says, told
    for fd in (said, says, told, tells):
        try:
            os.close(fd)
        except OSError:
            pass


@pytest.mark.parametrize("arrays", [
    [], [np.arange(3.0)], [np.arange(4, dtype=np.int32), np.ones(2, np.float32)],
    [np.zeros(0, np.int64)], [np.arange(6.0).reshape(2, 3).T],
])
def test_what_is_sent_is_received(pair, arrays):
    wire, says, told = pair
    wire.send({"do": "ask", "n": 1}, arrays)
    os.write(says, os.read(told, 1 << 16))
    head, got = wire.receive(MOST_HEAD, MOST_BODY)
    assert head["do"] == "ask" and head["n"] == 1
    assert len(got) == len(arrays)
    for a, b in zip(arrays, got):
        assert a.dtype == b.dtype and (np.ravel(a) == b).all()


def test_known_heads_have_the_same_bytes(pair):
    wire, _, told = pair
    a = np.arange(5.0)
    wire.send({"do": "step", "has": ["losses"]}, [a])
    plain = os.read(told, 1 << 16)
    for _ in range(2):
        wire.send_known(("step",), lambda: {"do": "step", "has": ["losses"]}, [a])
        assert os.read(told, 1 << 16) == plain


def test_long_frames_pass_a_pipe_in_pieces(pair):
    wire, says, told = pair
    a = np.random.default_rng(0).normal(size=1 << 18)

    def copy():
        raw = b""
        while len(raw) < 12 or len(raw) < 12 + sum(struct.unpack_from("<II", raw)):
            raw += os.read(told, 1 << 16)
        rest = memoryview(raw)
        while rest:
            rest = rest[os.write(says, rest):]

    other = threading.Thread(target=copy, daemon=True)
    other.start()
    wire.send({}, [a])
    _, (got,) = wire.receive(MOST_HEAD, MOST_BODY)
    assert (got == a).all()


def test_the_end_between_two_frames_is_none(pair):
    wire, says, _ = pair
    os.close(says)
    assert wire.receive(10, 10) is None


@pytest.mark.parametrize("raw, text", [
    (b"abc", "cut short"),
    (struct.pack("<III", 2, 0, MAGIC) + b"{", "cut short"),
    (struct.pack("<III", 2, 8, MAGIC + 1) + b"{}", "does not begin as one"),
    (struct.pack("<III", 1 << 30, 0, MAGIC), "expected at most"),
    (struct.pack("<III", 2, 1 << 30, MAGIC), "expected at most"),
    (struct.pack("<III", 2, 0, MAGIC) + b"[]", "no object"),
    (struct.pack("<III", 2, 0, MAGIC) + b"{x", "its head"),
    (struct.pack("<III", 2, 4, MAGIC) + b"{}abcd", "its body has 4"),
    (struct.pack("<III", 14, 0, MAGIC) + b'{"arrays": 10}', "no list"),
    (struct.pack("<III", 21, 0, MAGIC) + b'{"arrays":[["f9",1]]}', "array 0"),
    (struct.pack("<III", 22, 0, MAGIC) + b'{"arrays":[["f8",-1]]}', "array 0"),
])
def test_other_bytes_are_refused_in_one_line(pair, raw, text):
    wire, says, _ = pair
    os.write(says, raw)
    os.close(says)
    with pytest.raises(ProtocolError, match=text) as e:
        wire.receive(1 << 10, 1 << 10)
    assert "\n" not in str(e.value)


def test_a_closed_pipe_is_named(pair):
    wire, _, told = pair
    os.close(told)
    with pytest.raises(PipeClosed):
        wire.send({})
