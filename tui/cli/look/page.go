package look

import (
	"fmt"
	"io"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/report"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// pageWriter lays a report out in lines of some width.
type pageWriter struct {
	io.Writer
	width int
	ascii bool
}

func (w *pageWriter) page(p *report.Page) {
	fmt.Fprintf(w, "%s\n", console.Clean(p.Title))
	for _, block := range p.Blocks {
		fmt.Fprintln(w)
		switch block := block.(type) {
		case report.Heading:
			title := console.OneLine(string(block))
			fmt.Fprintf(w, "%s\n%s\n", title, strings.Repeat(w.rule(), cells.Width(title)))
		case report.Text:
			w.wrapped(string(block), "", "")
		case report.List:
			for _, line := range block {
				w.wrapped(line, "- ", "  ")
			}
		case *report.Table:
			w.table(block)
		case *report.Figure:
			w.figure(block)
		}
	}
}

func (w *pageWriter) rule() string {
	if w.ascii {
		return "-"
	}
	return "─"
}

// wrapped prints a paragraph behind a first mark, and its other lines behind
// another.
func (w *pageWriter) wrapped(text, first, others string) {
	lines := kit.Wrap(console.OneLine(text), w.width-cells.Width(first))
	for i, line := range lines {
		mark := first
		if i > 0 {
			mark = others
		}
		fmt.Fprintln(w, mark+line)
	}
}

// gap is between two columns.
const gap = 2

// table prints so many columns at a time as there is room for, the first one
// each time. Where its last column is words, that is wrapped instead.
func (w *pageWriter) table(t *report.Table) {
	rows := [][]string{t.Head}
	rows = append(rows, t.Rows...)
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], cells.Width(console.OneLine(c)))
		}
	}
	for from := 1; from < len(widths); {
		to, room := from, w.width-widths[0]
		for to < len(widths) && (to == from || room >= gap+widths[to]) {
			room -= gap + widths[to]
			to++
		}
		if last := len(widths) - 1; t.Words > 0 && to == last {
			to, widths[last] = last+1, max(room-gap, 16)
		}
		if from > 1 {
			fmt.Fprintln(w)
		}
		for _, row := range rows {
			w.row(t, row, widths, from, to)
		}
		from = to
	}
}

// row prints the first cell and those of the columns from..to, in as many lines as
// the last needs.
func (w *pageWriter) row(t *report.Table, row []string, widths []int, from, to int) {
	last := kit.Wrap(console.OneLine(row[to-1]), widths[to-1])
	line := kit.Left(console.OneLine(row[0]), widths[0])
	for i := from; i < to-1; i++ {
		line += kit.Blanks(gap) + align(t, i, console.OneLine(row[i]), widths[i])
	}
	for _, part := range last {
		line += kit.Blanks(gap) + align(t, to-1, part, widths[to-1])
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		line = kit.Blanks(cells.Width(line) - gap - widths[to-1])
	}
}

func align(t *report.Table, column int, cell string, width int) string {
	if column >= len(t.Head)-t.Words {
		return kit.Left(cell, width)
	}
	return kit.Right(cell, width)
}

// figureHeight is the height of a chart in lines.
const figureHeight = 14

// figure draws curves: lines with a mark each, as colours may not be there.
func (w *pageWriter) figure(f *report.Figure) {
	t := kit.NewTheme(0, true, w.ascii)
	c := &plot.Chart{Charset: t.Charset(false), X: plot.EmptyRange()}
	last, names := 1.0, []string{}
	for i, curve := range f.Curves {
		var seeds []*plot.Series
		for _, seed := range curve.Seeds {
			s := plot.NewSeries("")
			for _, p := range seed {
				s.Append(p.X, p.Y)
				last = max(last, p.X)
			}
			seeds = append(seeds, s)
		}
		number := uint8(i % kit.Colors)
		if len(seeds) > 1 {
			c.Bands = append(c.Bands, plot.Band{Seeds: seeds, Half: half95, Number: number})
		}
		c.Lines = append(c.Lines, plot.Line{Series: middle(seeds), Number: number, Glyph: t.Glyph(i)})
		names = append(names, fmt.Sprintf("%c %s", t.Glyph(i), console.Clean(curve.Name)))
	}
	c.X = plot.Range{Lo: 0, Hi: last}
	c.Y = c.FitY()
	var frame plot.Frame
	c.DrawTo(&frame, w.width, figureHeight)
	w.wrapped(f.Caption, "", "")
	fmt.Fprintln(w, strings.Join(names, "   "))
	for y := range frame.H {
		var line strings.Builder
		for _, cell := range frame.Row(y) {
			if cell.Rune != 0 {
				line.WriteRune(cell.Rune)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// half95 is of the 95 % t interval over seeds.
func half95(n int) float64 { return compare.HalfWidth(n, 0.95) }

// middle is the mean of seeds as a line.
func middle(seeds []*plot.Series) *plot.Series {
	if len(seeds) == 1 {
		return seeds[0]
	}
	last := 0.0
	for _, s := range seeds {
		last = max(last, s.XRange().Hi)
	}
	const points = 200
	line := plot.NewSeries("")
	for _, p := range (&plot.Band{Seeds: seeds}).PointsTo(nil, plot.Range{Lo: 0, Hi: last}, points) {
		if p.N > 0 {
			line.Append(p.X, p.Mean)
		}
	}
	return line
}
