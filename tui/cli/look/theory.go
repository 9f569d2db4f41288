package look

import (
	"fmt"
	"path/filepath"
	"strings"

	"drolab/dro"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

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
				return fmt.Errorf("--draws %d --samples %d: expected at least 2 and 1",
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
		runs, err := con.FindSeveral(cmd.Context(), names)
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
	h, err := certificate.CheckTheorem(cmd.Context(), r, con.DataDir, !f.log)
	if err != nil {
		return err
	}
	t := theoryJSON{TheoremCheck: h, PaperSlope: certificate.PaperSlope(set),
		Rates: certificate.Rates(&r.Meta, evals)}
	switch {
	case f.log:
	case all:
		t.Along, err = constantsAlong(cmd.Context(), con, r, step, all, f.samples)
	default:
		look := func(at *certificate.Frozen, train *measure.Pass) error {
			c, err := at.Constants(train, f.samples)
			if err == nil {
				t.Noise, err = at.Noise(train, f.batches, f.draws, h.Proved(c))
			}
			t.Step, t.Constants = at.Step, &c
			return err
		}
		err = onTraining(cmd.Context(), con, r, step, look)
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
	fmt.Fprintf(con.Stdout, "%s, %s\n\n", cell.Clean(t.ID), set.Label())
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
