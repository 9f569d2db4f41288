package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Page is text, tables and figures in their order.
type Page struct {
	Title  string
	Blocks []Block
	// Tones are the colours of cells by the words that they end in.
	Tones map[string]Tone
	Faint string // the head of columns of numbers that are beside the point
}

// Block is a Heading, a Text, a List, a *Table or a *Figure.
type Block interface{ block() }

// Heading opens a section.
type Heading string

// Text is a paragraph.
type Text string

// List is a list of sentences.
type List []string

// Table is cells under a head; the columns are numbers and stand to the right, but for
// the first ones, which are Names, and the last ones, which are Words.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
	Names   int // 0 is 1
	Words   int
	Foot    string // what the marks of its cells say, if any
}

// Figure is curves over epochs.
type Figure struct {
	Caption string // of a document; Title stands above the curves of a file
	Title   string
	Log     bool // the scale of the values, if all have a logarithm
	Curves  []Curve
}

// Curve is a line, and a band around it where its points have intervals.
type Curve struct {
	Name   string
	Mark   int // its look, counted from 1, so that it is one in all figures; 0 is by its place
	Points []Point
}

// Point is a value at an epoch: the mean over seeds with half of its interval, which
// is NaN where there is none.
type Point struct{ X, Y, Half float64 }

// Look is the number of the i-th curve's colour, dashes or mark, from 0.
func (f *Figure) Look(i int) int {
	if mark := f.Curves[i].Mark; mark > 0 {
		return mark - 1
	}
	return i
}

// Tone says how a cell looks where there are colours.
type Tone string

// The tones of cells.
const (
	Good Tone = "yes"
	Bad  Tone = "no"
)

// Tone is how a cell looks by the words that it ends in, before a mark of a footnote: of
// "not supported" and "supported", both of them Tones, the longer counts. "" is as all else.
func (p *Page) Tone(cell string) (tone Tone) {
	cell, _, _ = strings.Cut(cell, " ¹")
	longest := ""
	for words, t := range p.Tones {
		if strings.HasSuffix(" "+cell, " "+words) && len(words) > len(longest) {
			longest, tone = words, t
		}
	}
	return tone
}

func (Heading) block() {}
func (Text) block()    {}
func (List) block()    {}
func (*Table) block()  {}
func (*Figure) block() {}

// Left tells whether column i is of text, which stands to the left.
func (t *Table) Left(i int) bool { return i < max(1, t.Names) || i >= len(t.Head)-t.Words }

// Rows has a row for each of some values.
func Rows[T any](list []T, row func(T) []string) (rows [][]string) {
	for _, v := range list {
		rows = append(rows, row(v))
	}
	return rows
}

// rows are the head and the rows.
func (t *Table) rows() [][]string { return append([][]string{t.Head}, t.Rows...) }

// logs tells whether the scale is logarithmic.
func (f *Figure) logs() bool {
	return f.Log && !slices.ContainsFunc(f.Curves, func(c Curve) bool {
		return slices.ContainsFunc(c.Points, func(p Point) bool {
			return slices.Min(p.ends()) <= 0
		})
	})
}

// ends are the values that the point's band reaches to: its own without an interval.
func (p *Point) ends() []float64 {
	if math.IsNaN(p.Half) {
		return []float64{p.Y}
	}
	return []float64{p.Y - p.Half, p.Y + p.Half}
}

// table is the figure in numbers, at a few epochs, for forms without pictures.
func (f *Figure) table() *Table {
	const columns = 6
	t := &Table{Caption: f.Caption, Head: []string{"epoch"}}
	var at []float64
	grid := f.Curves[0].Points
	for i := 1; i <= columns && len(grid) > 0; i++ {
		if x := grid[(len(grid)*i-1)/columns].X; !slices.Contains(at, x) {
			at = append(at, x)
			t.Head = append(t.Head, fmt.Sprintf("%.4g", x))
		}
	}
	for _, c := range f.Curves {
		row := []string{c.Name}
		for _, x := range at {
			cell := None
			if j := slices.IndexFunc(c.Points, func(p Point) bool { return p.X == x }); j >= 0 {
				cell = Digits(3).Float(c.Points[j].Y, c.Points[j].Half)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// line is text in one line, without what steers a terminal.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.TrimSpace(s))
}
