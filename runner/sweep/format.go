package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"drolab/runner/measure"
	"drolab/runner/page"
)

// Blocks are the table as text, and its notes.
func (t *Table) Blocks() []page.Block {
	blocks := []page.Block{t.Cells()}
	for _, n := range t.Notes {
		blocks = append(blocks, page.Text(n))
	}
	return blocks
}

// Cells are the table as text.
func (t *Table) Cells() *page.Table {
	head := append([]string{"method", "setting", "validation"}, t.titles()...)
	head = append(head, "settings", "runs", "epochs", "training", "of it chosen")
	list := &page.Table{Names: 2, Head: head}
	for _, r := range t.Rows {
		row := []string{string(r.Algorithm), strings.TrimSpace(r.Label), page.None}
		if r.IDs == nil {
			row[1] = "none is done"
		} else {
			row[2] = r.Validation.text()
		}
		for i := range t.titles() {
			text := page.None
			if i < len(r.Test) {
				text = r.Test[i].text()
			}
			row = append(row, text)
		}
		list.Rows = append(list.Rows, append(row, r.costs()...))
	}
	return list
}

func (t *Table) titles() (titles []string) {
	for _, r := range t.Rows {
		if r.Test == nil {
			continue
		}
		for _, c := range r.Test {
			titles = append(titles, c.Title)
		}
		return titles
	}
	return nil
}

func (r *Row) costs() []string {
	return []string{fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs),
		fmt.Sprintf("%.4g", r.Cost.Epochs), clock(r.Cost.Seconds), clock(r.Own.Seconds)}
}

func clock(seconds measure.Number) string {
	if !seconds.Applies() {
		return page.None
	}
	return time.Duration(seconds.Float() * float64(time.Second)).Round(time.Second / 10).String()
}

func (c *Cell) text() string { return page.Of(c.scale).With(c.Mean, c.Half) }

// CSV writes the table with a column for each mean and each half width.
func (t *Table) CSV(w io.Writer) error {
	lines := [][]string{{"method", "setting", "seeds", "settings", "runs", "epochs", "seconds"}}
	for _, r := range t.Rows {
		line := []string{string(r.Algorithm), strings.TrimSpace(r.Label), fmt.Sprint(len(r.IDs)),
			fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs), page.Exact(r.Cost.Epochs),
			page.ExactOf(r.Cost.Seconds)}
		titled := len(lines[0]) > len(line)
		for _, c := range append([]Cell{r.Validation}, r.Test...) {
			if r.IDs == nil {
				break // none of its settings is done
			}
			if !titled {
				lines[0] = append(lines[0], c.Name, c.Name+"_half")
			}
			line = append(line, page.ExactOf(c.Mean), page.ExactOf(c.Half))
		}
		lines = append(lines, line)
	}
	for i, line := range lines { // a record has as many fields as the first
		lines[i] = append(line, make([]string, len(lines[0])-len(line))...)
	}
	return page.CSV(w, lines[0], slices.Values(lines[1:]))
}
