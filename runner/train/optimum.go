package train

import (
	"fmt"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// mostOptimum bounds the work of a step of the search for it, in multiply-adds:
// some seconds in all.
const mostOptimum = 1e8

// FindOptimum finds the optimum of what s trains on d, min over x of R_ρ(x), where s
// asks for it; nil where it does not. It is exact to the gap that it returns, which is
// why only a convex model can have it. The error is a *spec.KeyError where the model
// is another one or the data are too many.
func FindOptimum(s *spec.Spec, d *data.Dataset, p *dro.Problem) (*measure.Optimum, error) {
	if !s.Optimum {
		return nil, nil
	}
	size := float64((d.Shape.Len() + 1) * len(d.Classes))
	switch {
	case !nn.Convex(s.Model):
		return nil, &spec.KeyError{Key: "optimum", Value: "true",
			Want: "a model whose losses are convex in its weights: model: linear"}
	case float64(d.Train.Len())*size*size > mostOptimum:
		return nil, &spec.KeyError{Key: "optimum", Value: "true", Want: fmt.Sprintf(
			"less to solve: %d samples and %.0f weights are too many", d.Train.Len(), size)}
	}
	table, err := tableOf(s, d)
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

// tableOf is the training split as evaluations see it, normalised and unaugmented, in
// float64: the search ends when its two bounds are 1e-9 apart, below float32's rounding.
func tableOf(s *spec.Spec, d *data.Dataset) (*dro.Regression, error) {
	o := loaderOptions(s, d)
	o.Batch = min(s.Batch, d.Train.Len())
	loader, err := data.NewSequential(d.Train, o)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	t := &dro.Regression{Classes: len(d.Classes), Squared: s.Loss == nn.Squared}
	size := d.Shape.Len()
	for len(t.X) < d.Train.Len() {
		b := loader.Next()
		for i := range b.N {
			x := make([]float64, size)
			for j, v := range b.X[i*size:][:size] {
				x[j] = float64(v)
			}
			t.X, t.Labels = append(t.X, x), append(t.Labels, b.Labels[i])
		}
	}
	return t, nil
}
