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
	if a, b := table.Rows[0], table.Rows[1]; a.Title() != "sfk" || a.Uses != "" ||
		b.Title() != "group (g)" || b.Label != "group" || b.Uses != "groups" {
		t.Errorf("rows %+v", table.Rows)
	}
	table = tabulate(append(newRuns(dro.SFK, accuraciesB), newRuns("group", accuraciesA)...),
		Options{})
	if r := table.Rows[1]; r.Title() != "group (c)" || r.Uses != "classes" {
		t.Errorf("row %+v", r)
	}
	if i := slices.IndexFunc(table.Notes, func(n Note) bool { return n.Kind == Seen }); i < 0 ||
		table.Notes[i].Text != "group (c) uses classes, which an uncertainty set does not know" {
		t.Errorf("notes %+v", table.Notes)
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
	if got := radii.Legend()[1]; !strings.Contains(got,
		"in its row (of the same set and radius, where") {
		t.Errorf("legend %q", got)
	}
	if got := radii.Brief(); !slices.Contains(got,
		"measures of the set: among the same set and ρ") {
		t.Errorf("brief %q", got)
	}
	lines := tabulate(append(four, newRuns(dro.SFK, accuraciesA, at("chi2", 1))...),
		Options{}).Legend()
	if lines[len(lines)-1] != "No star: full gradient norm, since each run has its own objective." {
		t.Errorf("legend %q", lines)
	}
}
