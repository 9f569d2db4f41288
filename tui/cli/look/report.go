package look

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/compare"
	"drolab/runner/export"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/runner/story"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// reportWidth is the width of a report that is not printed on a terminal.
const reportWidth = 100

// reportFlags are the flags of `report`.
type reportFlags struct {
	markdown, latex, html bool
	into, family          string
	width                 int
}

func reportCommand(con *console.Console) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use: "report [RUN...]",
		Short: "Report on finished runs: the paper's table and figure, and verdicts on its " +
			"claims",
		Long: `Report on finished runs, or on the recorded runs of the paper's experiment (recorded:paper, the
default). The page has Table 1 beside the paper's numbers, Figure 1, accuracy per class, cost,
the effect of single settings, and a verdict on each claim of the paper: supported, not
supported, or undecided at this number of seeds. Verdicts come from paired t tests after Holm's
correction. RUN is as in drolab compare.

For registered runs the page is the one that docs/registration.md specifies. Until all of them
have ended, it lists the missing ones.`,
		Example: `drolab report
drolab report paper-gentle --html > report.html
drolab report recorded:paper --into docs/results.md`,
		ValidArgsFunction: con.CompleteRead,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFamily(f.family); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{recorded.Scheme + "paper"}
			}
			runs, err := con.FindSeveral(args)
			if err != nil {
				return err
			}
			return f.report(con, runs)
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
	c.MarkFlagsMutuallyExclusive("md", "latex", "html", "json", "into")
	return c
}

// report prints the report of some runs in the form that is asked for.
func (f *reportFlags) report(con *console.Console, runs []*record.Run) error {
	o := report.Options{Family: f.family, Known: presets.Known()}
	r, err := report.Of(runs, o, time.Now())
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
	if all, ok := r.(*report.Report); ok && len(all.Problems) == 1 && len(all.Variations) == 0 {
		told, err := story.Of(runs)
		if err != nil {
			return err
		}
		p.Blocks = append(p.Blocks, page.Heading("In one sentence"), page.Text(told.String()))
	}
	switch {
	case f.markdown:
		return con.Print(p.Markdown())
	case f.latex:
		return con.Print(p.LaTeX())
	case f.html:
		return con.Print(p.HTML())
	}
	columns, _, _ := con.Size()
	width := max(40, cmp.Or(f.width, columns, reportWidth))
	out := &console.PageWriter{Writer: con.Stdout, Width: width, ASCII: con.ASCII,
		Theme: con.Theme()}
	out.Page(p)
	return nil
}

// replaceIn replaces the tables between the marker lines of a Markdown file.
func replaceIn(path string, d report.Document) error {
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
	return export.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
