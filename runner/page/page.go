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
}

// Block is a Heading, a Text, a List, a *Table, a *Figure or a *Scatter.
type Block interface{ block() }

// Heading opens a section.
type Heading string

// Text is a paragraph.
type Text string

// List is a list of sentences.
type List []string

// Figure is curves over epochs.
type Figure struct {
	Caption string // for a document; Title stands above the curves in a file
	Title   string
	Log     bool // a logarithmic scale, if all values are above 0
	Curves  []Curve
}

// Curve is a line, and a band around it where its points have intervals.
type Curve struct {
	Name   string
	Mark   int // its look in all figures, counted from 1; 0: by its place in the figure
	Points []Point
}

// Point is a value at an epoch: the mean over seeds with half of its interval, which
// is NaN where there is none.
type Point struct{ X, Y, Half float64 }

// Series returns the number of the i-th curve's colour, dashes or mark, from 0.
func (f *Figure) Series(i int) int {
	if mark := f.Curves[i].Mark; mark > 0 {
		return mark - 1
	}
	return i
}

// Tone says how a cell looks where there are colours.
type Tone string

// The tones of cells.
const (
	Good  Tone = "yes"
	Bad   Tone = "no"
	Faint Tone = "faint" // beside the figure that counts
)

// Tones returns the tone of a cell by the words at its end, before the mark of a footnote. If
// several of them match, as "supported" and "not supported" do, the longest counts. If none does,
// the tone is "".
func Tones(of map[string]Tone) func(cell string) Tone {
	return func(cell string) (tone Tone) {
		cell, _, _ = strings.Cut(cell, " ¹")
		longest := ""
		for words, t := range of {
			if strings.HasSuffix(" "+cell, " "+words) && len(words) > len(longest) {
				longest, tone = words, t
			}
		}
		return tone
	}
}

func (Heading) block()  {}
func (Text) block()     {}
func (List) block()     {}
func (*Table) block()   {}
func (*Figure) block()  {}
func (*Scatter) block() {}

// isLogarithmic tells whether the scale is logarithmic.
func (f *Figure) isLogarithmic() bool {
	return f.Log && !slices.ContainsFunc(f.Curves, func(c Curve) bool {
		return slices.ContainsFunc(c.Points, func(p Point) bool {
			return slices.Min(p.ends()) <= 0
		})
	})
}

// ends returns the ends of the point's interval, or its value if it has none.
func (p *Point) ends() []float64 {
	if math.IsNaN(p.Half) {
		return []float64{p.Y}
	}
	return []float64{p.Y - p.Half, p.Y + p.Half}
}

// table returns the figure's values at a few epochs as a table, for forms without pictures.
func (f *Figure) table() *Table {
	const columns = 6
	t := New("epoch")
	t.Caption = f.Caption
	var at []float64
	grid := f.Curves[0].Points
	for i := 1; i <= columns && len(grid) > 0; i++ {
		if x := grid[(len(grid)*i-1)/columns].X; !slices.Contains(at, x) {
			at = append(at, x)
			t.Head(fmt.Sprintf("%.4g", x))
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
		t.Add(row...)
	}
	return t
}

// oneLine returns text in one line, without characters that control a terminal.
func oneLine(s string) string {
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
