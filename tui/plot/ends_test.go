package plot

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/tui/cell"
)

// endsOf returns a chart of lines with these names, the last of which is a band of two seeds.
func endsOf(names ...string) *Chart {
	c := &Chart{X: Range{0, 9}, Y: Range{0, 1}, Ends: true, Gutter: 4}
	for i, name := range names {
		s := new(Series)
		for x := range 10 {
			s.Append(float64(x), 0.1+0.1*float64(i))
		}
		if i == len(names)-1 {
			c.Lines = append(c.Lines, Line{Name: name, Seeds: []*Series{s, s}, Number: uint8(i)})
			continue
		}
		c.Lines = append(c.Lines, Line{Name: name, Seeds: []*Series{s}, Number: uint8(i)})
	}
	return c
}

// TestPercentStaysInBounds: the axis of fractions stays within 0 and 100 %, whatever the data and
// the bands. The axis of a series that is 0 throughout does not go below 0.
func TestPercentStaysInBounds(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Range
	}{{[]float64{0, 0, 0}, Range{0, 1}}, {[]float64{1, 1, 1}, Range{0.5, 1}},
		{[]float64{.9, .99, .97}, Range{.9, .99}}, {[]float64{.02, .03}, Range{.02, .03}}} {
		s := new(Series)
		for i, v := range c.values {
			s.Append(float64(i), v)
		}
		chart := Chart{X: Range{0, 9}, Percent: true, Lines: []Line{{Seeds: []*Series{s}}}}
		chart.Y = chart.FitY()
		if got := chart.FitY(); got != c.want || got != chart.Y {
			t.Errorf("%v: %v, then %v, want %v", c.values, chart.Y, got, c.want)
		}
	}
	a, b := new(Series), new(Series)
	for x := range 9 {
		a.Append(float64(x), .1)
		b.Append(float64(x), .9)
	}
	c := Chart{X: Range{0, 9}, Percent: true, Lines: []Line{{Seeds: []*Series{a, b},
		HalfWidth: func(int) float64 { return 12 }}}}
	if got := c.FitY(); got != (Range{0, 1}) {
		t.Errorf("a wide band: %v, want %v", got, (Range{0, 1}))
	}
	zero := new(Series)
	zero.Append(0, 0)
	c = Chart{X: Range{0, 9}, Lines: []Line{{Seeds: []*Series{zero}}}}
	if got := c.FitY(); got != (Range{0, 1}) {
		t.Errorf("0 throughout: %v, want %v", got, (Range{0, 1}))
	}
}

// TestEndsKeepValues: where there is little room, a name takes a shorter form or is dropped, before
// a value is. Neither is ever cut, and no two lines have the same name.
func TestEndsKeepValues(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string // the end of the band
	}{
		{60, "◆ reweight n=2  0.40"}, {40, "◆ reweight  0.40"}, {38, "◆  0.40"},
		{33, "◆  0.40"}, {26, "◆  0.40"}, {24, "◆"}, {21, "◆"},
	} {
		t.Run(c.want, func(t *testing.T) {
			f, _ := endsOf("sfk", "pgd", "erm", "reweight").Draw(c.w, 10)
			if s := f.String(); !strings.Contains(s, c.want+"\n") || strings.Contains(s, "…") {
				t.Errorf("%d cells, want %q:\n%s", c.w, c.want, s)
			}
		})
	}
	for w := range 60 {
		f, _ := endsOf("sfk ρ .2", "sfk ρ .5").Draw(w, 8)
		s := f.String()
		named := strings.Contains(s, "sf")
		if named && !(strings.Contains(s, "ρ .2") && strings.Contains(s, "ρ .5")) {
			t.Errorf("%d cells, and two lines have one name:\n%s", w, s)
		}
		values := strings.Count(s, "0.10") + strings.Count(s, "0.20")
		if values != 0 && values != 2 {
			t.Errorf("%d cells, and a value is cut:\n%s", w, s)
		}
	}
	for _, v := range []float64{0, 1, -0.35, 0.0951, -0.0951, 6e-4, 12.34, 123, 1234, 9999,
		9999.6, 12345.6, -99999, 131_249, 1.1776e6, 13.15e6, 999_960, -2.2e9, 1e15} {
		c := endsOf("erm", "pgd")
		c.Lines[0].Seeds[0].Append(9.5, v)
		c.Y = c.FitY()
		f, _ := c.Draw(60, 10)
		if s := f.String(); !strings.Contains(s, " "+formatBrief(v)+"\n") {
			t.Errorf("%g is cut, or touches its name:\n%s", v, s)
		}
	}
}

// TestLineGlyphs: lines of one colour have their glyphs on them, in braille dots and in other
// runes, and so do bands. A variant has its number behind the glyph.
func TestLineGlyphs(t *testing.T) {
	s := new(Series)
	for x := range 200 {
		s.Append(float64(x), float64(x))
	}
	for _, charset := range []Charset{Braille, Lines} {
		c := &Chart{X: Range{0, 200}, Y: Range{0, 200}, Charset: charset,
			Lines: []Line{{Seeds: []*Series{s}},
				{Seeds: []*Series{s}, Number: cell.Marks, Glyph: '▲'}}}
		f, _ := c.Draw(80, 20)
		if text := f.String(); strings.Count(text, "▲₂") < 2 {
			t.Errorf("charset %d: a variant is not told apart:\n%s", charset, text)
		}
		c.Lines = []Line{{Seeds: []*Series{s, s}, Glyph: '▲'}}
		f, _ = c.Draw(80, 20)
		if text := f.String(); strings.Count(text, "▲") < 4 {
			t.Errorf("charset %d: a band is not told apart:\n%s", charset, text)
		}
	}
}

// TestEndsHead: the heading of the values stands above the first of them, or below the last one if
// the first is in the first row. Where no values are shown, there is none.
func TestEndsHead(t *testing.T) {
	for _, c := range []struct {
		y    float64
		w    int
		want int // the row of the heading, from the row of the value
	}{{.5, 60, -1}, {1, 60, 1}, {.5, 14, 0}} {
		s := new(Series)
		s.Append(0, c.y)
		s.Append(9, c.y)
		chart := Chart{X: Range{0, 9}, Y: Range{0, 1}, Ends: true, EndsHead: "newest",
			Lines: []Line{{Name: "erm", Seeds: []*Series{s}}}}
		var f Frame
		chart.DrawTo(&f, c.w, 12)
		rows := strings.Split(f.String(), "\n")
		rowOf := func(text string) int {
			has := func(row string) bool { return strings.Contains(row, text) }
			return slices.IndexFunc(rows, has)
		}
		got, want := rowOf("newest"), rowOf("erm")+c.want
		if c.want == 0 {
			want = -1
		}
		if got != want {
			t.Errorf("y %g in %d cells: the heading is in row %d, want %d:\n%s", c.y, c.w, got,
				want, f.String())
		}
	}
}

// TestEndsSettle: ends never share a row, none is outside, and the end in front is at its line.
func TestEndsSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range draws(5000) {
		h, n := 1+r.IntN(12), r.IntN(16)
		var list []End
		front := r.IntN(n + 1)
		for i := range n {
			list = append(list, End{Value: r.Float64(), Style: lineStyle(0, i != front),
				want: r.IntN(h)})
		}
		got := settle(slices.Clone(list), h)
		if len(got) != min(n, h) {
			t.Fatalf("%d ends of %d in %d rows", len(got), n, h)
		}
		for i, e := range got {
			if e.row < 0 || e.row >= h {
				t.Fatalf("end %d is at row %d of %d: %+v", i, e.row, h, got)
			}
			if i > 0 && e.row <= got[i-1].row {
				t.Fatalf("end %d is not below the one before: %+v", i, got)
			}
			room := n <= h && i <= e.want && len(got)-1-i <= h-1-e.want
			if e.Style.Role == Data && room && e.row != e.want {
				t.Fatalf("the one in front is at %d, wants %d: %+v", e.row, e.want, got)
			}
		}
		inFront := func(e End) bool { return e.Style.Role == Data }
		if front < n && !slices.ContainsFunc(got, inFront) {
			t.Fatal("the one in front was left out")
		}
	}
}

// TestEnds: every line ends in its mark, name and value, and the line in front keeps its cells.
func TestEnds(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "braille": Braille, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			c := trainingChart(cs)
			c.Refs, c.Markers, c.Ends = nil, nil, true
			c.Lines[1].Back = true
			f, _ := c.Draw(60, 12)
			golden(t, "ends-"+name, styled(f))
			c.Cross = Cross{On: true, X: 2000}
			f, _ = c.Draw(60, 12)
			golden(t, "cross-"+name, styled(f))
			if read := c.Read(); len(read) != 2 || read[1].Value != c.Lines[1].Seeds[0].At(2000) {
				t.Errorf("read are %+v, want two values, the second that of line 1", read)
			}
		})
	}
}
