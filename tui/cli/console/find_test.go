package console

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// makeRuns returns a runs folder with runs of these names.
func makeRuns(t *testing.T, ids ...string) (dir string) {
	dir = t.TempDir()
	store, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
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
	return dir
}

// TestLeftOut: a run that is left out, as it cannot be read, is an error whatever is named after
// it.
func TestLeftOut(t *testing.T) {
	dir := makeRuns(t, "node1", "node2", "other")
	broken := filepath.Join(dir, "node2", "run.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Console{Env: Env{RunsDir: dir}}
	runs, err := c.FindSeveral(t.Context(), []string{"node", filepath.Join(dir, "other")})
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 {
		t.Errorf("FindSeveral returns %d runs, want 2", len(runs))
	}
	if c.Broken() == nil {
		t.Error("Broken returns nil, want an error about node2")
	}
}

// TestRunsThatAWordMeans: the full name of a run means that run, however many other names begin
// with it.
func TestRunsThatAWordMeans(t *testing.T) {
	dir := makeRuns(t, "node1", "node10", "node1.cluster", "latest-1", "a@b")
	for word, want := range map[string][]string{
		"node1": {"node1"}, "node10": {"node10"}, "node1.": {"node1.cluster"},
		"latest-": {"latest-1"}, "node": {"node1", "node1.cluster", "node10"},
		"a@b": {"a@b"}, "": nil, "ode": nil, "Node1": nil,
	} {
		t.Run(word, func(t *testing.T) {
			c := &Console{Env: Env{RunsDir: dir}}
			runs, err := c.FindSeveral(t.Context(), []string{word})
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
