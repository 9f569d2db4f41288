#!/usr/bin/env python3
"""Tests differences with SciPy, for claim_test.go.

    tests.py FAMILIES.json

The file has a list of families, {"level": .05, "holm": true, "tests": [TEST, ...]}. TEST is
{"differences": [...], "margin": 0, "equivalent": 0, "same": -1}: the differences of two arms, one a seed, or none where a
claim cannot be tested. same is the index of the test that this one repeats, so that both count once, or -1.

It prints a list for each family, of a [p, adjusted p, detectable difference] for each test. What does not apply is null.
"""
import json
import math
import sys

import numpy
from scipy import optimize, stats

POWER = 0.8


def p_of(test):
    d, margin, bound = test["differences"], test["margin"], test["equivalent"]
    if len(d) < 2:
        return None
    if bound:  # two one-sided tests
        above = stats.ttest_1samp(d, -bound, alternative="greater").pvalue
        below = stats.ttest_1samp(d, bound, alternative="less").pvalue
        return float(max(above, below))
    return float(stats.ttest_1samp(d, margin).pvalue)


def holm(ps):
    """Holm 1979: the i-th smallest of m is multiplied by m - i + 1, and none is below one before it."""
    adjusted, order = numpy.empty(len(ps)), numpy.argsort(ps)
    adjusted[order] = numpy.minimum(1, numpy.maximum.accumulate((len(ps) - numpy.arange(len(ps))) * numpy.sort(ps)))
    return adjusted


def detectable(n, alpha):
    """The true mean, in standard deviations, that the t test of n finds with the power, by the noncentral t distribution."""
    t = stats.t.ppf(1 - alpha / 2, n - 1)

    def lacking(mean):
        shift = mean * math.sqrt(n)
        other_side = stats.nct.cdf(-t, n - 1, shift)
        return stats.nct.sf(t, n - 1, shift) + (0 if math.isnan(other_side) else other_side) - POWER

    high = 1.0
    while lacking(high) < 0:
        high *= 1.5
    return optimize.brentq(lacking, 0, high, xtol=1e-13, rtol=1e-13)


def judge(family):
    tests = family["tests"]
    counted = [i for i, t in enumerate(tests) if t["same"] < 0]
    ps = {i: p_of(tests[i]) for i in counted}
    corrected = [1.0 if ps[i] is None else ps[i] for i in counted]
    if family["holm"]:
        corrected = holm(corrected)
    adjusted = dict(zip(counted, map(float, corrected)))
    alpha = family["level"] / (len(counted) if family["holm"] else 1)
    rows = []
    for i, test in enumerate(tests):
        at = i if test["same"] < 0 else test["same"]
        if ps[at] is None:
            rows.append([None, None, None])
            continue
        least = None
        if not test["equivalent"]:
            least = detectable(len(test["differences"]), alpha) * float(numpy.std(test["differences"], ddof=1))
        rows.append([ps[at], adjusted[at], least])
    return rows


with open(sys.argv[1]) as f:
    print(json.dumps([judge(family) for family in json.load(f)]))
