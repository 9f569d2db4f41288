package report

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/runner/record"
)

func readAll(runs []*record.Run) (all []*ran, err error) {
	for _, r := range runs {
		read, err := readLog(r)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Meta.ID, err)
		}
		all = append(all, read)
	}
	return all, nil
}

// readLog gathers the evaluations and steps of a run that stand, and how long it trained.
func readLog(r *record.Run) (*ran, error) {
	p := record.NewProgress(&r.Meta)
	h, err := record.ReadHistory(r.Tail(), func(e runner.Event) {
		p.Add(e)
		if s, ok := e.(*runner.StepEvent); ok { // of which only the pace is asked
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

// Curve is a measure of one arm over the evaluations of its runs.
type Curve struct {
	Name  string
	Seeds [][]Point
}

// Point is a value at an epoch.
type Point struct{ X, Y float64 }

// curve returns a measure over the epochs; no seeds where it applies to none.
func (a *arm) curve(measure string) Curve {
	c := Curve{Name: a.label}
	for _, r := range a.runs {
		var points []Point
		for _, e := range r.evals {
			if v := e.Of(measure); v.Applies() {
				points = append(points, Point{e.Epoch, v.Float()})
			}
		}
		if len(points) > 0 {
			c.Seeds = append(c.Seeds, points)
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
