package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

func (a *app) compareCommand() *cobra.Command {
	var asJSON, asCSV, asLaTeX, asMarkdown bool
	var at string
	c := &cobra.Command{
		Use: "compare RUN...", Short: "Compare finished runs, over seeds, as the paper's Table 1",
		Long: `Compare finished runs: those that differ in nothing but the seed are one column, with the mean and its
95 % t interval. RUN is as in show, or the start of the names of several runs, or recorded:paper. The best figure of a row is
marked only where it is significantly better than every other one, after Holm's correction for all pairs of
columns and all classes; that takes several seeds. Measures of the uncertainty set, such as the robust risk,
are tested only between runs of the same set and radius. Methods that use groups, classes or labels are
marked (g), (c), (l).`,
		Example: `drolab compare shapes
drolab compare paper-gentle-sfk paper-gentle-erm --json`,
		Args:              atLeastOne("some runs", "drolab compare shapes"),
		ValidArgsFunction: a.completeRead,
		RunE: func(c *cobra.Command, args []string) error {
			if at != "" && at != compare.Last && at != compare.Selected {
				return fmt.Errorf("--at %s: want last or selected", oneLine(at))
			}
			runs, err := a.findSeveral(args)
			if err != nil {
				return err
			}
			table := compare.Runs(runs, compare.Options{At: at})
			switch {
			case asJSON:
				return printJSON(a.Stdout, table)
			case asCSV:
				return writeComparison(a.Stdout, table)
			case asLaTeX:
				return a.print(page.LaTeX(comparison(table, table.Rows)))
			case asMarkdown:
				return a.print(page.Markdown(comparison(table, table.Rows)))
			}
			printComparison(a.Stdout, table)
			define(a.Stdout, runs)
			return nil
		},
	}
	c.Flags().StringVar(&at, "at", "", "the step of the runs: last or selected (default: selected "+
		"where all runs selected one by the same rule, else last)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the table as JSON")
	c.Flags().BoolVar(&asCSV, "csv", false, "print a line a measure and column")
	c.Flags().BoolVar(&asLaTeX, "latex", false, "print the table for LaTeX with booktabs")
	c.Flags().BoolVar(&asMarkdown, "md", false, "print the table in Markdown")
	c.MarkFlagsMutuallyExclusive("json", "csv", "latex", "md")
	return c
}

// findSeveral returns the runs that the words mean: one by its name, and several by
// the start of their names.
func (a *app) findSeveral(args []string) ([]*record.Run, error) {
	list := sync.OnceValue(func() []*record.Run { // not for runs that lie apart
		all, _ := record.List(a.runs) // what cannot be read is named when it is asked for
		return all
	})
	var runs []*record.Run
	for _, arg := range args {
		meant, ok, err := apart(arg)
		if !ok {
			meant, err = a.meant(arg, list)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, meant...)
	}
	a.saw(runs...)
	return runs, nil
}

// meant are the runs of a list that a word means.
func (a *app) meant(word string, list func() []*record.Run) ([]*record.Run, error) {
	if word == "" || word == "latest" {
		r, err := a.find(word)
		return []*record.Run{r}, err
	}
	var starting []*record.Run
	for _, r := range list() {
		if r.Meta.ID == word {
			return []*record.Run{r}, nil
		}
		if strings.HasPrefix(r.Meta.ID, word) {
			starting = append(starting, r)
		}
	}
	if len(starting) > 0 {
		return starting, nil
	}
	r, err := a.find(word)
	return []*record.Run{r}, err
}

// printComparison prints a row a measure and a column a group of runs, so many
// columns at a time as a page has room for.
func printComparison(w io.Writer, t *compare.Table) {
	const page = 4
	for groups := range slices.Chunk(t.Rows, page) {
		fmt.Fprintln(w)
		printBlocks(w, comparison(t, groups))
	}
	fmt.Fprintln(w)
	for _, line := range t.Legend() {
		fmt.Fprintln(w, strings.Join(kit.Wrap(oneLine(line), 100), "\n  "))
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "Note: %s\n", oneLine(n.Text))
	}
}

// comparison has a row a measure and a column a group of runs.
func comparison(t *compare.Table, groups []compare.Row) *page.Table {
	title, seeds := []string{""}, []string{"seeds"}
	for _, g := range groups {
		title = append(title, clean(g.Title()))
		seeds = append(seeds, fmt.Sprint(len(g.Seeds)))
	}
	rows := [][]string{seeds}
	for i, column := range t.Columns {
		row := []string{clean(column.Title())}
		if column.Few {
			row[0] += " " + string(plot.FewMark)
		}
		for _, g := range groups {
			row = append(row, cell(&column, &g.Cells[i]))
		}
		rows = append(rows, row)
	}
	return &page.Table{Head: title, Rows: rows}
}

// cell formats a mean and its interval on the measure's own scale.
func cell(column *compare.Column, c *compare.Cell) string {
	m, _ := runner.FindMeasure(column.Name)
	text := page.Of(m.Scale).Half(3).With(c.Mean, c.Half)
	if c.Best {
		text += "*"
	}
	return text
}

// writeComparison writes exact figures, a line a measure and a column of the table.
func writeComparison(w io.Writer, t *compare.Table) error {
	var rows [][]string
	for i, column := range t.Columns {
		for _, g := range t.Rows {
			c := &g.Cells[i]
			rows = append(rows, []string{column.Title(), g.Title(), strconv.Itoa(len(g.Seeds)), page.ExactOf(c.Mean),
				page.ExactOf(c.Half), strconv.FormatBool(c.Best), strconv.FormatBool(column.Few)})
		}
	}
	head := []string{"measure", "column", "seeds", "mean", "half_interval", "best", "few"}
	return page.CSV(w, head, slices.Values(rows))
}
