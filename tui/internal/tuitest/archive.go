package tuitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/spec"
	"drolab/runner/sweep"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Archive is a folder of recorded runs whose names and displayed paths are the same in every test.
type Archive struct{ lab.Folder }

func (a Archive) List() ([]*record.Run, []error) {
	runs, problems := a.Folder.List()
	for _, r := range runs {
		r.Dir = "/runs/" + r.Meta.ID
	}
	return runs, problems
}

func (a Archive) Find(id string) (*record.Run, error) {
	r, err := a.Folder.Find(id)
	if err == nil {
		r.Dir = "/runs/" + r.Meta.ID
	}
	return r, err
}

func (a Archive) Open(r *record.Run) lab.Log {
	real, err := a.Folder.Find(r.Meta.ID)
	if err != nil {
		return &scriptLog{s: &Script{}}
	}
	return real.Tail()
}

// Found returns the runs with these names.
func Found(t testing.TB, s lab.Source, ids ...string) (runs []*record.Run) {
	t.Helper()
	for _, id := range ids {
		r, err := s.Find(id)
		eventtest.Must(t, err)
		runs = append(runs, r)
	}
	return runs
}

// NewArchive records two finished seeds of each method and, below them, a failed run, a stopped
// run, an interrupted run, and a run whose preset has a name with control characters.
func NewArchive(t testing.TB) Archive {
	t.Helper()
	a := Archive{Folder: lab.Folder(t.TempDir())}
	for i, algorithm := range dro.PaperMethods() {
		for seed := range uint64(2) {
			at := Epoch0().Add(time.Duration(i) * time.Second)
			a.Add(t, fmt.Sprintf("shapes-%s-s%d", algorithm, seed+1),
				Archived(algorithm, seed+1, "shapes", at), runner.Done, "")
		}
	}
	failed := Archived(dro.SFK, 7, "paper", Epoch0().Add(-time.Hour))
	failed.Spec.Rho, failed.Spec.Dataset, failed.Spec.Model = 1.5, "cifar10", "alexnet"
	a.Add(t, "paper-sfk-s7", failed, runner.Failed, "loss is NaN at step 12")
	a.Add(t, "race-pgd-s1", Archived(dro.PGD, 1, "race", Epoch0().Add(-2*time.Hour)),
		runner.Stopped, "")
	a.Add(t, "race-sfk-s1", Archived(dro.SFK, 1, "race", Epoch0().Add(-3*time.Hour)),
		runner.Interrupted, "")
	a.Add(t, "mine-erm-s1",
		Archived(dro.ERM, 1, "my \x1b[31mown\u202e", Epoch0().Add(-4*time.Hour)), runner.Done, "")
	return a
}

func Archived(algorithm dro.Algorithm, seed uint64, preset string, at time.Time) *runner.Meta {
	m := Meta(algorithm, at)
	m.Preset, m.Spec.Seed, m.Coordinates, m.Checksum = preset, seed, "paper", "sha256:0"
	m.Host = runner.Host{Version: "1.0", CPU: "a processor", Kernel: "avx2", Threads: 2}
	return m
}

// Add records a run with its evaluations and leaves it in the given state.
func (a Archive) Add(t testing.TB, id string, m *runner.Meta, status runner.Status, cause string) {
	t.Helper()
	m.ID = id
	epochs := Epochs
	if status != runner.Done {
		epochs = 3
	}
	var evals []*runner.EvalEvent
	for e := range epochs {
		evals = append(evals, archivedEval(m, e+1))
	}
	step := &runner.StepEvent{Head: runner.Head{Step: int64(epochs * Steps)},
		ImagesPerSecond: measure.Num(2000)}
	dual := m.Spec.Algorithm() != dro.ERM
	step.Set("lambda", measure.NumIf(dual, 2))
	step.Set("eta", measure.NumIf(dual, -1.25))
	end := ending{status: status, cause: cause}
	if m.Spec.Select == spec.SelectValWorst { // the first evaluation is the best by it
		end.selected = archivedEval(m, 1)
	}
	write(t, string(a.Folder), m, evals, step, end)
}

// ending is the end of a recorded run: its status, and the evaluation that it has selected.
type ending struct {
	status   runner.Status
	cause    string
	selected *runner.EvalEvent
}

// write records a run up to a step. A run that was interrupted has no summary.
func write(t testing.TB, dir string, m *runner.Meta, evals []*runner.EvalEvent,
	step *runner.StepEvent, end ending) {
	t.Helper()
	r := begin(t, dir, m)
	for _, e := range evals {
		eventtest.Must(t, r.Append(e))
	}
	eventtest.Must(t, r.Append(step))
	if !end.status.Ended() {
		return
	}
	if end.status != runner.Interrupted {
		eventtest.Must(t, r.Append(&runner.StatusEvent{Head: runner.Head{Step: step.Step},
			Status: end.status, Cause: end.cause}))
		s := runner.Summarize(m, end.status, step.Step, evals[len(evals)-1], step)
		s.Cause = end.cause
		if end.selected != nil {
			s.Selects(m, end.selected)
		}
		eventtest.Must(t, r.Finish(s))
	}
	eventtest.Must(t, r.Close())
}

// begin begins to record a run. It stays locked, as by a process that trains it, until the test
// ends or closes it.
func begin(t testing.TB, dir string, m *runner.Meta) runner.Recorder {
	t.Helper()
	store, err := record.Open(dir)
	eventtest.Must(t, err)
	r, err := store.Create(m, nil)
	eventtest.Must(t, err)
	t.Cleanup(func() { r.Close() })
	eventtest.Must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	return r
}

// archivedEval returns an evaluation in which SFK has the best worst class, and ERM the worst one
// but the best average. The differences between methods exceed those between seeds.
func archivedEval(m *runner.Meta, epoch int) *runner.EvalEvent {
	u := float64(epoch) / Epochs
	algorithm := m.Spec.Algorithm()
	e := Evaluation(runner.Head{Step: int64(epoch * Steps)}, Steps, 0, u, algorithm != dro.ERM)
	i := slices.Index(dro.PaperMethods(), algorithm)
	seed := int(m.Spec.Seed)
	// No two methods differ by the same amount in both seeds.
	jitter := 0.001 * float64((3*seed*seed+i*i*seed+i)%7)
	classes := e.ByGroup.Named("class_accuracy")
	classes[3] = measure.Num(u * (0.4 - 0.1*float64(i) + jitter))
	e.Set("worst_class_accuracy", measure.Least(classes))
	e.Set("test_accuracy", measure.Num(u*(0.7+0.05*float64(i)+jitter)))
	e.Set("test_loss", measure.Num(e.Named("test_loss").Float()-0.1*u*float64(i)+jitter))
	e.Set("train_loss", measure.Num(e.Named("train_loss").Float()+jitter*jitter))
	return e
}

// Starter records the requests to start runs and reports each as started.
type Starter struct {
	Asked
	Requests []runner.Request
}

func (s *Starter) Start(r runner.Request) ([]string, error) {
	s.Requests = append(s.Requests, r)
	return []string{"shapes-sfk-s1"}, nil
}

// Presets returns presets that stand in for the embedded ones, because the tests of the screens are
// not about the wording and settings of the embedded presets.
func Presets() []presets.Preset {
	preset := func(name, doc string, reasons map[string]string,
		assignments ...string) presets.Preset {
		p := presets.Preset{Preset: runner.Preset{Name: name, Doc: doc, Spec: spec.Defaults(),
			Reasons: reasons}}
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
		preset("shapes", "all four methods on drawn images, nothing to download; about a minute",
			map[string]string{
				"algorithms": "the comparison of the paper's Table 1",
				"seeds":      "fine for a look; use 4 or more for a claim",
				"rho": "at 0.5 the adversary's few samples of a batch are all noise " +
					"for the first epochs",
				"epochs": "several evaluations to watch"},
			"algorithms=[sfk, pgd, pan, erm]", "seeds=1", "rho=0.2", "epochs=8"),
		preset("race", "SFK-DRO against PGD on the same objective, data and seed", nil,
			"algorithms=[sfk, pgd]"),
		preset("paper", "the paper's experiment: imbalanced CIFAR-10, AlexNet; hours",
			map[string]string{
				"rho":     "the only ρ for which the paper's formulas give its printed box",
				"dataset": "50 000 photographs of ten classes"},
			"dataset=cifar10", "model=alexnet", "rho=1.5", "lambda_max=10", "eta_min=-10",
			"mean=[0.4914, 0.4822, 0.4465]", "std=[0.247, 0.2435, 0.2616]"),
		preset("csv", "a table with a group column", nil, "dataset=csv:example", "model=mlp",
			"imbalance=none", "augment=false"),
	}
}

// NewGroupScript is like NewScript, but the data of its runs have groups, one of them too small to
// be called the worst, and a validation split, by which the runs select.
func NewGroupScript(t testing.TB) *Script {
	t.Helper()
	return script(t, []dro.Algorithm{dro.ERM, "group", dro.SFK},
		func(m *runner.Meta, log []runner.Event) {
			m.Spec.ValFraction, m.Spec.Select = .2, spec.SelectValWorst
			m.ClassCounts.Val = make([]int, len(m.Classes))
			m.Groups = []string{"land, in the hills", "water, by the coast", "water, on an islet"}
			m.GroupCounts = measure.Counts{Train: []int{2920, 760, 40}, Val: []int{700, 190, 24},
				Test: []int{1500, 470, 12}}
			for _, e := range log {
				if e, ok := e.(*runner.EvalEvent); ok {
					group(e)
				}
			}
		})
}

// group adds the figures of the groups and of the validation split to an evaluation. The coast is
// the worst group, and the third epoch is the best.
func group(e *runner.EvalEvent) {
	mean := e.Named("test_accuracy").Float()
	list := func(of ...float64) []measure.Number { return kit.Map(of, measure.Num) }
	coast := mean - .1 - max(0, (e.Epoch-3)/20)
	e.ByGroup.Set("group_accuracy", list(mean+.04, coast, .25))
	e.ByGroup.Set("group_recall", list(mean, coast-.05, .25))
	e.ByGroup.Set("group_loss", list(.4, .8, 1.6))
	e.ByGroup.Set("group_ratio", list(.7, 1.9, 3.25))
	e.ByGroup.Set("val_group_accuracy", list(mean+.05, coast+.02, .375))
	e.ByGroup.Set("val_class_accuracy", e.ByGroup.Named("class_accuracy"))
	e.Set("worst_group_accuracy", measure.Num(coast))
	e.Set("val_worst_group_accuracy", measure.Num(coast+.02))
	e.Set("val_accuracy", measure.Num(mean+.01))
	e.Set("val_loss", measure.Num(e.Named("test_loss").Float()+.1))
	e.Selected = e.Epoch <= 3
}

// SweepFile is the file of the sweep that NewSweep makes.
const SweepFile = `preset: csv
grid: {rho: [.05, .2, 1], algo: [sfk, pgd, erm]}
random: {draws: 2, seed: 3, lr: {log: [.001, .1]}}
seeds: 2
set: {epochs: 8, val_fraction: .2}
select: val_loss
`

// NewSweep makes the folder of a sweep. Most of its runs are done; one has failed, two are running,
// and the last have not begun.
func NewSweep(t testing.TB, dir string) *sweep.Folder {
	t.Helper()
	f := makeSweep(t, dir, SweepFile)
	for i := range f.List.Runs {
		status, epochs := runner.Done, 8
		switch {
		case i == 5:
			status, epochs = runner.Failed, 3
		case i >= 28:
			continue
		case i >= 26:
			status, epochs = runner.Running, 5
		}
		AddSwept(t, f, i, status, epochs)
	}
	return f
}

// AddSwept records run i of a sweep up to the given number of epochs.
func AddSwept(t testing.TB, f *sweep.Folder, i int, status runner.Status, epochs int) {
	t.Helper()
	spec, err := f.List.Spec(i)
	eventtest.Must(t, err)
	m := Archived(spec.Algorithm(), spec.Seed, "mine", Epoch0())
	m.ID, m.Spec = f.List.Runs[i].ID, spec
	end := ending{status: status}
	var evals []*runner.EvalEvent
	for e := 1; e <= epochs; e++ {
		head, dual := runner.Head{Step: int64(e * Steps)}, spec.Algorithm() != dro.ERM
		eval := Evaluation(head, Steps, i%7, float64(e)/8, dual)
		eval.Set("val_loss", measure.Num(3-2.5*float64(e)/8+.1*float64((5*i)%11)))
		eval.Selected, end.selected = true, eval
		evals = append(evals, eval)
	}
	if status == runner.Failed {
		end.cause = "loss is NaN at step 12: lower lr"
	}
	write(t, f.Dir, m, evals, &runner.StepEvent{Head: runner.Head{Step: int64(epochs * Steps)},
		ImagesPerSecond: measure.Num(2000)}, end)
}

// GrowSweep adds a third seed to the sweep of NewSweep.
func GrowSweep(t testing.TB, dir string) {
	t.Helper()
	makeSweep(t, dir, strings.Replace(SweepFile, "seeds: 2", "seeds: 3", 1))
}

func makeSweep(t testing.TB, dir, text string) *sweep.Folder {
	t.Helper()
	file, errs := sweep.Parse("mine.yaml", []byte(text))
	eventtest.Must(t, errors.Join(errs...))
	f, err := sweep.Make(dir, []byte(text), file.Expand())
	eventtest.Must(t, err)
	return f
}
