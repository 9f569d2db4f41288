package queue

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/measure"

	"github.com/google/go-cmp/cmp"
)

// rows is a data source that no package of the program knows: three classes, and two groups, one of
// them small.
type rows int

func (n rows) Len() int          { return int(n) }
func (n rows) Shape() data.Shape { return data.Shape{C: 3, H: 1, W: 1} }
func (n rows) Label(i int) int   { return i % 3 }
func (n rows) Group(i int) int   { return min(1, i%5) }

func (n rows) Read(dst []float32, i int) {
	clear(dst)
	dst[n.Label(i)] = 1
}

// A registered data source is trained on by its name alone, with its own imbalance and groups.
func TestRegisteredDataTrains(t *testing.T) {
	defer source.Register(data.Provider{
		Name: "rows", Purpose: "for a test", Imbalance: []float64{1, .5, .5},
		Open: func(string, data.Options) (*data.Dataset, error) {
			return &data.Dataset{
				Classes:  []string{"a", "b", "c"},
				Groups:   []string{"small", "large"},
				Train:    rows(300),
				Test:     rows(60),
				Checksum: "rows",
				Notes:    []string{"rows are made up"},
			}, nil
		},
	})()
	s := brief(dro.SFK)
	s.Dataset = "rows"
	tr := runAll(t, 1, s)[0]
	if tr.summary == nil || tr.summary.Status != runner.Done {
		t.Fatalf("the run has the summary %+v, want one that is done", tr.summary)
	}
	for name, want := range map[string]int{"group_accuracy": 2, "class_accuracy": 3} {
		if got := len(tr.summary.ByGroup.Named(name)); got != want {
			t.Errorf("%s has %d values, want %d", name, got, want)
		}
	}
	if got := tr.meta.Checksum; got != "rows" {
		t.Errorf("the checksum is %q, want rows", got)
	}
	want := measure.Parts{
		Classes:     []string{"a", "b", "c"},
		ClassCounts: measure.Counts{Train: []int{100, 50, 50}, Test: []int{20, 20, 20}},
		Groups:      []string{"small", "large"},
		GroupCounts: measure.Counts{Train: []int{40, 160}, Test: []int{12, 48}},
	}
	if diff := cmp.Diff(want, tr.meta.Parts); diff != "" {
		t.Errorf("the parts of the data differ (-want +got):\n%s", diff)
	}
	notes := slices.DeleteFunc(slices.Clone(tr.events), func(e runner.Event) bool {
		w, ok := e.(*runner.WarningEvent)
		return !ok || w.Message != "rows are made up" || w.Step != 0
	})
	if len(notes) != 1 {
		t.Errorf("the log has the note of the data %d times", len(notes))
	}
}
