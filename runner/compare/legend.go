package compare

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
)

// Head says of which step the figures are, in sentences for the head of the printed table. It is
// empty where they are of the last step.
func (t *Table) Head() string {
	head := ""
	switch t.At {
	case Mean:
		head = fmt.Sprintf("Figures are means of each run's last evaluations, %d at most.",
			runner.AverageWindow)
	case Selected:
		head = fmt.Sprintf("Figures are of the step that each run selected by %s on the "+
			"validation split.", t.Select)
	default:
		return ""
	}
	if t.hasRefits() {
		head += fmt.Sprintf(" Methods that refit after training, marked%s, stand at their last "+
			"step.", lastMark)
	}
	return head
}

// hasRefits reports whether a row of a table of selected steps or of means stands at its last step.
func (t *Table) hasRefits() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.At == Last })
}

// lastMark is the mark of a row that stands at its last step in a table of selected steps.
const lastMark = " (last)"

// Legend says what the signs of the printed table mean, a sentence each.
func (t *Table) Legend() (lines []string) {
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Few }) {
		lines = append(lines, "? marks fewer than min_group test samples: such a figure is "+
			"mostly chance, and never called the worst.")
	}
	if t.hasIntervals() {
		lines = append(lines,
			fmt.Sprintf("± is half the width of the mean's %g %% t interval over seeds.",
				100*t.Level))
	}
	if len(t.Rows) > 1 {
		others := "every other in its row"
		if t.hasSeveralProblems() {
			others += " (of the same set and radius, where it depends on them)"
		}
		claim := fmt.Sprintf("* is better than %s: two-sided t tests, paired over "+
			"common seeds, else Welch's; p < %.2g after Holm's correction for %s.",
			others, 1-t.Level, t.familyText())
		if !t.Claims() {
			claim = fmt.Sprintf("No *: that needs %d seeds of each method.", leastClaim)
		}
		lines = append(lines, claim)
		if own := t.untestedMeasures(); own != "" {
			lines = append(lines, "No *: "+own+", since each run has its own objective.")
		}
	}
	return lines
}

// Brief returns the Legend in few words, for a place below a table that has little room.
func (t *Table) Brief() (parts []string) {
	if t.At == Selected {
		parts = append(parts, "at the step selected by "+t.Select)
	}
	if t.hasRefits() {
		parts = append(parts, strings.TrimSpace(lastMark)+" refits, so it is at its last step")
	}
	if t.hasIntervals() {
		parts = append(parts, fmt.Sprintf("± %g %% t interval over seeds", 100*t.Level))
	}
	if len(t.Rows) > 1 && t.hasIntervals() { // that one seed has no star is plain
		claim := fmt.Sprintf("* beats all others, p < %.2g after Holm", 1-t.Level)
		if !t.Claims() {
			claim = fmt.Sprintf("no *: that needs %d seeds of each method", leastClaim)
		}
		parts = append(parts, claim)
	}
	if t.hasSeveralProblems() {
		parts = append(parts, "measures of the set: among the same set and ρ")
	}
	for _, uses := range sortUnique(lists.Map(t.Rows, func(r Row) string { return r.Uses })) {
		if uses != "" {
			parts = append(parts, strings.TrimSpace(Mark(uses))+" uses "+uses)
		}
	}
	return parts
}

// leastClaim is the least number of seeds of each row on which a star may rest.
const leastClaim = 3

// Claims reports whether all rows have the seeds that a star needs. The tests take two, but with
// these a star says next to nothing.
func (t *Table) Claims() bool {
	few := func(r Row) bool { return len(r.Seeds) < leastClaim }
	return !slices.ContainsFunc(t.Rows, few)
}

// HasStar reports whether a printed table marks a cell of the row as better than all others. Best
// alone says what the tests found, however few the seeds.
func (t *Table) HasStar(row *Row, column int) bool {
	return row.Cells[column].Best && t.Claims()
}

// hasIntervals tells whether any interval is known.
func (t *Table) hasIntervals() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Half.Applies() })
	})
}

// hasSeveralProblems reports whether the rows differ in set or radius.
func (t *Table) hasSeveralProblems() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Problem != t.Rows[0].Problem })
}

// familyText says which tests were corrected together, and how many they are.
func (t *Table) familyText() string {
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

// untestedMeasures names the columns that measure a method's own objective.
func (t *Table) untestedMeasures() string {
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

// Mark returns the mark behind the name of a method that uses something: " (g)" for groups.
func Mark(uses string) string {
	if uses == "" {
		return ""
	}
	return " (" + uses[:1] + ")"
}

// Explain says what the mark of uses means; it returns "" without uses.
func Explain(uses string) string {
	if uses == "" {
		return ""
	}
	return Mark(uses)[1:] + " uses " + uses + ", which an uncertainty set does not know"
}

// Title is the row's label with its marks.
func (r *Row) Title() string {
	title := r.Label + Mark(r.Uses)
	if r.At == Last {
		title += lastMark
	}
	return title
}
