package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/publish"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

func (a *app) compareCommand() *cobra.Command {
	var asJSON, asCSV, asLaTeX, asMarkdown bool
	var at, family string
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
			if err := checkFamily(family); err != nil {
				return err
			}
			runs, err := a.findSeveral(args)
			if err != nil {
				return err
			}
			table := compare.Runs(runs, compare.Options{At: at, Family: family})
			switch {
			case asJSON:
				return printJSON(a.Stdout, table)
			case asCSV:
				return writeComparison(a.Stdout, table)
			case asLaTeX:
				return publish.Tabular(a.Stdout, comparison(table, table.Rows))
			case asMarkdown:
				printMarkdown(a.Stdout, comparison(table, table.Rows))
				return nil
			}
			printComparison(a.Stdout, table)
			define(a.Stdout, runs)
			return nil
		},
	}
	c.Flags().StringVar(&at, "at", "", "the step of the runs: last or selected (default: selected "+
		"where all runs selected one by the same rule, else last)")
	familyFlag(c, &family, compare.OneMeasure)
	c.Flags().BoolVar(&asJSON, "json", false, "print the table as JSON")
	c.Flags().BoolVar(&asCSV, "csv", false, "print a line a measure and column")
	c.Flags().BoolVar(&asLaTeX, "latex", false, "print the table for LaTeX with booktabs")
	c.Flags().BoolVar(&asMarkdown, "md", false, "print the table in Markdown")
	c.MarkFlagsMutuallyExclusive("json", "csv", "latex", "md")
	return c
}

// familyFlag says which tests are corrected for each other.
func familyFlag(c *cobra.Command, family *string, usual string) {
	c.Flags().StringVar(family, "family", usual, "tests that are corrected for each other: those of one "+
		"measure, or of the whole table")
	mustComplete(c, "family", cobra.FixedCompletions([]string{compare.OneMeasure, compare.AllMeasures},
		cobra.ShellCompDirectiveNoFileComp))
}

func checkFamily(family string) error {
	if family != compare.OneMeasure && family != compare.AllMeasures {
		return fmt.Errorf("--family %s: want %s or %s", oneLine(family), compare.OneMeasure, compare.AllMeasures)
	}
	return nil
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
		if column.Few {
			row[0] += " " + string(plot.FewMark)
		}
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

// writeComparison writes exact figures, a line a measure and a column of the table.
func writeComparison(w io.Writer, t *compare.Table) error {
	out := csv.NewWriter(w)
	out.Write([]string{"measure", "column", "seeds", "mean", "half_interval", "best", "few"})
	exact := func(n runner.Number) string {
		if !n.Applies() {
			return ""
		}
		return strconv.FormatFloat(n.Float(), 'g', -1, 64)
	}
	for i, column := range t.Columns {
		for _, g := range t.Rows {
			c := &g.Cells[i]
			out.Write([]string{column.Title(), g.Title(), strconv.Itoa(len(g.Seeds)), exact(c.Mean), exact(c.Half),
				strconv.FormatBool(c.Best), strconv.FormatBool(column.Few)})
		}
	}
	out.Flush()
	return out.Error()
}

// printMarkdown prints rows of which the first is the head.
func printMarkdown(w io.Writer, rows [][]string) {
	for i, row := range rows {
		line := make([]string, len(row))
		for k, c := range row {
			line[k] = strings.ReplaceAll(strings.TrimSpace(c), "|", `\|`)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintln(w, "|---"+strings.Repeat("|---:", len(row)-1)+"|")
		}
	}
}
