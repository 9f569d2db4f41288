"""Runs scikit-learn's gradient boosting on the raw rows of a table in Adult's format, as written by
runner/data/source/peer/adult.py. It writes the predictions to the given CSV and Parquet files, and prints
scikit-learn's figures on them as JSON.

    python3 boosted.py adult.data predictions.csv predictions.parquet"""

import csv
import json
import sys

import numpy as np
import pyarrow
import pyarrow.parquet
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss

table, as_csv, as_parquet = sys.argv[1:]
with open(table, newline="") as f:
    rows = [row for row in csv.reader(f, skipinitialspace=True) if row]
columns = [np.array(column) for column in zip(*rows)]
numbers = [0, 2, 4, 10, 11, 12]
x = np.stack([columns[k].astype(float) if k in numbers else
              np.unique(columns[k], return_inverse=True)[1].astype(float) for k in range(14)], axis=1)
y = columns[14]
train = np.arange(len(y)) % 3 > 0
model = HistGradientBoostingClassifier(max_iter=20, random_state=0,
                                       categorical_features=[k not in numbers for k in range(14)])
model.fit(x[train], y[train])
p, label, group = model.predict_proba(x[~train]), y[~train], columns[9][~train]

out = {"label": label, "group": group}
out.update({"p_" + c: p[:, k] for k, c in enumerate(model.classes_)})
pyarrow.parquet.write_table(pyarrow.table(out), as_parquet)
with open(as_csv, "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(out)
    w.writerows(zip(*out.values()))

right = model.classes_[p.argmax(axis=1)]
json.dump({"test_loss": log_loss(label, p, labels=model.classes_),
           "test_accuracy": accuracy_score(label, right),
           "balanced_accuracy": balanced_accuracy_score(label, right),
           "worst_group_accuracy": min(accuracy_score(label[group == g], right[group == g])
                                       for g in np.unique(group))}, sys.stdout)
