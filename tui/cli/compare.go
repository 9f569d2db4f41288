package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) compareCommand() *cobra.Command {
	var asJSON bool
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
			if asJSON {
				return printJSON(a.Stdout, table)
			}
			printComparison(a.Stdout, table)
			define(a.Stdout, runs)
			return nil
		},
	}
	c.Flags().StringVar(&at, "at", "", "the step of the runs: last or selected (default: selected "+
		"where all runs selected one by the same rule, else last)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the table as JSON")
	return c
}

// findSeveral returns the runs that the words mean; the start of the names of
// several runs means all of them.
func (a *app) findSeveral(args []string) ([]*record.Run, error) {
	all, _ := record.List(a.runs) // what cannot be read is named when it is asked for
	var runs []*record.Run
	for _, arg := range args {
		if kept, ok, err := apart(arg); ok {
			if err != nil {
				return nil, err
			}
			runs = append(runs, kept...)
			continue
		}
		meant := slices.DeleteFunc(slices.Clone(all), func(r *record.Run) bool {
			return !strings.HasPrefix(r.Meta.ID, arg)
		})
		if len(meant) == 0 {
			r, err := a.find(arg)
			if err != nil {
				return nil, err
			}
			meant = append(meant, r)
		}
		runs = append(runs, meant...)
	}
	return runs, nil
}

// printComparison prints a row a measure and a column a group of runs, so many
// columns at a time as a page has room for.
func printComparison(w io.Writer, t *compare.Table) {
	const page = 4
	for groups := range slices.Chunk(t.Rows, page) {
		fmt.Fprintln(w)
		grid(w, comparison(t, groups))
	}
	fmt.Fprintln(w)
	for _, line := range t.Legend() {
		fmt.Fprintln(w, strings.Join(kit.Wrap(oneLine(line), 100), "\n  "))
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "Note: %s\n", oneLine(n.Text))
	}
}

func comparison(t *compare.Table, groups []compare.Row) [][]string {
	title, seeds := []string{""}, []string{"seeds"}
	for _, g := range groups {
		title = append(title, clean(g.Title()))
		seeds = append(seeds, fmt.Sprint(len(g.Seeds)))
	}
	rows := [][]string{title, seeds}
	for i, column := range t.Columns {
		row := []string{clean(column.Title())}
		for _, g := range groups {
			row = append(row, cell(&column, &g.Cells[i]))
		}
		rows = append(rows, row)
	}
	return rows
}

// measureOf is the row of the table of measures that a column shows.
func measureOf(c *compare.Column) runner.Measure {
	m, _ := runner.FindMeasure(c.Name)
	return m
}

// cell formats a mean and its interval on the measure's own scale.
func cell(column *compare.Column, c *compare.Cell) string {
	mean, half, scale := "%.4g", "%.3g", 1.0
	if measureOf(column).Scale == dro.Percent {
		mean, half, scale = "%.1f", "%.1f", 100
	}
	text := written(mean, scale, c.Mean)
	if c.Half.Applies() {
		text += " ± " + written(half, scale, c.Half)
	}
	if c.Best {
		return text + "*"
	}
	return text + " "
}
