"""Prints the measures of decisions by scikit-learn and Fairlearn, for each case of a JSON list one line. Where a
group lacks a class, Fairlearn counts its rate as 0. Here the rate does not apply, and the gaps are between the
rates of the other groups."""
import json
import sys
import warnings

import numpy as np
from fairlearn import metrics as fair
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

warnings.filterwarnings("error")


def mean(values):
    return float(np.mean(values)) if len(values) else None


def areas(case, y, scores):
    classes = [1] if case["classes"] == 2 else range(case["classes"])
    both = [c for c in classes if 0 < (y == c).sum() < len(y)]
    return {"auroc": mean([roc_auc_score(y == c, scores[:, c]) for c in both]),
            "average_precision": mean([average_precision_score(y == c, scores[:, c]) for c in both])}


def f1(case, y, taken):
    each = f1_score(y, taken, labels=range(case["classes"]), average=None, zero_division=0)
    counted = [each[c] for c in range(case["classes"]) if (y == c).sum() >= case["min_group"] and (
        (y == c).any() or (taken == c).any())]
    return {"macro_f1": float(f1_score(y, taken, average="macro")),
            "worst_class_f1": float(min(counted)) if len(counted) > 1 else None}


RATES = {"group_true_positive_rate": (fair.true_positive_rate, 1),
         "group_false_positive_rate": (fair.false_positive_rate, 0),
         "group_selection_rate": (fair.selection_rate, None)}
GAPS = {"equalised_odds": fair.equalized_odds_difference, "equal_opportunity": fair.equal_opportunity_difference,
        "demographic_parity": fair.demographic_parity_difference,
        "demographic_parity_ratio": fair.demographic_parity_ratio}


def fairness(case, y, taken, group):
    out, spans, whole = {}, [], True
    for name, (rate, label) in RATES.items():
        values, counted = [], []
        for g in range(case["groups"]):
            at = group == g
            n = (at & (y == label)).sum() if label is not None else at.sum()
            values.append(float(rate(y[at], taken[at])) if n else None)
            if n and n >= case["min_group"]:
                counted.append(values[-1])
            elif at.any():
                whole = False
        out[name] = values
        spans.append((min(counted), max(counted)) if len(counted) > 1 else None)
    tpr, fpr, selection = spans
    if tpr:
        out["equal_opportunity"] = tpr[1] - tpr[0]
    if tpr and fpr:
        out["equalised_odds"] = max(tpr[1] - tpr[0], fpr[1] - fpr[0])
    if selection and any(len(set(y[group == g])) > 1 for g in range(case["groups"])):
        out["demographic_parity"] = selection[1] - selection[0]
        if selection[1] > 0:
            out["demographic_parity_ratio"] = selection[0] / selection[1]
    return out, whole and len(set(group)) > 1 and selection[1] > 0


def adjusted(case, y, taken, group):
    at = [g for g in range(case["groups"]) if (group == g).any()]
    shares = [case["shares"][g] for g in at]
    accuracies = [(y == taken)[group == g].mean() for g in at]
    return {"adjusted_accuracy": float(np.average(accuracies, weights=shares))} if sum(shares) else {}


asked = 0
for case in json.load(open(sys.argv[1])):
    y, taken, group = (np.array(case[k]) for k in ("labels", "predictions", "of"))
    scores = np.array(case["scores"]).reshape(len(y), case["classes"])
    out = areas(case, y, scores) | f1(case, y, taken) | adjusted(case, y, taken, group)
    if case["classes"] == 2:
        found, whole = fairness(case, y, taken, group)
        if whole and asked < 12:  # no group is left out, so Fairlearn computes the gaps, in 40 ms each
            asked += 1
            found |= {name: float(gap(y, taken, sensitive_features=group)) for name, gap in GAPS.items()}
        out |= found
    print(json.dumps(out))
assert asked == 12
