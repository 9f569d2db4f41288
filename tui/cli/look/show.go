package look

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/machine"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

func showCommand(con *console.Console) *cobra.Command {
	var system bool
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
			if system {
				return showSystem(con, r)
			}
			if con.AsJSON { // without the text, which reads the log
				return printDetailed(con, []*record.Run{r})
			}
			return show(con, r)
		},
	}
	con.JSONFlag(c, "the summary, or the samples of the machine")
	con.ExplainFlag(c)
	c.Flags().BoolVar(&system, "system", false, "show what the machine did during the run")
	return c
}

// showSystem prints what the machine did during a run: the last figures, each with its past.
func showSystem(con *console.Console, r *record.Run) error {
	list, _, err := r.Machine(0)
	if err != nil {
		return err
	}
	advice := machine.Advice(list)
	return con.Result(map[string]any{"run": r.Meta.ID, "advice": advice, "samples": list}, func() {
		con.PrintLine("%s: %s of its machine, one every 10 s", r.Meta.ID,
			kit.Plural(len(list), "sample"))
		if list == nil {
			return
		}
		t := page.New("part", "last figures, each over the run").Words(1)
		for _, l := range machine.Lines(list, func(past []float64) string {
			return plot.Spark(past, 8)
		}) {
			t.Add(l.Part, l.Text)
		}
		con.Blocks(page.Text(advice), t)
	})
}

func show(con *console.Console, r *record.Run) error {
	average, err := r.Average()
	if err != nil {
		return err
	}
	say := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			fmt.Fprintf(con.Stdout, "%-10s %s\n", name, cell.Clean(text))
		}
	}
	m := &r.Meta
	say("run", "%s", m.ID)
	say("status", "%s", con.StatusLine(r))
	say("directory", "%s", r.Dir)
	say("preset", "%s", m.Preset)
	say("parent", "%s", m.Parent)
	say("label", "%s", r.Label().String())
	say("saved", "%s", checkpoints(r))
	say("made", "%s by drolab %s, %s", m.Created.Local().Format("2006-01-02 15:04:05"),
		m.Host.Version, m.Host.Go)
	showOrigin(say, m)
	say("", "%s", m.BeyondBox(r.Summary()))
	if o := m.Optimum; o != nil {
		say("optimum", "min R_ρ = %.10g (known to %.1g), there λ = %.4g, η = %.4g", o.Risk,
			max(o.Gap, 1e-15), o.Lambda, o.Eta)
	}
	say("settings", "%s", settings(&m.Spec))
	showChosen(say, r)
	showAverage(say, m, average)
	fmt.Fprintln(con.Stdout)
	showParts(con.Stdout, r)
	console.Blocks(con.Stdout, runTable([]*record.Run{r}, nil))
	if con.Explain {
		printDefinitions(con, []*record.Run{r})
	}
	return nil
}

// sayer prints a line of show, with a name before it, unless the text is empty.
type sayer func(name, format string, args ...any)

// showOrigin says what was trained, on which data and machine, or from where a run was imported.
func showOrigin(say sayer, m *runner.Meta) {
	if m.Imported == nil {
		say("on", "%s, %s, kernel %s, %s", m.Host.CPU, m.Host.System, m.Host.Kernel,
			kit.Plural(m.Host.Threads, "thread"))
	}
	say("method", "%s", method(m.Spec.Algorithm()))
	if i := m.Imported; i != nil {
		showImported(say, i)
	} else {
		say("model", "%s, %d parameters", m.Spec.Model, m.Parameters)
	}
	say("program", "%s", program(m.Program))
	say("data", "%s, %s", m.Spec.Dataset, m.Checksum)
	if m.Imported == nil {
		say("z", "%s coordinates, %s", m.Coordinates,
			strings.Join(m.Spec.Bounds(m.Box.Lambda, m.Box.Eta), ", "))
	}
}

// showImported says from where a run was imported, and what is to be known of it.
func showImported(say sayer, i *runner.Imported) {
	if i.Kind == "" {
		say("imported", "from %s, %s, columns %s; %s", i.File, i.Checksum,
			strings.Join(i.Columns, ", "), strings.Join(i.Absent, "; "))
		return
	}
	say("imported", "from %s, a log of %s; %s", i.Path, i.Program, strings.Join(i.Absent, "; "))
	for _, f := range i.Files {
		say("", "%s, %d bytes, sha256:%s", f.Path, f.Size, f.SHA256)
	}
	say("there", "%s", i.Name)
	say("", "%s", strings.Join(i.Settings, ", "))
}

// showChosen describes the paper's own output, which is not the last iterate, with how stationary
// it is, and the step that the validation split finds best.
func showChosen(say sayer, r *record.Run) {
	s := r.Summary()
	if p := s.PaperIterate; p != nil {
		by := "argmin ‖∇ₓf‖² + gap² over noisy batches"
		if r.Meta.Spec.Text("output") == "random" {
			by = "drawn at random"
		}
		say("iterate", "step %d (%s): λ %s, η %s, test loss %s, mean %s, worst %s", p.Step, by,
			console.Short(p.Lambda), console.Short(p.Eta), console.Short(p.TestLoss),
			console.Percent(p.TestAccuracy), console.Percent(p.Worst()))
		if gap := s.Named("output_dual_gap"); gap.Applies() {
			say("", "there, on the training split: dual gap %s, ‖∇F‖ %s (on their batches: %s, %s)",
				console.Short(gap), console.Short(s.Named("output_grad_norm")),
				console.Short(p.Gap), console.Short(p.GradNorm))
		}
	}
	if c := s.Selected; c != nil {
		say("selected", "step %d, epoch %.4g (best by %s): test loss %s, mean %s, worst %s %s",
			c.Step, c.Epoch, c.By, console.Short(c.Named("test_loss")),
			console.Percent(c.Named("test_accuracy")), r.Meta.Part(),
			console.Percent(c.Named(r.Meta.MeasureFor("worst_class_accuracy"))))
	}
}

// showAverage describes the mean of the last evaluations, which the paper reports in place of the
// last one.
func showAverage(say sayer, m *runner.Meta, of *runner.Average) {
	if of == nil {
		return
	}
	worst := of.Named(m.MeasureFor("worst_class_accuracy"))
	say("average", "of the last %s (the paper's window of %d), "+
		"epoch %.4g to %.4g: mean %s, worst %s %s, train loss %s, test loss %s",
		kit.Plural(of.Evaluations, "evaluation"), runner.AverageWindow, of.FromEpoch,
		of.ToEpoch, console.Percent(of.Named("test_accuracy")), m.Part(), console.Percent(worst),
		console.Short(of.Named("train_loss")), console.Short(of.Named("test_loss")))
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

// program describes the program that a run trains, as recorded; it returns "" for other runs.
func program(p *runner.Program) string {
	if p == nil {
		return ""
	}
	words := []string{"sha256 " + p.SHA256}
	if p.Interpreter != "" {
		words = append(words, "by "+p.Interpreter)
	}
	if p.Processes > 1 {
		words = append(words, fmt.Sprintf("in %d processes", p.Processes))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		words = append(words, name+" "+p.Packages[name])
	}
	return strings.Join(words, ", ")
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
