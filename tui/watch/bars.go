package watch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// bars are the figures by class or group of the run under the cursor, at its last
// evaluation, for so many rows.
func (w *Page) bars(p int, of lab.Measure, rows int) *plot.Bars {
	t := w.run()
	values := t.places(of)
	b := &plot.Bars{First: min(w.panels[p].first, max(0, len(values)-rows)), Number: t.number,
		Charset: w.Theme.Charset(false), Percent: of.Scale == dro.Percent,
		LowerIsBetter: of.Better != dro.Higher}
	var base []runner.Number
	if r := w.compared(of); r != nil {
		base = r.places(of)
	}
	cells := t.cells(of)
	if rows <= len(values) {
		cells = cells[:min(1, len(cells))] // those without a head: how much there is to train on
	} else {
		unit := of.Unit
		if of.Better == dro.Neither {
			unit = "ratio"
		}
		b.Heads = []string{axisName(of.Axis), unit, "change"}
		for _, c := range cells {
			b.Heads = append(b.Heads, c.head)
		}
	}
	for i, v := range values {
		bar := plot.Bar{Label: placeName(t.meta, of.Axis, i), Value: v.Float(), Base: math.NaN()}
		if len(base) == len(values) {
			bar.Base = base[i].Float()
		}
		for _, c := range cells {
			bar.Cells = append(bar.Cells, c.text(i))
		}
		if of.Scale != dro.Percent && !math.IsInf(v.Float(), 0) {
			b.Max = math.Max(b.Max, v.Float())
		}
		b.Bars = append(b.Bars, bar)
	}
	t.judge(b, of)
	if of.Scale != dro.Percent {
		b.Max = plot.Range{}.Fit(plot.Range{Lo: 0, Hi: b.Max}, plot.Scale{}).Hi
	}
	return b
}

// judge marks the worst bar, and those that are of too few samples to be called so.
func (t *track) judge(b *plot.Bars, of lab.Measure) {
	values, known := t.places(of), t.places(of)
	if of.Better != dro.Neither {
		known = runner.Enough(values, t.counted(of), t.meta.Spec.MinGroup)
	}
	for i := range b.Bars {
		b.Bars[i].Few = values[i].Applies() && !known[i].Applies()
	}
	if i := runner.Worst(known, b.LowerIsBetter); i >= 0 {
		b.Bars[i].Worst = true
	}
}

// counted are the numbers of samples that a measure's values are of.
func (t *track) counted(of lab.Measure) []int {
	switch counts := t.meta.Counts(of.Axis); {
	case of.OfValidation():
		return counts.Val
	case of.Better == dro.Neither: // where the adversary looks
		return counts.Train
	default:
		return counts.Test
	}
}

// barCell is a column behind the bars, with the head that drolab show gives it.
type barCell struct {
	head string
	text func(i int) string
}

// cells are the columns of a measure's bars, what matters most first.
func (t *track) cells(of lab.Measure) (list []barCell) {
	counts := t.meta.Counts(of.Axis)
	number := func(head string, n []int) {
		if len(n) > 0 {
			list = append(list, barCell{head, func(i int) string { return textAt(n, i, strconv.Itoa) }})
		}
	}
	figure := func(head, name string, write func(runner.Number) string) {
		if n := t.Eval.ByGroup.Of(name); len(n) > 0 {
			list = append(list, barCell{head, func(i int) string { return textAt(n, i, write) }})
		}
	}
	number("train", counts.Train)
	split, n := "", counts.Test
	if of.OfValidation() {
		split, n = "val_", counts.Val
		number("val", n)
	} else {
		number("test", n)
	}
	part := axisName(of.Axis)
	if of.Name != split+part+"_accuracy" {
		return list
	}
	if values := t.places(of); len(n) > 0 {
		list = append(list, barCell{"95 %", func(i int) string { return between(values, n, i) }})
	}
	ratio := func(r runner.Number) string { return fmt.Sprintf("%.2f", r.Float()) }
	loss := func(l runner.Number) string { return plot.Format(l.Float()) }
	figure("ratio", map[string]string{"class": "class_weight", "group": "group_ratio"}[part], ratio)
	figure("recall", split+part+"_recall", page.Points().Text)
	figure("loss", split+part+"_loss", loss)
	return list
}

// textAt writes a value of a list, which may be too short.
func textAt[T any](list []T, i int, write func(T) string) string {
	if i >= len(list) {
		return ""
	}
	return write(list[i])
}

// between is the 95 % interval of an accuracy (Wilson), in percent.
func between(values []runner.Number, n []int, i int) string {
	if i >= len(values) || i >= len(n) {
		return ""
	}
	in := runner.Wilson(values[i], n[i])
	if !in[0].Applies() {
		return ""
	}
	return fmt.Sprintf("%.1f–%.1f", 100*in[0].Float(), 100*in[1].Float())
}

// few says which bars are not called the worst; "" without such.
func (t *track) few(b *plot.Bars) string {
	for _, bar := range b.Bars {
		if bar.Few {
			return fmt.Sprintf("%c n < min_group %d: not called worst", plot.FewMark, t.meta.Spec.MinGroup)
		}
	}
	return ""
}

func splitName(val bool) string {
	if val {
		return "validation"
	}
	return "test"
}

// drawBars draws bars by class or group, with what the columns are above them and
// air between them where there is room.
func (w *Page) drawBars(on *kit.Canvas, b *plot.Bars, iw, ih int) []string {
	n, few := len(b.Bars), w.run().few(b)
	if b.Heads == nil {
		b.DrawTo(&on.Frame, iw, ih)
		return on.Paint(w.Theme)
	}
	b.DrawTo(&on.Frame, iw, n+1)
	lines := on.Paint(w.Theme)
	if ih >= 2*n+1 {
		airy := []string{lines[0]}
		for _, s := range lines[1:] {
			airy = append(airy, s, kit.Blanks(iw))
		}
		lines = airy[:2*n]
	}
	lines = kit.Fill(lines, iw, ih)
	if ih > n+1 && few != "" {
		lines[ih-1] = kit.Right(w.Theme.Dim.Paint(w.Theme.Greek(cell.Cut(few, iw-1))), iw-1) + " "
	}
	return lines
}

// hiddenBars is how many of a panel's bars have no room, so that they can be
// scrolled.
func (w *Page) hiddenBars(p int) int {
	if p >= len(w.panels) {
		return 0
	}
	i, v, t := p-w.first(), w.shows(p), w.run()
	panels := w.layout().panels
	if v.bars == "" || v.whole() || t == nil || i < 0 || i >= len(panels) {
		return 0
	}
	_, rows := kit.Inside(kit.Boxed(w.Body.H), panels[i].W, panels[i].H)
	if _, ok := v.as.(film); ok {
		rows-- // its heads are always there
	}
	return max(0, len(t.places(v.of(t.meta)))-rows)
}

// scrollBars moves the bars of a panel.
func (w *Page) scrollBars(p, by int) {
	w.panels[p].first = max(0, min(w.panels[p].first+by, w.hiddenBars(p)))
}

// compared is the run that bars of the one under the cursor are compared with;
// nil without one, and for a measure that is neither better nor worse.
func (w *Page) compared(of lab.Measure) *track {
	if w.baseline < 0 || w.baseline == w.at || of.Better == dro.Neither {
		return nil
	}
	return w.tracks[w.baseline]
}

// places is a list measure of the last evaluation.
func (t *track) places(of lab.Measure) []runner.Number {
	if t.Eval == nil {
		return nil
	}
	return t.Eval.ByGroup.Of(of.Name)
}

// axisName is what one place on a measure's axis is.
func axisName(a runner.Axis) string {
	return map[runner.Axis]string{runner.PerClass: "class", runner.PerGroup: "group",
		runner.PerRadius: "radius", runner.PerRatio: "ratio from"}[a]
}

// placeName is what a place on a measure's axis is called.
func placeName(m *runner.Meta, a runner.Axis, i int) string {
	if names := m.Places(a); i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", axisName(a), i)
}

// onSplit is a title that says which split its panel is of.
func onSplit(title string, val bool) string {
	if !strings.Contains(strings.ToLower(title), "test") {
		return title + " · " + splitName(val)
	}
	if val {
		title = strings.NewReplacer("test", "validation", "Test", "Validation").Replace(title)
	}
	return title
}
