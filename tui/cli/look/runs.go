package look

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/machine"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/publish"
	"drolab/runner/record"
	"drolab/runner/spec"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

// Commands returns the commands that only read: runs, worst cases, and what runs are made of.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{runsCommand(con), showCommand(con), compareCommand(con),
		reportCommand(con), recordCommand(con), exportCommand(con), doctorCommand(con),
		riskCommand(con), evalCommand(con), featuresCommand(con), certifyCommand(con),
		planCommand(con), theoryCommand(con), dataCommand(con), importCommand(con),
		presetsCommand(con)}
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
		return console.Percent(r.Summary().Named(r.Meta.MeasureFor("worst_class_accuracy")))
	})
	list.Add("mean", func(r *record.Run) string {
		return console.Percent(r.Summary().Named("test_accuracy"))
	})
	list.Add("test loss", func(r *record.Run) string {
		return console.Short(r.Summary().Named("test_loss"))
	})
	own := record.UserMeasures(runs...)
	for _, m := range own[:min(len(own), mostOwn)] {
		list.Add(m.Head(), func(r *record.Run) string {
			return console.Figure(&m, r.Summary().Named(m.Name))
		})
	}
	console.Blocks(w, append(list, more...).Table(runs, nil))
}

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
			fmt.Fprintf(con.Stdout, "%-10s %s\n", name, console.Clean(text))
		}
	}
	m := &r.Meta
	say("run", "%s", m.ID)
	say("status", "%s", console.StatusLine(r))
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
		say("imported", "from %s, %s, columns %s; %s", i.File, i.Checksum,
			strings.Join(i.Columns, ", "), strings.Join(i.Absent, "; "))
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
	classes := of.ByGroup.Named(m.MeasureFor("class_accuracy"))
	worst := measure.LeastOf(classes, m.Counts(m.Main()).Test, m.Spec.MinGroup)
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

// lister holds the flags of `runs`.
type lister struct {
	all, lines          bool
	limit               int
	filter, sort, extra string
}

// newest is the default number of runs to print: a page or two.
const newest = 50

func runsCommand(con *console.Console) *cobra.Command {
	var l lister
	c := &cobra.Command{
		Use: "runs", Short: "List the newest runs", Args: console.None,
		Long: `List the 50 newest runs; --all and --json list all. A filter takes the words and terms of the
Runs page, as in algo:sfk rho>=0.5 -failed. --sort and --columns take a setting, a measure or a
fact, such as lr, test_accuracy or tag.`,
		Example: `drolab runs --filter "algo:sfk -failed" --sort=-worst
drolab runs --all --columns lr,tag`,
		RunE: func(c *cobra.Command, _ []string) error {
			if l.limit < 1 {
				return fmt.Errorf("--limit %d: want at least 1", l.limit)
			}
			l.all = l.all || (con.AsJSON || l.lines) && !c.Flags().Changed("limit")
			return l.run(con)
		},
	}
	f := c.Flags()
	f.BoolVar(&l.all, "all", false, "list all runs")
	f.IntVar(&l.limit, "limit", newest, "number of runs to list")
	f.StringVar(&l.filter, "filter", "", "list the runs that match a filter")
	f.StringVar(&l.sort, "sort", "", "sort by a setting or a measure, ascending; -NAME sorts "+
		"descending")
	f.StringVar(&l.extra, "columns", "", "further settings and measures to list")
	con.JSONFlag(c, "the runs")
	f.BoolVar(&l.lines, "jsonl", false, "print JSON, one line per run")
	c.MarkFlagsMutuallyExclusive("json", "jsonl", "columns")
	c.MarkFlagsMutuallyExclusive("all", "limit")
	return c
}

func (l *lister) run(con *console.Console) error {
	wanted, err := compare.ParseFilter(l.filter)
	if err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	columns, err := columnsOf(l.extra)
	if err != nil {
		return fmt.Errorf("--columns: %w", err)
	}
	runs, problems := con.Catalogue().List()
	none := len(runs) == 0
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return !wanted(r) })
	if err := l.order(runs); err != nil {
		return fmt.Errorf("--sort: %w", err)
	}
	shown := runs
	if !l.all {
		shown = runs[:min(l.limit, len(runs))]
	}
	switch {
	case con.AsJSON || l.lines:
		err = printJSON(con.Stdout, shown, l.lines)
	case none && len(problems) > 0: // the problems say why
	case none:
		con.PrintLine("no runs in %s yet: start some with drolab run shapes", con.RunsDir)
	case len(runs) == 0:
		con.PrintLine("No runs match. drolab runs lists all")
	default:
		printList(con.Stdout, shown, columns...)
		if n := len(runs) - len(shown); n > 0 {
			con.PrintLine("and %d more: --all lists them, --filter selects", n)
		}
	}
	return cmp.Or(err, console.Failures(problems).OrNil())
}

// order sorts runs by the value of --sort. Runs without a value come last.
func (l *lister) order(runs []*record.Run) error {
	if l.sort == "" {
		return nil
	}
	key, down := strings.CutPrefix(l.sort, "-")
	of, err := compare.FactOf(key)
	if err != nil {
		return err
	}
	page.Sort(runs, down, func(r *record.Run) page.Key { return page.KeyOf(of(r)) })
	return nil
}

// columnsOf returns the columns that --columns asks for.
func columnsOf(keys string) (list page.Fields[*record.Run], err error) {
	apart := func(c rune) bool { return c == ',' || c == ' ' }
	for key := range strings.FieldsFuncSeq(keys, apart) {
		of, err := compare.FactOf(key)
		if err != nil {
			return nil, err
		}
		// λ and η are both; their settings are values at the start.
		_, setting := spec.FindSetting(key)
		if m, ok := measure.FindMeasure(key); ok && !setting {
			of = func(r *record.Run) string { return console.Figure(&m, r.Of(m.Name)) }
		}
		list.Add(console.Clean(key), func(r *record.Run) string { return console.OneLine(of(r)) })
	}
	return list, nil
}

// printJSON prints runs as one object, or as one line each. Ten thousand runs are forty megabytes,
// so all cores encode them and few are in memory at a time.
func printJSON(w io.Writer, runs []*record.Run, lines bool) error {
	begin, between, end := "{\n  \"runs\": [", ",", "\n  ]\n}\n"
	switch {
	case lines:
		begin, between, end = "", "", ""
	case len(runs) == 0:
		end = begin + "]\n}\n"
	}
	const some = 64
	before := begin
	for part := range slices.Chunk(runs, some) {
		texts, errs := make([][]byte, len(part)), make([]error, len(part))
		var all sync.WaitGroup
		for i, r := range part {
			all.Go(func() { texts[i], errs[i] = summaryJSON(r, lines) })
		}
		all.Wait()
		for i, text := range texts {
			if errs[i] != nil {
				return errs[i]
			}
			if _, err := w.Write(append([]byte(before), text...)); err != nil {
				return err
			}
			before = between
		}
	}
	_, err := io.WriteString(w, end)
	return err
}

// summaryJSON returns the JSON of a run, as part of the object of printJSON or as a line.
func summaryJSON(r *record.Run, line bool) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !line {
		b.WriteString("\n    ")
		e.SetIndent("    ", "  ")
	}
	if err := e.Encode(console.Summaries([]*record.Run{r}).Runs[0]); err != nil {
		return nil, err
	}
	if !line {
		b.Truncate(b.Len() - 1)
	}
	return cells.EscapeJSON(b.Bytes()), nil
}

func recordCommand(con *console.Console) *cobra.Command {
	var into string
	var checkpoint int64
	c := &cobra.Command{
		Use: "record RUN...", Short: "Pack finished runs into small files, to keep or to share",
		Long: `Pack finished runs into small files, RUN` + record.PackedExt +
			` each. A file has
the run's settings and origin, all its evaluations, some hundred steps and its summary. With
--checkpoint it also has the checkpoint of that step. The same run gives the same bytes. The commands show, compare and report take such a
file in place of RUN; the runs that come with the program are recorded:paper and
recorded:paper/RUN. RUN is as in drolab compare.`,
		Example:           "drolab record paper-gentle --into kept\ndrolab compare kept/*.tar.gz",
		Args:              console.OneOrMore("some runs", "drolab record latest"),
		ValidArgsFunction: con.CompleteRead,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := con.FindSeveral(args)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(into, 0o755); err != nil {
				return err
			}
			return console.TryAll(runs, func(r *record.Run) error {
				return pack(con, into, r, checkpoint)
			})
		},
	}
	c.Flags().Int64Var(&checkpoint, "checkpoint", 0, "step of a checkpoint to keep; 0 keeps none")
	c.Flags().StringVar(&into, "into", ".", "folder of the files")
	return c
}

// pack writes one packed run, whole or not at all.
func pack(con *console.Console, into string, r *record.Run, checkpoint int64) error {
	name := filepath.Join(into, r.Meta.ID+record.PackedExt)
	write := func(w io.Writer) error { return record.Pack(w, r, checkpoint) }
	if err := page.Replace(name, write); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err == nil {
		con.PrintLine("%s: %.1f kB", name, float64(info.Size())/1e3)
	}
	return err
}

func exportCommand(con *console.Console) *cobra.Command {
	var to, out string
	var lines, words []string
	for _, f := range publish.Formats() {
		lines = append(lines, fmt.Sprintf("  %-13s%s", f.Name, f.Doc))
		words = append(words, f.Name+"\t"+f.Doc)
	}
	c := &cobra.Command{
		Use: "export RUN|RUN@STEP --to FORMAT --out PATH", Short: "Write a run for other programs",
		Long: "Write a run, or the network of one of its checkpoints " +
			"(the newest by default), for other programs. The formats:\n\n" +
			strings.Join(lines, "\n"),
		Example: `drolab export latest --to python --out model.py
drolab export latest@selected --to onnx --out model.onnx
drolab export latest --to tensorboard --out logs/latest`,
		Args:              console.One("a run", "drolab export latest --to python --out model.py"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			return exportTo(con, args[0], to, out)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the format")
	c.Flags().StringVar(&out, "out", "", "file or folder to write; it must not exist")
	console.Choices(c, "to", words...)
	return c
}

func exportTo(con *console.Console, name, to, out string) error {
	f, err := publish.Find(to)
	if err != nil {
		return errors.New("--to: " + err.Error())
	}
	if out == "" {
		return errors.New("--out: give a file or folder to write")
	}
	r, step := &publish.Run{}, int64(0)
	if r.Run, step, err = con.FindStep(name); err != nil {
		return err
	}
	if f.Network || step >= 0 { // a checkpoint that is named has to exist
		if r.State, err = r.Load(step); err != nil {
			return err
		}
	}
	if f.Network {
		if r.Encoder, err = r.Meta.EncoderFrom(con.DataDir); err != nil {
			return err
		}
	}
	if err := f.Write(r, out); err != nil {
		return err
	}
	con.PrintLine("run %s is written to %s", r.Meta.ID, out)
	return nil
}
