package look

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// setFlags are the flags that describe an uncertainty set.
type setFlags struct {
	uncertainty string
	rho, k, mu  float64
}

func (f *setFlags) add(c *cobra.Command, usual string) {
	flags := c.Flags()
	flags.StringVar(&f.uncertainty, "uncertainty", usual,
		"the set: "+strings.Join(dro.SetNames(), ", "))
	flags.Float64Var(&f.rho, "rho", 0, "radius ρ of the set (all but cvar)")
	flags.Float64Var(&f.k, "k", 2, "order of cressie-read, 1 < k ≤ 2")
	flags.Float64Var(&f.mu, "mu", 0.1, "level μ of smoothed-cvar and cvar, 0 < μ < 1")
	console.Choices(c, "uncertainty", dro.SetNames()...)
}

// open returns the set. Its name must be given, and also its radius, if it has one.
func (f *setFlags) open(c *cobra.Command) (dro.Set, error) {
	if f.uncertainty == "" {
		return nil, fmt.Errorf("give --uncertainty, one of %s", strings.Join(dro.SetNames(), ", "))
	}
	mu := f.mu
	if mu == 1 {
		mu = .5 // a valid level in place of 1, at which every set with a level is the mean
	}
	set, err := dro.NewSet(f.uncertainty, f.k, mu)
	if err == nil {
		err = readBySets(c, f.uncertainty)
	}
	if err != nil {
		return nil, err
	}
	if !set.HasRadius() && c.Flags().Changed("rho") {
		return nil, fmt.Errorf("--rho: %s has no radius, its level is --mu: leave --rho out",
			set.Name())
	}
	given := c.Flags().Changed("rho") || f.rho != 0 // or known from a run
	if set.HasRadius() && !(f.rho >= 0 && !math.IsInf(f.rho, 1) && given) {
		if !given {
			return nil, fmt.Errorf("give --rho, the radius of %s, as in --rho 0.5", set.Name())
		}
		return nil, fmt.Errorf("--rho %v: expected a number ≥ 0", f.rho)
	}
	return set, nil
}

// readBySets fails for a parameter that is given and that none of the sets has.
func readBySets(c *cobra.Command, sets ...string) error {
	for _, key := range []string{"k", "mu"} {
		reads := func(set string) bool { return dro.SetReads(set, key) }
		if c.Flags().Changed(key) && !slices.ContainsFunc(sets, reads) {
			return fmt.Errorf("--%s: %s does not read it: leave it out", key,
				strings.Join(sets, " and "))
		}
	}
	return nil
}

// isMean reports whether the adversary can do nothing: the radius is 0, or the level μ is 1.
func (f *setFlags) isMean(set dro.Set) bool {
	return set.HasRadius() && f.rho == 0 || dro.SetReads(f.uncertainty, "mu") && f.mu == 1
}

// setDescription has the name of a set, and the parameters that it depends on other than its
// radius. χ² is described as the Cressie-Read set of order 2.
type setDescription struct {
	Set string   `json:"set"`
	K   *float64 `json:"k,omitempty"`
	Mu  *float64 `json:"mu,omitempty"`
}

func (f *setFlags) describe(set dro.Set) setDescription {
	d := setDescription{Set: set.Name()}
	switch set := set.(type) {
	case dro.CressieRead:
		d.K = &set.K
	case dro.SmoothedCVaR, dro.CVaR:
		d.Mu = &f.mu
	}
	return d
}
