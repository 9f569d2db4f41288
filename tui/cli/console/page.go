package console

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"drolab/runner/page"
	cells "drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// PageWriter lays out a page in lines of a given width.
type PageWriter struct {
	io.Writer
	Width int        // of a line, in cells
	ASCII bool       // draws lines and charts in ASCII alone
	Theme *kit.Theme // paints the cells that have a tone; nil paints nothing
}

// Page prints a page.
func (w *PageWriter) Page(p *page.Page) {
	fmt.Fprintf(w, "%s\n", cells.Clean(p.Title))
	for _, block := range p.Blocks {
		fmt.Fprintln(w)
		w.block(block)
	}
}

func (w *PageWriter) block(block page.Block) {
	switch block := block.(type) {
	case page.Heading:
		title, rule := cells.OneLine(string(block)), "─"
		if w.ASCII {
			rule = "-"
		}
		fmt.Fprintf(w, "%s\n%s\n", title, strings.Repeat(rule, cells.Width(title)))
	case page.Text:
		w.paragraph("", string(block))
	case page.List:
		for _, line := range block {
			w.paragraph("- ", line)
		}
	case *page.Table:
		w.table(block)
	case *page.Figure:
		w.figure(block)
	case *page.Scatter:
		w.scatter(block)
	}
}

// Blocks prints blocks in lines of w's width, or of any length if w has none. Of a wide table it
// prints as many columns at a time as fit.
func Blocks(w io.Writer, blocks ...page.Block) {
	width := math.MaxInt32
	if to, ok := w.(*cells.Writer); ok && to.Width > 0 {
		width = to.Width
	}
	for _, b := range blocks {
		(&PageWriter{Writer: w, Width: width}).block(b)
	}
}

// paragraph prints a paragraph with a mark before its first line. The other lines begin below its
// text.
func (w *PageWriter) paragraph(mark, text string) {
	for _, line := range kit.Wrap(cells.OneLine(text), w.Width-len(mark)) {
		fmt.Fprintln(w, mark+line)
		mark = kit.Blanks(len(mark))
	}
}

// table prints as many columns at a time as fit, and the first column each time.
func (w *PageWriter) table(t *page.Table) {
	const gap = 2
	t = alignCells(w.firstRows(t))
	theme := kit.NewTheme(0, true, false)
	if w.Theme != nil {
		*theme = *w.Theme
		theme.ASCII = false // texts stay as they are
	}
	for i, part := range theme.Grid(t, math.MaxInt, gap).Parts(w.Width) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		for _, row := range append([][]string{t.Heads()}, t.Rows...) {
			for _, line := range part.Lines(row) {
				fmt.Fprintln(w, line)
			}
		}
	}
	if t.Foot != "" {
		w.paragraph("", t.Foot)
	}
}

// firstRows returns a table for a reader: of many ranked rows it has the first, by their ranks.
// Such tables have no other Foot on a screen.
func (w *PageWriter) firstRows(t *page.Table) *page.Table {
	const most = 20
	if to, ok := w.Writer.(*cells.Writer); len(t.Ranks) <= most || ok && to.All {
		return t
	}
	order := slices.SortedFunc(maps.Keys(t.Ranks), func(i, j int) int {
		return cmp.Or(cmp.Compare(t.Ranks[j], t.Ranks[i]), i-j)
	})
	short := *t
	short.Rows = slices.Clone(t.Rows)
	for k, at := range slices.Sorted(maps.Keys(t.Ranks)) {
		if short.Rows[at] = nil; k < most {
			short.Rows[at] = t.Rows[order[k]]
		}
	}
	short.Rows = slices.DeleteFunc(short.Rows, func(row []string) bool { return row == nil })
	short.Foot = fmt.Sprintf("and %d more rows: --all prints them", len(order)-most)
	return &short
}

// alignCells returns the table with each cell in one line. In a column with stars, numbers without
// a star get a trailing blank, so that the digits are aligned.
func alignCells(t *page.Table) *page.Table {
	out := *t
	out.Columns, out.Rows = slices.Clone(t.Columns), nil
	starred := make([]bool, len(t.Columns))
	for i := range out.Columns {
		out.Columns[i].Head = cells.OneLine(t.Columns[i].Head)
	}
	for _, row := range t.Rows {
		line := make([]string, len(t.Columns))
		for i := range min(len(row), len(line)) {
			line[i] = cells.OneLine(row[i])
			starred[i] = starred[i] || !t.Columns[i].Words && strings.HasSuffix(line[i], "*")
		}
		out.Add(line...)
	}
	for _, row := range out.Rows {
		for i, c := range row {
			if starred[i] && !strings.HasSuffix(c, "*") {
				row[i] += " "
			}
		}
	}
	return &out
}

// figureHeight is the height of a chart in lines.
const figureHeight = 14

// figure draws curves as lines, each with its own mark, because there may be no colours.
func (w *PageWriter) figure(f *page.Figure) {
	t := kit.NewTheme(0, true, w.ASCII)
	c := &plot.Chart{Charset: t.Charset(false), X: plot.Range{Lo: 0, Hi: 1}}
	names := []string{}
	// Of a band's two series, each value lies one standard error from their mean.
	toEnds := func(int) float64 { return 1 }
	for i, curve := range f.Curves {
		mean, ends := new(plot.Series), []*plot.Series{new(plot.Series), new(plot.Series)}
		for _, p := range curve.Points {
			mean.Append(p.X, p.Y)
			ends[0].Append(p.X, p.Y-p.Half)
			ends[1].Append(p.X, p.Y+p.Half)
			c.X.Hi = max(c.X.Hi, p.X)
		}
		number := uint8(f.Series(i))
		c.Lines = append(c.Lines, plot.Line{Seeds: ends, HalfWidth: toEnds, Number: number},
			plot.Line{Seeds: []*plot.Series{mean}, Number: number, Glyph: t.Glyph(number)})
		names = append(names, t.Mark(number)+" "+cells.Clean(curve.Name))
	}
	c.Y = c.FitY()
	var frame plot.Frame
	c.DrawTo(&frame, w.Width, figureHeight)
	w.paragraph("", f.Caption)
	w.paragraph("", strings.Join(names, "   "))
	w.chart(&frame)
}

// scatterHeight is the height of a chart of points in lines.
const scatterHeight = 18

// scatter draws points in two measures.
func (w *PageWriter) scatter(s *page.Scatter) {
	w.paragraph("", s.Caption)
	above, chart := kit.NewTheme(0, true, w.ASCII).Points(s, w.Width, scatterHeight)
	for _, line := range above {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	w.chart(chart)
}

// chart prints a chart without its colours.
func (w *PageWriter) chart(frame *plot.Frame) {
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

// Blocks prints blocks at the width of Stdout.
func (c *Console) Blocks(blocks ...page.Block) {
	for _, b := range blocks {
		(&PageWriter{Writer: c.Stdout, Width: c.Width(), ASCII: c.ASCII}).block(b)
	}
}
