#!/usr/bin/env bash
# Runs `drolab bench` and its PyTorch peer in turn and prints medians, ratios and peak memory.
#
#   dro/nn/peer/compare.sh [ROUNDS [THREADS [ISA...]]]      (5, 2 and best)
#
# An ISA is "best", whatever each finds on this machine, or "avx2", which both are held to; several take turns.
# PYTHON names the interpreter that has PyTorch. Without PyTorch it says so and ends well.
set -euo pipefail

rounds=${1:-5}
threads=${2:-2}
isas=("${@:3}")
[ ${#isas[@]} -gt 0 ] || isas=(best)
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)

for isa in "${isas[@]}"; do
    case $isa in
    best | avx2) ;;
    *) echo "compare: instruction set $isa is unknown: use best or avx2" >&2 && exit 2 ;;
    esac
done
if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "compare: $python has no PyTorch: nothing to compare with (Debian: python3-torch; or set PYTHON)"
    exit 0
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$here/../../.." && go build -o "$dir/drolab" .)

# measure FILE COMMAND...: the JSON that a command prints, and its peak memory in MiB, as FILE.json and FILE.mib.
measure() {
    "$python" - "$@" <<'PYTHON'
import os, sys

file, command = sys.argv[1], sys.argv[2:]
child = os.posix_spawnp(command[0], command, os.environ,
                        file_actions=[(os.POSIX_SPAWN_OPEN, 1, file + ".json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
_, status, usage = os.wait4(child, 0)
with open(file + ".mib", "w") as out:
    print(usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10), file=out)
sys.exit(os.waitstatus_to_exitcode(status))
PYTHON
}

for ((i = 0; i < rounds; i++)); do
    for isa in "${isas[@]}"; do
        ours=() peers=()
        if [ "$isa" = avx2 ]; then
            ours=(GODEBUG=cpu.avx512f=off)
            peers=(ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2)
        fi
        measure "$dir/drolab.$isa.$i" env "${ours[@]}" "$dir/drolab" bench --json --threads "$threads"
        measure "$dir/torch.$isa.$i" env "${peers[@]}" "$python" "$here/torch_alexnet.py" "$threads"
    done
done

"$python" - "$dir" "$rounds" "${isas[@]}" <<'PYTHON'
import json, statistics, sys

folder, rounds, isas = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def load(name, isa):
    for i in range(rounds):
        path = f"{folder}/{name}.{isa}.{i}"
        with open(path + ".json") as figures, open(path + ".mib") as memory:
            yield {**json.load(figures), "mib": float(memory.read())}


def median(runs, of, by=None):
    return statistics.median(r[of] / (r[by] if by else 1) for r in runs)


for isa in isas:
    ours, peers = list(load("drolab", isa)), list(load("torch", isa))
    print(f"drolab {ours[0]['kernel']} against {peers[0]['framework']} ({peers[0]['kernel']}), {ours[0]['threads']} threads, "
          f"batch {ours[0]['batch']}: medians of {rounds} rounds")
    print(f"{'':14}{'drolab':>10}{'torch':>10}{'torch/drolab':>14}")
    rows = [(kind + ", ms", kind + "_ms") for kind in ("train", "forward", "sfk", "pgd")]
    for label, key in rows + [("peak, MiB", "mib")]:
        ratio = statistics.median(p[key] / o[key] for o, p in zip(ours, peers))
        print(f"{label:14}{median(ours, key):10.2f}{median(peers, key):10.2f}{ratio:14.2f}")
    for label, key in (("sfk / erm", "sfk_ms"), ("pgd / erm", "pgd_ms")):
        print(f"{label:14}{median(ours, key, 'train_ms'):10.3f}{median(peers, key, 'train_ms'):10.3f}")
    print(f"share of drolab's measured peak: {100 * median(ours, 'peak_share'):.0f} %\n")
PYTHON
