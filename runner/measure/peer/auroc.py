"""AUROC of lists of score, class and weight by scikit-learn: the JSON of a list of them, and of one a line."""
import json
import sys

from sklearn.metrics import roc_auc_score

for list in json.load(open(sys.argv[1])):
    score, of, weight = zip(*list)
    print(repr(float(roc_auc_score(of, score, sample_weight=weight))))
