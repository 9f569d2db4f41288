package compare

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
)

// Legend says what the signs of the printed table mean, a sentence each.
func (t *Table) Legend() (lines []string) {
	if t.spread() {
		lines = append(lines,
			fmt.Sprintf("± is half the width of the mean's %g %% t interval over seeds.", 100*t.Level))
	}
	if len(t.Rows) > 1 {
		lines = append(lines, fmt.Sprintf("* is better than every other in its line: two-sided t tests, paired "+
			"over common seeds, else Welch's; p < %.2g after Holm's correction for %s.",
			1-t.Level, t.families()))
		if own := t.untested(); own != "" {
			lines = append(lines, fmt.Sprintf("No star: %s, which is of each run's own objective.", own))
		}
	}
	return lines
}

// Brief is the Legend in few words, for below a table without room.
func (t *Table) Brief() (parts []string) {
	if t.spread() {
		parts = append(parts, fmt.Sprintf("± %g %% t interval over seeds", 100*t.Level))
	}
	if len(t.Rows) > 1 {
		parts = append(parts, fmt.Sprintf("* beats all others, p < %.2g after Holm", 1-t.Level))
	}
	for _, uses := range t.uses() {
		parts = append(parts, strings.TrimSpace(Mark(uses))+" uses "+uses)
	}
	return parts
}

// spread tells whether any interval is known.
func (t *Table) spread() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Half.Applies() })
	})
}

// uses are what the rows' methods use, sorted.
func (t *Table) uses() (list []string) {
	for _, r := range t.Rows {
		if r.Uses != "" {
			list = append(list, r.Uses)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// families says what was corrected for.
func (t *Table) families() string {
	one, listed := 0, 0
	for _, c := range t.Columns {
		if c.Class == "" {
			one = max(one, c.Family)
		} else {
			listed = max(listed, c.Family)
		}
	}
	switch {
	case one+listed == 0:
		return "all pairs, of which there is none"
	case listed == 0:
		return "all " + plural(one)
	case one == 0:
		return "all " + plural(listed) + " of all classes"
	}
	return fmt.Sprintf("all %s, per class for all %d of all classes", plural(one), listed)
}

// untested names the columns of methods' own objectives.
func (t *Table) untested() string {
	var names []string
	for _, c := range t.Columns {
		if m, ok := runner.FindMeasure(c.Name); ok && m.Asks == dro.OfObjective {
			names = append(names, m.Title)
		}
	}
	return strings.Join(slices.Compact(names), ", ")
}

func plural(pairs int) string {
	if pairs == 1 {
		return "1 pair"
	}
	return fmt.Sprint(pairs, " pairs")
}
