"""Starts programs by forking itself, so that modules are imported once for all tests.

zygote.py FOLDER MODULE... imports the modules, from the folder or elsewhere, and prints the path of
a socket. It ends when its standard input does.

A connection to the socket starts a program. It sends a line with a JSON object: args (of which the
first is the script), env (further variables) and dir (or null); and the program's files from 0 on.
It receives the number of the process and, at the end, the status of the program. If it is closed
before the end, the program is killed.
"""

import fcntl
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import tempfile

MOST = 256  # files of this process have smaller numbers

sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(name)

running = {}  # the connections by the numbers of processes


def child(order, files):
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    files = [fcntl.fcntl(fd, fcntl.F_DUPFD, MOST) for fd in files]
    os.closerange(0, MOST)
    for fd, file in enumerate(files):
        os.dup2(file, fd)
        os.close(file)
    os.environ.update(order["env"] or {})
    os.chdir(order["dir"] or ".")
    sys.argv = order["args"]
    sys.path.insert(0, os.path.dirname(sys.argv[0]))
    status = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def begin(connection):
    line, files, _, _ = socket.recv_fds(connection, 1 << 16, 16)
    while not line.endswith(b"\n"):
        line += connection.recv(1 << 16)
    pid = os.fork()
    if pid == 0:
        child(json.loads(line), files)
    for fd in files:
        os.close(fd)
    running[pid] = connection
    choose.register(connection, selectors.EVENT_READ, pid)
    connection.sendall(b"%d\n" % pid)


def kill(pid):
    choose.unregister(running[pid])
    for do, whom in ((os.kill, pid), (os.killpg, pid)):
        try:
            do(whom, signal.SIGKILL)
        except ProcessLookupError:
            pass


def reap():
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        connection = running.pop(pid)
        if connection in choose.get_map():
            choose.unregister(connection)
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        connection.close()


wake, waker = os.pipe()
os.set_blocking(waker, False)
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
folder = tempfile.mkdtemp(prefix="zygote-")
server = socket.socket(socket.AF_UNIX)
server.bind(os.path.join(folder, "socket"))
server.listen(256)
choose = selectors.DefaultSelector()
for source in (0, wake, server):
    choose.register(source, selectors.EVENT_READ)
print(server.getsockname(), flush=True)
while True:
    for key, _ in choose.select():
        if key.fileobj == wake:
            os.read(wake, 512)
            reap()
        elif key.fileobj == server:
            begin(server.accept()[0])
        elif key.fileobj != 0:
            kill(key.data)
        elif not os.read(0, 1 << 16):
            shutil.rmtree(folder)
            sys.exit()
