"""Writes one table in files of other programs, or runs a line of Python that converts one."""
import sys

if sys.argv[1] == "run":
    names = {}
    exec("import safetensors.torch" if "safetensors" in sys.argv[2] else "import pandas", names)
    exec(sys.argv[2], names)
    sys.exit()

import numpy
import pandas
import safetensors.torch
import torch

folder = sys.argv[1] + "/"
i = numpy.arange(200)
table = pandas.DataFrame({"x": i * 37 % 101, "c": [f"u{k % 3}" for k in i], "label": i * i % 7 % 2})
table.to_feather(folder + "t.feather")
table.to_pickle(folder + "p.pkl")
table.to_json(folder + "l.jsonl", orient="records", lines=True)
table.to_json(folder + "j.json", orient="records")
table.to_parquet(folder + "keyed", partition_cols=["c"])
x = torch.tensor(table[["x"]].to_numpy(), dtype=torch.bfloat16)
safetensors.torch.save_file({"x": x, "y": torch.tensor(table["label"])}, folder + "b.safetensors")
