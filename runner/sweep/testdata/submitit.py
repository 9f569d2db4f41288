# What runner/sweep is compared with in docs/sweeps.md: the same study with submitit 1.5, beside a training script of one's own.
import csv, hashlib, itertools, json, math, pathlib, random, statistics, sys
import submitit
from train import Trainer  # one's own: epoch(), validation(), test(), save(path), load(path)

OUT = pathlib.Path(sys.argv[1])
GRID = {"rho": [.05, .1, .2, .5], "algo": ["sfk", "pgd", "erm"]}
rng = random.Random(1)
DRAWS = [{"lr": 10 ** rng.uniform(-3, -1)} for _ in range(4)]
SEEDS, EPOCHS = 3, 6

class Task:
    def __call__(self, folder, settings, seed):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        trainer, state = Trainer(**settings, seed=seed), folder / "state"
        done, best = 0, (math.inf, None)
        if state.exists():
            done, best = trainer.load(state)
        for epoch in range(done, EPOCHS):
            trainer.epoch()
            loss = trainer.validation()
            if loss < best[0]:
                best = loss, trainer.test()
            trainer.save(state.with_suffix(".new"), epoch + 1, best)
            state.with_suffix(".new").rename(state)
        (folder / "result.json").write_text(json.dumps({"validation": best[0], "test": best[1]}))

    def checkpoint(self, *args):  # at the time limit and at preemption: an epoch is lost
        return submitit.helpers.DelayedSubmission(self, *args)

runs = []
for algo, rho in itertools.product(GRID["algo"], GRID["rho"]):
    for draw in DRAWS:
        settings = {"algo": algo, "rho": rho, **draw}
        for seed in range(1, SEEDS + 1):
            name = hashlib.sha256(json.dumps([settings, seed], sort_keys=True).encode()).hexdigest()[:16]
            runs.append((OUT / name, settings, seed))
missing = [r for r in runs if not (r[0] / "result.json").exists()]
executor = submitit.AutoExecutor(folder=OUT / "slurm", cluster=sys.argv[2], slurm_max_num_timeout=20)
executor.update_parameters(timeout_min=60, cpus_per_task=1, slurm_array_parallelism=100)
with executor.batch():
    jobs = [executor.submit(Task(), str(f), s, seed) for f, s, seed in missing]
for job in jobs:
    if job.exception():
        print("failed:", job.job_id, job.exception(), file=sys.stderr)

groups = {}
for folder, settings, seed in runs:
    if (folder / "result.json").exists():
        groups.setdefault(json.dumps(settings), []).append(json.loads((folder / "result.json").read_text()))
table = csv.writer(sys.stdout)
for algo in GRID["algo"]:
    of = {k: v for k, v in groups.items() if json.loads(k)["algo"] == algo and len(v) == SEEDS}
    best = min(of, key=lambda k: statistics.mean(r["validation"] for r in of[k]))
    test = [r["test"] for r in of[best]]
    half = 4.303 * statistics.stdev(test) / math.sqrt(SEEDS)
    table.writerow([best, statistics.mean(r["validation"] for r in of[best]), statistics.mean(test), half])
