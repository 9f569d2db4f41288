package eventlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record/internal/disk"
	"drolab/runner/spec"
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
	spec := spec.Defaults()
	spec.Algorithms, spec.Seed = []dro.Algorithm{dro.SFK}, seed
	return &runner.Meta{
		Preset:        "shapes",
		Created:       time.Date(2026, 11, 21, 9, 15, 2, 0, time.UTC),
		Spec:          spec,
		Parts:         measure.Parts{Classes: []string{"circle", "star"}},
		StepsPerEpoch: 10,
		Steps:         500,
	}
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
	return &runner.StepEvent{Head: head(step), Epoch: float64(step) / 10, Values: measure.Values{
		{Name: "loss", Number: measure.Num(1 / float64(step))}, {Name: "lambda",
			Number: measure.Num(1.5)},
		{Name: "eta", Number: measure.Num(-0.25)},
		{Name: "objective"}, {Name: "gap"}, {Name: "gamma"}, {Name: "grad_norm"},
	}}
}

func evalEvent(step int64) *runner.EvalEvent {
	return &runner.EvalEvent{Head: head(step),
		Values: measure.Values{
			{Name: "test_accuracy", Number: measure.Num(0.7)},
			{Name: "worst_class_accuracy", Number: measure.Num(0.5)},
		},
		ByGroup: measure.Lists{
			{Name: "class_accuracy", Numbers: []measure.Number{measure.Num(0.9), measure.Num(0.5)}},
		},
	}
}

func write(t *testing.T, b []byte, elements ...string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(elements...), b, 0o644))
}
