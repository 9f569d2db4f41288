package train

import (
	"fmt"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// mostOptimum is the bound on the work of one step of the search for the optimum, in multiply-adds.
// It keeps the whole search to some seconds.
const mostOptimum = 1e8

// FindOptimum finds the optimum of s on d, min over x of R_ρ(x), if s asks for it, and returns nil
// if it does not. The optimum is exact to the gap that it returns, which is why only a convex model
// can have it. The error is a *spec.KeyError if the model is not convex or the data are too many.
func FindOptimum(s *spec.Spec, d *data.Dataset, p *dro.Problem) (*measure.Optimum, error) {
	if !s.Optimum {
		return nil, nil
	}
	size := float64((d.Shape.Len() + 1) * len(d.Classes))
	switch {
	case !nn.Convex(s.Model) || s.Loss == nn.ErrorProbability:
		return nil, &spec.KeyError{Key: "optimum", Value: "true", Want: "losses that are convex " +
			"in the weights: model: linear, loss: cross-entropy or squared"}
	case float64(d.Train.Len())*size*size > mostOptimum:
		return nil, &spec.KeyError{Key: "optimum", Value: "true", Want: fmt.Sprintf(
			"less to solve: %d samples and %.0f weights are too many", d.Train.Len(), size)}
	}
	table, err := Table(s, d)
	if err != nil {
		return nil, err
	}
	o, err := table.Least(p.Set, p.Rho)
	if err != nil {
		return nil, fmt.Errorf("optimum: %w", err)
	}
	z := p.Shift(o.Z)
	return &measure.Optimum{Risk: o.Risk, Gap: max(0, o.Gap()), Lambda: z.Lambda, Eta: z.Eta}, nil
}

// Table returns the training split as evaluations see it, normalised and unaugmented. It is in
// float64, since the search ends when its two bounds are 1e-9 apart, which is below float32's
// rounding.
func Table(s *spec.Spec, d *data.Dataset) (*dro.Regression, error) {
	o := loaderOptions(s, d)
	o.Batch = min(s.Batch, d.Train.Len())
	loader, err := loader.NewSequential(d.Train, o)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	t := &dro.Regression{Classes: len(d.Classes), Squared: s.Loss == nn.Squared}
	size := d.Shape.Len()
	for len(t.X) < d.Train.Len() {
		b := loader.Next()
		for i := range b.N {
			t.X = append(t.X, widen(b.X[i*size:][:size]))
			t.Labels = append(t.Labels, b.Labels[i])
		}
	}
	return t, nil
}
