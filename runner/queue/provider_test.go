package queue

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
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
	if tr.summary == nil || tr.summary.Status != runner.Done ||
		len(tr.summary.ByGroup.Named("group_accuracy")) != 2 ||
		len(tr.summary.ByGroup.Named("class_accuracy")) != 3 {
		t.Fatalf("summary %+v", tr.summary)
	}
	if m := tr.meta; m.Checksum != "rows" || !slices.Equal(m.Groups, []string{"small", "large"}) ||
		!slices.Equal(m.GroupCounts.Train, []int{40, 160}) ||
		!slices.Equal(m.GroupCounts.Test, []int{12, 48}) ||
		!slices.Equal(m.Classes, []string{"a", "b", "c"}) ||
		!slices.Equal(m.ClassCounts.Train, []int{100, 50, 50}) ||
		!slices.Equal(m.ClassCounts.Test, []int{20, 20, 20}) || m.ClassCounts.Val != nil {
		t.Errorf("classes %q of %v, groups %q of %v, checksum %s",
			m.Classes, m.ClassCounts, m.Groups,
			m.GroupCounts, m.Checksum)
	}
	notes := slices.DeleteFunc(slices.Clone(tr.events), func(e runner.Event) bool {
		w, ok := e.(*runner.WarningEvent)
		return !ok || w.Message != "rows are made up" || w.Step != 0
	})
	if len(notes) != 1 {
		t.Errorf("the log has the note of the data %d times", len(notes))
	}
}
