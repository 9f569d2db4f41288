"""Prints scikit-learn's AUROC of each list in a JSON file, one a line. A list has triples of score, class and weight."""
import json
import sys

from sklearn.metrics import roc_auc_score

for list in json.load(open(sys.argv[1])):
    score, of, weight = zip(*list)
    print(repr(float(roc_auc_score(of, score, sample_weight=weight))))
