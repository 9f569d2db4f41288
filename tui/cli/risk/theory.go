package risk

import (
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
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
		Use:   "theory RUN[@STEP|@all]",
		Short: "Compare a run with the paper's theory",
		Long: `Compare a run with the paper's theory in four ways. First, the conditions of Theorem 1 that the
run does not meet. Second, how dual gap and ‖∇F‖ fell with the samples seen, as a line through
the logarithms over the run's evaluations, beside the paper's rate; certify_every: 1 measures
‖∇F‖ after each epoch. Third, the effect of mini-batches of n samples at a checkpoint: the
variance of the gradient and the bias of the least dual value, beside σ0²/n and Lemma 3.
Fourth, the constants B, G, L and L_z at the network, which are lower bounds of those that the
theory assumes everywhere.

RUN@all gives the constants at each kept checkpoint, in place of mini-batches at one (see
checkpoint_keep and, for short epochs, checkpoint_every).`,
		Example:           "drolab theory shapes-sfk\ndrolab theory latest --log --json",
		Args:              console.One("a run", "drolab theory latest"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			if f.draws < 2 || f.samples < 1 {
				return fmt.Errorf("--draws %d --samples %d: want at least 2 and 1",
					f.draws, f.samples)
			}
			return theory(con, &f, args[0])
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.log, "log", false, "print only the rates, from the log; this needs no "+
		"data")
	flags.IntVar(&f.draws, "draws", 50,
		"mini-batches of each size for the variance; 20 times as many for the bias")
	flags.IntVar(&f.samples, "samples", 50, "training samples whose gradients give G and L")
	flags.IntSliceVar(&f.batches, "batches", []int{16, 64, 256}, "mini-batch sizes n")
	con.JSONFlag(c, "")
	return c
}

// theoryJSON is the result that theory prints with --json.
type theoryJSON struct {
	ID         string         `json:"id"`
	PaperSlope measure.Number `json:"paper_slope"`
	// conditions of Theorem 1 that the run does not meet
	Unmet     []string               `json:"unmet"`
	Rates     []certificate.Rate     `json:"rates"`
	Step      int64                  `json:"step,omitempty"` // of the checkpoint
	Noise     []certificate.Noise    `json:"noise,omitempty"`
	Constants *certificate.Constants `json:"constants,omitempty"`
	Along     []atStep               `json:"along,omitempty"`
}

func theory(con *console.Console, f *theoryFlags, name string) error {
	id, all := strings.CutSuffix(name, allSteps)
	r, _, err := con.FindStep(id)
	if err != nil {
		return err
	}
	if err := r.Meta.Trained(); err != nil {
		return err
	}
	evals, err := evaluations(r)
	if err != nil {
		return err
	}
	set, err := r.Meta.Spec.Set()
	if err != nil {
		return err
	}
	t := theoryJSON{ID: r.Meta.ID, PaperSlope: certificate.PaperSlope(set),
		Unmet: certificate.Unmet(&r.Meta),
		Rates: certificate.Rates(&r.Meta, evals)}
	switch {
	case f.log:
	case all:
		t.Along, _, err = along(con, name, f.samples)
	default:
		err = theoryAt(con, f, name, &t)
	}
	if err != nil {
		return err
	}
	return con.Result(t, func() { printTheory(con, &t, set) })
}

// theoryAt measures the noise of mini-batches and the constants at a checkpoint.
func theoryAt(con *console.Console, f *theoryFlags, name string, t *theoryJSON) error {
	noise := func(frozen *certificate.Frozen, train *measure.Pass,
		c certificate.Constants) (err error) {
		t.Noise, err = frozen.Noise(train, f.batches, f.draws, c)
		return err
	}
	one, _, err := constantsAt(con, name, f.samples, noise)
	t.Step, t.Constants = one.Step, &one.Constants
	return err
}

// evaluations returns the evaluations in a run's log that no later resume has taken back.
func evaluations(r *record.Run) ([]*runner.EvalEvent, error) {
	tail := r.Tail()
	tail.Only("eval")
	h, err := record.ReadHistory(tail, nil)
	return h.Evals, err
}

func printTheory(con *console.Console, t *theoryJSON, set dro.Set) {
	paper := func(r certificate.Rate) string {
		if r.Measure == "excess_risk" { // the theorem says nothing about it
			return "–"
		}
		return console.Short(t.PaperSlope)
	}
	rates := page.New("against samples seen", "evaluations", "first", "last", "slope",
		"the paper's")
	for _, r := range t.Rates {
		slope := "–"
		if r.Slope.Applies() {
			slope = fmt.Sprintf("%.3f ± %.3f", r.Slope.Float(), r.SlopeError.Float())
		}
		rates.Add(r.Measure, fmt.Sprint(len(r.Points)),
			fmt.Sprintf("%.3g", r.Points[0].Value),
			fmt.Sprintf("%.3g", r.Points[len(r.Points)-1].Value), slope, paper(r))
	}
	fmt.Fprintf(con.Stdout, "%s, %s\n\n", console.Clean(t.ID), set.Label())
	console.Blocks(con.Stdout, rates)
	if len(t.Unmet) > 0 {
		fmt.Fprintf(con.Stdout, "\nTheorem 1 has conditions that this run does not meet: %s.\n",
			strings.Join(t.Unmet, "; "))
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
	fmt.Fprint(con.Stdout, theoryNotes)
}

const theoryNotes = `The paper's slope holds if λ0, batches and steps are chosen anew for each ε (dro/math.md §4). A
run with fixed values has no such guarantee: it may fall faster, or stop at its noise. A
standard error treats the evaluations as independent, which they are not. R_ρ(n) is the least
dual value of n samples; ± is two standard errors.`
