package report

import (
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
)

// readLog returns a run with its evaluations and steps, without those that a resume has taken back,
// and with the time that it trained.
func readLog(r *record.Run) (*ran, error) {
	p := record.NewProgress(&r.Meta)
	h, err := record.ReadHistory(r.Tail(), func(e runner.Event) {
		p.Add(e)
		if s, ok := e.(*runner.StepEvent); ok { // only their pace is used
			s.Values, s.Min, s.Max = nil, nil, nil
		}
	})
	if err != nil {
		return nil, err
	}
	out := &ran{Run: r, evals: h.Evals, seconds: p.Seconds}
	for _, s := range h.Steps {
		out.tick(s)
	}
	return out, nil
}

// curve returns the mean and t interval of a measure over seeds, at each epoch at which all seeds
// have been evaluated. Runs of one experiment are evaluated at the same epochs.
func (a *arm) curve(measure string) page.Curve {
	c := page.Curve{Name: a.label}
	var epochs []float64
	values, seeds := map[float64][]float64{}, 0
	for _, r := range a.runs {
		if imported(r.Run) > 0 { // its only evaluation belongs to no step
			continue
		}
		applies := false
		for _, e := range r.evals {
			v := e.Of(measure)
			applies = applies || v.Applies()
			if y := v.Float(); !math.IsNaN(y) && !math.IsInf(y, 0) {
				if values[e.Epoch] == nil {
					epochs = append(epochs, e.Epoch)
				}
				values[e.Epoch] = append(values[e.Epoch], y)
			}
		}
		if applies {
			seeds++
		}
	}
	for _, x := range epochs {
		if len(values[x]) == seeds {
			mean, half := compare.TInterval(values[x], level)
			c.Points = append(c.Points, page.Point{X: x, Y: mean, Half: half})
		}
	}
	return c
}

// along returns the mean of a measure over the evaluations that two runs have at
// the same steps; ok is false where there is none.
func along(measure string, a, b *ran) (x, y float64, ok bool) {
	n := 0.0
	for _, e := range a.evals {
		at := slices.IndexFunc(b.evals, func(o *runner.EvalEvent) bool { return o.Step == e.Step })
		if at < 0 {
			continue
		}
		v, w := e.Of(measure), b.evals[at].Of(measure)
		if v.Applies() && w.Applies() {
			x, y, n = x+v.Float(), y+w.Float(), n+1
		}
	}
	return x / n, y / n, n > 0
}
