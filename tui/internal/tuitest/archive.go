package tuitest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/spec"
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

func (a Archive) Open(r *record.Run) eventlog.Log {
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
