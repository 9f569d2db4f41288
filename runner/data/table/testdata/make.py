"""Writes the tables of the tests with pyarrow: python3 make.py FOLDER [rows].

Each is the same table in another form, and want.csv says what its cells are."""
import csv
import datetime as dt
import decimal
import math
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

folder, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 120
rng = np.random.default_rng(7)


def holes(values, every):
    return [None if i % every == 3 else v for i, v in enumerate(values)]


columns = {
    "tiny": pa.array(rng.integers(-99, 99, n).tolist(), pa.int8()),
    "natural": pa.array(holes(rng.integers(0, 2**32 - 1, n).tolist(), 7), pa.uint32()),
    "whole": pa.array(rng.integers(-2**62, 2**62, n).tolist(), pa.int64()),
    "huge": pa.array(rng.integers(0, 2**64 - 1, n, dtype=np.uint64).tolist(), pa.uint64()),
    "single": pa.array(rng.normal(size=n).astype("float32"), pa.float32()),
    "double": pa.array([float("nan") if i == 5 else v for i, v in enumerate(holes(rng.normal(size=n).tolist(), 11))]),
    "half": pa.array(rng.normal(size=n).astype("float16"), pa.float16()),
    "flag": pa.array(holes((rng.random(n) < .5).tolist(), 13)),
    "runs": pa.array([i // 20 % 2 == 0 for i in range(n)]),
    "text": pa.array(holes([f"été {i * i % 17}" for i in range(n)], 9)),
    "kind": pa.array(holes([["red", "green", "blue"][i * i % 3] for i in range(n)], 5)).dictionary_encode(),
    "money": pa.array([decimal.Decimal(int(v)).scaleb(-2) for v in rng.integers(-10**6, 10**6, n)],
                      pa.decimal128(20, 2)),
    "nothing": pa.array([None] * n, pa.null()),
    "bytes": pa.array([bytes([65 + i % 26] * 4) for i in range(n)], pa.binary(4)),
    "ordered": pa.array([f"patient-{i:06d}" for i in range(n)]),
}
table = pa.table(columns)


def cell(v, name):
    if v is None or isinstance(v, float) and math.isnan(v):
        return ""
    if isinstance(v, bytes):
        return v.decode()
    if name in ("single", "half"):
        return repr(float(np.float32(v)))
    return str(v)


with open(f"{folder}/want.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(columns)
    for row in zip(*(c.to_pylist() for c in columns.values())):
        w.writerow([cell(v, name) for v, name in zip(row, columns)])


def save(name, table=table, **how):
    pq.write_table(table, f"{folder}/{name}.parquet", row_group_size=n // 3 + 1, data_page_size=256, write_batch_size=16,
                   **how)


save("plain", compression="none", use_dictionary=False)
save("snappy", compression="snappy")
save("gzip", compression="gzip", data_page_version="2.0")
save("zstd", compression="zstd", write_page_checksum=True)
save("zstd2", compression="zstd", data_page_version="2.0", use_dictionary=False)
deltas = {"tiny": "DELTA_BINARY_PACKED", "natural": "DELTA_BINARY_PACKED", "whole": "DELTA_BINARY_PACKED",
          "huge": "DELTA_BINARY_PACKED", "text": "DELTA_LENGTH_BYTE_ARRAY", "ordered": "DELTA_BYTE_ARRAY",
          "single": "BYTE_STREAM_SPLIT", "double": "BYTE_STREAM_SPLIT", "runs": "RLE"}
save("delta", compression="snappy", use_dictionary=False, column_encoding=deltas)
save("lz4", compression="lz4", data_page_version="2.0")
save("brotli", compression="brotli")
small = pa.table({"x": [1.5, 2.5], "list": [[1], [2, 3]], "y": ["a", "b"]})
save("nested", small, compression="none")
when = [dt.datetime(2024, 2, 29, 12, 30, 15, 250000), None]
times = pa.table({"day": pa.array(when, pa.date32()), "milli": pa.array(when, pa.timestamp("ms", "UTC")),
                  "nano": pa.array(when, pa.timestamp("ns"))})
save("times", times)
save("old", times.select(["nano"]), use_deprecated_int96_timestamps=True)
