package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Options configure a table. The zero Options are the defaults.
type Options struct {
	// Level is the confidence level of the intervals and of the marks for the best rows; 0 stands
	// for 0.95.
	Level float64 `json:"level"`
	// At is the step of the runs that is compared, Last or Selected. "" stands for Selected if all
	// runs have selected a step by the same rule, else for Last. Runs of methods that refit after
	// training do not count there: see Row.At. Mean stands for the means of the last evaluations.
	At string `json:"at"`
	// Family is the family of tests that are corrected together, OneMeasure or AllMeasures; ""
	// stands for OneMeasure.
	Family string `json:"family"`
	// Tested reports whether the row of a run is tested for stars; nil tests all rows.
	Tested func(*runner.Meta) bool `json:"-"`
	// Average returns what is compared at Mean; nil stands for the run's own method.
	Average func(*record.Run) (*runner.Average, error) `json:"-"`
}

// Families of tests that are corrected together.
const (
	OneMeasure  = "measure" // the columns of one measure: one for each class or group
	AllMeasures = "table"   // all columns
)

// Table compares groups of runs. A column without any value is left out.
type Table struct {
	Level  float64 `json:"level"`
	At     string  `json:"at"`               // Last, Selected or Mean
	Select string  `json:"select,omitempty"` // the rule of the selection
	// Epochs are the epochs at which the runs ended, ascending, where their last steps are
	// compared, or the first and last ones of their means. Imported runs have none.
	Epochs  []float64 `json:"epochs,omitempty"`
	Family  string    `json:"family"` // OneMeasure or AllMeasures
	Keys    []string  `json:"keys"`   // keys of the spec in which the rows differ
	Columns []Column  `json:"columns"`
	Rows    []Row     `json:"rows"`
	// Tradeoffs set the measures that methods are made for against the means, for those measures by
	// which the rows can be compared.
	Tradeoffs []Tradeoff `json:"tradeoffs"`
	Notes     []Note     `json:"notes"`
}

// Column is one measure, as a fraction (accuracies) or in the unit of the
// losses.
type Column struct {
	Name   string `json:"name"`            // as in --json; "class_accuracy" for each class
	Class  string `json:"class,omitempty"` // the class, group or radius
	Higher bool   `json:"higher"`          // more is better
	// Neutral says that neither more nor less is better, as far as is known.
	Neutral bool   `json:"neutral,omitempty"`
	Few     bool   `json:"few,omitempty"` // too few test samples to be the worst of a run
	Family  int    `json:"family"`        // number of tests corrected together, in all classes
	Tests   []Test `json:"tests"`         // one for each question that several rows answer
}

// Row is a group of runs that differ in nothing but the seed.
type Row struct {
	Label   string `json:"label"`
	Problem string `json:"problem"`        // set and radius
	Uses    string `json:"uses,omitempty"` // see Uses
	// At is Last in a table at Selected or Mean if the method of the row refits after training, so
	// that the row stands at its last step. It is empty where the row stands at the table's step.
	At       string    `json:"at,omitempty"`
	Settings []Setting `json:"settings"` // one for each of the table's keys
	Runs     []string  `json:"runs"`     // IDs, by seed
	Seeds    []uint64  `json:"seeds"`    // ascending
	Cells    []Cell    `json:"cells"`    // one for each column
}

// Setting is one key of a spec with its value as a preset would state it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Cell holds a measure over the seeds of a row.
type Cell struct {
	Values []measure.Number `json:"values"` // one for each seed of the row
	N      int              `json:"n"`      // number of values that apply
	Mean   measure.Number   `json:"mean"`   // not finite where a value is not
	Std    measure.Number   `json:"std"`    // divisor n−1; does not apply below two values
	Half   measure.Number   `json:"half"`   // half width of the mean's t interval at Table.Level
	Best   bool             `json:"best"`
	// P and Adjusted are the p of the test of the lead (see Test) against this row, before and
	// after the correction. They do not apply to the lead itself.
	P        measure.Number `json:"p"`
	Adjusted measure.Number `json:"adjusted_p"`
}

// Runs makes the table of the finished runs among those given; the others are
// named in a note. The order of the runs does not matter.
func Runs(runs []*record.Run, o Options) *Table {
	several := slices.ContainsFunc(runs, func(r *record.Run) bool {
		return BoxOf(r) != BoxOf(runs[0])
	})
	return tabulate(lists.Map(runs, func(r *record.Run) member {
		m := member{meta: &r.Meta, summary: r.Summary()}
		if several {
			m.box = BoxOf(r)
		}
		if o.At == Mean {
			m.average = o.meanOf(r)
		}
		return m
	}), o)
}

// meanOf returns the mean of the last evaluations of a run, without any figure where a part of its
// log is lost or cannot be read.
func (o *Options) meanOf(r *record.Run) *runner.Average {
	of := o.Average
	if of == nil {
		of = (*record.Run).Average
	}
	if average, err := of(r); err == nil && average != nil {
		return average
	}
	return &runner.Average{}
}

func tabulate(members []member, o Options) *Table {
	t := &Table{Level: cmp.Or(o.Level, 0.95), Family: cmp.Or(o.Family, OneMeasure),
		Keys: []string{}, Columns: []Column{}, Rows: []Row{}, Tradeoffs: []Tradeoff{},
		Notes: []Note{}}
	members = slices.SortedFunc(slices.Values(members), bySeed)
	members = slices.CompactFunc(members, func(a, b member) bool { return a.meta.ID == b.meta.ID })
	done := t.dropUnfinished(members)
	t.chooseStep(done, o.At)
	t.noteDifferences(done)
	t.noteImported(done)
	t.noteProblems(done)
	t.noteSeen(done)
	groups, keys := groupRuns(done)
	t.noteRepeats(groups)
	t.Keys = append(t.Keys, keys...)
	for _, g := range groups {
		if repeats := g.dropRepeats(); len(repeats) > 0 {
			t.note(Repeated, repeats, "%s: %s left out because a newer one has the same seed: %s",
				g.label, spec.Plural(len(repeats), "run"),
				strings.Join(spec.FirstFew(lists.Map(repeats, member.name)), ", "))
		}
		t.Rows = append(t.Rows, t.newRow(g))
	}
	var contests []columnTest
	for _, m := range measuresOf(done) {
		first := len(t.Columns)
		t.addColumns(m, groups)
		if m.Better != dro.Neither {
			rows := rowsByQuestion(m.Asks, groups, o.Tested)
			contests = append(contests, t.testColumns(first, rows)...)
		}
		if t.Family == OneMeasure {
			t.correctTests(t.Columns[first:], contests)
			contests = nil
		}
	}
	if t.Family == AllMeasures {
		t.correctTests(t.Columns, contests)
	}
	if len(groups) > 0 {
		t.addTradeoffs(groups)
	}
	t.noteSeeds()
	t.noteFew(done)
	t.noteCells()
	return t
}

// measureColumns is a measure of the table with its columns: a single one, or one for each class,
// group or radius.
type measureColumns struct {
	measure.Measure
	parts []part
}

// part is a column of a measure: its class, group or radius, and the value that it shows for a run.
type part struct {
	place string
	value func(member) measure.Number
}

// measuresOf lists the main measures of a summary that have a better side. As in the paper's Table
// 1, measures per class come first, or per group if groups are given. Measures at fixed radii are
// in the list if runs differ in set or radius, so that their figures at their own radii cannot be
// compared. Last come the measures of programs; without a better side they are not tested.
func measuresOf(members []member) (list []measureColumns) {
	if len(members) == 0 {
		return nil
	}
	var whole []measureColumns
	radii := len(uniqueValues(members, problemLabel)) > 1
	for _, row := range measure.SummaryMeasures() {
		switch {
		case row.Better == dro.Neither || row.OfValidation():
		case row.Axis == measure.PerRadius && radii:
			whole = append(whole, measureColumns{row, partsOf(row, members)})
		case !row.Main:
		case !row.IsList():
			of := func(m member) measure.Number { return m.results().Named(row.Name) }
			if isWorst(row.Name, members[0].meta) {
				of = member.worst
			}
			whole = append(whole, measureColumns{row, []part{{"", of}}})
		case row.Axis == members[0].meta.Main() && sameParts(members):
			list = append(list, measureColumns{row, partsOf(row, members)})
		}
	}
	sides := runner.UserSides{}
	for _, m := range members {
		sides.Add(m.meta, m.summary.Measures)
	}
	for _, row := range sides.Measures() {
		of := func(m member) measure.Number { return m.results().Named(row.Name) }
		whole = append(whole, measureColumns{row, []part{{"", of}}})
	}
	return append(list, whole...)
}

// partsOf returns the columns of a measure with several values: one for each place (class, group or
// radius) that all runs have.
func partsOf(row measure.Measure, members []member) (parts []part) {
	for at, place := range members[0].meta.Places(row.Axis) {
		index := func(m member) int { return slices.Index(m.meta.Places(row.Axis), place) }
		if row.Axis == members[0].meta.Main() { // the parts are the same
			index = func(member) int { return at }
		}
		if slices.ContainsFunc(members, func(m member) bool { return index(m) < 0 }) {
			continue
		}
		parts = append(parts, part{place, func(m member) (n measure.Number) {
			if values, i := m.results().ByGroup.Named(row.Name), index(m); i < len(values) {
				n = values[i]
			}
			return n
		}})
	}
	return parts
}

// sameParts tells whether all runs have the same classes or the same groups.
func sameParts(members []member) bool {
	main := members[0].meta.Main()
	return !slices.ContainsFunc(members, func(m member) bool {
		return m.meta.Main() != main ||
			!slices.Equal(m.meta.Names(main), members[0].meta.Names(main))
	})
}

// addColumns adds the columns of a measure, with a cell for every group. It leaves out the parts
// that apply to no run.
func (t *Table) addColumns(m measureColumns, groups []*group) {
	for at, part := range m.parts {
		cells := make([]Cell, len(groups))
		n := 0
		for i, g := range groups {
			cells[i] = newCell(g, part.value, t.Level)
			n += cells[i].N
		}
		// The column of the worst part stays, so that a note can say that there is none.
		if n == 0 && !isWorst(m.Name, groups[0].members[0].meta) {
			continue
		}
		t.Columns = append(t.Columns, Column{
			Name:   m.Name,
			Class:  part.place,
			Higher: m.Better == dro.Higher, Neutral: m.Better == dro.Neither,
			Few:   fewIn(groups, m.Axis, at),
			Tests: []Test{},
		})
		for i, c := range cells {
			t.Rows[i].Cells = append(t.Rows[i].Cells, c)
		}
	}
}

func (t *Table) newRow(g *group) Row {
	first := g.members[0]
	row := Row{Label: g.label, Problem: problemLabel(first.meta), Uses: Uses(first.meta),
		Settings: g.settings, Runs: lists.Map(g.members, member.id),
		Seeds: lists.Map(g.members, member.seed)}
	if t.At == Selected && !first.selected || t.At == Mean && first.refits() {
		row.At = Last
	}
	return row
}

func newCell(g *group, of func(member) measure.Number, level float64) Cell {
	c := Cell{Values: lists.Map(g.members, of)}
	c.N, c.Mean, c.Std, c.Half = Describe(c.Values, level)
	return c
}

// Exact returns the exact figures, with a row for each measure and column of the table.
func (t *Table) Exact() *page.Table {
	exact := page.New("measure", "column", "seeds", "mean", "half_interval", "best", "few")
	for i, column := range t.Columns {
		for _, g := range t.Rows {
			c := &g.Cells[i]
			exact.Add(column.Title(), g.Title(), strconv.Itoa(len(g.Seeds)), page.ExactOf(c.Mean),
				page.ExactOf(c.Half), strconv.FormatBool(c.Best), strconv.FormatBool(column.Few))
		}
	}
	return exact
}
