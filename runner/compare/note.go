package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The kinds of notes.
const (
	Unfinished NoteKind = "unfinished" // runs left out because they are not done
	Repeated   NoteKind = "repeated"   // runs left out because a newer one has the same seed
	Budget     NoteKind = "budget"     // the groups were trained for different lengths
	Dataset    NoteKind = "dataset"    // not the same samples
	Model      NoteKind = "model"      // not the same network
	Problem    NoteKind = "problem"    // not the same uncertainty set and radius
	Selection  NoteKind = "selection"  // not all runs select a step, or not by the same rule
	Seen       NoteKind = "seen"       // weights know labels or groups
	Code       NoteKind = "code"       // not the same program or kernels
	Seeds      NoteKind = "seeds"      // too few, or not the same, seeds
	Few        NoteKind = "few"        // too few test samples for a worst class or group
	Missing    NoteKind = "missing"    // only some runs of a row have a measure
	Imported   NoteKind = "imported"   // predictions of another program
	NotFinite  NoteKind = "not-finite" // a measure of a run is NaN or infinite
)

// NoteKind tells what a note is about.
type NoteKind string

// Note is something to know before believing the table.
type Note struct {
	Kind NoteKind `json:"kind"`
	Text string   `json:"text"`           // one line
	Runs []string `json:"runs,omitempty"` // IDs
}

func (t *Table) note(kind NoteKind, runs []member, format string, args ...any) {
	t.Notes = append(t.Notes,
		Note{kind, fmt.Sprintf(format, args...), spec.Map(runs, member.id)})
}

// dropUnfinished returns the runs that are done.
func (t *Table) dropUnfinished(members []member) (done []member) {
	var others []member
	for _, m := range members {
		if m.summary.Status == runner.Done {
			done = append(done, m)
		} else {
			others = append(others, m)
		}
	}
	if len(others) > 0 {
		name := func(m member) string { return fmt.Sprintf("%s (%s)", m.meta.ID, m.summary.Status) }
		t.note(Unfinished, others, "left out because they are not done: %s",
			strings.Join(spec.Map(others, name), ", "))
	}
	return done
}

// noteDifferences adds notes on differences between runs that are not what the table compares.
func (t *Table) noteDifferences(members []member) {
	for _, c := range []struct {
		kind NoteKind
		what string
		then string
		of   func(*runner.Meta) string
	}{
		{Budget, "epochs", "budgets are not the same",
			func(m *runner.Meta) string { return fmt.Sprint(m.Spec.Epochs) }},
		{Budget, "steps", "budgets are not the same",
			func(m *runner.Meta) string { return fmt.Sprint(m.Steps) }},
		{Dataset, "dataset", "figures are of different samples, so they are not tested " +
			"against each other",
			func(m *runner.Meta) string { return m.Spec.Dataset }},
		{Dataset, "dataset checksum", "the data are not the same, so they are not tested " +
			"against each other",
			func(m *runner.Meta) string { return m.Checksum }},
		{Dataset, "classes", "there are no columns per class",
			func(m *runner.Meta) string { return strings.Join(m.Names(m.Main()), " ") }},
		{Model, "model", "networks are not the same",
			func(m *runner.Meta) string { return m.Spec.Model }},
		{Code, "version of the program", "what changed in between may be what differs",
			func(m *runner.Meta) string { return m.Host.Version }},
		{Code, "kernel", "the same seed gives other last bits",
			func(m *runner.Meta) string { return m.Host.Kernel }},
	} {
		like := members
		if c.kind != Dataset {
			like = slices.DeleteFunc(slices.Clone(members), isImported)
		}
		if values := distinctValues(like, c.of); len(values) > 1 {
			t.note(c.kind, nil, "runs differ in %s (%s): %s", c.what,
				strings.Join(values, ", "), c.then)
		}
	}
}

// isImported reports whether another program made the run, which then has no network, budget or
// code.
func isImported(m member) bool { return m.meta.Imported != nil }

// noteImported names the runs that were not trained here, and what is not known of them.
func (t *Table) noteImported(members []member) {
	for _, m := range members {
		if i := m.meta.Imported; i != nil {
			t.note(Imported, []member{m}, "%s s%d is what another program predicted (%s); %s",
				m.meta.Spec.Algorithm(), m.seed(), i.File, strings.Join(i.Absent, "; "))
		}
	}
}

// noteProblems adds a note if rows differ in set or radius, and names the measures that then answer
// different questions.
func (t *Table) noteProblems(members []member) {
	problems := distinctValues(members, problemLabel)
	var names []string
	for _, m := range measuresOf(members) {
		if m.Asks == dro.OfProblem {
			names = append(names, m.Title)
		}
	}
	if len(problems) > 1 && len(names) > 0 {
		t.note(Problem, nil, "runs differ in set or radius (%s): the same network has another "+
			"%s at each, so only runs with the same set and radius are tested",
			strings.Join(problems, "; "), strings.Join(names, " and "))
	}
}

// noteSeen names the methods that know more of a sample than its loss, which is
// all that an uncertainty set knows.
func (t *Table) noteSeen(members []member) {
	for _, name := range dro.Algorithms() {
		for _, uses := range distinctValues(members, Uses) {
			another := func(o member) bool {
				return o.meta.Spec.Algorithm() != name || Uses(o.meta) != uses
			}
			of := slices.DeleteFunc(slices.Clone(members), another)
			if uses != "" && len(of) > 0 {
				t.note(Seen, of, "%s %s", name, Explain(uses))
			}
		}
	}
}

// distinctValues returns the different values, sorted.
func distinctValues(members []member, of func(*runner.Meta) string) []string {
	return distinct(spec.Map(members, func(m member) string { return of(m.meta) }))
}

// distinct returns the different ones of some values, sorted.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// noteSeeds adds a note on rows with one seed, which cannot be tested, and on rows with different
// seeds.
func (t *Table) noteSeeds() {
	var single, seeds []string
	same := true
	for _, r := range t.Rows {
		if len(r.Seeds) == 1 {
			single = append(single, r.Label)
		}
		seeds = append(seeds, r.Label+": "+seedNames(r.Seeds))
		same = same && slices.Equal(r.Seeds, t.Rows[0].Seeds)
	}
	if len(single) > 0 {
		t.note(Seeds, nil, "one seed only (%s): no spread is known, so nothing is marked as best "+
			"against it", strings.Join(single, ", "))
	}
	if !same {
		t.note(Seeds, nil, "the means are over different seeds (%s)", strings.Join(seeds, ", "))
	}
}

// seedNames returns the names of the seeds, or the number of more than five.
func seedNames(seeds []uint64) string {
	if len(seeds) > 5 {
		return fmt.Sprintf("%d of them", len(seeds))
	}
	name := func(seed uint64) string { return fmt.Sprintf("s%d", seed) }
	return strings.Join(spec.Map(seeds, name), " ")
}

// noteCells names the cells to which fewer runs contribute than their row has, and the cells whose
// mean is spoilt by a run that diverged.
func (t *Table) noteCells() {
	var missing, spoilt []string
	for c, col := range t.Columns {
		name := strings.TrimSpace(col.Name + " " + col.Class)
		var rows []string
		for _, r := range t.Rows {
			bad := slices.DeleteFunc(slices.Clone(r.Cells[c].Values), func(v measure.Number) bool {
				return !v.Applies() || v.Finite()
			})
			if len(bad) > 0 {
				spoilt = append(spoilt, fmt.Sprintf("%s: %s is not finite in %d of %d run(s)",
					r.Label, name, len(bad), len(r.Seeds)))
			}
			if n := r.Cells[c].N; n > 0 && n < len(r.Seeds) {
				rows = append(rows, fmt.Sprintf("%s: %d of %d", r.Label, n, len(r.Seeds)))
			}
		}
		if len(rows) > 0 {
			missing = append(missing,
				fmt.Sprintf("%s is of some runs only (%s)", name, strings.Join(rows, ", ")))
		}
	}
	for _, text := range spec.FirstFew(missing) {
		t.note(Missing, nil, "%s", text)
	}
	for _, text := range spec.FirstFew(spoilt) {
		t.note(NotFinite, nil, "%s", text)
	}
}

// Head says of which step the figures are, in sentences for the head of the printed table. It is
// empty where they are of the last step.
func (t *Table) Head() string {
	if t.At != Selected {
		return ""
	}
	head := fmt.Sprintf("Figures are of the step that each run selected by %s on the validation "+
		"split.", t.Select)
	if t.hasRefits() {
		head += fmt.Sprintf(" Methods that refit after training, marked%s, stand at their last "+
			"step.", lastMark)
	}
	return head
}

// hasRefits reports whether a row of a table of selected steps stands at its last step.
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
		lines = append(lines, fmt.Sprintf("* is better than %s: two-sided t tests, paired over "+
			"common seeds, else Welch's; p < %.2g after Holm's correction for %s.",
			others, 1-t.Level, t.familyText()))
		if own := t.untestedMeasures(); own != "" {
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
	if t.hasRefits() {
		parts = append(parts, strings.TrimSpace(lastMark)+" refits, so it is at its last step")
	}
	if t.hasIntervals() {
		parts = append(parts, fmt.Sprintf("± %g %% t interval over seeds", 100*t.Level))
	}
	if len(t.Rows) > 1 && t.hasIntervals() { // one seed has no star
		parts = append(parts, fmt.Sprintf("* beats all others, p < %.2g after Holm", 1-t.Level))
	}
	if t.hasSeveralProblems() {
		parts = append(parts, "measures of the set: among the same set and ρ")
	}
	for _, uses := range distinct(spec.Map(t.Rows, func(r Row) string { return r.Uses })) {
		if uses != "" {
			parts = append(parts, strings.TrimSpace(Mark(uses))+" uses "+uses)
		}
	}
	return parts
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

// rowsByQuestion returns sets of rows that answer the same question with a measure, in the order of
// the rows. Only among such rows can one value be better than another: R_ρ grows with ρ for one and
// the same network, and a loss on other data says nothing. Rows that are not tested are in no set.
func rowsByQuestion(
	asks dro.Question, groups []*group, tested func(*runner.Meta) bool,
) (rows [][]int) {
	var keys []string
	for i, g := range groups {
		if tested != nil && !tested(g.members[0].meta) {
			continue
		}
		key := Question(asks, g.members[0].meta)
		at := slices.Index(keys, key)
		if at < 0 {
			at, keys, rows = len(keys), append(keys, key), append(rows, nil)
		}
		rows[at] = append(rows[at], i)
	}
	return rows
}

// Question returns a key that is the same for runs that answer the same question. Between runs with
// different keys no value is better or worse.
func Question(asks dro.Question, m *runner.Meta) string {
	data := m.Spec.Dataset + "\n" + m.Checksum + "\n"
	set, err := m.Spec.Set()
	switch {
	case asks == dro.OfNetwork:
		return data
	case asks == dro.OfLoss:
		return data + m.Spec.Loss
	case asks == dro.OfObjective, err != nil:
		return data + m.ID
	case asks == dro.OfProblem && set.HasRadius():
		return fmt.Sprintf("%s%s %#v %v", data, m.Spec.Loss, set, m.Spec.Rho)
	}
	return fmt.Sprintf("%s%s %#v", data, m.Spec.Loss, set) // exact, where a label rounds
}

// problemLabel names set and radius: "χ², ρ=0.5".
func problemLabel(m *runner.Meta) string {
	set, err := m.Spec.Set()
	switch {
	case err != nil:
		return m.Spec.Uncertainty
	case !set.HasRadius():
		return set.Label()
	}
	return fmt.Sprintf("%s, ρ=%g", set.Label(), m.Spec.Rho)
}

// Uses names what a run's method weighs samples by that an uncertainty set does not know: "groups",
// "classes" (which stand for the groups if none were given) or "labels". It is "" if there is
// nothing.
func Uses(m *runner.Meta) string {
	method, err := dro.Find(m.Spec.Algorithm())
	switch {
	case err != nil:
		return ""
	case method.Uses == "groups" && m.Main() == measure.PerClass:
		return "classes"
	}
	return method.Uses
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
