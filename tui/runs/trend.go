package runs

import (
	"cmp"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// The trend of a line is the worst class accuracy of its newest run over the evaluations, drawn in
// a few cells on a scale from 0 to 100 %. Only the logs of lines in view are read for it.

// trendCells is the greatest width of a trend.
const trendCells = 8

// trendColumn returns the column of trends.
func (p *Page) trendColumn() runColumn {
	worst := func(r *record.Run) measure.Number {
		return lastValue(r, r.Meta.MeasureFor("worst_class_accuracy"))
	}
	return figures(lab.TrendHead, len("worst 0-100")+2, 100,
		func(l line) string { return trend(l[0], p.evals[l[0].Meta.ID].list) },
		func(l line) page.Key { return byNumber(l.mean(worst), true) })
}

// trend draws the worst accuracy of a run at its evaluations.
func trend(r *record.Run, list []*runner.EvalEvent) string {
	var values []float64
	for _, e := range list {
		if v := e.Named(r.Meta.MeasureFor("worst_class_accuracy")); v.Applies() {
			values = append(values, v.Float())
		}
	}
	return cmp.Or(plot.Spark(values, trendCells), "–")
}

// readTrends reads the evaluations of the lines in view, if their trends are shown. Else it reads
// those of the run under the cursor alone, whose details say what its log has lost. It reads a live
// run again when the run has trained for another tenth of its steps.
func (p *Page) readTrends() tea.Cmd {
	if p.reading {
		return nil
	}
	wanted := p.viewedRuns()
	if c := p.trendColumn(); !p.shows(&c, p.inner()) {
		wanted = nil
		if r := p.current(); r != nil {
			wanted = append(wanted, r)
		}
	}
	var runs []*record.Run
	for _, r := range wanted {
		known, ok := p.evals[r.Meta.ID]
		news := r.Steps() - known.step
		if !ok || news != 0 && (r.Status().Ended() || 10*news >= r.Meta.Steps) {
			runs = append(runs, r)
		}
	}
	p.reading = len(runs) > 0
	return p.readEvalsOf(runs)
}
