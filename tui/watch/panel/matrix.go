package panel

import (
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// matrix is the form with a row for each class and a column for each row of the table of runs: it
// answers which class suffers, and which method helps it. Where there is no room for it, and for a
// single row of the table, which compares nothing, formIn returns the marks of all runs instead.
type matrix struct{}

// leastMatrix is the least width within a panel that shows a matrix: a panel of 60 columns.
const leastMatrix = 58

func (matrix) draw(b *Board, p int, v *View, iw, ih int) ([]string, string) {
	return b.paint(b.Matrix(p, v, ih), iw, ih), ""
}

// note says against what the differences are.
func (matrix) note(b *Board, v *View) string {
	if b.Runs.Baseline < 0 {
		return allRuns{}.note(b, v)
	}
	base := b.Runs.Tracks[b.Runs.Baseline].ShortName(12)
	return "vs " + base + ", worst first" + b.Runs.clockNote()
}

// ShowsMatrix reports whether a view of so many cells is drawn as a matrix.
func (b *Board) ShowsMatrix(v *View, iw int) bool {
	return v.As == (matrix{}) && iw >= leastMatrix && len(b.matrixRows(v)) > 1
}

// matrixRows returns the rows of the table that are columns of a matrix: those with the places of
// the run under the cursor, evaluated or not. Runs on other data are left out, because a place
// means another class there. It is empty before the first evaluation.
func (b *Board) matrixRows(v *View) [][]int {
	run := b.Runs.Run()
	of := v.BarsMeasure(run.Meta)
	if len(b.worstFirst(of)) == 0 {
		return nil
	}
	other := func(row []int) bool {
		first := b.Runs.Tracks[row[0]].Meta
		return !slices.Equal(first.Places(of.Axis), run.Meta.Places(of.Axis))
	}
	return slices.DeleteFunc(b.Runs.visibleRows(b.Runs.Rows()), other)
}

// Matrix returns a matrix of the figures of all runs by class or group, for so many rows. Seeds are
// shown by their means.
func (b *Board) Matrix(p int, v *View, rows int) *plot.Matrix {
	run := b.Runs.Run()
	of := v.BarsMeasure(run.Meta)
	part := AxisName(of.Axis)
	m := &plot.Matrix{
		Percent:     Percents(of),
		Lower:       of.Better == dro.Lower,
		Heads:       []string{part, "n", "train"},
		Best:        b.Theme.Best,
		RowNouns:    [2]string{part, part + "s"},
		ColumnNouns: [2]string{"run", "runs"},
		Charset:     b.Theme.Charset(false),
	}
	if part == "class" {
		m.RowNouns[1] = "classes"
	}
	table := b.matrixRows(v)
	for _, row := range table {
		t := b.Runs.Tracks[row[0]]
		c := plot.MatrixColumn{
			Mark:   b.Theme.Mark(t.Number),
			Number: t.Number,
			Front:  slices.Contains(row, b.Runs.Cursor),
			Keep:   slices.Contains(row, b.Runs.Cursor) || slices.Contains(row, b.Runs.Baseline),
		}
		c.Name, c.Briefs = b.Runs.nameOf(row)
		m.Columns = append(m.Columns, c)
	}
	b.matrixFigures(m, of, table)
	m.First = min(b.Panels[p].First, max(0, len(m.Rows)-rows))
	return m
}

// matrixFigures adds the rows of a matrix.
func (b *Board) matrixFigures(m *plot.Matrix, of measure.Measure, table [][]int) {
	run := b.Runs.Run()
	order := b.worstFirst(of)
	means := func(runs []*Track) []measure.Number {
		if values := b.Runs.meansOfRuns(runs, of); len(values) == len(order) {
			return values
		}
		return make([]measure.Number, len(order)) // not evaluated yet
	}
	all := lists.Map(table, func(row []int) []measure.Number { return means(b.Runs.InRow(row)) })
	bases := lists.Map(table, func(row []int) []measure.Number {
		return means(b.otherBase(row, &of))
	})
	judged := b.Runs.MeasuredRun(of).Places(b.Runs.PanelClock(), of)
	front := slices.IndexFunc(m.Columns, func(c plot.MatrixColumn) bool { return c.Front })
	// Of seeds the mean is judged, which is the number written.
	if front >= 0 && slices.ContainsFunc(all[front], measure.Number.Applies) {
		judged = all[front]
	}
	worst, few := judge(b.Runs.MeasuredRun(of), judged, of)
	for _, i := range order {
		figures := lists.Map(all, func(values []measure.Number) measure.Number { return values[i] })
		r := plot.MatrixRow{Best: -1, Row: plot.Row{Label: PlaceName(run.Meta, of.Axis, i),
			Worst: i == worst, Few: few[i],
			Cells: []string{TextAt(run.sampleCounts(of), i, strconv.Itoa),
				TextAt(run.Meta.Counts(of.Axis).Train, i, strconv.Itoa)}}}
		if !r.Few {
			r.Best = b.bestOf(figures, of, table)
		}
		for k, v := range figures {
			r.Values = append(r.Values, v.Float())
			r.Changes = append(r.Changes, v.Float()-bases[k][i].Float())
		}
		m.Rows = append(m.Rows, r)
	}
	worstName, meanName := "worst_class_accuracy", "test_accuracy"
	if of.OfValidation() {
		worstName, meanName = "val_worst_class_accuracy", "val_accuracy"
	}
	b.totalRow(m, "worst %", lab.Named(worstName), table)
	b.totalRow(m, "mean %", lab.Named(meanName), table)
	m.Foot = b.worstFoot(table)
}

// worstFoot says what the row of the worst class is, where its figures are no figures of a class:
// another class may be the worst one at each epoch and for each seed.
func (b *Board) worstFoot(table [][]int) string {
	part := b.Runs.Run().Meta.Part()
	seeds := slices.ContainsFunc(table, func(row []int) bool { return len(row) > 1 })
	switch epochs := len(b.Runs.PanelClock().Epochs) > 1; {
	case epochs && seeds:
		return "worst %: mean of the worst " + part + " of each epoch and seed"
	case epochs:
		return "worst %: mean of the worst " + part + " of each epoch"
	case seeds:
		return "worst %: mean of the worst " + part + " of each seed"
	}
	return ""
}

// totalRow adds a row with the figures of a column of the table of runs, under the same name.
func (b *Board) totalRow(m *plot.Matrix, label string, of measure.Measure, table [][]int) {
	clock := b.Runs.PanelClock()
	figure := func(runs []*Track) measure.Number {
		return ClockFigure(of.Name, clock).Over(b.Runs.Counted(runs))
	}
	r := plot.MatrixRow{Row: plot.Row{Label: label}}
	var figures []measure.Number
	for _, row := range table {
		v, base := figure(b.Runs.InRow(row)), figure(b.otherBase(row, &of))
		figures = append(figures, v)
		r.Values = append(r.Values, v.Float())
		r.Changes = append(r.Changes, v.Float()-base.Float())
	}
	r.Best = b.bestOf(figures, of, table)
	m.Rows, m.Totals = append(m.Rows, r), m.Totals+1
}

// otherBase returns the runs that a row is compared with in a measure; nil where that is the row
// itself, and where nothing is better or worse.
func (b *Board) otherBase(row []int, m *measure.Measure) []*Track {
	base := b.Runs.BaseOf(b.Runs.InRow(row), m)
	if base == nil || base[0] == b.Runs.Tracks[row[0]] || m.Better == dro.Neither {
		return nil
	}
	return base
}

// bestOf returns the index of the best of the figures of rows, of those that the story counts; -1
// for none, and for several alike, as in the table.
func (b *Board) bestOf(figures []measure.Number, of measure.Measure, table [][]int) int {
	if of.Better == dro.Neither || !b.Runs.Comparable(&of) {
		return -1
	}
	counted := slices.Clone(figures)
	for k, row := range table {
		counts := func(t *Track) bool { return b.Runs.Clock.Ranks(t.Meta) }
		if !slices.ContainsFunc(b.Runs.InRow(row), counts) {
			counted[k] = measure.Number{}
		}
	}
	return measure.LeaderIndex(counted, of.Better == dro.Higher,
		func(n measure.Number) string { return lab.Write(of, n) })
}
