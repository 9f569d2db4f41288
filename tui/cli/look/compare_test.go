package look

import (
	"fmt"
	"strings"
	"testing"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
)

// compared returns a table of the given number of methods, with a group of few samples and the
// mean.
func compared(methods int) *compare.Table {
	t := &compare.Table{Level: .95, Family: compare.OneMeasure, Columns: []compare.Column{
		{Name: "group_accuracy", Class: "a_b", Higher: true, Few: true},
		{Name: "test_accuracy", Higher: true}}}
	for i := range methods {
		accuracy := measure.Num(float64(i) / 10)
		t.Rows = append(t.Rows, compare.Row{Label: fmt.Sprintf("m%d", i), Seeds: []uint64{1, 2, 3},
			Cells: []compare.Cell{{Mean: accuracy}, {Mean: accuracy, Half: measure.Num(.01),
				Best: i == methods-1}}})
	}
	return t
}

// TestTableOfDocuments: methods are columns while there is room, and rows otherwise. In both forms,
// a footnote marks a group of few samples.
func TestTableOfDocuments(t *testing.T) {
	const foot = "¹ fewer than min\\_group test samples: such a figure is mostly chance, and " +
		"never called the worst.\n\n± is half"
	for _, c := range []struct {
		name, got, want string
	}{
		{"six, Markdown", page.Markdown(document(compared(6))...),
			"|  | m0 | m1 | m2 | m3 | m4 | m5 |\n|---|---:|---:|---:|---:|---:|---:|\n" +
				"| seeds | 3 | 3 | 3 | 3 | 3 | 3 |\n" +
				"| a\\_b ¹ | 0.0 | 10.0 | 20.0 | 30.0 | 40.0 | 50.0 |\n| mean | 0.0 ± 1.0 | " +
				"10.0 ± 1.0 | 20.0 ± 1.0 | 30.0 ± 1.0 | 40.0 ± 1.0 | 50.0 ± 1.0\\* |\n\n" + foot},
		{"seven, Markdown", page.Markdown(document(compared(7))...),
			"|  | seeds | a\\_b ¹ | mean |\n|---|---:|---:|---:|\n| m0 | 3 | 0.0 | 0.0 ± 1.0 |\n" +
				"| m1 | 3 | 10.0 | 10.0 ± 1.0 |\n| m2 | 3 | 20.0 | 20.0 ± 1.0 |\n" +
				"| m3 | 3 | 30.0 | 30.0 ± 1.0 |\n| m4 | 3 | 40.0 | 40.0 ± 1.0 |\n" +
				"| m5 | 3 | 50.0 | 50.0 ± 1.0 |\n| m6 | 3 | 60.0 | 60.0 ± 1.0\\* |\n\n" + foot},
		{"seven, LaTeX", page.LaTeX(document(compared(7))...),
			"\\begin{tabular}{lrrr}\n\\toprule\n & seeds & a\\_b $^1$ & mean \\\\\n\\midrule\n" +
				"m0 & 3 & 0.0 & 0.0 $\\pm$ 1.0 \\\\\nm1 & 3 & 10.0 & 10.0 $\\pm$ 1.0 \\\\\n" +
				"m2 & 3 & 20.0 & 20.0 $\\pm$ 1.0 \\\\\nm3 & 3 & 30.0 & 30.0 $\\pm$ 1.0 \\\\\n" +
				"m4 & 3 & 40.0 & 40.0 $\\pm$ 1.0 \\\\\nm5 & 3 & 50.0 & 50.0 $\\pm$ 1.0 \\\\\n" +
				"m6 & 3 & 60.0 & 60.0 $\\pm$ 1.0* \\\\\n\\bottomrule\n" +
				"\\multicolumn{4}{l}{\\footnotesize $^1$ fewer than min\\_group test samples: " +
				"such a figure is mostly chance, and never called the " +
				"worst.} \\\\\n\\end{tabular}\n% ± is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			turned := strings.Contains(c.got, "every other in its column: two-sided")
			if !strings.HasPrefix(c.got, c.want) || turned != strings.HasPrefix(c.name, "seven") {
				t.Errorf("%s\nwant\n%s", c.got, c.want)
			}
		})
	}
}

// TestLegendIsWhole: a sentence below the table is one line, which the console breaks at its width.
// A line that was already broken would be broken twice.
func TestLegendIsWhole(t *testing.T) {
	var b strings.Builder
	table := compared(2)
	printComparison(&b, table)
	for _, line := range table.Legend() {
		if len(line) > 100 && strings.Contains(b.String(), "\n"+line+"\n") {
			return
		}
	}
	t.Errorf("no long sentence is whole in\n%s", b.String())
}
