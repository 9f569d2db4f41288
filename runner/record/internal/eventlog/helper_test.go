package eventlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

func head(step int64) runner.Head { return runner.Head{Step: step} }

func newTail(t testing.TB, log []byte) *Tail {
	t.Helper()
	path := filepath.Join(t.TempDir(), LogName)
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	return &Tail{Path: path}
}

// in opens a folder.
func in(t testing.TB, path string) *disk.Folder {
	t.Helper()
	f, err := disk.OpenFolder(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func newMeta(seed uint64) *runner.Meta {
	spec := runner.Defaults()
	spec.Algorithms, spec.Seed = []dro.Algorithm{dro.SFK}, seed
	return &runner.Meta{Preset: "shapes", Created: time.Date(2026, 11, 21, 9, 15, 2, 0, time.UTC), Spec: spec,
		Parts: runner.Parts{Classes: []string{"circle", "star"}}, StepsPerEpoch: 10, Steps: 500}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func status(step int64, s runner.Status) runner.Event {
	return &runner.StatusEvent{Head: head(step), Status: s}
}

func stepEvent(step int64) *runner.StepEvent {
	return &runner.StepEvent{Head: head(step), Epoch: float64(step) / 10, Values: runner.Values{
		{Name: "loss", Number: runner.Num(1 / float64(step))}, {Name: "lambda", Number: runner.Num(1.5)},
		{Name: "eta", Number: runner.Num(-0.25)},
		{Name: "objective"}, {Name: "gap"}, {Name: "gamma"}, {Name: "grad_norm"},
	}}
}

func evalEvent(step int64) *runner.EvalEvent {
	return &runner.EvalEvent{Head: head(step),
		Values: runner.Values{
			{Name: "test_accuracy", Number: runner.Num(0.7)},
			{Name: "worst_class_accuracy", Number: runner.Num(0.5)},
		},
		ByGroup: runner.Lists{
			{Name: "class_accuracy", Numbers: []runner.Number{runner.Num(0.9), runner.Num(0.5)}},
		},
	}
}

func write(t *testing.T, b []byte, elements ...string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(elements...), b, 0o644))
}
