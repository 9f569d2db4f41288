"""Measures of what is decided, by scikit-learn and Fairlearn: the JSON of a list of cases, and of each its
measures in one line. Where a group lacks a class Fairlearn takes its rate for 0; here the rate does not apply,
and Fairlearn is asked of the other groups."""
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


def fairness(case, y, taken, group):
    out, frames = {}, {}
    for name, (rate, label) in RATES.items():
        of = lambda g: (group == g) & (y == label if label is not None else True)
        has = [g for g in range(case["groups"]) if of(g).any()]
        counted = [g for g in has if of(g).sum() >= case["min_group"]]
        at = np.isin(group, has)
        values = fair.MetricFrame(metrics=rate, y_true=y[at], y_pred=taken[at],
                                  sensitive_features=group[at]).by_group if has else {}
        out[name] = [float(values[g]) if g in has else None for g in range(case["groups"])]
        if len(counted) > 1:
            frames[name] = np.isin(group, counted)
    tpr, fpr, selection = (frames.get(name) for name in RATES)

    def ask(metric, at):
        return float(metric(y[at], taken[at], sensitive_features=group[at]))
    if tpr is not None:
        out["equal_opportunity"] = ask(fair.equal_opportunity_difference, tpr)
        if fpr is not None and (tpr == fpr).all():
            out["equalised_odds"] = ask(fair.equalized_odds_difference, tpr)
        elif fpr is not None:
            negatives = fpr & (y == 0)  # whose selection rate is the false positive rate
            out["equalised_odds"] = max(out["equal_opportunity"],
                                        ask(fair.demographic_parity_difference, negatives))
    if selection is not None and any(len(set(y[group == g])) > 1 for g in range(case["groups"])):
        out["demographic_parity"] = ask(fair.demographic_parity_difference, selection)
        if taken[selection].any():
            out["demographic_parity_ratio"] = ask(fair.demographic_parity_ratio, selection)
    return out


for case in json.load(open(sys.argv[1])):
    y, taken, group = (np.array(case[k]) for k in ("labels", "predictions", "of"))
    scores = np.array(case["scores"]).reshape(len(y), case["classes"])
    out = areas(case, y, scores) | f1(case, y, taken)
    if case["classes"] == 2:
        out |= fairness(case, y, taken, group)
    print(json.dumps(out))
