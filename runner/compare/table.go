package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
)

// Options of a table. The zero Options are the defaults.
type Options struct {
	// Level of confidence, of the intervals and of what is marked as best;
	// 0 is 0.95.
	Level float64 `json:"level"`
}

// Table compares groups of runs. Columns without one value are left out.
type Table struct {
	Level   float64  `json:"level"`
	Keys    []string `json:"keys"` // of the spec, in which the rows differ
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	Notes   []Note   `json:"notes"`
}

// Column is one measure, as a fraction (accuracies) or in the unit of the
// losses. See mark for what Best means.
type Column struct {
	Name   string `json:"name"`            // as in --json; "class_accuracy" for each class
	Class  string `json:"class,omitempty"` // the class or group
	Higher bool   `json:"higher"`          // more is better
	Best   int    `json:"best"`            // row that is significantly better than every other one; -1: none
	// P is the largest two-sided p of the leading row against another one;
	// it does not apply where there was nothing to test.
	P runner.Number `json:"p"`
}

// Row is a group of runs that differ in nothing but the seed.
type Row struct {
	Label    string    `json:"label"`
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
	Values []runner.Number `json:"values"` // one for each seed of the row
	N      int             `json:"n"`      // of them apply
	Mean   runner.Number   `json:"mean"`   // not finite where a value is not
	Std    runner.Number   `json:"std"`    // divisor n−1; does not apply below two values
	Half   runner.Number   `json:"half"`   // half width of the mean's t interval at Table.Level
	Best   bool            `json:"best"`
}

// Runs makes the table of the finished runs among those given; the others are
// named in a note. The order of the runs does not matter.
func Runs(runs []*record.Run, o Options) *Table {
	members := make([]member, len(runs))
	for i, r := range runs {
		members[i] = member{&r.Meta, r.Summary()}
	}
	return tabulate(members, o)
}

func tabulate(members []member, o Options) *Table {
	t := &Table{Level: cmp.Or(o.Level, 0.95),
		Keys: []string{}, Columns: []Column{}, Rows: []Row{}, Notes: []Note{}}
	members = slices.SortedFunc(slices.Values(members), bySeed)
	members = slices.CompactFunc(members, func(a, b member) bool { return a.meta.ID == b.meta.ID })
	done := t.dropUnfinished(members)
	t.noteDifferences(done)
	t.noteSeen(done)
	groups, keys := grouped(done)
	t.Keys = append(t.Keys, keys...)
	for _, g := range groups {
		t.noteRepeats(g, g.dropRepeats())
		t.Rows = append(t.Rows, newRow(g))
	}
	for _, m := range measuresOf(done) {
		t.addColumn(m, groups)
	}
	for c := range t.Columns {
		t.mark(c)
	}
	t.noteSeeds()
	t.noteNotFinite()
	return t
}

// measure is what a column shows of a run.
type measure struct {
	row   runner.Measure
	class string
	of    func(*runner.Summary) runner.Number
}

// measuresOf lists the columns: the measures of a summary that are worth a place
// and have a better side, as in the paper's Table 1 first those per class, or per
// group where groups are given, where all runs have the same ones.
func measuresOf(members []member) (list []measure) {
	if len(members) == 0 {
		return nil
	}
	var whole []measure
	for _, row := range runner.SummaryMeasures() {
		name := row.Name
		switch {
		case !row.Main || row.Better == dro.Neither:
		case !row.IsList():
			whole = append(whole, measure{row, "", func(s *runner.Summary) runner.Number { return s.Of(name) }})
		case row.Axis == members[0].meta.Main() && sameParts(members):
			for i, class := range members[0].meta.Names(row.Axis) {
				list = append(list, measure{row, class, func(s *runner.Summary) (n runner.Number) {
					if values := s.ByGroup.Of(name); i < len(values) {
						n = values[i]
					}
					return n
				}})
			}
		}
	}
	return append(list, whole...)
}

// sameParts tells whether all runs have the same classes or the same groups.
func sameParts(members []member) bool {
	main := members[0].meta.Main()
	return !slices.ContainsFunc(members, func(m member) bool {
		return m.meta.Main() != main || !slices.Equal(m.meta.Names(main), members[0].meta.Names(main))
	})
}

// addColumn measures every group, unless the measure applies to none.
func (t *Table) addColumn(m measure, groups []*group) {
	cells := make([]Cell, len(groups))
	n := 0
	for i, g := range groups {
		cells[i] = newCell(g, m.of, t.Level)
		n += cells[i].N
	}
	if n == 0 {
		return
	}
	t.Columns = append(t.Columns, Column{
		Name: m.row.Name, Class: m.class, Higher: m.row.Better == dro.Higher, Best: -1,
	})
	for i, c := range cells {
		t.Rows[i].Cells = append(t.Rows[i].Cells, c)
	}
}

func newRow(g *group) Row {
	r := Row{Label: g.label(), Settings: g.settings}
	for _, m := range g.members {
		r.Runs, r.Seeds = append(r.Runs, m.meta.ID), append(r.Seeds, m.seed())
	}
	return r
}

func newCell(g *group, of func(*runner.Summary) runner.Number, level float64) Cell {
	var c Cell
	var values []float64
	for _, m := range g.members {
		v := of(m.summary)
		c.Values = append(c.Values, v)
		if v.Applies() {
			values = append(values, v.Float())
		}
	}
	c.N = len(values)
	mean, half := TInterval(values, level)
	_, std := stat.MeanStdDev(values, nil)
	c.Mean, c.Std, c.Half = runner.NumIf(c.N > 0, mean), runner.NumIf(c.N > 1, std), runner.NumIf(c.N > 1, half)
	return c
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
