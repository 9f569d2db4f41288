package look

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
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
				"Δ = %.4g; %s, ρ = %g\n\n", console.Clean(f.from), h.Epsilon,
				h.Bound, h.Lipschitz, h.Smoothness, h.Gap, set.Label(), h.Rho)
		}
		printPlan(con, h, &result)
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
	list, err := constantsAlong(con, r, step, all, samples)
	if err != nil {
		return err
	}
	of, own := largest(list), &r.Meta.Spec
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

type theoryFlags struct {
	log            bool
	draws, samples int
	batches        []int
}

func theoryCommand(con *console.Console) *cobra.Command {
	var f theoryFlags
	c := &cobra.Command{
		Use:   "theory RUN|RUN@STEP|RUN@all...",
		Short: "Compare runs with the paper's theory",
		Long: `Compare a run with the paper's theory in four ways. First, the conditions of Theorem 1 that the
run does not meet. Second, how dual gap and ‖∇F‖ fell with the samples seen, as a line through
the logarithms over the run's evaluations, beside the paper's rate; certify_every: 1 measures
‖∇F‖ after each epoch. Third, the effect of mini-batches of n samples at a checkpoint: the
variance of the gradient and the bias of the least dual value, beside σ0²/n and Lemma 3, which
take the proved constants where there are any.
Fourth, the constants B, G, L and L_z at the network, which are lower bounds of those that the
theory assumes everywhere.

RUN@all gives the constants at each kept checkpoint, in place of mini-batches at one (see
checkpoint_keep and, for short epochs, checkpoint_every).

Several runs, such as those of the preset theorem, are held against Theorem 1 alone: its bound ε
beside what was measured, and how the cost grows as ε falls.`,
		Example: "drolab theory shapes-sfk\ndrolab theory latest --log --json\n" +
			"drolab theory theorem",
		Args:              console.OneOrMore("a run", "drolab theory latest"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			if f.draws < 2 || f.samples < 1 {
				return fmt.Errorf("--draws %d --samples %d: want at least 2 and 1",
					f.draws, f.samples)
			}
			return theory(con, c, &f, args)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.log, "log", false, "print only the rates, from the log; this needs no data")
	flags.IntVar(&f.draws, "draws", 50,
		"mini-batches of each size for the variance; 20 times as many for the bias")
	flags.IntVar(&f.samples, "samples", 50,
		"training samples whose gradients give G and L, at most all")
	flags.IntSliceVar(&f.batches, "batches", []int{16, 64, 256}, "sizes n of the mini-batches")
	con.JSONFlag(c, "")
	return c
}

// theoryJSON is the result that theory prints with --json.
type theoryJSON struct {
	certificate.TheoremCheck
	PaperSlope measure.Number         `json:"paper_slope"`
	Rates      []certificate.Rate     `json:"rates"`
	Step       int64                  `json:"step,omitempty"` // of the checkpoint
	Noise      []certificate.Noise    `json:"noise,omitempty"`
	Constants  *certificate.Constants `json:"constants,omitempty"`
	Along      []atStep               `json:"along,omitempty"`
}

func theory(
	con *console.Console, cmd *cobra.Command, f *theoryFlags, names []string,
) error {
	if len(names) > 1 || !strings.Contains(filepath.Base(names[0]), "@") {
		runs, err := con.FindSeveral(names)
		if err != nil {
			return err
		}
		if len(runs) > 1 {
			return theorems(con, cmd, f, runs)
		}
		names[0] = runs[0].Dir
	}
	r, step, all, err := findSteps(con, names[0])
	if err != nil {
		return err
	}
	if err := r.Meta.Trained(); err != nil {
		return err
	}
	evals, err := r.Evaluations()
	if err != nil {
		return err
	}
	set, err := r.Meta.Spec.Set()
	if err != nil {
		return err
	}
	h, err := certificate.CheckTheorem(r, con.DataDir, !f.log)
	if err != nil {
		return err
	}
	t := theoryJSON{TheoremCheck: h, PaperSlope: certificate.PaperSlope(set),
		Rates: certificate.Rates(&r.Meta, evals)}
	switch {
	case f.log:
	case all:
		t.Along, err = constantsAlong(con, r, step, all, f.samples)
	default:
		err = onTraining(con, r, step, func(at *certificate.Frozen, train *measure.Pass) error {
			c, err := at.Constants(train, f.samples)
			if err == nil {
				t.Noise, err = at.Noise(train, f.batches, f.draws, h.Proved(c))
			}
			t.Step, t.Constants = at.Step, &c
			return err
		})
	}
	if err != nil {
		return err
	}
	return con.Result(t, func() { printTheory(con, &t, set) })
}

func printTheory(con *console.Console, t *theoryJSON, set dro.Set) {
	rates := page.New("against samples seen", "evaluations", "first", "last", "slope",
		"the paper's")
	for _, r := range t.Rates {
		slope, paper := "–", console.Short(t.PaperSlope)
		if r.Slope.Applies() {
			slope = fmt.Sprintf("%.3f ± %.3f", r.Slope.Float(), r.SlopeError.Float())
		}
		if r.Measure == "excess_risk" { // the theorem says nothing about it
			paper = "–"
		}
		rates.Add(r.Measure, fmt.Sprint(len(r.Points)), fmt.Sprintf("%.3g", r.Points[0].Value),
			fmt.Sprintf("%.3g", r.Points[len(r.Points)-1].Value), slope, paper)
	}
	fmt.Fprintf(con.Stdout, "%s, %s\n\n", console.Clean(t.ID), set.Label())
	console.Blocks(con.Stdout, rates)
	if len(t.Unmet) > 0 {
		fmt.Fprintf(con.Stdout, "\nTheorem 1 has conditions that this run does not meet: %s.\n",
			strings.Join(t.Unmet, "; "))
	}
	if t.Theorem != nil {
		fmt.Fprintln(con.Stdout)
		printTheorems(con, []certificate.TheoremCheck{t.TheoremCheck})
	}
	if t.Along != nil {
		printAlong(con, t.Along)
	}
	if t.Constants == nil {
		return
	}
	fmt.Fprintf(con.Stdout, "\nMini-batches of n training samples at step %d:\n", t.Step)
	noise := page.New("n", "E ‖g − ∇F‖²", "σ0²/n", "R_ρ − E R_ρ(n)", "Lemma 3")
	for _, n := range t.Noise {
		noise.Add(fmt.Sprint(n.N), console.Short(n.Variance), console.Short(n.VarianceBound),
			fmt.Sprintf("%.3g ± %.1g", n.Bias, 2*n.BiasError), fmt.Sprintf("%.3g", n.BiasBound))
	}
	console.Blocks(con.Stdout, noise)
	c := t.Constants
	fmt.Fprintf(con.Stdout, "\nThere B = %.4g, G ≥ %.4g, L ≥ %.4g (of %d samples), L_z ≥ %s "+
		"(theory, on the run's box: %s).\n", c.Bound, c.Lipschitz, c.Smoothness, c.Samples,
		console.Short(c.Lz), console.Short(c.LzBound))
	fmt.Fprintln(con.Stdout, theoryNotes)
}

const theoryNotes = `The paper's slope holds if λ0, batches and steps are chosen anew for each ε (dro/math.md §4). A
run with fixed values has no such guarantee: it may fall faster, or stop at its noise. A
standard error treats the evaluations as independent, which they are not. R_ρ(n) is the least
dual value of n samples; ± is two standard errors.`

// atStep holds the constants at one checkpoint of a run.
type atStep struct {
	Step int64 `json:"step"`
	certificate.Constants
}

// allSteps is the suffix of a run's name that stands for all of its checkpoints.
const allSteps = "@all"

// findSteps is Console.FindStep for names that may also be RUN@all.
func findSteps(
	con *console.Console, name string,
) (r *record.Run, step int64, all bool, err error) {
	id, all := strings.CutSuffix(name, allSteps)
	if r, step, err = con.FindStep(id); err == nil && all && step >= 0 {
		err = fmt.Errorf("%s: give a step or all, not both", name)
	}
	return r, step, all, err
}

// constantsAlong measures the constants at the checkpoint of a step, or at all that the run has
// kept: the newest (checkpoint_keep), the selected and the pinned ones.
func constantsAlong(
	con *console.Console, r *record.Run, step int64, all bool, samples int,
) (list []atStep, err error) {
	steps := []int64{step}
	if all {
		steps, err = r.Checkpoints()
		if err == nil && len(steps) == 0 {
			err = fmt.Errorf("run %s has no checkpoint yet", r.Meta.ID)
		}
	}
	for i, step := range steps {
		var one atStep
		e := onTraining(con, r, step, func(at *certificate.Frozen, train *measure.Pass) error {
			c, err := at.Constants(train, samples)
			one = atStep{at.Step, c}
			return err
		})
		if all && errors.Is(e, fs.ErrNotExist) && i < len(steps)-1 {
			continue // a live run has deleted it meanwhile
		}
		if e != nil {
			return nil, e
		}
		list = append(list, one)
	}
	return list, err
}

// onTraining calls do with the network of a checkpoint, frozen, and its training split.
func onTraining(
	con *console.Console, r *record.Run, step int64,
	do func(*certificate.Frozen, *measure.Pass) error,
) (err error) {
	if err := r.Meta.HasOwnNetwork(); err != nil {
		return err
	}
	frozen, err := freeze(con, r, step)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, frozen.Close()) }()
	train, err := frozen.Pass(runner.SplitTrain)
	if err != nil {
		return err
	}
	return do(frozen, train)
}

// largest returns the largest value of each constant. Checkpoints can say no more about the bounds
// that Theorem 1 assumes everywhere.
func largest(list []atStep) certificate.Constants {
	all := list[0].Constants
	above := func(a, b measure.Number) measure.Number {
		if b.Applies() && !(a.Applies() && a.Float() > b.Float()) {
			return b
		}
		return a
	}
	for _, c := range list[1:] {
		all.Bound, all.Lipschitz = max(all.Bound, c.Bound), max(all.Lipschitz, c.Lipschitz)
		all.Smoothness = max(all.Smoothness, c.Smoothness)
		all.Lz, all.LzBound = above(all.Lz, c.Lz), above(all.LzBound, c.LzBound)
	}
	return all
}

// printAlong prints the table of the constants along a run.
func printAlong(con *console.Console, list []atStep) {
	t := page.New("step", "B", "G ≥", "L ≥", "L_z ≥", "L_z, theory")
	add := func(step string, c certificate.Constants) {
		t.Add(step, fmt.Sprintf("%.4g", c.Bound), fmt.Sprintf("%.4g", c.Lipschitz),
			fmt.Sprintf("%.4g", c.Smoothness), console.Short(c.Lz), console.Short(c.LzBound))
	}
	for _, at := range list {
		add(fmt.Sprint(at.Step), at.Constants)
	}
	if len(list) > 1 {
		add("largest", largest(list))
	}
	fmt.Fprintf(con.Stdout, "\nConstants along the run, from %d training samples each:\n",
		list[0].Samples)
	console.Blocks(con.Stdout, t)
}
