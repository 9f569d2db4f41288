package look

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// Commands returns the commands that only read runs.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{runsCommand(con), showCommand(con), compareCommand(con),
		reportCommand(con), recordCommand(con), exportCommand(con), doctorCommand(con)}
}

// mostOwn is the number of columns that a list of runs has for values of the users' own programs;
// show has all.
const mostOwn = 4

// printList prints a line per run, with some more columns.
func printList(w io.Writer, runs []*record.Run, more ...page.Field[*record.Run]) {
	var list page.Fields[*record.Run]
	list.Words("run", func(r *record.Run) string { return console.Clean(r.Summary().ID) })
	list.Add("status", func(r *record.Run) string { return string(r.Status()) })
	list.Add("epochs", epochs)
	list.Add("set, ρ", func(r *record.Run) string { return console.Clean(r.Meta.Spec.Radius()) })
	list.Add("worst", func(r *record.Run) string {
		return console.Percent(r.Summary().Of(r.Meta.Fit("worst_class_accuracy")))
	})
	list.Add("mean", func(r *record.Run) string {
		return console.Percent(r.Summary().Of("test_accuracy"))
	})
	list.Add("test loss", func(r *record.Run) string {
		return console.Short(r.Summary().Of("test_loss"))
	})
	own := record.UserMeasures(runs...)
	for _, m := range own[:min(len(own), mostOwn)] {
		list.Add(m.Head(), func(r *record.Run) string {
			return console.Figure(&m, r.Summary().Of(m.Name))
		})
	}
	console.Blocks(w, append(list, more...).Table(runs, nil))
}

func showCommand(con *console.Console) *cobra.Command {
	c := &cobra.Command{
		Use: "show RUN", Short: "Show one run: its settings and its result",
		Long: "Show one run. RUN is a name, the unambiguous start of a name, a run directory, " +
			"\"latest\", a file of drolab record, or recorded:paper/RUN.",
		Args:              console.One("a run", "drolab show latest"),
		ValidArgsFunction: con.CompleteRead,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := con.FindToRead(args[0])
			if err != nil {
				return err
			}
			if con.AsJSON { // without the text, which reads the log
				return printDetailed(con, []*record.Run{r})
			}
			return show(con, r)
		},
	}
	con.JSONFlag(c, "the summary")
	con.ExplainFlag(c)
	return c
}

func show(con *console.Console, r *record.Run) error {
	m := &r.Meta
	mean, err := r.Average()
	if err != nil {
		return err
	}
	lines := [][2]string{
		{"run", m.ID},
		{"status", console.StatusLine(r)},
		{"directory", r.Dir},
		{"preset", m.Preset},
		{"parent", m.Parent},
		{"label", r.Label().String()},
		{"saved", checkpoints(r)},
		{"made", fmt.Sprintf("%s by drolab %s, %s", m.Created.Local().Format("2006-01-02 15:04:05"),
			m.Host.Version, m.Host.Go)},
		{"on", trained(m, "%s, %s, kernel %s, %s", m.Host.CPU, m.Host.System, m.Host.Kernel,
			kit.Plural(m.Host.Threads, "thread"))},
		{"method", method(m.Spec.Algorithm())},
		{"imported", importedFrom(m)},
		{"model", trained(m, "%s, %d parameters", m.Spec.Model, m.Parameters)},
		{"program", program(m.Program)},
		{"data", fmt.Sprintf("%s, %s", m.Spec.Dataset, m.Checksum)},
		{"z", trained(m, "%s coordinates, %s", m.Coordinates,
			strings.Join(m.Spec.Bounds(m.Box.Lambda, m.Box.Eta), ", "))},
		{"", m.BeyondBox(r.Summary())},
		{"optimum", optimum(m.Optimum)},
		{"settings", settings(&m.Spec)},
		{"iterate", iterate(r.Summary().PaperIterate)},
		{"", output(r.Summary())},
		{"selected", selected(r)},
		{"average", average(r, mean)},
	}
	for _, line := range lines {
		if line[1] != "" {
			fmt.Fprintf(con.Stdout, "%-10s %s\n", line[0], console.Clean(line[1]))
		}
	}
	fmt.Fprintln(con.Stdout)
	showParts(con.Stdout, r)
	console.Blocks(con.Stdout, runTable([]*record.Run{r}, nil))
	if con.Explain {
		define(con, []*record.Run{r})
	}
	return nil
}

// trained formats a text about a run that was trained here; it returns "" for an imported run.
func trained(m *runner.Meta, format string, args ...any) string {
	if m.Imported != nil {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// settings lists the settings that a run reads and that differ from their defaults.
func settings(s *spec.Spec) string {
	usual, words := spec.Defaults(), []string{}
	for _, t := range spec.AllSettings() {
		if text := t.Text(s); t.ReadIn(s) && text != t.Text(&usual) {
			words = append(words, t.Key+" "+text)
		}
	}
	return strings.Join(append(words, "the others have their defaults"), "; ")
}

// importedFrom says where an imported run comes from; it returns "" for other runs.
func importedFrom(m *runner.Meta) string {
	i := m.Imported
	if i == nil {
		return ""
	}
	return fmt.Sprintf("from %s, %s, columns %s; %s", i.File, i.Checksum,
		strings.Join(i.Columns, ", "), strings.Join(i.Absent, "; "))
}

// program describes the program that a run trains, as recorded; it returns "" for other runs.
func program(p *runner.Program) string {
	if p == nil {
		return ""
	}
	words := []string{"sha256 " + p.SHA256}
	if p.Interpreter != "" {
		words = append(words, "by "+p.Interpreter)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		words = append(words, name+" "+p.Packages[name])
	}
	return strings.Join(words, ", ")
}

// optimum describes what is known of the best network; it returns "" if nothing is.
func optimum(o *measure.Optimum) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("min R_ρ = %.10g (known to %.1g), there λ = %.4g, η = %.4g", o.Risk,
		max(o.Gap, 1e-15), o.Lambda, o.Eta)
}

// iterate describes the paper's own output, which is not the last iterate.
func iterate(p *runner.PaperIterate) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("step %d (argmin ‖∇ₓf‖² + gap² over noisy batches): "+
		"λ %s, η %s, test loss %s, mean %s, worst %s", p.Step, console.Short(p.Lambda),
		console.Short(p.Eta), console.Short(p.TestLoss), console.Percent(p.TestAccuracy),
		console.Percent(p.Worst()))
}

// output says how stationary the paper's output is.
func output(s *runner.Summary) string {
	gap := s.Of("output_dual_gap")
	if s.PaperIterate == nil || !gap.Applies() {
		return ""
	}
	return fmt.Sprintf(
		"there, on the training split: dual gap %s, ‖∇F‖ %s (on their batches: %s, %s)",
		console.Short(gap), console.Short(s.Of("output_grad_norm")),
		console.Short(s.PaperIterate.Gap), console.Short(s.PaperIterate.GradNorm))
}

// average describes the mean of the last evaluations, which the paper reports in place of the last
// one.
func average(r *record.Run, of *runner.Average) string {
	if of == nil {
		return ""
	}
	classes := of.ByGroup.Of(r.Meta.Fit("class_accuracy"))
	worst := measure.LeastOf(classes, r.Meta.Counts(r.Meta.Main()).Test, r.Meta.Spec.MinGroup)
	return fmt.Sprintf("of the last %s (the paper's window of %d), "+
		"epoch %.4g to %.4g: mean %s, worst %s %s, train loss %s, test loss %s",
		kit.Plural(of.Evaluations, "evaluation"), runner.AverageWindow, of.FromEpoch,
		of.ToEpoch, console.Percent(of.Of("test_accuracy")), r.Meta.Part(), console.Percent(worst),
		console.Short(of.Of("train_loss")), console.Short(of.Of("test_loss")))
}

// method returns a method's name with its source.
func method(a dro.Algorithm) string {
	m, err := dro.Find(a)
	if err != nil || m.Source == "" {
		return string(a)
	}
	return fmt.Sprintf("%s: %s", a, m.Source)
}

// checkpoints lists the steps from which a run can be forked, and marks the pinned ones; it returns
// "" if there is no checkpoint.
func checkpoints(r *record.Run) string {
	steps, err := r.Checkpoints()
	pinned, _ := r.Pinned()
	var words []string
	for _, step := range steps {
		word := fmt.Sprint(step)
		if slices.Contains(pinned, step) {
			word += " (pinned)"
		}
		words = append(words, word)
	}
	switch {
	case err != nil:
		return err.Error()
	case len(words) == 0:
		return ""
	}
	return "at step " + strings.Join(words, ", ")
}
