package risk

import (
	"math"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// measured fills in what Theorem 1 assumes from a run, but for what was given.
func measured(
	con *console.Console,
	c *cobra.Command, name string, f *setFlags, h *dro.Assumptions, samples int,
) error {
	list, spec, err := along(con, name, samples)
	if err != nil {
		return err
	}
	of := largest(list)
	r, _, err := con.FindStep(strings.TrimSuffix(name, allSteps))
	if err != nil {
		return err
	}
	gap, err := fallen(r)
	if err != nil {
		return err
	}
	given := c.Flags().Changed
	take := func(flag string, to *float64, v float64) {
		if !given(flag) {
			*to = v
		}
	}
	take("rho", &f.rho, spec.Rho)
	take("k", &f.k, spec.K)
	take("mu", &f.mu, spec.Mu)
	if !given("uncertainty") {
		f.uncertainty = spec.Uncertainty
	}
	take("bound", &h.Bound, of.Bound)
	take("lipschitz", &h.Lipschitz, of.Lipschitz)
	take("smoothness", &h.Smoothness, of.Smoothness)
	take("gap", &h.Gap, gap)
	take("epsilon", &h.Epsilon, r.Summary().Stationary().Float())
	return nil
}

// fallen is Δ as a run has seen it: F of its first logged batch less the least R_ρ of
// its evaluations.
func fallen(r *record.Run) (float64, error) {
	first, least := math.NaN(), math.Inf(1)
	for tail := r.Tail(); ; {
		events, err := tail.Read()
		if err != nil || len(events) == 0 {
			return first - least, err
		}
		for _, e := range events {
			switch e := e.(type) {
			case *runner.StepEvent:
				if n := e.Max.Of("objective"); first != first && n.Applies() {
					first = n.Float()
				}
			case *runner.EvalEvent:
				least = min(least, e.Of("train_robust_risk").Float())
			}
		}
	}
}
