#!/usr/bin/env python3
"""Computes the figures of `drolab report` again, from the files of run directories and by other code.

    check.py [--report REPORT.json] [--page REPORT.md] [--data CIFAR] RUN...

RUN is a run directory; `tar xzf` makes one from a file of `drolab record`.

--report is a file of `drolab report RUN... --json`. Every mean, deviation, difference, interval, p, corrected p and verdict
is computed from events.jsonl and summary.json, with an own Student t, and must agree to 1e-9. The effect that a test can
detect must agree to 1e-4.

--page is a file of `drolab report RUN... --md`. The cells of Table 1 must be printed as computed here, to the last digit.

--data is the folder of CIFAR-10's binary batches. The weights of each run's newest checkpoint go through a PyTorch AlexNet.
Accuracies, losses, robust risks, objective and dual gap must agree with the evaluation at that step. Losses must agree to a
relative 1e-4, since sums of float32 depend on their order, and accuracies to two samples of a class, whose predictions such
a sum can change.

For the registered runs (docs/registration.md) the report must count the same runs as missing. Once it tests them, it must
have the families, arms, sides and margins that are listed again below.

It needs NumPy, and PyTorch for --data alone. It prints what it compared, and every disagreement. The exit status is 1 if
there is a disagreement.
"""
import argparse
import calendar
import collections
import functools
import json
import math
import pathlib
import struct
import sys
import time
from decimal import Decimal

import numpy

LEVEL = 0.95
failures = []
compared = collections.Counter()


def agree(what, got, want, tolerance=1e-9, floor=0.0):
    """Records a failure unless got and want agree. Each is a number, or None where it does not apply."""
    compared[what.split(":")[0]] += 1
    got, want = plain(got), plain(want)
    if got is None or want is None:
        good = got is None and want is None
    else:
        good = abs(got - want) <= max(tolerance * max(abs(got), abs(want)), floor)
    if not good:
        failures.append(f"{what}: the report has {got!r}, here it is {want!r}")


def plain(x):
    if x is None or isinstance(x, str):
        return None
    return None if math.isnan(x) else float(x)


# Runs, read from their files.

class Run:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.meta = json.loads((self.path / "run.json").read_text())
        self.id, self.spec = self.path.name, self.meta["spec"]
        self.method, self.seed = self.spec["algorithms"][0], self.spec["seed"]
        summary = self.path / "summary.json"
        self.summary = json.loads(summary.read_text()) if summary.exists() else None
        self.evals, self.ticks = [], []  # ticks: time, step, seconds of a step
        for line in (self.path / "events.jsonl").read_text().splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event["type"] == "resume":
                self.ticks = [t for t in self.ticks if t[1] <= event["step"]]
                self.evals = [e for e in self.evals if e["step"] <= event["step"]]
            elif event["type"] == "step" and event["images_per_second"]:
                self.ticks.append((moment(event["time"]), event["step"],
                                   self.spec["batch"] / event["images_per_second"]))
            elif event["type"] == "eval":
                self.evals.append(event)

    def last(self, measure):
        """The measure in the last evaluation, with which the summary must agree."""
        value = self.evals[-1].get(measure)
        if not isinstance(value, list):
            agree(f"summary: {self.id} {measure}", self.summary.get(measure), value)
        return value

    def step_time(self):
        return self.spec["batch"] / self.summary["images_per_second"]

    def pace(self, times):
        """Median seconds of a step between two times."""
        return float(numpy.median([s for at, _, s in self.ticks if times[0] <= at <= times[1]]))


def moment(text):
    """RFC 3339 in UTC as nanoseconds."""
    whole, _, part = text.rstrip("Z").partition(".")
    seconds = calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S"))
    return seconds * 10**9 + int(part.ljust(9, "0"))


def both(a, b):
    """The times between which both runs trained."""
    return max(a.ticks[0][0], b.ticks[0][0]), min(a.ticks[-1][0], b.ticks[-1][0])


# Student's t, by the continued fraction of the incomplete beta function.

def beta_fraction(a, b, x):
    tiny, c, d = 1e-300, 1.0, 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 500):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + numerator * d or tiny)
            c = 1 + numerator / c or tiny
            h *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return h


def two_sided(t, nu):
    x = nu / (nu + t * t)
    if x == 1:
        return 1.0
    a, b = nu / 2, 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def quantile(nu, alpha=1 - LEVEL):
    """t with a two-sided p of alpha."""
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, nu) > alpha else (low, middle)
    return (low + high) / 2


@functools.cache
def detectable(n, alpha):
    """The true mean, in standard deviations, that the test of n finds with a power of 0.8, by a sum over the standard
    deviation s of the sample: nu s^2 is chi-square."""
    nu, s = n - 1, numpy.linspace(1e-6, 8, 20001)
    t = quantile(nu, alpha)
    density = numpy.exp(math.log(2) + nu / 2 * math.log(nu / 2) - math.lgamma(nu / 2) + (nu - 1) * numpy.log(s) - nu * s**2 / 2)
    normal = lambda x: 0.5 * numpy.array([math.erfc(-v / math.sqrt(2)) for v in x])
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        found = normal(middle * math.sqrt(n) - t * s) + normal(-middle * math.sqrt(n) - t * s)
        y = density * found
        power = float(((y[1:] + y[:-1]) / 2).sum() * (s[1] - s[0]))
        low, high = (middle, high) if power < 0.8 else (low, middle)
    return (low + high) / 2


def check_detectable(name, claim, tests):
    """Compares the effect that a test among this many could detect."""
    values = claim["values"]
    want = None
    if claim["p"] is not None:
        want = detectable(len(values), (1 - LEVEL) / tests) * numpy.std(values, ddof=1)
    agree(name, claim["detectable"], want, 1e-4)


def difference(values, margin):
    """Mean, half width and p of paired differences; None where they do not apply."""
    n = len(values)
    mean = sum(values) / n if n else None
    if n < 2:
        return mean, None, None
    error = numpy.std(values, ddof=1) / math.sqrt(n)
    p = two_sided(abs(mean - margin) / error, n - 1) if error > 0 else None
    return mean, quantile(n - 1) * error, p


def holm(ps):
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted, most = [None] * len(ps), 0.0
    for rank, (p, i) in enumerate(known):
        most = max(most, min(1.0, (len(ps) - rank) * p))
        adjusted[i] = most
    return adjusted


# The report.

def value_of(key, measure):
    """A function that returns the values of two runs whose difference a claim tests."""
    if key in ("objective", "train-loss-along"):
        def along(a, b):
            theirs = {e["step"]: e[measure] for e in b.evals}
            pairs = [(e[measure], theirs[e["step"]]) for e in a.evals if e["step"] in theirs]
            return [sum(column) / len(pairs) for column in zip(*pairs)]
        return along
    if key == "limited-samples":  # cat and automobile
        return lambda a, b: (a.last(measure)[3], b.last(measure)[1])
    if key.startswith("low"):  # classes 3, 4 and 5
        return lambda a, b: [sum(r.last(measure)[3:6]) / 3 for r in (a, b)]
    if not measure:
        return lambda a, b: [math.log(r.pace(both(a, b))) for r in (a, b)]
    return lambda a, b: (a.last(measure), b.last(measure))


def check_claims(report, runs):
    first, *others = report["families"] or [{"tests": 0, "claims": []}]
    agree("claim: number of tests", first["tests"], check_family(report, first["claims"], runs))
    further = collections.defaultdict(list)
    for claim in report["further"]:
        further[claim["a"]].append(claim)
    for family in further.values():
        check_family(report, family, runs)
    for family in others:
        agree("claim: number of later tests", family["tests"], check_family(report, family["claims"], runs))
    check_reproduction(report, runs)


# Table 1 of the paper, listed again here.
TABLE1 = {"sfk": [76.11, 84.71, 66.18, 54.95, 58.65, 49.36, 89.06, 84.03, 88.41, 83.09],
          "pan": [74.92, 85.62, 65.72, 52.69, 55.83, 49.50, 88.85, 84.06, 88.68, 81.29],
          "erm": [77.64, 86.19, 69.33, 54.03, 51.53, 47.05, 87.66, 85.35, 87.12, 83.15]}


def arm(report, problem, label, runs):
    """The runs of an arm, by seed."""
    of = next(p for p in report["problems"] if p["label"] == problem)
    return {runs[i].seed: runs[i] for i in row_of(of, label)["runs"]}


def check_reproduction(report, runs):
    family = []
    for claim in report["reproduction"]:
        mine = arm(report, claim["problem"], claim["a"], runs)
        row = TABLE1[mine[claim["seeds"][0]].method]
        values = [mine[s].last("test_accuracy") - sum(row) / 1000 for s in sorted(mine)]
        mean, half, p = difference(values, 0)
        name = f"reproduction: {claim['problem']} {claim['a']}"
        agree(name, claim["mean"], mean, floor=1e-12)
        agree(name, claim["half"], half, floor=1e-12)
        agree(name, claim["p"], p, 1e-7)
        family.append(p)
    for claim, p in zip(report["reproduction"], holm(family)):
        agree("reproduction", claim["adjusted_p"], p, 1e-7)
        check_detectable("reproduction", claim, len(family))


def check_readings(report, runs):
    """The readings' means, leads and distances, each over the seeds for which both methods have its settings."""
    def settings(run):
        mine = {"momentum_z": 0} | {k: v for k, v in run.spec.items() if k not in ("seed", "seeds", "algorithms", "risk_radii")}
        return mine | {"data": run.meta["dataset_checksum"].removeprefix("sha256:")[:8]}

    def found(of, method, changes):
        """The runs of a method that differ from those of a problem in these settings alone."""
        like = [r for r in runs.values() if r.method == method]
        own = [settings(runs[i]) for row in of["table"]["rows"] for i in row["runs"]
               if runs[i].method == method]
        if not changes:
            printed = {"c": 1000, "lambda0": .1, "lambda_max": 10}
            return {r.seed: r for r in like if r.id in {i for row in of["table"]["rows"] for i in row["runs"]}
                    and (method == "erm" or all(r.spec.get(k) == v for k, v in printed.items()))}
        changed = []
        for r in like:
            mine = settings(r)
            # A setting that one of them lacks was added to the program between the two.
            differs = lambda base: [k for k in {*mine} & {*base} if mine[k] != base[k]]
            if (any({*differs(base)} == {*changes} for base in own)
                    and all(json.dumps(mine[key]).strip('"') == value for key, value in changes.items())):
                changed.append(r)
        return {r.seed: r for r in changed}

    for reading in report["readings"]:
        of = next(p for p in report["problems"] if reading["name"].startswith(p["label"]))
        words = reading["name"][len(of["label"]):].lstrip(", ")
        changes = dict(change.split(" ", 1) for change in words.split(" and ") if change)
        sfk = found(of, "sfk", changes)
        # settings that ERM does not use
        untrained = len(changes) == 1 and {*changes} <= {"c", "rho", "lambda0", "lambda_max", "batch_z", "momentum_z"}
        erm = found(of, "erm", {} if untrained else changes)
        name = f"readings: {reading['name']}"
        both = sorted({*sfk} & {*erm})
        agree(name, reading["runs"], len(both))
        agree(name, reading["alike"], not untrained)
        sfk, erm = ({s: mine[s] for s in both} for mine in (sfk, erm))
        for key, method, mine in (("first", "sfk", sfk), ("base", "erm", erm)):
            classes = numpy.mean([r.last("class_accuracy") for r in mine.values()], axis=0)
            agree(name, reading[key], numpy.mean([r.last("test_accuracy") for r in mine.values()]))
            agree(name, reading["from_" + key],
                  math.sqrt(numpy.mean((classes - numpy.array(TABLE1[method]) / 100) ** 2)))
        lead = [sfk[s].last("test_accuracy") - erm[s].last("test_accuracy") for s in both]
        agree(name, reading["lead"]["mean"], sum(lead) / len(lead), floor=1e-12)


def check_family(report, claims, runs):
    """Checks claims that are corrected together, and returns the number of different tests among them."""
    family, seen = [], {}
    for claim in claims:
        if not claim["seeds"]:  # it counts as a test with p = 1
            if not claim.get("few") or claim["verdict"] != "not tested":
                failures.append(f"claim: {claim['key']} has no seeds, and is {claim['verdict']}")
            family.append(None)
            continue
        name = f"claim: {claim['key']} {claim['problem']} {claim['a']} {claim['b']}"
        problem = next(p for p in report["problems"] if p["label"] == claim["problem"])
        arms = [{runs[i].seed: runs[i] for i in row_of(problem, arm)["runs"]} for arm in (claim["a"], claim["b"])]
        of = value_of(claim["key"], claim.get("measure"))
        values = []
        for seed, written in zip(claim["seeds"], claim["values"]):
            x, y = of(arms[0][seed], arms[1][seed])
            agree(name, written, x - y, floor=1e-12)
            values.append(x - y)
        if claim.get("measure"):
            common = sorted(set(arms[0]) & set(arms[1]))
            if common != claim["seeds"]:
                failures.append(f"{name}: pairs seeds {claim['seeds']}, both have {common}")
        mean, half, p = difference(values, claim["margin"])
        agree(name, claim["mean"], mean, floor=1e-12)
        agree(name, claim["half"], half)
        agree(name, claim["p"], p, 1e-7)
        check_window(claim, name, arms)
        repeat = (claim["key"], claim["margin"], claim["a"], claim["b"], tuple(values))
        if repeat in seen:
            if not claim.get("repeats"):
                failures.append(f"{name}: is the same test as another, and says nothing of it")
            claim["at"] = seen[repeat]
        else:
            claim["at"] = seen[repeat] = len(family)
            family.append(p)
        claim["beyond"] = mean > claim["margin"]
    adjusted = holm(family)
    for claim in claims:
        if not claim["seeds"]:
            continue
        name = f"claim: {claim['key']} {claim['problem']} {claim['a']} {claim['b']}"
        p = adjusted[claim["at"]]
        agree(name, claim["adjusted_p"], p, 1e-7)
        check_detectable(name, claim, len(family))
        verdict = "undecided at this number of seeds"
        if p is not None and p < 1 - LEVEL:
            verdict = "supported" if claim["beyond"] == claim["higher"] else "not supported"
        if verdict != claim["verdict"]:
            failures.append(f"{name}: the report says {claim['verdict']}, here it is {verdict}")
    return len(family)


def check_window(claim, name, arms):
    if claim["window"] is None:
        return
    of = lambda run: sum(e[claim["measure"]] for e in run.evals[-5:]) / 5
    both = [of(arms[0][s]) - of(arms[1][s]) for s in sorted(set(arms[0]) & set(arms[1]))]
    agree(name, claim["window"], sum(both) / len(both), floor=1e-12)


def row_of(problem, arm):
    return next(r for r in problem["table"]["rows"] if arm == r["label"] or arm.startswith(r["label"] + " ("))


PERCENT = {"class_accuracy", "group_accuracy", "worst_class_accuracy", "worst_group_accuracy", "test_accuracy"}


def written(measure, mean, std):
    digits, of_std = ".4g", ".2g"
    if measure in PERCENT:
        mean, std, digits, of_std = 100 * mean, std and 100 * std, ".1f", ".1f"
    elif std and 1e-6 <= std < 1e6 > abs(mean):  # both with the decimals of two digits of std
        digits = of_std = f".{max(0, -Decimal(f'{std:.1e}').as_tuple().exponent)}f"
    return format(mean, digits) + ("" if std is None else f" ± {format(std, of_std)}")


def check_tables(report, runs, page):
    for problem in report["problems"]:
        columns = problem["table"]["columns"]
        for row in problem["table"]["rows"]:
            of = [runs[i] for i in row["runs"]]
            for column, cell in zip(columns, row["cells"]):
                measure, name = column["name"], f"table: {problem['label']} {row['label']} {column['name']}"
                values = [r.last(measure) for r in of]
                if measure.startswith("class_"):
                    values = [v[of[0].meta["classes"].index(column["class"])] for v in values]
                values = [v for v in values if v is not None]
                mean = sum(values) / len(values) if values else None
                std = float(numpy.std(values, ddof=1)) if len(values) > 1 else None
                agree(name, cell["mean"], mean)
                agree(name, cell["std"], std, 1e-7, 1e-12)
                if page and mean is not None and measure != "robust_risk_at":
                    compared["printed cells"] += 1
                    near = (mean * (1 + e) for e in (0, 1e-13, -1e-13))  # the order of a sum may decide how a half is rounded
                    if not any(f"| {written(measure, m, std)}" in page for m in near):
                        failures.append(f"{name}: {written(measure, mean, std)!r} is not on the page")
        check_classes(report, problem, runs)
        check_costs(problem, runs)


def check_classes(report, problem, runs):
    families = collections.defaultdict(list)
    rows = problem["classes"] or []
    own = {c[x] for f in report["families"] for c in f["claims"] if c["problem"] == problem["label"] for x in "ab"}
    if not report["families"]:  # without claims every arm is the report's own
        own = {arm for row in rows for arm in row["arms"] or []}
    base = [r for r in problem["table"]["rows"] if runs[r["runs"][0]].method == "erm"]
    for i, row in enumerate(rows):
        accuracy = lambda run: run.last("class_accuracy")[i]
        mine = {runs[x].seed: runs[x] for x in base[0]["runs"]}
        agree("classes", row["base"], sum(map(accuracy, mine.values())) / len(mine))
        for arm, found in zip(row["arms"] or [], row["differences"] or []):
            theirs = {runs[x].seed: runs[x] for x in row_of(problem, arm)["runs"]}
            values = [accuracy(theirs[s]) - accuracy(mine[s]) for s in found["seeds"]]
            mean, half, p = difference(values, 0)
            agree("classes", found["mean"], mean, floor=1e-12)
            agree("classes", found["half"], half, 1e-7, 1e-12)
            families["" if arm in own else arm].append((found, p))
    for family in families.values():
        for (found, _), p in zip(family, holm([p for _, p in family])):
            agree("classes", found["adjusted_p"], p, 1e-6)


def check_costs(problem, runs):
    for cost in problem["costs"]:
        times = [runs[i].step_time() for i in row_of(problem, cost["arm"])["runs"]]
        agree("cost", cost["seconds_per_step"], sum(times) / len(times))


# The registered runs: lines 1 to 14 of docs/registration.md, listed again here with their sides and margins.
LINES = [("objective", "sfk", "pgd", False, 0), ("objective-end", "sfk", "pgd", False, 0),
         ("train-loss", "sfk", "erm", True, 0), ("test-loss", "sfk", "erm", False, 0), ("low", "sfk", "erm", True, 0),
         ("low-pan", "sfk", "pan", True, -.01), ("worst", "sfk", "erm", True, 0),
         ("worst-pan", "sfk", "pan", True, -.01), ("robust-risk", "sfk", "erm", False, 0),
         ("train-loss", "pan", "erm", True, 0), ("test-loss", "pan", "erm", False, 0), ("low", "pan", "erm", True, 0),
         ("worst", "pan", "erm", True, 0), ("robust-risk", "pan", "erm", False, 0)]
MEANS = {"erm": .7291, "sfk": .7345, "pan": .7272}  # as the page gives them
ARMS = [(m, rho) for rho in (1.5, 0.5) for m in ("sfk", "sfk-auto", "pgd", "pan")] + [("erm", 1.5), ("group", 1.5)]
SEEDS = range(5, 17)


def check_registered(report, runs):
    arms = {a: {} for a in ARMS}
    for run in runs.values():
        at = run.method, run.spec["rho"]
        if run.meta["preset"].startswith("registered") and at in arms and run.seed in SEEDS and run.summary:
            arms[at][run.seed] = run
    agree("registered: wanted", report["wanted"], len(ARMS) * len(SEEDS))
    agree("registered: done", report["done"], sum(map(len, arms.values())))
    once = lambda m: [a for a, _ in ARMS].count(m) == 1  # the arm is the same at either radius
    missing = {f"{m}{'' if once(m) else f' at ρ = {rho:g}'}: {len(SEEDS) - len(of)} of {len(SEEDS)}"
               for (m, rho), of in arms.items() if len(of) < len(SEEDS)}
    families = {f["name"]: f for f in report["families"]}
    compared["missing"] += len(ARMS)
    if missing != set(report["missing"]):
        failures.append(f"missing: the report has {sorted(report['missing'])}, here are {sorted(missing)}")
    if missing and not families:
        return  # nothing may be tested
    seeds = []  # from the first on without a gap
    while len(seeds) < len(SEEDS) and all(SEEDS[len(seeds)] in of for of in arms.values()):
        seeds.append(SEEDS[len(seeds)])

    def family(claims, method, lines):
        ps, found = [], []
        for claim in claims:
            name = f"registered: {claim['key']} {claim['a']} {claim['b']} {claim['problem']}"
            _, _, rho = claim["problem"].rpartition("= ")
            rho = float(rho) if rho[0].isdigit() else None
            found.append((claim["key"], claim["a"], claim["b"], claim["higher"], claim["margin"], rho))
            a, b = (arms.get((claim[x], rho or 1.5)) or arms[claim[x], 1.5] for x in "ab")
            of = value_of(claim["key"], claim["measure"])
            if claim["key"] == "robust-risk":
                of = lambda *both: [r.last("robust_risk_at")[r.spec["risk_radii"].index(rho)] for r in both]
            values = [x - y for x, y in (of(a[s], b[s]) for s in seeds)]
            for seed, here in zip(claim["seeds"], seeds, strict=True):
                agree(f"{name} seed", seed, here)
            for written, value in zip(claim["values"], values, strict=True):
                agree(name, written, value, floor=1e-12)
            mean, half, p = difference(values, claim["margin"])
            for key, want in (("mean", mean), ("half", half), ("p", p)):
                agree(name, claim[key], want, 1e-7, 1e-12)
            ps.append((claim, p, mean))
        wanted = []
        for key, a, b, higher, margin in lines:
            either = key != "robust-risk" and "sfk" not in a
            wanted += [(key, a, b, higher, margin, rho) for rho in ([None] if either else [.5, 1.5])]
        compared["lines"] += len(wanted)
        if sorted(map(str, found)) != sorted(map(str, wanted)):
            failures.append(f"lines of {method}: the report has {found}, registered are {wanted}")
        for (claim, _, mean), p in zip(ps, holm([p for _, p, _ in ps])):
            agree("registered", claim["adjusted_p"], p, 1e-7)
            check_detectable("registered", claim, len(ps))
            verdict = "undecided at this number of seeds"
            if p is not None and p < 1 - LEVEL:
                verdict = "supported" if (mean > claim["margin"]) == claim["higher"] else "not supported"
            if verdict != claim["verdict"]:
                failures.append(f"{claim['key']} {claim['a']}: {claim['verdict']}, here {verdict}")

    family(families["main"]["claims"], "sfk and pan", LINES)
    agree("registered: tests", families["main"]["tests"], 24)
    other = lambda m: [(key, m, b, *rest) for key, a, b, *rest in LINES if a == "sfk"]
    family(families["sfk-auto"]["claims"], "sfk-auto", other("sfk-auto"))
    family(families["group"]["claims"], "group", [l for l in other("group") if l[0] in ("worst", "robust-risk")])

    ps = []  # two one-sided tests of the test loss, within 0.025 nats
    for claim in families["equivalence"]["claims"]:
        values = [v for c in families["main"]["claims"] if (c["key"], c["a"], c["problem"]) ==
                  ("test-loss", claim["a"], claim["problem"]) for v in c["values"]]
        t = (.025 - abs(sum(values) / len(values))) / (numpy.std(values, ddof=1) / math.sqrt(len(values)))
        p = two_sided(abs(t), len(values) - 1) / 2
        ps.append(p if t > 0 else 1 - p)
        agree("registered: equivalent", claim["p"], ps[-1], 1e-7)
    agree("registered: equivalence tests", len(ps), 3)
    for claim, p in zip(families["equivalence"]["claims"], holm(ps)):
        agree("registered: equivalent", claim["adjusted_p"], p, 1e-7)
    ps = []
    for claim in report["reproduction"]:
        mine = arms[claim["a"], 1.5]
        values = [mine[s].last("test_accuracy") - MEANS[claim["a"]] for s in seeds]
        mean, _, p = difference(values, 0)
        agree("registered: reproduction", claim["mean"], mean, floor=1e-12)
        agree("registered: reproduction", claim["p"], p, 1e-7)
        ps.append(p)
    for claim, p in zip(report["reproduction"], holm(ps)):
        agree("registered: reproduction", claim["adjusted_p"], p, 1e-7)
        check_detectable("registered: reproduction", claim, len(ps))
    check_means(report, arms, seeds)


def check_means(report, arms, seeds):
    for row in report["means"] + report["parts"]:
        rho = float(row["problem"].rpartition("= ")[2])
        for cell in row["arms"]:
            mine = arms.get((cell["arm"], rho)) or arms[cell["arm"], 1.5]
            name = f"registered means: {row['measure']} {cell['arm']} {rho}"
            values = []
            for run in (mine[s] for s in seeds):
                if row["measure"] == "robust_risk":
                    values.append(run.last("robust_risk_at")[run.spec["risk_radii"].index(rho)])
                elif row["measure"] in ("train_objective", "train_robust_risk", "dual_gap") and run.spec["rho"] != rho:
                    continue  # that of another radius
                elif row["measure"] != "class_accuracy":
                    values.append(run.last(row["measure"]))
                elif row.get("class"):
                    values.append(run.last(row["measure"])[run.meta["classes"].index(row["class"])])
                else:
                    values.append(sum(run.last(row["measure"])[3:6]) / 3)
            values = [v for v in values if v is not None]
            agree(name, cell["seeds"], len(values))
            agree(name, cell["mean"], sum(values) / len(values) if values else None)
            agree(name, cell["std"], float(numpy.std(values, ddof=1)) if len(values) > 1 else None, 1e-7, 1e-12)


# The weights, evaluated by another network.

def tensors(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        head, body = json.loads(f.read(size)), f.read()
    return {name: numpy.frombuffer(body[slice(*t["data_offsets"])], "<f4").reshape(t["shape"])
            for name, t in head.items() if name != "__metadata__"}


def batches(folder, names):
    raw = numpy.concatenate([numpy.fromfile(folder / n, numpy.uint8).reshape(-1, 3073) for n in names])
    return raw[:, 0].astype(int), raw[:, 1:].reshape(-1, 3, 32, 32)


def losses_of(weights, labels, pixels, spec):
    import torch
    from torch.nn import functional as f
    w = {k: torch.from_numpy(v.copy()) for k, v in weights.items() if not k.startswith("velocity.")}
    mean, std = (torch.tensor(spec[k]).view(1, 3, 1, 1) for k in ("mean", "std"))

    def forward(x):
        x = f.max_pool2d(f.relu(f.conv2d(x, w["conv1.weight"], w["conv1.bias"], stride=4, padding=5)), 2)
        x = f.max_pool2d(f.relu(f.conv2d(x, w["conv2.weight"], w["conv2.bias"], padding=2)), 2)
        x = f.relu(f.conv2d(x, w["conv3.weight"], w["conv3.bias"], padding=1))
        x = f.relu(f.conv2d(x, w["conv4.weight"], w["conv4.bias"], padding=1))
        x = f.max_pool2d(f.relu(f.conv2d(x, w["conv5.weight"], w["conv5.bias"], padding=1)), 2)
        return f.linear(x.flatten(1), w["linear6.weight"], w["linear6.bias"])

    losses, hits = [], []
    with torch.no_grad():
        for i in range(0, len(labels), 1000):
            scores = forward((torch.from_numpy(pixels[i:i + 1000]).float() / 255 - mean) / std)
            y = torch.from_numpy(labels[i:i + 1000])
            losses.append(f.cross_entropy(scores.double(), y, reduction="none").numpy())
            hits.append((scores.argmax(1) == y).numpy())
    return numpy.concatenate(losses), numpy.concatenate(hits)


def kept(labels, counts):
    """The indices of the first images of each class that the imbalance keeps, in the order of the files."""
    index = numpy.concatenate([numpy.flatnonzero(labels == c)[:n] for c, n in enumerate(counts)])
    return numpy.sort(index)


def risk(losses, rho):
    """sup of mean(r l) over r >= 0 with mean r = 1 and mean (r-1)^2/2 <= rho: r = max(0, l - eta)/scale."""
    def ratios(eta):
        r = numpy.maximum(losses - eta, 0)
        return r / r.mean()

    low, high = losses.min() - 1e6, losses.max() - 1e-9  # the divergence grows with eta
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if ((ratios(middle) - 1) ** 2).mean() / 2 <= rho else (low, middle)
    return float((ratios(low) * losses).mean())


def objective(losses, lam, eta, rho):
    """F(x; lambda, eta) of chi-square in the paper's coordinates, dro/math.md section 2."""
    return float((numpy.maximum(losses - eta, 0) ** 2).mean() / (2 * lam) + lam * (rho + 0.5) + eta)


def check_weights(run, folder):
    spec = run.spec
    if (spec["model"], spec["uncertainty"], spec["k"], spec["dataset"]) != ("alexnet", "cressie-read", 2, "cifar10"):
        return
    if spec["imbalance"] == "paper-drawn":  # drolab's own random numbers say which images
        return
    state = max(run.path.glob("checkpoints/step-*.json"), default=None)
    event = state and next((e for e in run.evals if e["step"] == json.loads(state.read_text())["step"]), None)
    if not event:
        return
    weights, numbers = tensors(state.with_suffix(".safetensors")), json.loads(state.read_text())["method"]["numbers"]
    name, classes = f"weights: {run.id}@{event['step']}", len(run.meta["classes"])
    y, pixels = batches(folder, ["test_batch.bin"])
    losses, hits = losses_of(weights, y, pixels, spec)
    for c in range(classes):
        mine = y == c
        agree(f"{name} class {c}", event["class_accuracy"][c], hits[mine].mean(), floor=2.1 / mine.sum())
        agree(f"{name} class {c}", event["class_loss"][c], losses[mine].mean(), 1e-4)
    agree(f"{name} test_accuracy", event["test_accuracy"], hits.mean(), floor=5.1 / len(y))
    agree(f"{name} test_loss", event["test_loss"], losses.mean(), 1e-4)
    agree(f"{name} robust_risk", event["robust_risk"], risk(losses, spec["rho"]), 1e-4)
    for radius, value in zip(spec["risk_radii"], event["robust_risk_at"]):
        agree(f"{name} robust_risk_at {radius}", value, risk(losses, radius), 1e-4)
    y, pixels = batches(folder, [f"data_batch_{i}.bin" for i in range(1, 6)])
    index = kept(y, run.meta["class_counts"]["train"])
    train, _ = losses_of(weights, y[index], pixels[index], spec)
    worst = risk(train, spec["rho"])
    agree(f"{name} train_loss", event["train_loss"], train.mean(), 1e-4)
    agree(f"{name} train_robust_risk", event["train_robust_risk"], worst, 1e-4)
    if "lambda" in numbers and run.meta["coordinates"] == "paper":
        f = objective(train, numbers["lambda"], numbers["eta"], spec["rho"])
        agree(f"{name} train_objective", event["train_objective"], f, 1e-4)
        agree(f"{name} dual_gap", event["dual_gap"], f - worst, floor=1e-4 * f)
    print(f"{run.id}@{event['step']}: test accuracy {hits.mean():.4f} ({event['test_accuracy']:.4f}), test loss "
          f"{losses.mean():.6f} ({event['test_loss']:.6f}), train loss {train.mean():.6f} ({event['train_loss']:.6f})")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--report", type=pathlib.Path)
    options.add_argument("--page", type=pathlib.Path)
    options.add_argument("--data", type=pathlib.Path)
    options.add_argument("runs", nargs="+")
    given = options.parse_args()
    runs = {run.id: run for run in map(Run, given.runs)}
    if given.report:
        report = json.loads(given.report.read_text())
        if all(run.meta["preset"].startswith("registered") for run in runs.values()):
            check_registered(report, runs)
        else:
            check_tables(report, runs, given.page.read_text() if given.page else None)
            check_claims(report, runs)
            check_readings(report, runs)
    if given.data:
        for run in runs.values():
            check_weights(run, given.data)
    for line in failures:
        print(line)
    print(f"{len(failures)} of {sum(compared.values())} disagree:", dict(compared))
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
