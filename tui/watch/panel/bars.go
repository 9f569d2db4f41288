package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Bars returns the bars of the figures by class or group of the run under the cursor, at its last
// evaluation, for so many rows. They keep the order of the data set, so that a class stays in its
// place when runs are compared. Spread has them sorted.
func (w *Board) Bars(p int, of lab.Measure, rows int) *plot.Bars {
	t := w.Run()
	values := t.Places(of)
	b := &plot.Bars{First: min(w.Panels[p].First, max(0, len(values)-rows)), Number: t.Number,
		Charset: w.Theme.Charset(false), Percent: of.Scale == dro.Percent,
		LowerIsBetter: of.Better != dro.Higher}
	var base []measure.Number
	if r := w.Compared(of); r != nil {
		base = r.PlacesAt(w.CommonEpoch(), of)
	}
	cells := barFields(t, of)
	// The heads take a row only where no bar has to go for it.
	if rows <= len(values) {
		cells = cells[:min(1, len(cells))] // without a head only the number to train on
	} else {
		unit := of.Unit
		if of.Better == dro.Neither {
			unit = "ratio"
		}
		b.Heads = []string{AxisName(of.Axis), unit, "change"}
		for _, c := range cells {
			b.Heads = append(b.Heads, c.Head)
		}
	}
	worst, few := judge(t, values, of)
	for i, v := range values {
		bar := plot.Bar{Row: plot.Row{Label: PlaceName(t.Meta, of.Axis, i), Worst: i == worst,
			Few: few[i]}, Value: v.Float(), Base: math.NaN()}
		if len(base) == len(values) { // else it is of other classes
			bar.Base = base[i].Float()
		}
		for _, c := range cells {
			bar.Cells = append(bar.Cells, c.Cell(i))
		}
		if of.Scale != dro.Percent && !math.IsInf(v.Float(), 0) {
			b.Max = math.Max(b.Max, v.Float())
		}
		b.Bars = append(b.Bars, bar)
	}
	// Percentages end at 100. Other scales take the next round number, which moves seldom.
	if of.Scale != dro.Percent {
		b.Max = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: b.Max}, plot.Scale{}).Hi
	}
	return b
}

// judge returns the place with the worst value, −1 for none, and which places have too few samples
// to be called the worst. Bars, the spread and the film all call it, so that they name the same
// class. The rule is the one by which the run's own worst_class_accuracy is computed. The values
// are the run's own, or the means of its seeds.
func judge(t *Track, values []measure.Number, of lab.Measure) (worst int, few []bool) {
	known, left := values, 0
	if of.Better != dro.Neither {
		known = measure.WithEnough(values, t.counted(of), t.Meta.Spec.MinGroup)
	}
	for i, v := range known {
		few = append(few, values[i].Applies() && !v.Applies())
		if v.Applies() {
			left++
		}
	}
	if left < 2 { // a single value is not the worst
		return -1, few
	}
	return measure.Worst(known, of.Better != dro.Higher), few
}

// barFields returns the columns behind a measure's bars, the most important first: plot.Bars leaves
// out columns from the end where the panel is narrow. Their heads are those of drolab show; a cell
// is "" where the run has no such figure at a place.
func barFields(t *Track, of lab.Measure) (list page.Fields[int]) {
	counts := t.Meta.Counts(of.Axis)
	number := func(head string, n []int) {
		if len(n) > 0 {
			list.Add(head, func(i int) string { return TextAt(n, i, strconv.Itoa) })
		}
	}
	figure := func(head, name string, write func(page.Number) string) {
		if n := t.Eval.ByGroup.Named(name); len(n) > 0 {
			list.Add(head, func(i int) string {
				return TextAt(n, i, func(v measure.Number) string { return write(v) })
			})
		}
	}
	number("train", counts.Train)
	split, head, n := "", "test", counts.Test
	if of.OfValidation() {
		split, head, n = "val_", "val", counts.Val
	}
	number(head, n)
	// The columns below explain an accuracy, and no other measure.
	part := AxisName(of.Axis)
	if of.Name != split+part+"_accuracy" {
		return list
	}
	if values := t.Places(of); len(n) > 0 {
		list.Add("95 %", func(i int) string { return between(values, n, i) })
	}
	loss := func(l page.Number) string { return lab.Write(lab.Measure{}, l) }
	// Ratios are compared with 1, for which two decimals do.
	figure("ratio", map[string]string{"class": "class_weight", "group": "group_ratio"}[part],
		page.Fixed(2).Text)
	figure("recall", split+part+"_recall", page.Points().Text)
	figure("loss", split+part+"_loss", loss)
	return list
}

// TextAt writes a value of a list, which may be too short: a record need not have counts of
// every class.
func TextAt[T any](list []T, i int, write func(T) string) string {
	if i >= len(list) {
		return ""
	}
	return write(list[i])
}

// between writes the 95 % interval of an accuracy (Wilson), in percent. It reflects only the
// samples of one run's split; how seeds differ is another question, which the bands answer.
func between(values []measure.Number, n []int, i int) string {
	if i >= len(values) || i >= len(n) {
		return ""
	}
	in := measure.Wilson(values[i], n[i])
	if !in[0].Applies() {
		return ""
	}
	return fmt.Sprintf("%.1f–%.1f", 100*in[0].Float(), 100*in[1].Float())
}

// fewNote says which bars have too few samples to be called the worst; "" if none has. The mark ?
// alone would be taken for a value that is not known.
func fewNote(t *Track, b *plot.Bars) string {
	if !slices.ContainsFunc(b.Bars, func(bar plot.Bar) bool { return bar.Few }) {
		return ""
	}
	return fmt.Sprintf("%c n < min_group %d: not called worst", plot.FewMark, t.Meta.Spec.MinGroup)
}

// SplitName returns the name of a split in titles and notices.
func SplitName(val bool) string {
	if val {
		return "validation"
	}
	return "test"
}

// drawBars draws bars by class or group. Where there is room, the last line says which of them have
// few samples.
func (w *Board) drawBars(b *plot.Bars, iw, ih int) []string {
	if b.Heads == nil || ih <= len(b.Bars)+1 {
		return w.painted(b, iw, ih)
	}
	few := w.Theme.Dim.Paint(w.Theme.Greek(cell.Cut(fewNote(w.Run(), b), iw-1)))
	return append(w.painted(b, iw, ih-1), kit.Right(few, iw-1)+" ")
}

// AxisName returns the name of the kind of places on a measure's axis. It is a head in exported
// files as well as on the screen.
func AxisName(a measure.Axis) string {
	return map[measure.Axis]string{measure.PerClass: "class", measure.PerGroup: "group",
		measure.PerRadius: "radius", measure.PerRatio: "ratio from"}[a]
}

// PlaceName returns the name of a place on a measure's axis: the data set's own name or, where a
// record has fewer names than values, one with its number.
func PlaceName(m *runner.Meta, a measure.Axis, i int) string {
	if names := m.Places(a); i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", AxisName(a), i)
}

// onSplit returns a title that says which split its panel shows. In a title that says "test" by
// itself the word is replaced: to name a second split would contradict it.
func onSplit(title string, val bool) string {
	if !strings.Contains(strings.ToLower(title), "test") {
		return title + " · " + SplitName(val)
	}
	if val {
		title = strings.NewReplacer("test", "validation", "Test", "Validation").Replace(title)
	}
	return title
}

// worstFirst returns the places of a measure in their order in the ranking run: the worst first or,
// for a measure that is neither better nor worse, the greatest first. Places without a value come
// last.
//
// The order of the last frame stays while it is nearly right: rows that change places cost more, to
// follow and to send, than a point of accuracy is worth.
func (w *Board) worstFirst(of lab.Measure) []int {
	values, epoch := w.ranking().PlacesAt(w.CommonEpoch(), of), w.CommonEpoch()
	// The baseline's data may be others.
	if own := w.Measured(of).PlacesAt(epoch, of); len(values) != len(own) {
		values = own
	}
	order := slices.Clone(w.orders[of.Name])
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
	if !w.ranking().Status.Ended() {
		slack = 0.05
	}
	nearly := func(a, b int) int { return cmp.Compare(key(a)+slack, key(b)) }
	if !slices.IsSortedFunc(order, nearly) {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	return order
}

// sort keeps the orders of places for the next frames, also for views that are not shown: like an
// axis, an order must not depend on what the user looked at.
func (w *Board) sort() {
	for v := range views(w.Panels) {
		if v.As != nil && v.Bars != "" {
			of := v.Of(w.Run().Meta)
			w.orders[of.Name] = w.worstFirst(of)
		}
	}
}

// Spread returns a chart with a line for each class that has the values of all runs; nil if no run
// like the one under the cursor has any. Seeds are shown by their means. Runs on other data are
// left out, because a place means another class there.
func (w *Board) Spread(p int, v *View, rows int) *plot.Spread {
	of := v.Of(w.Run().Meta)
	order := w.worstFirst(of)
	if len(order) == 0 {
		return nil
	}
	s := &plot.Spread{
		Hi:      1,
		Percent: Percents(of),
		Front:   -1,
		First:   min(w.Panels[p].First, max(0, len(order)-rows)),
		Charset: w.Theme.Charset(false),
	}
	var all [][]measure.Number
	for _, row := range w.visible(w.Rows()) {
		// Front is an index into all: the row that is drawn over the others.
		values := meansAt(w.Of(row), w.CommonEpoch(), of)
		if len(values) != len(order) {
			continue
		}
		if slices.Contains(row, w.At) {
			s.Front = len(all)
		}
		all, s.Numbers = append(all, values), append(s.Numbers, w.Tracks[row[0]].Number)
	}
	w.spreadRows(s, of, order, all)
	return s
}

// spreadRows adds the lines, and fits the scale of a measure that is no percentage. all has a list
// of values by place for each row of the table that is shown; order has the place of each line.
func (w *Board) spreadRows(s *plot.Spread, of lab.Measure, order []int, all [][]measure.Number) {
	run, top := w.Run(), 0.0
	judged := w.Measured(of).PlacesAt(w.CommonEpoch(), of)
	if s.Front >= 0 { // of seeds the mean is judged, which is the number written
		judged = all[s.Front]
	}
	worst, few := judge(w.Measured(of), judged, of)
	unit := of.Unit
	switch {
	case s.Percent:
		unit = w.Theme.Mark(run.Number) + " acc %"
	case of.Better == dro.Neither:
		unit = w.Theme.Mark(run.Number) + " ratio"
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
