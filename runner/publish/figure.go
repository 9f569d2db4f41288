package publish

import (
	"fmt"
	"io"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
)

// mostPoints is the greatest number of points of a drawn curve: more are averaged.
const mostPoints = 400

// curveOf returns the curve of a measure over some events.
func curveOf[E interface{ Named(string) measure.Number }](
	events []E, epoch func(E) float64, measure, title string,
) page.Curve {
	c := page.Curve{Name: title}
	for _, e := range events {
		if n := e.Named(measure); n.Finite() {
			c.Points = append(c.Points, page.Point{X: epoch(e), Y: n.Float(), Half: math.NaN()})
		}
	}
	c.Points = thinPoints(c.Points)
	return c
}

// thinPoints averages neighbours until there are mostPoints at most.
func thinPoints(points []page.Point) (list []page.Point) {
	per := max(1, (len(points)+mostPoints-1)/mostPoints)
	for some := range slices.Chunk(points, per) {
		mean, n := page.Point{Half: math.NaN()}, float64(len(some))
		for _, p := range some {
			mean.X, mean.Y = mean.X+p.X/n, mean.Y+p.Y/n
		}
		list = append(list, mean)
	}
	return list
}

// figures returns the figures of a run: losses, the worst case, accuracies, dual variables.
func (r *Run) figures() ([]*page.Figure, error) {
	steps, evals, err := r.events()
	if err != nil {
		return nil, err
	}
	ofEvals := func(names ...string) (list []page.Curve) {
		for _, name := range names {
			title := name
			if m, ok := measure.FindMeasure(name); ok {
				title = m.Title
			}
			epoch := func(e *runner.EvalEvent) float64 { return e.Epoch }
			list = append(list, curveOf(evals, epoch, name, title))
		}
		return list
	}
	ofSteps := func(names ...string) (list []page.Curve) {
		for _, name := range names {
			epoch := func(s *runner.StepEvent) float64 { return s.Epoch }
			list = append(list, curveOf(steps, epoch, name, name))
		}
		return list
	}
	var list, own []*page.Figure
	for _, m := range record.UserMeasures(r.Run) {
		own = append(own, &page.Figure{Title: m.Title, Curves: ofSteps(m.Name)})
	}
	for _, f := range []page.Figure{
		{Title: "loss", Log: true,
			Curves: append(ofSteps("loss"), ofEvals("train_loss", "test_loss")...)},
		{Title: "robust risk",
			Curves: ofEvals("robust_risk", "train_robust_risk", "val_robust_risk")},
		{Title: "accuracy on the test split",
			Curves: ofEvals("test_accuracy", r.Meta.MeasureFor("worst_class_accuracy"))},
		{Title: fmt.Sprintf("dual variables, %s coordinates", r.Meta.Coordinates),
			Curves: ofSteps("lambda", "eta")},
		{Title: "dual gap", Log: true, Curves: ofEvals("dual_gap")},
	} {
		f.Curves = slices.DeleteFunc(f.Curves, func(c page.Curve) bool {
			return len(c.Points) == 0
		})
		if len(f.Curves) > 0 {
			list = append(list, &f)
		}
	}
	return append(list, own...), nil
}

// writeSVG draws the figures in two columns.
func writeSVG(w io.Writer, r *Run) error {
	list, err := r.figures()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, page.SVG(r.Meta.ID, list))
	return err
}

// writePGF writes a tikzpicture for each figure.
func writePGF(w io.Writer, r *Run) error {
	list, err := r.figures()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%% %s; \\usepackage{pgfplots}\n", r.Meta.ID)
	for _, f := range list {
		if _, err = io.WriteString(w, f.PGFPlots()); err != nil {
			return err
		}
	}
	return nil
}
