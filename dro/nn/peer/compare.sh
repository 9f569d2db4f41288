#!/bin/sh
# Runs `drolab bench` and its PyTorch peer in turn and prints medians and ratios.
#
#   dro/nn/peer/compare.sh [ROUNDS] [THREADS]      (5 and 2)
#
# PYTHON names the interpreter that has PyTorch. GODEBUG=cpu.avx512f=off gives the figures of AVX2 for drolab,
# and with ONEDNN_MAX_CPU_ISA=AVX2 for both. Without PyTorch it says so and ends well.
set -eu

rounds=${1:-5}
threads=${2:-2}
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)

if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "compare: $python has no PyTorch: nothing to compare with (Debian: python3-torch; or set PYTHON)"
    exit 0
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$here/../../.." && go build -o "$dir/drolab" .)

i=0
while [ "$i" -lt "$rounds" ]; do
    "$dir/drolab" bench --json --threads "$threads" >"$dir/drolab.$i.json"
    "$python" "$here/torch_alexnet.py" "$threads" >"$dir/torch.$i.json"
    i=$((i + 1))
done

"$python" - "$dir" "$rounds" <<'PYTHON'
import json, statistics, sys

folder, rounds = sys.argv[1], int(sys.argv[2])
ours, peers = ([json.load(open(f"{folder}/{name}.{i}.json")) for i in range(rounds)] for name in ("drolab", "torch"))


def median(runs, of, by=None):
    return statistics.median(r[of] / (r[by] if by else 1) for r in runs)


print(f"drolab {ours[0]['kernel']} against {peers[0]['framework']}, {ours[0]['threads']} threads, "
      f"batch {ours[0]['batch']}: medians of {rounds} rounds")
print(f"{'':14}{'drolab':>10}{'torch':>10}{'torch/drolab':>14}")
for label, key in (("train", "train_ms"), ("forward", "forward_ms"), ("sfk", "sfk_ms"), ("pgd", "pgd_ms")):
    ratio = statistics.median(p[key] / o[key] for o, p in zip(ours, peers))
    print(f"{label + ', ms':14}{median(ours, key):10.2f}{median(peers, key):10.2f}{ratio:14.2f}")
for label, key in (("sfk / erm", "sfk_ms"), ("pgd / erm", "pgd_ms")):
    print(f"{label:14}{median(ours, key, 'train_ms'):10.3f}{median(peers, key, 'train_ms'):10.3f}")
print(f"share of the measured peak: {100 * median(ours, 'peak_share'):.0f} %")
PYTHON
