import multiprocessing
import os
import signal
import subprocess

import pytest

from drolab import _signals
from drolab._loop import Run

FORK = multiprocessing.get_context("fork")


def sent(number, pid):
    """Sends a signal from a process that is no parent of the receiver."""
    subprocess.run(["sh", "-c", f"kill -{int(number)} {pid}"], check=True)


@pytest.fixture
def heard():
    heard = []
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored
    try:
        with _signals.Wishes(lambda: heard.append(1), lambda: False):
            yield heard
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"])
def test_signals_are_wishes_within_the_block(heard, name):
    os.kill(os.getpid(), getattr(signal, name))
    assert heard == [1]


class Told:
    """Stands for drolab's process, and keeps how the run ends."""

    over = waiting = False

    def in_step(self):
        return True

    def ask(self, do, **more):
        self.end = do, more

    def close(self, kill):
        pass


@pytest.mark.parametrize("comes", [True, False])
def test_workers_that_a_stop_has_ended_are_named(capsys, comes):
    run = Run(None)
    run.id, run._talk, before = "x-1", Told(), signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    error = RuntimeError("DataLoader worker (pid(s) 11235, 11237) exited unexpectedly")
    try:
        with run._taken:
            run._taken.enter_context(run._signals)
            run._talk.stop = list
            if comes:
                os.kill(os.getpid(), signal.SIGHUP)
            run._leave(error)
    finally:
        signal.signal(signal.SIGHUP, before)
    do, more = run._talk.end
    assert do == "end" and more["status"] == "failed"
    said = capsys.readouterr().err
    if comes:
        assert "use workers of the start method fork" in more["cause"]
        assert said == f"drolab: run x-1: {more['cause']}\n"
    else:
        assert more["cause"].startswith("RuntimeError: DataLoader worker") and not said


def test_handlers_are_given_back():
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)}
    own = signal.signal(signal.SIGUSR2, lambda *_: None)
    try:
        kept = signal.getsignal(signal.SIGUSR2)
        with _signals.Wishes(list, lambda: False):
            assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
            assert signal.getsignal(signal.SIGUSR2) is kept  # the script's own
    finally:
        signal.signal(signal.SIGUSR2, own)
    assert {n: signal.getsignal(n) for n in before} == before


def test_a_warning_never_ends_the_process(heard, monkeypatch):
    monkeypatch.setattr(_signals, "_AGAIN", -1.0)
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGTERM)
    assert len(heard) == 4


def worker(pipe, other):
    other.close()  # so that the end of the test's process is seen
    try:
        while True:
            pipe.recv()
            pipe.send("here")
    except EOFError:
        pass


def forked():
    ours, theirs = FORK.Pipe()
    w = FORK.Process(target=worker, args=(theirs, ours), daemon=True)
    w.start()
    theirs.close()
    return w, ours


@pytest.mark.skipif(not hasattr(signal, "sigwaitinfo"), reason="needs sigwaitinfo")
def test_a_worker_outlives_a_signal_to_all(heard):
    w, pipe = forked()
    sent(signal.SIGTERM, w.pid)
    sent(signal.SIGTERM, os.getpid())
    pipe.send("are you there")
    assert pipe.poll(10) and pipe.recv() == "here" and heard == [1]
    w.terminate()  # by its parent
    w.join(10)
    assert w.exitcode == -signal.SIGTERM


@pytest.mark.skipif(not hasattr(signal, "sigwaitinfo"), reason="needs sigwaitinfo")
def test_a_worker_ends_by_a_signal_to_it_alone(heard, monkeypatch):
    monkeypatch.setattr(_signals, "_LATE", 0.05)
    w, _ = forked()
    sent(signal.SIGTERM, w.pid)
    w.join(10)
    assert w.exitcode == -signal.SIGTERM and not heard
