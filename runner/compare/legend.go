package compare

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
)

// Legend says what the signs of the printed table mean, a sentence each.
func (t *Table) Legend() (lines []string) {
	if t.At == Selected {
		lines = append(lines, fmt.Sprintf("Figures are of the step that each run selected by %s "+
			"on the validation split.", t.Select))
	}
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Few }) {
		lines = append(lines, "? marks fewer than min_group test samples: such a figure is "+
			"mostly chance, and never called the worst.")
	}
	if t.spread() {
		lines = append(lines,
			fmt.Sprintf("± is half the width of the mean's %g %% t interval over seeds.",
				100*t.Level))
	}
	if len(t.Rows) > 1 {
		others := "every other in its row"
		if t.problems() {
			others += " (of the same set and radius, where it depends on them)"
		}
		lines = append(lines, fmt.Sprintf("* is better than %s: two-sided t tests, paired over "+
			"common seeds, else Welch's; p < %.2g after Holm's correction for %s.",
			others, 1-t.Level, t.families()))
		if own := t.untested(); own != "" {
			lines = append(lines, "No star: "+own+", since each run has its own objective.")
		}
	}
	return lines
}

// Brief returns the Legend in few words, for a place below a table that has little room.
func (t *Table) Brief() (parts []string) {
	if t.At == Selected {
		parts = append(parts, "at the step selected by "+t.Select)
	}
	if t.spread() {
		parts = append(parts, fmt.Sprintf("± %g %% t interval over seeds", 100*t.Level))
	}
	if len(t.Rows) > 1 && t.spread() { // one seed has no star
		parts = append(parts, fmt.Sprintf("* beats all others, p < %.2g after Holm", 1-t.Level))
	}
	if t.problems() {
		parts = append(parts, "measures of the set: among the same set and ρ")
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

// problems reports whether the rows differ in set or radius.
func (t *Table) problems() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Problem != t.Rows[0].Problem })
}

// uses lists what the rows' methods use (see Uses), sorted.
func (t *Table) uses() (list []string) {
	for _, r := range t.Rows {
		if r.Uses != "" {
			list = append(list, r.Uses)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// families says which tests were corrected together, and how many they are.
func (t *Table) families() string {
	if t.Family == AllMeasures {
		return fmt.Sprintf("all pairs in all rows of this table (%d tests)", t.Columns[0].Family)
	}
	one, listed := 0, 0
	for _, c := range t.Columns {
		if c.Class == "" {
			one = max(one, c.Family)
		} else {
			listed = max(listed, c.Family)
		}
	}
	text := fmt.Sprintf("all pairs (%d)", one)
	if listed > 0 {
		text = fmt.Sprintf("all pairs (%d, or %d over all classes, groups or radii)", one, listed)
	}
	return text + ", each measure by itself"
}

// untested names the columns that measure a method's own objective.
func (t *Table) untested() string {
	var names []string
	for _, c := range t.Columns {
		if m, ok := measure.FindMeasure(c.Name); ok && m.Asks == dro.OfObjective {
			names = append(names, m.Title)
		}
	}
	return strings.Join(slices.Compact(names), ", ")
}

// Title names a column: the class or group, or the measure.
func (c *Column) Title() string {
	m, _ := measure.FindMeasure(c.Name)
	switch {
	case m.Axis == measure.PerRadius:
		return "R at ρ=" + c.Class
	case c.Class != "":
		return c.Class
	}
	return m.Head()
}

// Percent tells whether the column's figures are shares, which are written in percent.
func (c *Column) Percent() bool {
	m, ok := measure.FindMeasure(c.Name)
	return ok && m.Scale == dro.Percent
}
