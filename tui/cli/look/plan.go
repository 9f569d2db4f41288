package look

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/eventlog"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// planFlags are the flags of `plan`.
type planFlags struct {
	setFlags
	assumed dro.Assumptions
	from    string // a run; empty if all values are given
}

func planCommand(con *console.Console) *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use: "plan", Short: "Compare the constants of the paper's Theorem 1 with those of practice",
		Long: `Compute the constants that the paper's Theorem 1 prescribes for SFK-DRO, from an accuracy ε and
assumptions on the losses: 0 ≤ ℓ ≤ B, ‖∇ℓ‖ ≤ G, ∇ℓ L-Lipschitz, and Δ = F(x₁; z₁) − inf F.

With --from, a value that is not given comes from a run. B, G and L are measured at a
checkpoint, or with RUN@all at every kept one, of which the largest counts. They come from 50
samples, so they are lower bounds. Δ comes from the log, the set and ρ from the settings, and ε
is the one that the run reached.`,
		Example: `drolab plan --epsilon 0.1 --rho 0.5 --k 2 --bound 10 --lipschitz 1 --smoothness 1 --gap 2
drolab plan --from shapes-sfk
drolab plan --from shapes-sfk --epsilon 0.1`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error { return f.plan(con, c) },
	}
	f.setFlags.add(c, "cressie-read")
	flags := c.Flags()
	flags.StringVar(&f.from, "from", "",
		"take the values that are not given from RUN[@STEP] or RUN@all")
	console.MustComplete(c, "from", con.CompleteRuns)
	flags.Float64Var(&f.assumed.Epsilon, "epsilon", 0,
		"the bound ε for both parts of the stationarity test")
	flags.Float64Var(&f.assumed.Bound, "bound", 0, "B, the largest loss")
	flags.Float64Var(&f.assumed.Lipschitz, "lipschitz", 0,
		"G, the largest norm of a loss's gradient")
	flags.Float64Var(&f.assumed.Smoothness, "smoothness", 0,
		"L, the Lipschitz constant of a loss's gradient")
	flags.Float64Var(&f.assumed.Gap, "gap", 0, "Δ, how far the start is above the infimum")
	con.JSONFlag(c, "")
	return c
}

// plan prints the constants that Theorem 1 asks for.
func (f *planFlags) plan(con *console.Console, c *cobra.Command) error {
	if f.from != "" {
		if err := f.fillFrom(con, c); err != nil {
			return err
		}
	}
	for _, name := range []string{"epsilon", "rho", "bound", "lipschitz", "smoothness", "gap"} {
		if f.from == "" && !c.Flags().Changed(name) {
			return fmt.Errorf("give --%s: %s", name, c.Flags().Lookup(name).Usage)
		}
	}
	set, err := f.open(c)
	if err != nil {
		return err
	}
	h := f.assumed
	if h.Rho = f.rho; f.isMean(set) {
		return errors.New("the set holds only the distribution of the samples: there is " +
			"nothing to plan")
	}
	p, err := dro.Theorem1(set, h)
	if err != nil {
		return err
	}
	x, z := p.Samples()
	result := plan{f.describe(set), h, p.Box.Lambda, p.Box.Eta, &p, x, z, p.LongestStep(),
		p.LongestStep() <= 0, p.Vacuous()}
	return con.Result(&result, func() {
		if f.from != "" {
			fmt.Fprintf(con.Stdout, "measured in %s: ε = %.3g, B = %.4g, G = %.4g, L = %.4g, "+
				"Δ = %.4g; %s, ρ = %g\n\n", cell.Clean(f.from), h.Epsilon,
				h.Bound, h.Lipschitz, h.Smoothness, h.Gap, set.Label(), h.Rho)
		}
		printPlan(con, h, &result)
	})
}

// plan holds the constants that Theorem 1 asks for, beside the assumptions.
type plan struct {
	setDescription
	dro.Assumptions
	Lambda [2]float64 `json:"lambda"` // the box
	Eta    [2]float64 `json:"eta"`
	*dro.Plan
	SamplesX    dro.Magnitude `json:"samples"`
	SamplesZ    dro.Magnitude `json:"samples_z"`
	LongestStep dro.Magnitude `json:"longest_step"` // D σ1/C
	StepHolds   bool          `json:"longest_step_holds"`
	Vacuous     bool          `json:"vacuous"` // λ0 is not below λ̄
}

func printPlan(con *console.Console, h dro.Assumptions, p *plan) {
	practice := spec.Defaults()
	const steps = 50 * 273 // of the paper's run
	samples := fmt.Sprintf("about %.2g", float64(steps*practice.Batch))
	t := page.New("", "Theorem 1", "the paper's run")
	t.Rows = [][]string{
		{"λ in", fmt.Sprintf("[%.3g, %.3g]", p.Box.Lambda[0], p.Box.Lambda[1]),
			fmt.Sprintf("[%.3g, 10]", practice.Lambda0)},
		{"η in", fmt.Sprintf("[%.3g, %.3g]", p.Box.Eta[0], p.Box.Eta[1]),
			fmt.Sprintf("[-10, %.3g]", practice.EtaMax)},
		{"D, diameter of the box", fmt.Sprintf("%.3g", p.Diameter), ""},
		{"L_z, smoothness in z", p.Lz.String(), ""},
		{"L_x, smoothness in x", p.Lx.String(), ""},
		{"σ0, bound of ‖∇ₓf‖", p.Sigma0.String(), ""},
		{"σ1, bound of ‖∇_z f‖", p.Sigma1.String(), ""},
		{"C, Frank-Wolfe constant", p.C.String(), practice.Text("c")},
		{"D σ1/C, at most 1", p.LongestStep.String(), ""},
		{"α, step size", p.Alpha.String(), fmt.Sprintf("%.3g", practice.LR)},
		{"n_x, samples per step", p.Nx.String(), fmt.Sprintf("%d", practice.Batch)},
		{"n_z, samples per step", p.Nz.String(), fmt.Sprintf("%d", practice.Batch)},
		{"T, steps", p.T.String(), fmt.Sprintf("about %.2g", float64(steps))},
		{"n_x T, samples in all", p.SamplesX.String(), samples},
		{"n_z T, samples in all", p.SamplesZ.String(), samples},
	}
	console.Blocks(con.Stdout, t)
	fmt.Fprintln(con.Stdout)
	for _, note := range planNotes(h, p.Plan) {
		fmt.Fprintln(con.Stdout, note)
	}
	fmt.Fprintf(con.Stdout, "The theorem covers every loss within these bounds, even the "+
		"worst. Its constants prove\nconvergence, and are far from those that a real network "+
		"needs (see drolab presets paper,\nwhere T is 50 epochs of 273 steps).\n")
}

// planNotes returns notes on the cases in which the plan proves nothing or violates a condition of
// the theorem.
func planNotes(h dro.Assumptions, p *dro.Plan) (notes []string) {
	if p.Vacuous() {
		notes = append(notes, fmt.Sprintf("ε = %.3g is so large that λ0 = ε/(8ρ) = %.3g is "+
			"not below λ̄, the largest possible best λ:\nno λ is left to choose, and the "+
			"bounds are void. Take an ε well below %.3g.", h.Epsilon, p.Box.Lambda[0], 8*h.Bound))
	}
	if step := p.LongestStep(); step > 0 {
		notes = append(notes, fmt.Sprintf("The theorem needs D σ1/C ≤ 1, but it is %v at this "+
			"ε. A smaller ε satisfies it.", step))
	}
	return notes
}

// fillFrom fills in the assumptions of Theorem 1 from a run, except those given as flags.
func (f *planFlags) fillFrom(con *console.Console, c *cobra.Command) error {
	r, step, all, err := findSteps(con, f.from)
	if err != nil {
		return err
	}
	const samples = 50
	list, err := constantsAlong(c.Context(), con, r, step, all, samples)
	if err != nil {
		return err
	}
	of, own := largestConstants(list), &r.Meta.Spec
	gap, err := measuredGap(r)
	if err != nil {
		return err
	}
	given := c.Flags().Changed
	fill := func(flag string, to *float64, v float64) {
		if !given(flag) {
			*to = v
		}
	}
	fill("rho", &f.rho, own.Rho)
	fill("k", &f.k, own.K)
	fill("mu", &f.mu, own.Mu)
	if !given("uncertainty") {
		f.uncertainty = own.Uncertainty
	}
	fill("bound", &f.assumed.Bound, of.Bound)
	fill("lipschitz", &f.assumed.Lipschitz, of.Lipschitz)
	fill("smoothness", &f.assumed.Smoothness, of.Smoothness)
	fill("gap", &f.assumed.Gap, gap)
	fill("epsilon", &f.assumed.Epsilon, r.Summary().Stationary().Float())
	switch {
	case !spec.AllFinite(f.assumed.Gap):
		return fmt.Errorf("give --gap: the log of %s has no objective to measure Δ by", r.Meta.ID)
	case !spec.AllFinite(f.assumed.Epsilon):
		return fmt.Errorf("give --epsilon: %s has not measured how stationary it is", r.Meta.ID)
	}
	return nil
}

// measuredGap returns Δ as a run has seen it: F of the first logged batch minus the least R_ρ of
// the evaluations.
func measuredGap(r *record.Run) (float64, error) {
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	first, least := math.NaN(), math.Inf(1)
	for _, s := range slices.Backward(h.Steps) {
		if n := s.Max.Named("objective"); n.Applies() {
			first = n.Float()
		}
	}
	for _, e := range h.Evals {
		least = min(least, e.Named("train_robust_risk").Float())
	}
	return first - least, err
}
