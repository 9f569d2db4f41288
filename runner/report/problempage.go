package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/page"
)

// split returns a sentence on the two parts of the objectives at the end: the risk, which depends
// on the network, and the dual gap, which depends on the dual variables.
func (p *Problem) split() string {
	var words []string
	for i, a := range p.arms {
		cells := p.Table.Rows[i].Cells
		gap := slices.IndexFunc(p.Table.Columns, func(c compare.Column) bool {
			return c.Name == "dual_gap"
		})
		if gap < 0 || !cells[gap].Mean.Applies() {
			continue
		}
		risk := 0.0
		for _, r := range a.runs {
			risk += r.Summary().Of("train_robust_risk").Float() / float64(len(a.runs))
		}
		words = append(words, fmt.Sprintf("%s %.4g + %.3g", a.label, risk, cells[gap].Mean.Float()))
	}
	if len(words) == 0 {
		return ""
	}
	return "The objective is the network's R_ρ of the training split plus the dual gap, which is " +
		"the error of (λ, η) alone; at the end, means over seeds: " +
		strings.Join(words, ", ") + "."
}

// blocks returns the problem's tables and figures.
func (p *Problem) blocks() []page.Block {
	table, figure := "Table", "Figures"
	if t := p.study.Published; t != nil {
		table, figure = t.Name, t.Figure
	}
	list := []page.Block{page.Heading(join(table, p.Label)), p.table1()}
	if len(p.arms) > 1 {
		list = append(list, page.Text(p.legend()))
	}
	list = append(list, page.Heading(join(figure, p.Label)))
	for _, f := range []struct{ measure, caption string }{
		{"train_objective", "dual objective F(x; λ, η) of the training split"},
		{"train_loss", "train loss"},
		{"test_loss", "test loss"},
		{"robust_risk", "robust risk of the test split"},
	} {
		figure := &page.Figure{Caption: join(f.caption, p.Label) + ", by epoch"}
		for i, a := range p.arms {
			if c := a.curve(f.measure); len(c.Points) > 0 {
				c.Mark = i + 1
				figure.Curves = append(figure.Curves, c)
			}
		}
		if len(figure.Curves) > 0 {
			list = append(list, figure)
		}
	}
	smooth := "not smoothed"
	if n := p.study.Window; n > 0 {
		smooth += fmt.Sprintf(" (the paper's curves are moving averages over %d)", n)
	}
	list = append(list, page.Text("Evaluations of whole splits, "+smooth+"; with several seeds "+
		"the mean and its 95 % t interval."))
	return append(append(list, p.classBlocks()...), p.costBlocks()...)
}

// legend explains the stars of the table. It leaves out the line on ±, which is the standard
// deviation on this page.
func (p *Problem) legend() string {
	lines := p.Table.Legend()
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "±") })
	return strings.Join(lines, " ") + p.starred()
}

// ofPaper is a column of published figures.
var ofPaper = page.Column{Head: "paper", Faint: true}

// table1 returns a table with a column for each arm, beside the paper's column for its method.
func (p *Problem) table1() *page.Table {
	t := page.New("%")
	for _, a := range p.arms {
		t.Head(fmt.Sprintf("%s (n=%d)", a.label, len(a.runs)))
		if p.published(a) {
			t.Columns = append(t.Columns, ofPaper)
		}
	}
	for c := range p.Table.Columns {
		column := &p.Table.Columns[c]
		row := []string{column.Title()}
		for i, a := range p.arms {
			cell := &p.Table.Rows[i].Cells[c]
			text := style(column.Name).With(cell.Mean, cell.Std)
			if cell.Best {
				text += "*"
			}
			row = append(row, text)
			if p.published(a) {
				row = append(row, p.cell(a, column.Name, column.Class))
			}
		}
		if column.Class == "" {
			t.Add(row...)
		} else {
			t.Rank(-p.Table.Rows[0].Cells[c].Mean.Float(), row...)
		}
	}
	return t
}
