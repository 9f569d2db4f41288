package compare

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
)

// tested gives each class of a run the given number of test samples.
func tested(counts ...int) func(*member) {
	return func(m *member) { m.meta.ClassCounts = measure.Counts{Train: counts, Test: counts} }
}

// A class of fewer than min_group test samples is marked. Where fewer than two classes have enough,
// no run has a worst class: the table has a dash and a note.
func TestFewSamples(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts []int
		few    []string // classes
		worst  bool
		note   string
	}{
		{"enough of each", []int{20, 400}, nil, true, ""},
		{"one has too few", []int{19, 400}, []string{"circle"}, false,
			"no worst class: fewer than two have min_group = 20 test samples"},
		{"both have too few", []int{19, 1}, []string{"circle", "star"}, false, "no worst class"},
		{"not known, of an old run", nil, nil, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := tabulate(slices.Concat(newRuns(dro.ERM, accuraciesB, tested(c.counts...)),
				newRuns(dro.SFK, accuraciesA, tested(c.counts...))), Options{})
			var few []string
			for _, column := range table.Columns {
				if column.Few {
					few = append(few, column.Class)
				}
			}
			if !slices.Equal(few, c.few) {
				t.Errorf("marked %q, want %q", few, c.few)
			}
			for _, row := range table.Rows {
				at := column(t, table, "worst_class_accuracy")
				if got := row.Cells[at].Mean.Applies(); got != c.worst {
					t.Errorf("%s: a worst class is %v, want %v", row.Label, got, c.worst)
				}
			}
			note := slices.ContainsFunc(table.Notes, func(n Note) bool {
				return n.Kind == Few && strings.Contains(n.Text, c.note) && len(n.Runs) == 8
			})
			if note != (c.note != "") {
				t.Errorf("notes %+v, want %q", table.Notes, c.note)
			}
			legend := strings.Contains(strings.Join(table.Legend(), " "),
				"? marks fewer than min_group test samples")
			if legend != (c.few != nil) {
				t.Errorf("legend %q, want it to explain ?: %v", table.Legend(), c.few != nil)
			}
		})
	}
}
