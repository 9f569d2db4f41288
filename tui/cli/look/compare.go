package look

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/tui/cli/console"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

func compareCommand(con *console.Console) *cobra.Command {
	var forms *console.Forms
	var at, family string
	c := &cobra.Command{
		Use: "compare RUN...", Short: "Compare finished runs over seeds, in the form of the " +
			"paper's Table 1",
		Long: `Compare finished runs. Runs that differ only in the seed share a column, with their mean and
its 95 % t interval. RUN is as in drolab show, the common start of several names, or
recorded:paper.

The best figure of a row is marked only if it is significantly better than every other one,
after Holm's correction for all pairs of columns and all classes; this needs several seeds.
Measures of the uncertainty set, such as the robust risk, are tested only between runs with the
same set and radius. Methods that use groups, classes or labels are marked (g), (c) and (l). At the
selected step, methods that refit after training are marked (last) and stand at their last step. In
LaTeX and Markdown, more than six columns become rows.`,
		Example: `drolab compare shapes
drolab compare paper-gentle-sfk paper-gentle-erm --json`,
		Args:              console.OneOrMore("some runs", "drolab compare shapes"),
		ValidArgsFunction: con.CompleteRead,
		RunE: func(c *cobra.Command, args []string) error {
			runs, err := con.FindSeveral(args)
			if err != nil {
				return err
			}
			table := compare.Runs(runs, compare.Options{At: at, Family: family})
			return con.Table(forms, table, table.Exact(), explained(table), func() {
				printComparison(con.Stdout, table)
				if con.Explain {
					printDefinitions(con, runs)
				}
			})
		},
	}
	c.Flags().StringVar(&at, "at", "", "step to compare: last or selected (default: selected "+
		"if all runs used the same rule, else last; methods that refit are at their last step)")
	console.Choices(c, "at", compare.Last, compare.Selected)
	familyFlag(c, &family, compare.OneMeasure)
	forms = con.TableFlags(c, ", one line per measure and column")
	con.ExplainFlag(c)
	return c
}

// familyFlag adds the flag --family, which chooses the tests that are corrected for each other.
func familyFlag(c *cobra.Command, family *string, usual string) {
	c.Flags().StringVar(family, "family", usual,
		"tests that are corrected together: those of one measure, or of the whole table")
	console.Choices(c, "family", compare.OneMeasure, compare.AllMeasures)
}

// printComparison prints the step of the figures, then a row per measure and a column per group of
// runs, as many columns at a time as fit on a page.
func printComparison(w io.Writer, t *compare.Table) {
	const columns = 4
	if head := t.Head(); head != "" {
		fmt.Fprintf(w, "\n%s\n", console.OneLine(head))
	}
	for groups := range slices.Chunk(t.Rows, columns) {
		fmt.Fprintln(w)
		console.Blocks(w, comparison(t, groups, string(plot.FewMark)))
	}
	fmt.Fprintln(w)
	for _, line := range t.Legend() {
		fmt.Fprintln(w, console.OneLine(line)) // the console wraps it
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "Note: %s\n", console.OneLine(n.Text))
	}
}

// mostColumns is the number of methods that fit on a page as columns. More methods become rows.
const mostColumns = 6

// inColumns rewords a legend that speaks of measures as rows for a table that has them as columns.
var inColumns = strings.NewReplacer("in its row", "in its column", "in all rows", "in all columns")

// explained returns the table for a document, below the step of its figures, with a legend that
// explains its signs, such as the family of tests over which stars are corrected.
func explained(t *compare.Table) []page.Block {
	table := comparison(t, t.Rows, "¹")
	if len(t.Rows) > mostColumns {
		table = table.Transpose()
	}
	var blocks []page.Block
	if head := t.Head(); head != "" {
		blocks = append(blocks, page.Text(head))
	}
	blocks = append(blocks, table)
	for _, line := range t.Legend() {
		if len(t.Rows) > mostColumns {
			line = inColumns.Replace(line)
		}
		if few, ok := strings.CutPrefix(line, string(plot.FewMark)+" marks "); ok {
			table.Foot = "¹ " + few
			continue
		}
		blocks = append(blocks, page.Text(line))
	}
	return blocks
}

// comparison returns a table with a row per measure and a column per group of runs. The mark few
// follows the title of a measure of too few samples.
func comparison(t *compare.Table, groups []compare.Row, few string) *page.Table {
	table, seeds := page.New(""), []string{"seeds"}
	for _, g := range groups {
		table.Head(console.Clean(g.Title()))
		seeds = append(seeds, fmt.Sprint(len(g.Seeds)))
	}
	table.Add(seeds...)
	for i, column := range t.Columns {
		row := []string{console.Clean(column.Title())}
		if column.Few {
			row[0] += " " + few
		}
		m, _ := measure.FindMeasure(column.Name)
		for _, g := range groups {
			cell := page.TableStyle(m.Scale).Half(3).With(g.Cells[i].Mean, g.Cells[i].Half)
			if g.Cells[i].Best {
				cell += "*"
			}
			row = append(row, cell)
		}
		if column.Class != "" && m.Axis != measure.PerRadius {
			table.Rank(-groups[0].Cells[i].Mean.Float(), row...)
		} else {
			table.Add(row...)
		}
	}
	return table
}

// reportWidth is the width of a report that is not printed on a terminal.
const reportWidth = 100

// reportFlags are the flags of `report`.
type reportFlags struct {
	markdown, latex, html bool
	interim               bool
	into, family          string
	width                 int
}

func reportCommand(con *console.Console) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report [STUDY] [RUN...]",
		Short: "Judge the claims of a study, or describe finished runs",
		Long: `Judge the claims of a study (docs/studies.md) on its runs in the runs folder, or on the runs that
are named. The page has a verdict on each claim: supported, not supported, undecided at this number
of seeds, or not tested, with the reason. Nothing is tested while runs are missing, except with
--interim.

Without a study, the recorded study to which the runs belong is meant: the paper's experiment
(recorded:paper, the default) or the registered one (recorded:registered). Its page has the
paper's numbers beside ours. Other runs are described: tables, figures, accuracy per class, cost
and the effect of single settings. RUN is as in drolab compare. The command starts nothing.`,
		Example: `drolab report
drolab report study.yaml --interim
drolab report paper-gentle --html > report.html
drolab report recorded:paper --into docs/results.md`,
		ValidArgsFunction: con.CompleteRead,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{recorded.Scheme + "paper"}
			}
			return f.report(con, args)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.markdown, "md", false, "print Markdown")
	flags.BoolVar(&f.latex, "latex", false, "print the page in LaTeX, with booktabs")
	flags.BoolVar(&f.html, "html", false, "print the page as one HTML file, figures included")
	con.JSONFlag(c, "the report's data")
	flags.StringVar(&f.into, "into", "",
		"replace the tables of a Markdown file, between its marker lines")
	familyFlag(c, &f.family, compare.AllMeasures)
	flags.IntVar(&f.width, "width", 0, "width of the page in columns (default: the terminal's)")
	flags.BoolVar(&f.interim, "interim", false, "test a study before all of its runs have ended")
	c.MarkFlagsMutuallyExclusive("md", "latex", "html", "json", "into")
	return c
}

// report prints the report of a study or of some runs in the form that is asked for.
func (f *reportFlags) report(con *console.Console, args []string) error {
	s, runs, err := f.study(con, args)
	if err != nil {
		return err
	}
	r, err := report.New(s, runs, report.Options{Family: f.family, Now: time.Now(),
		Interim: f.interim || s != nil && s.Registered.IsZero() && !presets.IsYAML(args[0])})
	switch {
	case err != nil:
		return err
	case f.into != "":
		return replaceIn(f.into, r)
	case con.AsJSON:
		return con.JSON(r)
	}
	p := r.Page()
	// Registered runs have no sentence, because nothing is told before the tests that are
	// registered. Several experiments have none, because no sentence could say which of them it
	// compares.
	if len(r.Problems) == 1 && len(r.Variations) == 0 {
		told, err := compare.StoryOf(runs)
		if err != nil {
			return err
		}
		p.Blocks = append(p.Blocks, page.Heading("In one sentence"), page.Text(told.String()))
	}
	switch {
	case f.markdown:
		return con.WriteDocument(p.Markdown())
	case f.latex:
		return con.WriteDocument(p.LaTeX())
	case f.html:
		return con.WriteDocument(p.HTML())
	}
	columns, _, _ := con.Size()
	width := max(40, cmp.Or(f.width, columns, reportWidth))
	out := &console.PageWriter{Writer: con.Stdout, Width: width, ASCII: con.ASCII,
		Theme: con.Theme(con.Stdout)}
	out.Page(p)
	return nil
}

// study returns the study that the arguments name, and its runs: those of the runs folder, or those
// that are named after it. Runs alone are judged by the recorded study to which they belong, if
// there is one.
func (f *reportFlags) study(con *console.Console, args []string) (
	s *report.Study, runs []*record.Run, err error,
) {
	if !presets.IsYAML(args[0]) { // these are runs
		if runs, err = con.FindSeveral(args); err == nil {
			s, err = recorded.StudyOf(runs)
		}
		return s, runs, err
	}
	if s, err = con.Study(args[0]); err != nil {
		return nil, nil, err
	}
	if len(args) > 1 {
		runs, err = con.FindSeveral(args[1:])
		return s, runs, err
	}
	all, problems := con.Catalogue().List()
	for _, err := range problems {
		con.Note(err.Error())
	}
	return s, s.Gather(all).Own(), nil
}

// replaceIn replaces the tables between the marker lines of a Markdown file.
func replaceIn(path string, d *report.Report) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := report.Replace(string(old), d)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if text == string(old) {
		return nil
	}
	return page.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
