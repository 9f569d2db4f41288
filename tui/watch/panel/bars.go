package panel

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Bars returns the bars of the figures by class or group of the run under the cursor, by the clock
// of the panels, for so many rows. They keep the order of the data set, so that a class stays in
// its place when runs are compared. Spread has them sorted.
func (b *Board) Bars(p int, of measure.Measure, rows int) *plot.Bars {
	t := b.Runs.Run()
	clock := b.Runs.PanelClock()
	values := t.Places(clock, of)
	bars := &plot.Bars{First: min(b.Panels[p].First, max(0, len(values)-rows)), Number: t.Number,
		Charset: b.Theme.Charset(false), Percent: of.Scale == dro.Percent,
		LowerIsBetter: of.Better != dro.Higher}
	var base []measure.Number
	if r := b.Runs.ComparedRun(of); r != nil {
		base = r.Places(clock, of)
	}
	cells := barFields(t, clock, of)
	// The heads take a row only where no bar has to go for it.
	if rows <= len(values) {
		cells = cells[:min(1, len(cells))] // without a head only the number to train on
	} else {
		unit := spec.UnitUnder(t.Meta.Spec.Loss, of.Unit)
		if of.Better == dro.Neither {
			unit = "ratio"
		}
		bars.Heads = []string{AxisName(of.Axis), unit, "change"}
		for _, c := range cells {
			bars.Heads = append(bars.Heads, c.Head)
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
			bars.Max = math.Max(bars.Max, v.Float())
		}
		bars.Bars = append(bars.Bars, bar)
	}
	// Percentages end at 100. Other scales take the next round number, which moves seldom.
	if of.Scale != dro.Percent {
		bars.Max = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: bars.Max}, plot.Scale{}).Hi
	}
	return bars
}

// judge returns the place with the worst value, −1 for none, and which places have too few samples
// to be called the worst. Bars, the spread and the film all call it, so that they name the same
// class. The rule is the one by which the run's own worst_class_accuracy is computed. The values
// are the run's own, or the means of its seeds.
func judge(t *Track, values []measure.Number, of measure.Measure) (worst int, few []bool) {
	known, left := values, 0
	if of.Better != dro.Neither {
		known = measure.WithEnough(values, t.sampleCounts(of), t.Meta.Spec.MinGroup)
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
func barFields(t *Track, clock compare.Clock, of measure.Measure) (list page.Fields[int]) {
	counts := t.Meta.Counts(of.Axis)
	number := func(head string, n []int) {
		if len(n) > 0 {
			list.Add(head, func(i int) string { return TextAt(n, i, strconv.Itoa) })
		}
	}
	figure := func(head, name string, write func(page.Number) string) {
		if n := t.placesNamed(clock, name); len(n) > 0 {
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
	if values := t.Places(clock, of); len(n) > 0 {
		list.Add("95 %", func(i int) string { return wilsonText(values, n, i) })
	}
	loss := func(l page.Number) string { return lab.Write(measure.Measure{}, l) }
	// Ratios are compared with 1, for which two decimals do.
	figure("ratio", map[string]string{"class": "class_weight", "group": "group_ratio"}[part],
		page.Fixed(2).Text)
	figure("recall", split+part+"_recall", page.Points().Text)
	figure("loss", split+part+"_loss", loss)
	return list
}

// wilsonText writes the 95 % interval of an accuracy (Wilson), in percent. It reflects only the
// samples of one run's split; how seeds differ is another question, which the bands answer.
func wilsonText(values []measure.Number, n []int, i int) string {
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
	return fmt.Sprintf("%s n < min_group %d: not called worst", cell.Few, t.Meta.Spec.MinGroup)
}

// AboutBars explains the columns that barFields can give, and the marks of bars.
func AboutBars(t *Track, of measure.Measure) string {
	if of.Axis != measure.PerClass && of.Axis != measure.PerGroup { // its bars have none of these
		return ""
	}
	part, split := AxisName(of.Axis), SplitName(of.OfValidation())
	text := fmt.Sprintf("After the bars, if there is room: the change against the baseline; "+
		"the number of samples of the %s to train on, and in the %s split.", part, split)
	if of.Scale == dro.Percent {
		text += fmt.Sprintf(" 95 %% is the accuracy's confidence interval (Wilson). ratio: of "+
			"the %s's training samples, under the adversary; 1 is no reweighting. recall: "+
			"balanced accuracy within it. loss: mean loss of its %s samples.", part, split)
	}
	if of.Better == dro.Neither { // where the adversary looks there is no worst
		return text
	}
	return text + fmt.Sprintf(" %s marks the worst %s. %s marks one with fewer than min_group = "+
		"%d %s samples: its figure is mostly chance, so it is never called the worst.",
		cell.Worst, part, cell.Few, t.Meta.Spec.MinGroup, split)
}

// drawBars draws bars by class or group. Where there is room, the last line says which of them have
// few samples.
func (b *Board) drawBars(bars *plot.Bars, iw, ih int) []string {
	if bars.Heads == nil || ih <= len(bars.Bars)+1 {
		return b.paint(bars, iw, ih)
	}
	few := b.Theme.Dim.Paint(b.Theme.Greek(cell.Cut(fewNote(b.Runs.Run(), bars), iw-1)))
	return append(b.paint(bars, iw, ih-1), kit.Right(few, iw-1)+" ")
}

// oneRun is the form of bars of the run under the cursor, each with its change against the
// baseline.
type oneRun struct{}

func (oneRun) draw(b *Board, p int, v *View, iw, ih int) ([]string, string) {
	of := v.BarsMeasure(b.Runs.Run().Meta)
	if len(b.Runs.Run().Places(b.Runs.PanelClock(), of)) == 0 {
		return nil, ""
	}
	return b.drawBars(b.Bars(p, of, ih), iw, ih), ""
}

func (oneRun) note(b *Board, v *View) string {
	t := b.Runs.Run()
	note := t.Label
	if r := b.Runs.ComparedRun(v.BarsMeasure(t.Meta)); r != nil {
		note += " vs " + r.Label
	}
	return note + b.Runs.runNote()
}
