package risk

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
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
		Use: "plan", Short: "Compare the constants of the paper's Theorem 1 with those of " +
			"practice",
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
		"RUN[@STEP] or RUN@all: source of the values that are not given")
	console.MustComplete(c, "from", con.CompleteRuns)
	flags.Float64Var(&f.assumed.Epsilon, "epsilon", 0,
		"ε, the bound for both parts of the stationarity test")
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
		if err := f.measured(con, c, 50); err != nil {
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
	return con.Result(newPlan(f.describe(set), h, &p), func() {
		if f.from != "" {
			fmt.Fprintf(con.Stdout, "measured in %s: ε = %.3g, B = %.4g, G = %.4g, L = %.4g, "+
				"Δ = %.4g; %s, ρ = %g\n\n", console.Clean(f.from), h.Epsilon,
				h.Bound, h.Lipschitz, h.Smoothness, h.Gap, set.Label(), h.Rho)
		}
		printPlan(con, h, &p)
	})
}

// plan holds the constants that Theorem 1 asks for, beside the assumptions.
type plan struct {
	described
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

func newPlan(of described, h dro.Assumptions, p *dro.Plan) *plan {
	x, z := p.Samples()
	return &plan{of, h, p.Box.Lambda, p.Box.Eta, p, x, z, p.LongestStep(),
		p.LongestStep() <= 0, p.Vacuous()}
}

func printPlan(con *console.Console, h dro.Assumptions, p *dro.Plan) {
	practice := spec.Defaults()
	side := func(format string, v ...any) string { return fmt.Sprintf(format, v...) }
	theory := func(m dro.Magnitude) string { return m.String() }
	const steps = 50 * 273 // of the paper's run
	ofX, ofZ := p.Samples()
	t := page.New("", "Theorem 1", "in practice")
	t.Rows = [][]string{
		{"λ in", side("[%.3g, %.3g]", p.Box.Lambda[0], p.Box.Lambda[1]),
			side("[%.3g, 10]", practice.Lambda0)},
		{"η in", side("[%.3g, %.3g]", p.Box.Eta[0], p.Box.Eta[1]),
			side("[-10, %.3g]", practice.EtaMax)},
		{"D, diameter of the box", side("%.3g", p.Diameter), ""},
		{"L_z, smoothness in z", theory(p.Lz), ""},
		{"L_x, smoothness in x", theory(p.Lx), ""},
		{"σ0, bound of ‖∇ₓf‖", theory(p.Sigma0), ""},
		{"σ1, bound of ‖∇_z f‖", theory(p.Sigma1), ""},
		{"C, Frank-Wolfe constant", theory(p.C), practice.Text("c")},
		{"D σ1/C, at most 1", theory(p.LongestStep()), ""},
		{"α, step size", theory(p.Alpha), side("%.3g", practice.LR)},
		{"n_x, samples per step", theory(p.Nx), side("%d", practice.Batch)},
		{"n_z, samples per step", theory(p.Nz), side("%d", practice.Batch)},
		{"T, steps", theory(p.T), side("about %.2g", float64(steps))},
		{"n_x T, samples in all", theory(ofX), side("about %.2g", float64(steps*practice.Batch))},
		{"n_z T, samples in all", theory(ofZ), side("about %.2g", float64(steps*practice.Batch))},
	}
	console.Blocks(con.Stdout, t)
	fmt.Fprintln(con.Stdout)
	for _, note := range planNotes(h, p) {
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

// measured fills in the assumptions of Theorem 1 from a run, except those given as flags.
func (f *planFlags) measured(con *console.Console, c *cobra.Command, samples int) error {
	list, spec, err := along(con, f.from, samples)
	if err != nil {
		return err
	}
	of := largest(list)
	r, _, err := con.FindStep(strings.TrimSuffix(f.from, allSteps))
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
	take("bound", &f.assumed.Bound, of.Bound)
	take("lipschitz", &f.assumed.Lipschitz, of.Lipschitz)
	take("smoothness", &f.assumed.Smoothness, of.Smoothness)
	take("gap", &f.assumed.Gap, gap)
	take("epsilon", &f.assumed.Epsilon, r.Summary().Stationary().Float())
	switch {
	case !finite(f.assumed.Gap):
		return fmt.Errorf("give --gap: the log of %s has no objective to measure Δ by", r.Meta.ID)
	case !finite(f.assumed.Epsilon):
		return fmt.Errorf("give --epsilon: %s has not measured how stationary it is", r.Meta.ID)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// fallen returns Δ as a run has seen it: F of the first logged batch minus the least R_ρ of the
// evaluations.
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
