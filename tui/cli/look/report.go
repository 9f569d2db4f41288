package look

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/runner/report/paper"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

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
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{recorded.Scheme + "paper"}
			}
			return f.report(c.Context(), con, args)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.markdown, "md", false, "print Markdown")
	flags.BoolVar(&f.latex, "latex", false, "print the page in LaTeX, with booktabs")
	flags.BoolVar(&f.html, "html", false, "print the page as one HTML file, figures included")
	con.BoxFlag(c)
	con.JSONFlag(c, "the report's data")
	flags.StringVar(&f.into, "into", "",
		"replace the tables of a Markdown file, between its marker lines")
	familyFlag(c, &f.family, compare.AllMeasures)
	flags.IntVar(&f.width, "width", 0, "width of the page in columns (default: the terminal's)")
	flags.BoolVar(&f.interim, "interim", false, "test a study before all of its runs have ended")
	console.TakeAlone(c, "md", "latex", "html", "json", "into")
	return c
}

// report prints the report of a study or of some runs in the form that is asked for.
func (f *reportFlags) report(ctx context.Context, con *console.Console, args []string) error {
	s, runs, err := f.study(ctx, con, args)
	if err != nil {
		return err
	}
	r, err := report.New(s, runs, report.Options{Family: f.family, Now: time.Now(),
		Publication: paper.Of(s),
		Interim:     f.interim || s != nil && s.Registered.IsZero() && !presets.IsYAML(args[0])})
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
func (f *reportFlags) study(ctx context.Context, con *console.Console, args []string) (
	s *report.Study, runs []*record.Run, err error,
) {
	if !presets.IsYAML(args[0]) { // these are runs
		if runs, err = con.FindSeveral(ctx, args); err == nil {
			s, err = recorded.StudyOf(runs)
		}
		return s, runs, err
	}
	if s, err = con.Study(args[0]); err != nil {
		return nil, nil, err
	}
	if len(args) > 1 {
		runs, err = con.FindSeveral(ctx, args[1:])
		return s, runs, err
	}
	all, problems := con.List(ctx)
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
