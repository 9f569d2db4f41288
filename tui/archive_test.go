package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
)

// archive is a folder of recorded runs whose names and shown paths do not
// change from test to test.
type archive struct{ folder }

func (a archive) List() ([]*record.Run, []error) {
	runs, problems := a.folder.List()
	for _, r := range runs {
		r.Dir = "/runs/" + r.Meta.ID
	}
	return runs, problems
}

func (a archive) Find(id string) (*record.Run, error) {
	r, err := a.folder.Find(id)
	if err == nil {
		r.Dir = "/runs/" + r.Meta.ID
	}
	return r, err
}

func (a archive) Open(r *record.Run) Log {
	real, err := a.folder.Find(r.Meta.ID)
	if err != nil {
		return &scriptLog{s: &script{}}
	}
	return real.Tail()
}

// newArchive records two seeds of each method that are done, and below them
// one run each that failed, was stopped, was cut short, and has a name that is
// no good.
func newArchive(t testing.TB) archive {
	t.Helper()
	a := archive{folder(t.TempDir())}
	for i, algorithm := range dro.Algorithms() {
		for seed := range uint64(2) {
			at := epoch0().Add(time.Duration(i) * time.Second)
			a.add(t, fmt.Sprintf("shapes-%s-s%d", algorithm, seed+1), archived(algorithm, seed+1, "shapes", at), runner.Done, "")
		}
	}
	failed := archived(dro.SFK, 7, "paper", epoch0().Add(-time.Hour))
	failed.Spec.Rho, failed.Spec.Dataset, failed.Spec.Model = 1.5, "cifar10", "alexnet"
	a.add(t, "paper-sfk-s7", failed, runner.Failed, "loss is NaN at step 12")
	a.add(t, "race-pgd-s1", archived(dro.PGD, 1, "race", epoch0().Add(-2*time.Hour)), runner.Stopped, "")
	a.add(t, "race-sfk-s1", archived(dro.SFK, 1, "race", epoch0().Add(-3*time.Hour)), runner.Interrupted, "")
	a.add(t, "mine-erm-s1", archived(dro.ERM, 1, "my \x1b[31mown\u202e", epoch0().Add(-4*time.Hour)), runner.Done, "")
	return a
}

func archived(algorithm dro.Algorithm, seed uint64, preset string, at time.Time) *runner.Meta {
	m := fixtureMeta(algorithm, at)
	m.Preset, m.Spec.Seed, m.Coordinates, m.Checksum = preset, seed, "paper", "sha256:0"
	m.Host = runner.Host{Version: "1.0", CPU: "a processor", Kernel: "avx2", Threads: 2}
	return m
}

// add records a run with its evaluations and leaves it in the given state.
func (a archive) add(t testing.TB, id string, m *runner.Meta, status runner.Status, cause string) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	store, err := record.Open(string(a.folder))
	check(err)
	r, err := store.Create(m, nil)
	check(err)
	check(r.Append(&runner.StatusEvent{Status: runner.Running}))
	var last *runner.EvalEvent
	epochs := fixEpochs
	if status != runner.Done {
		epochs = 3
	}
	for e := 1; e <= epochs; e++ {
		last = archivedEval(m, e)
		check(r.Append(last))
	}
	step := &runner.StepEvent{Head: runner.Head{Step: int64(epochs * fixSteps)}, ImagesPerSecond: runner.Num(2000)}
	dual := m.Spec.Algorithm() != dro.ERM
	step.Lambda, step.Eta = runner.NumIf(dual, 2), runner.NumIf(dual, -1.25)
	check(r.Append(step))
	if status != runner.Interrupted {
		check(r.Append(&runner.StatusEvent{Head: step.Head, Status: status, Cause: cause}))
		s := runner.Summarize(m, status, step.Step, last, step)
		s.Cause = cause
		check(r.Finish(s))
	}
	check(r.Close())
	check(os.Rename(filepath.Join(string(a.folder), m.ID), filepath.Join(string(a.folder), id)))
}

// archivedEval is an evaluation in which SFK is best in the worst class and ERM
// worst there but best on average, by more than the seeds differ.
func archivedEval(m *runner.Meta, epoch int) *runner.EvalEvent {
	u := float64(epoch) / fixEpochs
	algorithm := m.Spec.Algorithm()
	e := evaluation(runner.Head{Step: int64(epoch * fixSteps)}, fixSteps, 0, u, algorithm != dro.ERM)
	i := slices.Index(dro.Algorithms(), algorithm)
	seed := int(m.Spec.Seed)
	jitter := 0.001 * float64((3*seed*seed+i*i*seed+i)%7) // no two methods differ by the same in both seeds
	e.ClassAccuracy[3] = runner.Num(u * (0.4 - 0.1*float64(i) + jitter))
	e.TestAccuracy = runner.Num(u * (0.7 + 0.05*float64(i) + jitter))
	e.TestLoss = runner.Num(e.TestLoss.Float() - 0.1*u*float64(i) + jitter)
	e.TrainLoss = runner.Num(e.TrainLoss.Float() + jitter*jitter)
	return e
}

// starter notes what is started and says that it was.
type starter struct {
	asked
	requests []runner.Request
}

func (s *starter) Start(r runner.Request) ([]string, error) {
	s.requests = append(s.requests, r)
	return []string{"shapes-sfk-s1"}, nil
}

// fixturePresets stand in for the embedded ones, whose wording and settings
// are not what the screens are tested for.
func fixturePresets() []presets.Preset {
	preset := func(name, doc string, reasons map[string]string, assignments ...string) presets.Preset {
		p := presets.Preset{Name: name, Doc: doc, Spec: runner.Defaults(), Reasons: reasons}
		for _, a := range assignments {
			if err := presets.Set(&p.Spec, a); err != nil {
				panic("a preset of the tests is broken")
			}
			key, _, _ := strings.Cut(a, "=")
			p.Overrides = append(p.Overrides, key)
		}
		return p
	}
	return []presets.Preset{
		preset("shapes", "all four methods on drawn images, nothing to download; about a minute", map[string]string{
			"algorithms": "the comparison of the paper's Table 1", "seeds": "enough to look at; a claim needs 4 or more",
			"rho": "at 0.5 the adversary's few samples of a batch are all noise for the first epochs", "epochs": "several evaluations to watch"},
			"algorithms=[sfk, pgd, pan, erm]", "seeds=1", "rho=0.2", "epochs=8"),
		preset("race", "SFK-DRO against PGD on the same objective, data and seed", nil, "algorithms=[sfk, pgd]"),
		preset("paper", "the paper's experiment: imbalanced CIFAR-10, AlexNet; hours", map[string]string{
			"rho": "the only ρ for which the paper's formulas give its printed box", "dataset": "50 000 photographs of ten classes"},
			"dataset=cifar10", "model=alexnet", "rho=1.5", "lambda_max=10", "eta_min=-10", "mean=[0.4914, 0.4822, 0.4465]", "std=[0.247, 0.2435, 0.2616]"),
		preset("csv", "a table with a group column", nil, "dataset=csv:example", "model=mlp", "imbalance=none", "augment=false"),
	}
}

// browsing is a rig on a page over an archive.
func browsing(t testing.TB, a Source, page string, w, h int, environ ...string) *rig {
	t.Helper()
	r := newRig(t, &script{folder: folder("unused"), now: epoch0()}, w, h, environ...)
	r.source, r.cfg.RunsDir, r.cfg.CPU = a, "/runs", "a processor"
	l := r.pages[launchPage].(*launch)
	l.list, l.specs = fixturePresets(), nil
	for _, p := range l.list {
		l.specs = append(l.specs, p.Spec)
	}
	r.run(l.enter())
	r.press(page)
	return r
}
