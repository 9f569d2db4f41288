package certificate

import (
	"errors"
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// Grid is what Certify measures: sets and radii, and how intervals are made. Every set
// is measured at every radius, in this order; one without a radius is measured once.
type Grid struct {
	Sets  []dro.Set
	Radii []float64
	How   dro.Confidence
}

// Certificate is R_ρ of a network on a split, for one set and radius, in the unit of
// the loss.
type Certificate struct {
	Set dro.Set
	Rho measure.Number // does not apply to a set without a radius
	dro.Estimate
	// ByClass and ByGroup are the mean ratios dQ/dP of the worst case Q; ByGroup
	// is nil where no groups are given.
	ByClass, ByGroup []measure.Number
}

// Certify measures the losses of a pass at every place of the grid. The pass must be of
// f, since the ratios are averaged over its data's classes and groups. An error is that
// of losses which are not finite, or of a set and radius that do not go together.
func (f *Frozen) Certify(p *measure.Pass, g Grid) ([]Certificate, error) {
	var list []Certificate
	for _, set := range g.Sets {
		radii := g.radii(set)
		estimates, err := g.How.Estimates(set, p.Losses, radii)
		if err != nil {
			return nil, err
		}
		for i, e := range estimates {
			c := Certificate{Set: set, Rho: measure.NumIf(set.HasRadius(), radii[i]), Estimate: e}
			if err := f.weigh(&c, p, radii[i]); err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// radii are those of a set: one that means nothing where it has none, so that callers
// have one loop for both kinds of sets.
func (g *Grid) radii(set dro.Set) []float64 {
	if set.HasRadius() {
		return g.Radii
	}
	return []float64{1}
}

// weigh fills in where the adversary looks: the mean ratio of each class and group in
// the exact worst case. A mean above 1 is a part that the worst case has more of.
func (f *Frozen) weigh(c *Certificate, p *measure.Pass, rho float64) error {
	ratios := make([]float64, len(p.Losses))
	if _, err := c.Set.WorstCase(ratios, p.Losses, rho); err != nil {
		return err
	}
	e := &measure.Evaluation{Classes: len(f.Meta.Classes), Groups: len(f.Meta.Groups)}
	if f.Run != nil {
		e = f.Run.Evaluation()
	}
	c.ByClass = e.By(measure.PerClass, p, ratios)
	if len(f.Meta.Groups) > 0 {
		c.ByGroup = e.By(measure.PerGroup, p, ratios)
	}
	return nil
}

// Contrast is R_ρ of one network less that of another on the same samples. Its interval
// is of the pairs, and so mostly narrower than what two intervals apart would tell.
type Contrast struct {
	Set dro.Set
	Rho measure.Number
	dro.Difference
}

// Contrasts compares passes of two networks over the same samples, pair by pair. The
// caller makes sure of that with SameSamples.
func (g Grid) Contrasts(a, b *measure.Pass) ([]Contrast, error) {
	var list []Contrast
	for _, set := range g.Sets {
		radii := g.radii(set)
		differences, err := g.How.Differences(set, a.Losses, b.Losses, radii)
		if err != nil {
			return nil, err
		}
		for i, d := range differences {
			list = append(list, Contrast{set, measure.NumIf(set.HasRadius(), radii[i]), d})
		}
	}
	return list, nil
}

var errOtherSamples = errors.New("their samples differ: want runs of the same data")

// SameSamples says why samples of a split of two runs are no pairs, if they are
// not. The test split is as the data have it; the others depend on settings, too.
func SameSamples(a, b *runner.Meta, split string) error {
	options := func(m *runner.Meta) string { return fmt.Sprintf("%+v", m.Spec.DataOptions("")) }
	if a.Checksum == b.Checksum && (split == runner.SplitTest || options(a) == options(b)) {
		return nil
	}
	return fmt.Errorf("runs %s and %s: %w", a.ID, b.ID, errOtherSamples)
}
