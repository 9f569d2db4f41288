package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
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
	Imported   NoteKind = "imported"   // predictions or logs of another program
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
	var ids []string
	for _, m := range runs {
		ids = append(ids, m.id())
	}
	t.Notes = append(t.Notes, Note{kind, fmt.Sprintf(format, args...), ids})
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
		name := func(m member) string { return fmt.Sprintf("%s (%s)", m.name(), m.summary.Status) }
		t.note(Unfinished, others, "left out because they are not done: %s",
			strings.Join(lists.Map(others, name), ", "))
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
		if values := uniqueValues(like, c.of); len(values) > 1 {
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
			t.note(Imported, []member{m}, "%s s%d is %s; %s", m.meta.Spec.Algorithm(), m.seed(),
				m.meta.Origin(), strings.Join(i.Absent, "; "))
		}
	}
}

// noteRepeats names the runs of a row that differ in settings which are notes of their logs: they
// may be no repeats of one experiment.
func (t *Table) noteRepeats(groups []*group) {
	for _, g := range groups {
		of := func(m member) string {
			if m.meta.Imported == nil {
				return ""
			}
			return strings.Join(m.meta.Imported.Settings, "\n")
		}
		first := of(g.members[0])
		other := func(m member) bool { return of(m) != first }
		at := slices.IndexFunc(g.members, other)
		if at < 0 {
			continue
		}
		lines := strings.Split(of(g.members[at]), "\n")
		known := strings.Split(first, "\n")
		same := func(s string) bool { return slices.Contains(known, s) }
		lines = slices.DeleteFunc(lines, same)
		t.note(Imported, g.members, "%s: the logs of its runs differ in settings (%s): they may "+
			"be no repeats", g.label, strings.Join(spec.FirstFew(lines), ", "))
	}
}

// noteProblems adds a note if rows differ in set or radius, and names the measures that then answer
// different questions.
func (t *Table) noteProblems(members []member) {
	problems := uniqueValues(members, problemLabel)
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

// noteSeen names the methods that know more of a sample than its loss, which is all that an
// uncertainty set knows: in one note those that know the same.
func (t *Table) noteSeen(members []member) {
	for _, uses := range uniqueValues(members, Uses) {
		other := func(m member) bool { return Uses(m.meta) != uses }
		of := slices.DeleteFunc(slices.Clone(members), other)
		if uses == "" || len(of) == 0 {
			continue
		}
		known := methodsOf(of)
		slices.SortFunc(known, func(a, b string) int {
			return cmp.Compare(dro.Place(dro.Algorithm(a)), dro.Place(dro.Algorithm(b)))
		})
		see := "sees"
		if len(known) > 1 {
			see = "see"
		}
		t.note(Seen, of, "%s %s %s%s", strings.Join(known, ", "), see, whatIsSeen(uses), Mark(uses))
	}
}

// whatIsSeen says in words what methods know that use groups, classes or labels.
func whatIsSeen(uses string) string {
	switch uses {
	case "groups":
		return "group labels"
	case "classes":
		return "classes in the place of group labels"
	}
	return uses
}

// uniqueValues returns the different values, sorted.
func uniqueValues(members []member, of func(*runner.Meta) string) []string {
	return sortUnique(lists.Map(members, func(m member) string { return of(m.meta) }))
}

// sortUnique returns the different ones of some values, sorted.
func sortUnique[T cmp.Ordered](values []T) []T {
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
		t.note(Seeds, nil, "one seed only (%s): no spread is known, so no figure has a * "+
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
	return strings.Join(lists.Map(seeds, name), " ")
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
				spoilt = append(spoilt, fmt.Sprintf("%s: %s is not finite in %d of %s",
					r.Label, name, len(bad), spec.Plural(len(r.Seeds), "run")))
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
