package panel

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/plot"
)

// Spread returns a chart with a line for each class that has the values of all runs; nil if no run
// like the one under the cursor has any. Seeds are shown by their means. Runs on other data are
// left out, because a place means another class there.
func (b *Board) Spread(p int, v *View, rows int) *plot.Spread {
	of := v.BarsMeasure(b.Runs.Run().Meta)
	order := b.worstFirst(of)
	if len(order) == 0 {
		return nil
	}
	s := &plot.Spread{
		Hi:      1,
		Percent: Percents(of),
		Front:   -1,
		First:   min(b.Panels[p].First, max(0, len(order)-rows)),
		Charset: b.Theme.Charset(false),
	}
	var all [][]measure.Number
	for _, row := range b.Runs.visibleRows(b.Runs.Rows()) {
		// Front is an index into all: the row that is drawn over the others.
		values := b.Runs.meansAt(row, of)
		if len(values) != len(order) {
			continue
		}
		if slices.Contains(row, b.Runs.Cursor) {
			s.Front = len(all)
		}
		all, s.Numbers = append(all, values), append(s.Numbers, b.Runs.Tracks[row[0]].Number)
	}
	b.spreadRows(s, of, order, all)
	return s
}

// spreadRows adds the lines, and fits the scale of a measure that is no percentage. all has a list
// of values by place for each row of the table that is shown; order has the place of each line.
func (b *Board) spreadRows(
	s *plot.Spread, of measure.Measure, order []int, all [][]measure.Number,
) {
	run, top := b.Runs.Run(), 0.0
	judged := b.Runs.MeasuredRun(of).Places(b.Runs.PanelClock(), of)
	if s.Front >= 0 { // of seeds the mean is judged, which is the number written
		judged = all[s.Front]
	}
	worst, few := judge(b.Runs.MeasuredRun(of), judged, of)
	unit := spec.UnitUnder(run.Meta.Spec.Loss, of.Unit)
	switch {
	case s.Percent:
		unit = b.Theme.Mark(run.Number) + " acc %"
	case of.Better == dro.Neither:
		unit = b.Theme.Mark(run.Number) + " ratio"
	}
	s.Heads = []string{AxisName(of.Axis), unit}
	// How much there was to train on explains more of a class's place than anything else.
	counts := run.Meta.Counts(of.Axis).Train
	if len(counts) > 0 {
		s.Heads = append(s.Heads, "train")
	}
	for _, i := range order {
		r := plot.SpreadRow{Row: plot.Row{Label: PlaceName(run.Meta, of.Axis, i),
			Worst: i == worst, Few: few[i]}}
		for _, values := range all {
			if values[i].Applies() {
				top = max(top, values[i].Float())
			}
			r.Values = append(r.Values, values[i].Float())
		}
		if len(counts) > 0 {
			r.Cells = []string{TextAt(counts, i, strconv.Itoa)}
		}
		s.Rows = append(s.Rows, r)
	}
	if !s.Percent {
		s.Hi = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: top}, plot.Scale{}).Hi
	}
}

// worstFirst returns the places of a measure in their order in the ranking run: the worst first or,
// for a measure that is neither better nor worse, the greatest first. Places without a value come
// last.
//
// The order of the last frame stays while it is nearly right: rows that change places cost more, to
// follow and to send, than a point of accuracy is worth.
func (b *Board) worstFirst(of measure.Measure) []int {
	clock := b.Runs.PanelClock()
	values := b.Runs.ranking().Places(clock, of)
	// The baseline's data may be others.
	if own := b.Runs.MeasuredRun(of).Places(clock, of); len(values) != len(own) {
		values = own
	}
	order := slices.Clone(b.orders[of.Name])
	if len(order) != len(values) {
		order = page.Indices(len(values))
	}
	key := func(i int) float64 {
		switch v := values[i]; {
		case !v.Applies():
			return math.Inf(1)
		case of.Better == dro.Higher:
			return v.Float()
		default:
			return -v.Float()
		}
	}
	// slack is in the measure's own unit: five points of an accuracy. The last order, that of a
	// run that has ended, is exact.
	slack := 0.0
	if !b.Runs.ranking().Status.Ended() {
		slack = 0.05
	}
	nearly := func(i, j int) int { return cmp.Compare(key(i)+slack, key(j)) }
	if !slices.IsSortedFunc(order, nearly) {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(key(i), key(j)) })
	}
	return order
}

// sort keeps the orders of places for the next frames, also for views that are not shown: like an
// axis, an order must not depend on what the user looked at.
func (b *Board) sort() {
	for v := range views(b.Panels) {
		if v.As != nil && v.Bars != "" {
			of := v.BarsMeasure(b.Runs.Run().Meta)
			b.orders[of.Name] = b.worstFirst(of)
		}
	}
}

// allRuns is the form with a line for each class that has the marks of all runs. It is for
// comparing methods: a method that does worse for one class is seen without turning from run to
// run.
type allRuns struct{}

func (allRuns) draw(b *Board, p int, v *View, iw, ih int) ([]string, string) {
	s := b.Spread(p, v, ih)
	if s == nil {
		return nil, ""
	}
	return b.paint(s, iw, ih), ""
}

func (allRuns) note(b *Board, v *View) string {
	// The note names the run that sorts, which need not be the one under the cursor.
	note := "by " + b.Runs.ranking().ShortName(12) + ", worst first"
	if v.BarsMeasure(b.Runs.Run().Meta).Better == dro.Neither {
		note = "by " + b.Runs.ranking().ShortName(12)
	}
	return note + b.Runs.clockNote()
}
