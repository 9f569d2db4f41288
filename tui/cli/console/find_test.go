package console

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestRunsThatAWordMeans: the full name of a run means that run, however many other names begin
// with it.
func TestRunsThatAWordMeans(t *testing.T) {
	dir := t.TempDir()
	store, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"node1", "node10", "node1.cluster", "latest-1", "a@b"} {
		spec := spec.Defaults()
		spec.Algorithms = []dro.Algorithm{dro.SFK}
		r, err := store.Create(&runner.Meta{ID: id, Spec: spec}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string][]string{
		"node1": {"node1"}, "node10": {"node10"}, "node1.": {"node1.cluster"},
		"latest-": {"latest-1"}, "node": {"node1", "node1.cluster", "node10"},
		"a@b": {"a@b"}, "": nil, "ode": nil, "Node1": nil,
	} {
		t.Run(word, func(t *testing.T) {
			c := &Console{Env: Env{RunsDir: dir}}
			runs, err := c.FindSeveral([]string{word})
			var got []string
			for _, r := range runs {
				got = append(got, r.Meta.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || (err == nil) != (want != nil) {
				t.Errorf("%q means %q, %v, want %q", word, got, err, want)
			}
		})
	}
}
