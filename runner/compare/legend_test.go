package compare

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro"
)

// TestMarksOfKnowledge: the title of a method that weighs groups or classes says so.
func TestMarksOfKnowledge(t *testing.T) {
	given := func(m *member) { m.meta.Groups = []string{"north", "south"} }
	table := tabulate(append(newRuns(dro.SFK, accuraciesB, given),
		newRuns("group", accuraciesA, given)...), Options{})
	type name struct{ title, label, uses string }
	want := []name{{"sfk", "sfk", ""}, {"group (g)", "group", "groups"}}
	for i, r := range table.Rows {
		if got := (name{r.Title(), r.Label, r.Uses}); got != want[i] {
			t.Errorf("row %d is %+v, want %+v", i, got, want[i])
		}
	}
	table = tabulate(append(newRuns(dro.SFK, accuraciesB), newRuns("group", accuraciesA)...),
		Options{})
	if r := table.Rows[1]; r.Title() != "group (c)" || r.Uses != "classes" {
		t.Errorf("row 1 is %s, which uses %s, want group (c), classes", r.Title(), r.Uses)
	}
	const note = "group sees classes in the place of group labels (c)"
	if got := noteOf(table, Seen); got != note {
		t.Errorf("note %q, want %q", got, note)
	}
	inGroups := func(m *member) { m.meta.Groups = []string{"north", "south"} }
	table = tabulate(slices.Concat(newRuns("dfr", accuraciesB, inGroups),
		newRuns("group", accuraciesA, inGroups), newRuns("subsample", accuraciesB, inGroups)),
		Options{})
	const all = "group, subsample, dfr see group labels (g)"
	if got := noteOf(table, Seen); got != all {
		t.Errorf("note %q, want %q", got, all)
	}
}

// TestLegend: the signs that a table prints are explained, and no other signs.
func TestLegend(t *testing.T) {
	four := slices.Concat(newRuns(dro.SFK, accuraciesA), newRuns(dro.PGD, accuraciesC),
		newRuns("group", accuraciesB), newRuns(dro.ERM, accuraciesB))
	for _, c := range []struct {
		runs          []member
		legend, brief string
	}{
		{four, "± is half the width of the mean's 95 % t interval over seeds.\n" +
			"* is better than every other in its row: two-sided t tests, paired over common " +
			"seeds, else Welch's; p < 0.05 after Holm's correction for all pairs (6, or 12 " +
			"over all classes, groups or radii), each measure by itself.",
			"± 95 % t interval over seeds\n* beats all others, p < 0.05 after Holm\n" +
				"(c) uses classes"},
		{newRuns(dro.SFK, accuraciesA),
			"± is half the width of the mean's 95 % t interval over seeds.",
			"± 95 % t interval over seeds"},
		{newRuns(dro.SFK, accuraciesA[:1]), "", ""},
		{append(newRuns(dro.SFK, accuraciesA[:2]), newRuns(dro.ERM, accuraciesB[:2])...),
			"± is half the width of the mean's 95 % t interval over seeds.\n" +
				"No *: that needs 3 seeds of each method.",
			"± 95 % t interval over seeds\nno *: that needs 3 seeds of each method"},
	} {
		table := tabulate(c.runs, Options{})
		if got := strings.Join(table.Legend(), "\n"); got != c.legend {
			t.Errorf("legend %q, want %q", got, c.legend)
		}
		if got := strings.Join(table.Brief(), "\n"); got != c.brief {
			t.Errorf("brief %q, want %q", got, c.brief)
		}
	}
	radii := tabulate(append(newRuns(dro.SFK, accuraciesA, at("chi2", 1)), four...), Options{})
	const among = "in its row (of the same set and radius, where"
	if got := radii.Legend()[1]; !strings.Contains(got, among) {
		t.Errorf("legend %q, want %q in it", got, among)
	}
	const brief = "measures of the set: among the same set and ρ"
	if got := radii.Brief(); !slices.Contains(got, brief) {
		t.Errorf("brief %q, want the line %q", got, brief)
	}
	lines := tabulate(append(four, newRuns(dro.SFK, accuraciesA, at("chi2", 1))...),
		Options{}).Legend()
	const last = "No *: full gradient norm, since each run has its own objective."
	if got := lines[len(lines)-1]; got != last {
		t.Errorf("the legend ends with %q, want %q", got, last)
	}
}

// TestStarsNeedSeeds: what the tests of two seeds find is kept as data, and gets no star.
func TestStarsNeedSeeds(t *testing.T) {
	for seeds, want := range map[int]bool{2: false, 3: true} {
		table := tabulate(append(newRuns(dro.SFK, accuraciesA[:seeds]),
			newRuns(dro.ERM, accuraciesA[:seeds])...), Options{})
		row := &table.Rows[0]
		row.Cells[0].Best = true
		if got := table.HasStar(row, 0); got != want {
			t.Errorf("%d seeds: star %v, want %v", seeds, got, want)
		}
		if row = &table.Rows[1]; table.HasStar(row, 0) {
			t.Errorf("%d seeds: a star on a figure that is not the best", seeds)
		}
	}
}
