package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) runsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "runs", Short: "List all runs, the newest first", Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			runs, problems := record.List(a.runs)
			if err := a.list(runs, asJSON); err != nil {
				return err
			}
			return failures(problems).orNil()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the runs as JSON")
	return c
}

func (a *app) list(runs []*record.Run, asJSON bool) error {
	if asJSON {
		return printJSON(a.Stdout, summaries(runs))
	}
	if len(runs) == 0 {
		fmt.Fprintf(a.Stdout, "no runs in %s yet: start some with drolab run shapes\n", clean(a.runs))
		return nil
	}
	printList(a.Stdout, runs)
	return nil
}

// printList prints a line a run.
func printList(w io.Writer, runs []*record.Run) {
	rows := [][]string{{"run", "status", "epochs", "set, ρ", "worst", "mean", "test loss"}}
	for _, r := range runs {
		s := r.Summary()
		rows = append(rows, []string{
			clean(s.ID), string(r.Status()), fmt.Sprintf("%.3g/%d", s.Epochs, r.Meta.Spec.Epochs),
			clean(r.Meta.Spec.Radius()),
			percent(s.Of(r.Meta.Fit("worst_class_accuracy"))), percent(s.Of("test_accuracy")),
			short(s.Of("test_loss")),
		})
	}
	grid(w, rows)
}

func (a *app) showCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show RUN", Short: "Show one run: what made it and what it came to",
		Long: "Show one run. RUN is a name, the start of a name that no other run has, a run directory, " +
			"\"latest\", or one that lies apart: a file of drolab record, recorded:paper/RUN.",
		Args:              exactlyOne("a run", "drolab show latest"),
		ValidArgsFunction: a.completeRead,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.findToRead(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printDetailed(a.Stdout, []*record.Run{r})
			}
			return a.show(r)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return c
}

func (a *app) show(r *record.Run) error {
	m := &r.Meta
	lines := [][2]string{
		{"run", m.ID}, {"status", statusLine(r)}, {"directory", r.Dir}, {"preset", m.Preset}, {"parent", m.Parent},
		{"label", r.Label().String()},
		{"saved", checkpoints(r)},
		{"made", fmt.Sprintf("%s by drolab %s, %s", m.Created.Local().Format("2006-01-02 15:04:05"),
			m.Host.Version, m.Host.Go)},
		{"on", fmt.Sprintf("%s, %s, kernel %s, %s", m.Host.CPU, m.Host.System, m.Host.Kernel,
			kit.Plural(m.Host.Threads, "thread"))},
		{"method", method(m.Spec.Algorithm())},
		{"model", fmt.Sprintf("%s, %d parameters", m.Spec.Model, m.Parameters)},
		{"data", fmt.Sprintf("%s, %s", m.Spec.Dataset, m.Checksum)},
		{"z", fmt.Sprintf("%s coordinates, λ in [%.4g, %.4g], η in [%.4g, %.4g]", m.Coordinates,
			m.Box.Lambda[0], m.Box.Lambda[1], m.Box.Eta[0], m.Box.Eta[1])},
		{"", m.BeyondBox(r.Summary())},
		{"optimum", optimum(m.Optimum)},
	}
	for _, line := range lines {
		if line[1] != "" {
			fmt.Fprintf(a.Stdout, "%-10s %s\n", line[0], clean(line[1]))
		}
	}
	settings, err := json.Marshal(m.Spec)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%-10s %s\n", "settings", clean(string(settings)))
	a.showIterate(r.Summary())
	showSelected(a.Stdout, r)
	average, err := r.Average()
	if err != nil {
		return err
	}
	showAverage(a.Stdout, r, average)
	fmt.Fprintln(a.Stdout)
	showParts(a.Stdout, r)
	grid(a.Stdout, runTable([]*record.Run{r}, nil))
	define(a.Stdout, []*record.Run{r})
	return nil
}

// optimum is what is known of the best network; empty where nothing is.
func optimum(o *runner.Optimum) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("min R_ρ = %.10g (known to %.1g), there λ = %.4g, η = %.4g", o.Risk, max(o.Gap, 1e-15),
		o.Lambda, o.Eta)
}

// find returns the run that the user means.
func (a *app) find(id string) (*record.Run, error) {
	r, err := record.Find(a.runs, id)
	if err != nil {
		return nil, fmt.Errorf("%w: drolab runs lists them all", err)
	}
	a.saw(r)
	return r, nil
}

func statusLine(r *record.Run) string {
	s := r.Summary()
	line := fmt.Sprintf("%s, step %d of %d", r.Status(), s.Steps, r.Meta.Steps)
	if s.Cause != "" {
		line += ": " + s.Cause
	}
	if r.Status() != runner.Done && r.Status().Ended() {
		line += " (go on with drolab resume " + s.ID + ")"
	}
	return line
}

// showIterate prints the paper's own output, which is not the last iterate.
func (a *app) showIterate(s *runner.Summary) {
	p := s.PaperIterate
	if p == nil {
		return
	}
	fmt.Fprintf(a.Stdout, "%-10s step %d (argmin ‖∇ₓf‖² + gap² over noisy batches): "+
		"λ %s, η %s, test loss %s, mean %s, worst %s\n",
		"iterate", p.Step, short(p.Lambda), short(p.Eta),
		short(p.TestLoss), percent(p.TestAccuracy), percent(p.Worst()))
	if gap := s.Of("output_dual_gap"); gap.Applies() {
		fmt.Fprintf(a.Stdout, "%-10s on the training split there: dual gap %s, ‖∇F‖ %s "+
			"(on their batches: %s, %s)\n", "", short(gap), short(s.Of("output_grad_norm")),
			short(p.Gap), short(p.GradNorm))
	}
}

// showAverage prints what the paper reports in place of the last evaluation.
func showAverage(w io.Writer, r *record.Run, of *runner.Average) {
	if of == nil {
		return
	}
	classes := of.ByGroup.Of(r.Meta.Fit("class_accuracy"))
	worst := runner.LeastOf(classes, r.Meta.Counts(r.Meta.Main()).Test, r.Meta.Spec.MinGroup)
	fmt.Fprintf(w, "%-10s of the last %s (the paper's window of %d), epoch %.4g to %.4g: mean %s, worst %s %s, "+
		"train loss %s, test loss %s\n", "average", kit.Plural(of.Evaluations, "evaluation"),
		runner.AverageWindow, of.FromEpoch, of.ToEpoch, percent(of.Of("test_accuracy")), r.Meta.Part(),
		percent(worst), short(of.Of("train_loss")), short(of.Of("test_loss")))
}

// method is a method's name with where it is from.
func method(a dro.Algorithm) string {
	m, err := dro.Find(a)
	if err != nil || m.Source == "" {
		return string(a)
	}
	return fmt.Sprintf("%s: %s", a, m.Source)
}
