package look

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"

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
			runs, err := con.FindSeveral(c.Context(), args)
			if err != nil {
				return err
			}
			table := compare.Runs(runs, compare.Options{At: at, Family: family})
			return con.Table(forms, table, table.Exact(), document(table), func() {
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
	con.BoxFlag(c)
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
		fmt.Fprintf(w, "\n%s\n", cells.OneLine(head))
	}
	for groups := range slices.Chunk(t.Rows, columns) {
		fmt.Fprintln(w)
		console.Blocks(w, comparison(t, groups, cells.Few))
	}
	fmt.Fprintln(w)
	for _, line := range t.Legend() {
		fmt.Fprintln(w, cells.OneLine(line)) // the console wraps it
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "Note: %s\n", cells.OneLine(n.Text))
	}
}

// mostColumns is the number of methods that fit on a page as columns. More methods become rows.
const mostColumns = 6

// columnWording rewords a legend that speaks of measures as rows for a table that has them as
// columns.
var columnWording = strings.NewReplacer("in its row", "in its column",
	"in all rows", "in all columns")

// document returns the table for a document, below the step of its figures, with a legend that
// explains its signs, such as the family of tests over which stars are corrected.
func document(t *compare.Table) []page.Block {
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
			line = columnWording.Replace(line)
		}
		if few, ok := strings.CutPrefix(line, cells.Few+" marks "); ok {
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
		table.Head(cells.Clean(g.Title()))
		seeds = append(seeds, fmt.Sprint(len(g.Seeds)))
	}
	table.Add(seeds...)
	for i, column := range t.Columns {
		row := []string{cells.Clean(column.Title())}
		if column.Few {
			row[0] += " " + few
		}
		m, _ := measure.FindMeasure(column.Name)
		for _, g := range groups {
			cell := page.TableStyle(m.Scale).Half(3).With(g.Cells[i].Mean, g.Cells[i].Half)
			if t.HasStar(&g, i) {
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
