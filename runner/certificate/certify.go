package certificate

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// Grid has the sets and radii at which Certify measures, and how intervals are made. Every set
// is measured at every radius, in this order; one without a radius is measured once.
type Grid struct {
	Sets  []dro.Set
	Radii []float64
	How   dro.Confidence
	// Fitted says that the network was fitted to the samples, which then give no interval.
	Fitted bool
}

// Certificate is R_ρ of a network on a split, for one set and radius, in the unit of
// the loss, as dro.Estimate has it and as certify prints it.
type Certificate struct {
	Set           dro.Set           `json:"-"`
	Uncertainty   string            `json:"uncertainty"`
	Rho           measure.Number    `json:"rho"` // does not apply to a set without a radius
	Risk          measure.Number    `json:"risk"`
	Upper         measure.Number    `json:"upper"`  // one-sided, of the level
	Normal        *measure.Interval `json:"normal"` // nil where there is none
	Bootstrap     *measure.Interval `json:"bootstrap"`
	StandardError measure.Number    `json:"standard_error"`
	Lambda        *float64          `json:"lambda,omitempty"` // nil without a radius
	Eta           float64           `json:"eta"`              // unshifted
	Divergence    float64           `json:"divergence"`
	Effective     float64           `json:"effective_sample_size"`
	Few           bool              `json:"few_effective_samples"`
	Doubt         string            `json:"doubt,omitempty"` // why the bound cannot be believed
	Share         float64           `json:"largest_share"`
	// ByClass and ByGroup are the mean ratios dQ/dP of the worst case Q; ByGroup
	// is nil where no groups are given.
	ByClass   []measure.Number `json:"class_weight,omitempty"`
	ByGroup   []measure.Number `json:"group_ratio,omitempty"`
	MeanLoss  float64          `json:"-"`
	Saturated bool             `json:"-"` // a larger radius would not raise the risk
}

func interval(i dro.Interval) measure.Interval {
	return measure.Interval{measure.NumUnlessNaN(i[0]), measure.NumUnlessNaN(i[1])}
}

// certificate returns the certificate of an estimate for a set and a radius.
func (g *Grid) certificate(set dro.Set, rho float64, e *dro.Estimate) Certificate {
	c := Certificate{Set: set, Uncertainty: set.Name(), Rho: measure.NumIf(set.HasRadius(), rho),
		Risk: measure.Num(e.Risk), Eta: e.Z.Eta, Divergence: e.Divergence,
		Effective: e.EffectiveSampleSize, Few: e.Tail.Few(), Share: e.Tail.Share,
		MeanLoss: e.MeanLoss, Saturated: e.Saturated}
	if set.HasRadius() {
		c.Lambda = &e.Z.Lambda
	}
	if !g.Fitted {
		normal, bootstrap := interval(e.Normal), interval(e.Bootstrap)
		c.Normal, c.Bootstrap, c.Upper = &normal, &bootstrap, measure.NumUnlessNaN(e.Upper)
		c.StandardError, c.Doubt = measure.NumUnlessNaN(e.StandardError), e.Tail.Doubt()
	}
	return c
}

// Certify measures the losses of a pass at every place of the grid. The pass must be of f, since
// the ratios are averaged over its data's classes and groups. Certify fails if losses are not
// finite, or if a set and a radius do not go together.
func (f *Frozen) Certify(p *measure.Pass, g Grid) ([]Certificate, error) {
	var list []Certificate
	if g.Fitted {
		g.How.Draws = 0
	}
	for _, set := range g.Sets {
		radii := g.radii(set)
		estimates, err := g.How.Estimates(set, p.Losses, radii)
		if err != nil {
			return nil, err
		}
		for i := range estimates {
			c := g.certificate(set, radii[i], &estimates[i])
			if err := f.weigh(&c, p, radii[i]); err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// radii returns the radii of a set. For a set without a radius it is one that means nothing, so
// that callers have one loop for both kinds of sets.
func (g *Grid) radii(set dro.Set) []float64 {
	if set.HasRadius() {
		return g.Radii
	}
	return []float64{1}
}

// weigh fills in where the adversary looks: the mean ratio of each class and group in the exact
// worst case. The worst case has more of a part whose mean is above 1.
func (f *Frozen) weigh(c *Certificate, p *measure.Pass, rho float64) error {
	ratios := make([]float64, len(p.Losses))
	if _, err := dro.WorstCase(c.Set, ratios, p.Losses, rho); err != nil {
		return err
	}
	c.ByClass, _ = p.MeansOf(measure.PerClass, len(f.Data.Classes), ratios)
	if n := len(f.Meta.Groups); n > 0 {
		c.ByGroup, _ = p.MeansOf(measure.PerGroup, n, ratios)
	}
	return nil
}

// Contrast is R_ρ of one network minus R_ρ of another on the same samples. Its interval is computed
// from the pairs of samples, and so is mostly narrower than two separate intervals suggest.
type Contrast struct {
	Less          string           `json:"less"` // the run whose R_ρ is subtracted
	From          string           `json:"from"`
	Split         string           `json:"split"`
	Set           dro.Set          `json:"-"`
	Uncertainty   string           `json:"uncertainty"`
	Rho           measure.Number   `json:"rho"`
	Difference    float64          `json:"difference"`
	StandardError measure.Number   `json:"standard_error"`
	Interval      measure.Interval `json:"interval"` // of the normal limit
	Doubt         string           `json:"doubt,omitempty"`
}

// Contrasts compares passes of two networks over the same samples of a split, pair by pair: the
// first minus the second. The results have the runs that of names. The caller makes sure with
// SameSamples that the samples are the same.
func (g Grid) Contrasts(a, b *measure.Pass, of Contrast) ([]Contrast, error) {
	var list []Contrast
	for _, set := range g.Sets {
		radii := g.radii(set)
		differences, err := g.How.Differences(set, a.Losses, b.Losses, radii)
		if err != nil {
			return nil, err
		}
		for i, d := range differences {
			c := of
			c.Set, c.Uncertainty, c.Rho = set, set.Name(), measure.NumIf(set.HasRadius(), radii[i])
			c.Difference, c.StandardError = d.Value, measure.NumUnlessNaN(d.StandardError)
			c.Interval, c.Doubt = interval(d.Normal), d.Tail.Doubt()
			list = append(list, c)
		}
	}
	return list, nil
}

// SameSamples returns an error that says why the samples of a split of two runs are no pairs, if
// they are not. The test split depends on the data alone; the others depend on settings, too.
func SameSamples(a, b *runner.Meta, split string) error {
	options := func(m *runner.Meta) string { return fmt.Sprintf("%+v", m.Spec.DataOptions("")) }
	if a.Checksum == b.Checksum && (split == runner.SplitTest || options(a) == options(b)) {
		return nil
	}
	return fmt.Errorf("runs %s and %s: their samples differ: expected runs of the same data", a.ID,
		b.ID)
}
