"""Starts programs by forking itself, so that modules are imported once for all tests:
zygote.py FOLDER MODULE... imports the modules from the folder or elsewhere.

A line of standard input is a JSON object: id, script, words, env (or null), pipes (two named
pipes, the one to read from first, or null), log (a file or a named pipe). It prints the line
["pid", ID, PID] when a program starts, and ["end", ID, STATUS] when it has ended.
"""

import importlib
import json
import os
import runpy
import selectors
import signal
import sys

sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(name)

running = {}


def say(*what):
    os.write(1, (json.dumps(what) + "\n").encode())


def child(order):
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for fd in held:
        os.close(fd)
    os.setpgid(0, 0)
    log = os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.pop("DROLAB_PIPES", None)
    os.environ.update(order.get("env") or {})
    if order["pipes"]:
        read = os.open(order["pipes"][0], os.O_RDONLY)
        write = os.open(order["pipes"][1], os.O_WRONLY)
        os.environ["DROLAB_PIPES"] = f"{read},{write}"
    sys.argv = [order["script"], *order["words"]]
    status = 0
    try:
        runpy.run_path(order["script"], run_name="__main__")
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def begin(line):
    order = json.loads(line)
    pid = os.fork()
    if pid == 0:
        child(order)
    running[pid] = order["id"]
    say("pid", order["id"], pid)


def reap():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        say("end", running.pop(pid), os.waitstatus_to_exitcode(status))


wake, waker = os.pipe()
os.set_blocking(waker, False)
held = [wake, waker]
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
choose = selectors.DefaultSelector()
choose.register(0, selectors.EVENT_READ)
choose.register(wake, selectors.EVENT_READ)
held.append(choose.fileno())
rest = b""
while True:
    for key, _ in choose.select():
        if key.fd == wake:
            os.read(wake, 512)
            reap()
            continue
        got = os.read(0, 1 << 16)
        if not got:
            sys.exit()
        *lines, rest = (rest + got).split(b"\n")
        for text in lines:
            begin(text)
