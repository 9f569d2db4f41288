package foreign

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

func newStore(t *testing.T) *record.Store {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func options() *Options { return &Options{Spec: spec.Defaults()} }

// write writes files into a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// only returns the one log at a path.
func only(t *testing.T, path string) *Found {
	t.Helper()
	found, err := Find(context.Background(), []string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d logs, want 1", path, len(found))
	}
	return &found[0]
}

// imports imports the one log at a path, and returns its run.
func imports(t *testing.T, store *record.Store, path string, o *Options) (*Outcome, *record.Run) {
	t.Helper()
	done, err := only(t, path).Import(context.Background(), store, o, &Seeds{})
	if err != nil {
		t.Fatal(err)
	}
	return done, stored(t, store, done)
}

func stored(t *testing.T, store *record.Store, done *Outcome) *record.Run {
	t.Helper()
	r, err := record.Find(store.Dir(), done.Meta.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.PassedOver(); err != nil {
		t.Errorf("the run has %v, want nothing passed over", err)
	}
	return r
}

// at is a number at a step.
type at struct {
	Step  int64
	Value float64
}

func (a at) is(b at) bool {
	return a.Step == b.Step && (a.Value == b.Value || math.IsNaN(a.Value) && math.IsNaN(b.Value))
}

// UnmarshalJSON reads [step, value].
func (a *at) UnmarshalJSON(b []byte) error {
	var pair [2]measure.Number
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	a.Step, a.Value = int64(pair[0].Float()), pair[1].Float()
	return nil
}

// curves returns all numbers in the log of a run, as they stand, by measure.
func curves(t *testing.T, r *record.Run) map[string][]at {
	t.Helper()
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]at{}
	add := func(step int64, values measure.Values) {
		for _, v := range values {
			if v.Applies() {
				list[v.Name] = append(list[v.Name], at{step, v.Float()})
			}
		}
	}
	for _, e := range h.Steps {
		add(e.Step, e.Values)
	}
	for _, e := range h.Evals {
		add(e.Step, e.Values)
	}
	return list
}

// expect expects a curve.
func expect(t *testing.T, got map[string][]at, name string, want ...at) {
	t.Helper()
	if !slices.EqualFunc(got[name], want, at.is) {
		t.Errorf("%s is %v, want %v", name, got[name], want)
	}
}

// status expects how a run stands.
func status(t *testing.T, r *record.Run, want runner.Status) {
	t.Helper()
	if got := r.Status(); got != want {
		t.Errorf("the run is %s (%s), want %s", got, r.Summary().Cause, want)
	}
}
