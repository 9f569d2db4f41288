package cli

import (
	"fmt"
	"io"
	"os"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/report"

	"github.com/spf13/cobra"
)

// reportWidth is the width of a report that is not printed on a terminal.
const reportWidth = 100

func (a *app) reportCommand() *cobra.Command {
	var asJSON, markdown, latex, html bool
	var into string
	var width int
	c := &cobra.Command{
		Use: "report [RUN...]", Short: "One page: the paper's table, figure and claims, judged from runs",
		Long: `One page of finished runs, or of the recorded ones of the paper's experiment (recorded:paper, the default): Table 1
with the paper's numbers beside it, Figure 1, accuracy per class, cost, what one changed setting does, and each
claim of the paper with a verdict: supported, not supported, or undecided at this number of seeds, by paired
t tests after Holm's correction. RUN is as in compare.`,
		Example: `drolab report
drolab report paper-gentle --html > report.html
drolab report recorded:paper --into docs/results.md`,
		ValidArgsFunction: a.completeRead,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{recorded.Scheme + "paper"}
			}
			runs, err := a.findSeveral(args)
			if err != nil {
				return err
			}
			r, err := report.New(runs, presets.Known())
			switch {
			case err != nil:
				return err
			case into != "":
				return replaceIn(into, r)
			case asJSON:
				return printJSON(a.Stdout, r)
			case markdown:
				return a.print(r.Page().Markdown())
			case latex:
				return a.print(r.Page().LaTeX())
			case html:
				return a.print(r.Page().HTML())
			}
			if columns, _, ok := terminalSize(a.Env.Stdout); ok && width == 0 {
				width = columns
			}
			if width == 0 {
				width = reportWidth
			}
			(&pageWriter{a.Stdout, max(40, width), a.ASCII}).page(r.Page())
			return nil
		},
	}
	flags := c.Flags()
	flags.BoolVar(&markdown, "md", false, "print Markdown")
	flags.BoolVar(&latex, "latex", false, "print LaTeX, with booktabs")
	flags.BoolVar(&html, "html", false, "print one HTML file, with its figures")
	flags.BoolVar(&asJSON, "json", false, "print the report's data as JSON")
	flags.StringVar(&into, "into", "", "put the tables into a Markdown file, between the lines that mark "+
		"their place")
	flags.IntVar(&width, "width", 0, "columns of the page (default the terminal's)")
	c.MarkFlagsMutuallyExclusive("md", "latex", "html", "json", "into")
	return c
}

func (a *app) print(text string) error {
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// replaceIn puts the tables between the marks of a Markdown file.
func replaceIn(path string, r *report.Report) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := report.Replace(string(old), r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if text == string(old) {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
