package runs

import (
	"cmp"
	"math"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// The trend of a line is its worst class accuracy over the evaluations, in a few cells from
// 0 to 100 %: of seeds that of the newest. Logs are read for lines in view alone.

// trendCells is how wide one is.
const trendCells = 8

// trendHead is what its column is called.
const trendHead = "worst 0–100"

// trendColumn is that of the trends.
func (p *Page) trendColumn() runColumn {
	return runColumn{head: trendHead, w: len("worst 0-100") + 2, least: 140,
		cell: func(l line) string { return trend(l[0], p.evals[l[0].Meta.ID].list) },
		compare: func(a, b line) int {
			name := "worst_class_accuracy"
			return byNumber(a.mean(fitted(name)), b.mean(fitted(name)), true)
		}}
}

// fitted is a measure of what a run came to: of groups where it has them.
func fitted(name string) func(*record.Run) measure.Number {
	return func(r *record.Run) measure.Number { return last(r, r.Meta.Fit(name)) }
}

// trend draws the evaluations of a run.
func trend(r *record.Run, list []*runner.EvalEvent) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	text := make([]rune, 0, trendCells)
	name := r.Meta.Fit("worst_class_accuracy")
	for i := range trendCells {
		at := (i+1)*len(list)/trendCells - 1
		if len(list) < trendCells { // a cell each
			at = i
		}
		if at < 0 || at >= len(list) || !list[at].Of(name).Applies() {
			continue
		}
		part := math.Max(0, math.Min(1, list[at].Of(name).Float()))
		text = append(text, steps[min(int(part*float64(len(steps))), len(steps)-1)])
	}
	return cmp.Or(string(text), "–")
}

// readTrends reads the evaluations of the lines in view, where their trends are shown: of a
// run that goes on again when there is a tenth more of it.
func (p *Page) readTrends() tea.Cmd {
	c := p.trendColumn()
	if p.reading || !p.shows(&c, p.inner()) {
		return nil
	}
	rows := max(0, layRuns(p.Body.W, p.Body.H).rows) // none on a screen that is too small
	first := p.first(rows)
	var runs []*record.Run
	for _, r := range p.shown[first:min(first+rows, len(p.shown))] {
		known, ok := p.evals[r.Meta.ID]
		news := r.Summary().Steps - known.step
		if !ok || news != 0 && (r.Status().Ended() || 10*news >= r.Meta.Steps) {
			runs = append(runs, r)
		}
	}
	p.reading = len(runs) > 0
	return p.readEvalsOf(runs)
}
