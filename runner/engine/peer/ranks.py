"""Several processes for one run, forked from this one: ranks.py RUNS WHAT ...

numbers          all methods here, by both ways, in 1 to 4 processes; prints the names of the runs
faults SIZE ...  faults of a rank, and what every rank says; prints the run, its status and cause
kills SIZE N     kills each rank N times; prints the names of the resumed runs
orders PIDS      trains in two processes, whose numbers are in files of the folder PIDS, until
                 somebody stops the run; prints what each rank said last
signals          signals to the ranks, to one process, and to one whose terminal goes
sharded          FSDP2 in two processes, beside one process; prints both runs
shuffles         ranks that shuffle alike, each in its own way, not at all, and with replacement;
                 prints how, the run, and how many of its samples differ, or 0
apart            processes that know nothing of each other, and one on a machine of its own

Go tests start it, and look at the records of the runs.
"""

import hashlib
import io
import json
import logging
import os
import signal
import sys
import threading
import time
import traceback

import torch
import torch._dynamo  # now, too
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, WeightedRandomSampler

import drolab
import drolab._ranks  # now, and not in each process that needs it
import drolab.torch
from drolab import _loop as loop

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and so would the runs

RUNS, WHAT = sys.argv[1:3]
LONG = "DROLAB_LONG" in os.environ
N, BATCH = 96, 24
# OMP_NUM_THREADS=1 gives each process one thread. torch.set_num_threads would make a pool here,
# which threads of the forked processes then race to replace ("Invalid thread pool!").
logging.disable()  # PyTorch's words on a fault
made = torch.Generator().manual_seed(1)
X = torch.randn(N, 6, generator=made)
Y = (X[:, 0] > 0).long()
G = Y + 2 * (X[:, 1] > 0.3).long()
COUNTS = {"class_counts": torch.bincount(Y).tolist(), "group_counts": torch.bincount(G).tolist()}
SAID = None  # this process's pipe to the parent


def say(**what):
    """Tells the parent something."""
    os.write(SAID, json.dumps(what).encode() + b"\n")


def forked(size, work, together=True):
    """Runs work(rank) in as many processes. Returns what each said, and its exit status."""
    global SAID
    hears, children = [], []
    ports = os.pipe()
    for rank in range(size):
        hear, SAID = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                if together:
                    join(rank, size, ports)
                work(rank)
                status = 0
            except BaseException as e:
                say(error=f"{type(e).__name__}: {e}", rank=rank)
                if not isinstance(e, drolab.Error) and \
                        "expected" not in str(e):
                    traceback.print_exc()
            finally:
                if together and status == 0:
                    dist.destroy_process_group()
                sys.stderr.flush()
                os._exit(status)
        os.close(SAID)
        hears.append(hear)
        children.append(child)
    said = [[] for _ in range(size)]
    threads = [threading.Thread(target=listen, args=(h, s)) for h, s in zip(hears, said)]
    for t in threads:
        t.start()
    hanging = [r for r in range(size) if HANGS in (r,)]
    for r, t in enumerate(threads):
        if r not in hanging:
            t.join()
    for r in hanging:
        os.kill(children[r], signal.SIGKILL)
        threads[r].join()
    statuses = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
    for end in ports:
        os.close(end)
    return said, statuses


HANGS = None  # the rank that the parent must kill


def listen(pipe, said):
    with os.fdopen(pipe) as lines:
        for text in lines:
            said.append(json.loads(text))


def join(rank, size, ports):
    """Makes the process group, whose store is in the process of rank 0."""
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, size, True, wait_for_workers=False)
        os.write(ports[1], b"%05d" % store.port * (size - 1))
    else:
        store = dist.TCPStore("127.0.0.1", int(os.read(ports[0], 5)), size, False,
                              wait_for_workers=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size)


def part(rank, sizes):
    """Returns the part of a batch that a rank has."""
    return slice(sum(sizes[:rank]), sum(sizes[:rank + 1]))


def network(size, kind=torch.float32):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2)).to(kind)
    # It keeps its buckets: DDP else rearranges them after its first step, and three or more ranks
    # then add in another order than they did before a resume.
    net = DistributedDataParallel(model, find_unused_parameters=True) if size > 1 else model
    return model, net, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


# Numbers.

STEPS = 40


def numbers(rank, sizes, method, way):
    """Trains STEPS steps. Returns the run, the weights of all steps, and the parameters.

    It computes in float64: sfk takes the rounding of float32 to more than the bounds.
    """
    loop._BY_DROLAB = () if way == "device" else ("cpu",)
    mine, size = part(rank, sizes), len(sizes)
    model, net, optimizer = network(size, torch.float64)
    x, draws = X.double(), torch.Generator().manual_seed(3)
    kept = []

    def drawn():
        i = torch.randint(N, (BATCH,), generator=draws)[mine]
        return F.cross_entropy(net(x[i]), Y[i], reduction="none"), Y[i], G[i], i

    def fresh():
        with drolab.torch.probe(net):
            return drawn()

    with drolab.start("numbers", method=method, runs=RUNS, samples=N,
                      batch=BATCH, log_every=1, epochs=STEPS * BATCH // N, weights=way,
                      **COUNTS) as run:
        for step in range(STEPS):
            losses, label, group, index = drawn()
            w = run.weights(losses, label=label, group=group, index=index)
            kept.append(w * (sum(sizes) / (size * len(losses))))
            optimizer.zero_grad()
            (w * losses).mean().backward()
            optimizer.step()
            run.step(lr=0.1, grad_norm=torch.tensor(1.0), fresh=fresh)
            if step % 20 == 19:  # as a DistributedSampler does, with more samples than there are
                most = -(-N // size) + 3 * (size > 1)
                i = (torch.arange(most) * size + rank) % N
                with torch.no_grad():
                    out = net(x[i])
                losses = F.cross_entropy(out, Y[i], reduction="none")
                run.evaluate("test", losses=losses, label=Y[i], group=G[i], index=i,
                             probability=out.softmax(1))
                run.end_epoch(losses, label=Y[i], group=G[i], index=i,
                              correct=out.argmax(1) == Y[i])
    return run.id, torch.cat(kept), torch.cat([p.detach().flatten() for p in model.parameters()])


def all_numbers():
    cases = [(m, w) for m in ("erm", "sfk", "group", "tilted", "scent") for w in ("host", "device")]

    def several(sizes):
        def work(rank):
            for method, way in cases:
                name, w, x = numbers(rank, sizes, method, way)
                shared = io.BytesIO()
                torch.save((w, x), shared)
                say(id=name, kept=shared.getvalue().hex())

        said, statuses = forked(len(sizes), work, len(sizes) > 1)
        assert statuses == [0] * len(sizes), (statuses, said)
        return said

    alone = several([BATCH])
    for sizes in ([12, 12], [17, 7], [4, 9, 11], [1, 2, 3, 18]) if LONG else ([4, 9, 11],):
        for (method, way), one, *ranks in zip(cases, *alone, *several(sizes)):
            want_w, want_x = torch.load(io.BytesIO(bytes.fromhex(one["kept"])))
            want_w = want_w.view(STEPS, BATCH)
            for r, rank in enumerate(ranks):
                assert rank["id"] == ranks[0]["id"] != one["id"]
                w, x = torch.load(io.BytesIO(bytes.fromhex(rank["kept"])))
                far = (w.view(STEPS, -1) - want_w[:, part(r, sizes)]).abs().max()
                assert far < 1e-6, (method, way, sizes, r, far)
                assert (x - want_x).abs().max() < 1e-5, (method, way, sizes, r)
            print(method, way, "-".join(map(str, sizes)), one["id"], ranks[0]["id"])


# Faults.


def train(rank, size, trouble, resume=None, **more):
    """Trains 12 steps, with a random number of its own on each rank, and saves after each 4."""
    model, net, optimizer = network(size)
    own = torch.Generator().manual_seed(10 + rank)
    given = {} if resume else dict(
        dict(method="sfk", samples=N, batch=BATCH, epochs=3, log_every=1, lr=0.05,
             program_patience=60, class_counts=COUNTS["class_counts"]), **more)
    with drolab.start("ranks", runs=RUNS, resume=resume, **given) as run:
        if run.saved:
            kept = torch.load(os.path.join(run.saved, "all.pt"), weights_only=True)
            model.load_state_dict(kept["model"])
            optimizer.load_state_dict(kept["optimizer"])
            own.set_state(kept["random"])
        say(id=run.id)
        while run.steps < 12:
            at = run.steps
            trouble("step", at, run)
            i = torch.arange(at * 7 + rank, at * 7 + BATCH, size) % N

            def drawn(i):
                x = X[i] + 0.1 * torch.randn(len(i), 6, generator=own)
                return F.cross_entropy(net(x), Y[i], reduction="none")

            def fresh():
                trouble("fresh", at, run)
                with drolab.torch.probe(net):
                    return drawn((i * 3) % N), Y[(i * 3) % N]

            losses = drawn(i)
            wrong = trouble("weights", at, run)
            if wrong == "skip":
                w = torch.ones_like(losses)
            else:
                given = {"empty": losses[:0], "nan": losses * float("nan")}.get(wrong, losses)
                w = run.weights(given, label=None if wrong == "less" else Y[i[:len(given)]])
            trouble("backward", at, run)
            optimizer.zero_grad()
            (w * losses).mean().backward()
            for group in optimizer.param_groups:
                group["lr"] = run.lr
            optimizer.step()
            trouble("moved", at, run)
            run.step(grad_norm=1.0, fresh=fresh)
            if run.steps % 4 and not run.stopping:
                continue
            if run.steps % 4 == 0:
                trouble("evaluate", at, run)
                all_of = torch.arange(rank, N, size)
                with torch.no_grad():
                    out = net(X[all_of])
                losses = F.cross_entropy(out, Y[all_of], reduction="none")
                if trouble("pass", at, run) == "bare":
                    run.evaluate("test", losses=losses)
                run.evaluate("test", losses=losses, label=Y[all_of], index=all_of,
                             probability=out.softmax(1))
                trouble("epoch", at, run)
                run.end_epoch(losses, label=Y[all_of], index=all_of, correct=out.argmax(1) == 1)
            trouble("checkpoint", at, run)
            with run.checkpoint() as folder:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                            "random": own.get_state()}, os.path.join(folder, "all.pt"))
                trouble("save", at, run)
            if run.stopping:
                say(stopped=run.steps)
                return
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    say(digest=digest.hexdigest())


def quiet(*_):
    return None


def resumed(size, name):
    """Resumes a run, once drolab's process of its past has ended. Returns its digest."""
    while True:
        said, statuses = forked(size, lambda rank: train(rank, size, quiet, name))
        errors = [s["error"] for s in said[0] if "error" in s]
        if not errors:
            assert statuses == [0] * size, (statuses, said)
            return digest_of(said)
        assert "elsewhere" in errors[0], errors
        time.sleep(0.05)


def digest_of(said):
    digests = {s["digest"] for one in said for s in one if "digest" in s}
    assert len(digests) == 1, said
    return digests.pop()


def at(where, step, who, do):
    """Returns a trouble of one rank at one place."""
    def trouble(place, now, run):
        if place == where and now == step and dist.get_rank() == who:
            return do(run)
        return None
    return trouble


def raises(run):
    raise ValueError("bad sample 17, as expected")


def hangs(run):
    while True:
        signal.pause()


def ends_drolab(run):
    process = run._talk._process
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def leaves(run):
    run.__exit__(None, None, None)
    raise SystemExit("as expected")


def faults(size, who):
    """Yields for each fault its name, the trouble, further settings, and what the others say."""
    yield "raise", at("backward", 6, who, raises), {}, \
        f"RunStopped: rank {who}: ValueError: bad sample 17, as expected (ranks.py, line"
    yield "fresh", at("fresh", 6, who, raises), {}, f"RunStopped: rank {who}: ValueError: bad sample 17"
    yield "save", at("save", 7, who, raises), {}, f"RunStopped: rank {who}: ValueError: bad sample 17"
    yield "quit", at("step", 6, who, lambda run: sys.exit("as expected")), {}, \
        f"RunStopped: rank {who}: SystemExit: as expected"
    gone = f"RunStopped: rank {who} ended without a word"
    if who == 0:
        gone = "ConnectionLost: rank 0 ended without a word: killed, or cut off: go on with"
    yield "exit", at("weights", 6, who, lambda run: os._exit(3)), {}, gone
    yield "kill", at("backward", 6, who, kill), {}, gone
    yield "empty", at("weights", 6, who, lambda run: "empty"), {}, \
        f"RunStopped: rank {who}: UsageError: the batch of this rank is empty: give every rank samples"
    yield "nan", at("weights", 6, who, lambda run: "nan"), {}, "RunStopped: weights: the loss of "
    less = ("losses, label", "losses") if who == 0 else ("losses", "losses, label")
    yield "less", at("weights", 6, who, lambda run: "less"), {}, \
        f"RunStopped: run.weights: rank {who or 1} gives {less[0]} and rank 0 gives {less[1]}: give"
    comes = ("run.weights", "run.evaluate")[::1 if who == 0 else -1]
    yield "other", at("step", 6, who, lambda run: run.evaluate(
        "test", losses=X[:4, 0], index=torch.arange(4))), {}, \
        f"RunStopped: rank {who or 1} comes to {comes[0]} and rank 0 to {comes[1]}: give every rank"
    comes = ("run.weights", "the end of its block")[::1 if who == 0 else -1]
    yield "early", at("step", 6, who, leaves), {}, \
        f"RunStopped: rank {who or 1} comes to {comes[0]} and rank 0 to {comes[1]}: give every rank"
    yield "bare", at("pass", 7, who, lambda run: "bare"), {}, \
        f"RunStopped: rank {who}: UsageError: evaluate: give index, the places of the samples"
    yield "hang", at("weights", 6, who, hangs), {"program_patience": 5}, \
        f"RunStopped: rank {who} did not come to run.weights within 5 s: it hangs, or leaves out a call"
    yield "skip", at("weights", 6, who, lambda run: "skip"), {"program_patience": 5}, "RunStopped: rank"
    if who == 0:
        yield "refused", None, {"rho": -1}, "RunStopped: "
        yield "lost", at("step", 6, 0, ends_drolab), {}, "ConnectionLost: drolab's process of run ranks-"
    if who == 1:
        yield "settings", None, {}, f"RunStopped: drolab.start: rank {who} has rho=2 and rank 0 has "
        yield "absent", None, {}, f"RunStopped: rank {who}: SettingError: drolab.start has no method"


def kill(run):
    os.kill(os.getpid(), signal.SIGKILL)


def all_faults(size):
    global HANGS
    said, _ = forked(size, lambda rank: train(rank, size, quiet))
    want = digest_of(said)
    print("run", said[0][0]["id"], "done")
    for who in range(size) if size == 2 and LONG else [size // 2]:
        for name, trouble, more, text in faults(size, who):
            if not LONG and name in ("fresh", "save", "quit", "less", "early", "bare", "skip"):
                continue

            def work(rank):
                own = dict(more)
                if name == "settings" and rank == who:
                    own["rho"] = 2
                if name == "absent" and rank == who:
                    own["method"] = None
                train(rank, size, trouble or quiet, **own)

            HANGS = who if name == "hang" else None
            said, statuses = forked(size, work)
            HANGS = None
            for r, one in enumerate(said):
                error = next((s["error"] for s in one if "error" in s), None)
                if r == who and name in ("exit", "kill", "hang"):
                    assert statuses[r] in (3, -9) and error is None, (name, who, r, one, statuses)
                    continue
                own = r == who and name in ("raise", "fresh", "save", "quit", "empty", "bare",
                                            "absent", "early")
                right = error is not None and "\n" not in error and statuses[r] == 1 and \
                    (own or error.startswith(text))
                assert right, (name, who, r, one, statuses)
            texts = {s["error"] for r, one in enumerate(said) for s in one
                     if "error" in s and (r != who or name in ("nan", "less", "other", "lost"))}
            assert len(texts) == 1, (name, who, texts)
            print("says", size, name, who, *texts)
            if trouble is None:
                continue
            status = "failed"
            if who == 0 and name in ("exit", "kill", "hang") or name == "lost":
                status = "interrupted"
            run = said[0][0]["id"]
            print("run", run, status, flush=True)
            if not more:
                assert resumed(size, run) == want, (name, who)
                print("run", run, "done")


def all_kills(size, kills):
    said, _ = forked(size, lambda rank: train(rank, size, quiet))
    want = digest_of(said)
    print(said[0][0]["id"])
    places = ["step", "weights", "backward", "moved", "fresh", "evaluate", "epoch", "checkpoint",
              "save"]
    for who in range(size):
        for k in range(kills):
            place = places[k % len(places)]
            step = [7, 3, 11][k // len(places) % 3] if k % len(places) > 4 else (5 * k + 2) % 12
            doom = at(place, step, who, kill)
            said, statuses = forked(size, lambda rank: train(rank, size, doom))
            errors = {s["error"] for r in range(size) if r != who for s in said[r] if "error" in s}
            assert statuses[who] == -9 and len(errors) == 1, (place, step, who, said, statuses)
            assert f"rank {who} ended without a word" in errors.pop(), (place, step, who, said)
            run = said[0][0]["id"]
            assert resumed(size, run) == want, (place, step, who)
            print(run)


# Orders and signals.


def until_stopped(rank, size, trouble=quiet, resume=None):
    """Trains until somebody stops the run, and saves when it is asked to."""
    with drolab.start("orders", method="erm", runs=RUNS, samples=N, batch=BATCH, epochs=10 ** 6,
                      program_patience=60, **COUNTS) as run:
        say(id=run.id)
        losses = X[rank::size, 0]
        while not run.stopping:
            trouble("step", run.steps, run)
            run.weights(losses, label=Y[rank::size])
            run.step(grad_norm=1.0)
            if run.saving or run.stopping:
                say(at=run.steps, lr=run.lr)
                with run.checkpoint() as folder:
                    open(os.path.join(folder, "x"), "w").close()


def orders(pids):
    def work(rank):
        with open(os.path.join(pids, str(rank)), "w") as f:
            f.write(str(os.getpid()))
        until_stopped(rank, 2)

    for one in forked(2, work)[0]:
        print(json.dumps(one[-1]))


def signals():
    def told(number, when):
        def trouble(place, now, run):
            if now == when.get(dist.get_rank() if dist.is_initialized() else 0):
                os.kill(os.getpid(), number)
        return trouble

    for size, number, when in ((2, signal.SIGTERM, {0: 5, 1: 6}), (2, signal.SIGTERM, {1: 5}),
                               (2, signal.SIGHUP, {0: 5, 1: 5}), (1, signal.SIGTERM, {0: 5})):
        said, statuses = forked(size, lambda rank: until_stopped(rank, size, told(number, when)),
                                size > 1)
        assert statuses == [0] * size and all(one == said[0] for one in said), (statuses, said)
        assert said[0][1]["at"] > 5, said
        print("run", said[0][0]["id"], "stopped")

    # The terminal goes, and the script prints on.
    hear, tell = os.pipe()
    child, terminal = os.forkpty()
    if child == 0:
        global SAID
        SAID = tell

        def chatter(place, now, run):
            sys.stderr.write("x" * 100 + "\n")
            sys.stderr.flush()

        until_stopped(0, 1, chatter)
        os._exit(0)
    os.close(tell)
    os.read(terminal, 10)
    os.close(terminal)
    said = []
    listen(hear, said)
    assert os.waitpid(child, 0)[1] == 0 and len(said) == 2, said
    print("run", said[0]["id"], "stopped")


def sharded():
    """Trains by FSDP2, with and without parts of a batch, whose lengths of gradients are whole."""
    def trained(rank, size, parts):
        model, _, _ = network(1)
        if size > 1:
            for layer in (model[0], model[2], model):
                fully_shard(layer)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        with drolab.start("sharded", method="sfk", rho=1, runs=RUNS, samples=N, batch=BATCH,
                          log_every=1, epochs=2, **COUNTS) as run:
            for batch in [torch.arange(N).roll(7 * e).split(BATCH) for e in range(2)]:
                for whole in batch:
                    optimizer.zero_grad()
                    for k, of in enumerate(whole.chunk(parts)):
                        i = of[rank::size]
                        losses = F.cross_entropy(model(X[i]), Y[i], reduction="none")
                        w = run.weights(losses, label=Y[i], group=G[i], index=i,
                                        more=k + 1 < parts)
                        ((w * losses).mean() / parts).backward()
                    norm = nn.utils.clip_grad_norm_(model.parameters(), 10)
                    optimizer.step()

                    def fresh():
                        j = (whole + 11)[rank::size] % N
                        with drolab.torch.probe(model):
                            return (F.cross_entropy(model(X[j]), Y[j], reduction="none"), Y[j],
                                    G[j], j)

                    run.step(lr=0.1, grad_norm=norm, fresh=fresh)
                run.end_epoch()
            with run.checkpoint() as folder:
                state = get_model_state_dict(
                    model, options=StateDictOptions(full_state_dict=True))
                if rank == 0:
                    torch.save(state, os.path.join(folder, "model.pt"))
        if rank == 0:
            say(id=run.id, end=torch.cat([p.flatten() for p in state.values()]).tolist())

    for parts in (1, 2):
        alone = forked(1, lambda rank: trained(rank, 1, parts), False)[0][0][0]
        two = forked(2, lambda rank: trained(rank, 2, parts))[0][0][0]
        far = max(abs(a - b) for a, b in zip(alone["end"], two["end"], strict=True))
        assert far < 1e-5, (parts, far)
        print("sharded", parts, alone["id"], two["id"])


def shuffles():
    """Trains an epoch of 1200 samples in two processes, by each kind of sampler."""
    many = list(range(1200))

    def alike(rank):
        return DistributedSampler(many, seed=7)

    def apart(rank):
        return DistributedSampler(many, seed=rank)

    def whole(rank):
        return many

    def again(rank):
        return WeightedRandomSampler([1.0] * 1200, 600,
                                     generator=torch.Generator().manual_seed(rank))

    seen = [i for rank in range(2) for i in DistributedSampler(many, 2, rank, seed=rank)]
    different = {apart: len(set(seen)), whole: 600}
    for sampler, way in ((alike, "host"), (apart, "host"), (apart, "device"), (whole, "host"),
                         (again, "host")):
        def work(rank):
            loop._BY_DROLAB = () if way == "device" else ("cpu",)
            with drolab.start("shuffles", method="erm", runs=RUNS, samples=1200, batch=60,
                              epochs=2, weights=way) as run:
                say(id=run.id)
                for epoch in range(2):
                    for index in DataLoader(many, batch_size=30, sampler=sampler(rank)):
                        run.weights(index / 1200, index=index)
                        run.step(grad_norm=1.0)
                    run.end_epoch()

        said, statuses = forked(2, work)
        assert statuses == [0, 0], said
        print(sampler.__name__, said[0][0]["id"], different.get(sampler, 0))


def apart():
    """Two processes that start a run each, and learn of each other later."""
    def alone(rank):
        with drolab.start("apart", method="erm", runs=RUNS, samples=N, batch=BATCH) as run:
            say(id=run.id)
            join(rank, 2, ports)
            run.weights(X[:, 0])

    ports = os.pipe()
    said, _ = forked(2, alone, False)
    for one in said:
        assert "call torch.distributed.init_process_group before drolab.start" in one[1]["error"]
        print("run", one[0]["id"], "failed")

    # A machine that does not see the folder of the run.
    def far(rank, resume=None):
        if rank == 1:
            os.path.isdir = lambda path: False
        train(rank, 2, at("step", 6, 0, raises), resume)

    run = forked(2, far)[0][0][0]["id"]
    files = os.path.join(RUNS, run, "scratch")
    assert not os.path.exists(files), os.listdir(files)
    for one in forked(2, lambda rank: far(rank, run))[0]:
        assert "the files of the run's checkpoint are on another machine" in one[-1]["error"], one
    print("run", run, "failed")

    os.environ["WORLD_SIZE"] = "2"
    try:
        drolab.start("apart", method="erm", runs=RUNS, samples=N)
    except drolab.UsageError as e:
        assert "WORLD_SIZE is 2: call torch.distributed.init_process_group" in str(e), e


if WHAT == "numbers":
    all_numbers()
elif WHAT == "faults":
    all_faults(int(sys.argv[3]))
elif WHAT == "kills":
    all_kills(int(sys.argv[3]), int(sys.argv[4]))
elif WHAT == "orders":
    orders(sys.argv[3])
elif WHAT == "signals":
    signals()
elif WHAT == "sharded":
    sharded()
elif WHAT == "shuffles":
    shuffles()
else:
    apart()
