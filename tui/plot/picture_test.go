package plot

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEndsSettle: ends never share a row, none is outside, and the end in front is at its line.
func TestEndsSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
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
			if e.row < 0 || e.row >= h || i > 0 && e.row <= got[i-1].row {
				t.Fatalf("rows %+v of %d", got, h)
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
				t.Errorf("read %+v", read)
			}
		})
	}
}

// TestInverse: Inverse undoes the function that maps x to an axis.
func TestInverse(t *testing.T) {
	s := new(Series)
	for i := range 100 {
		s.Append(float64(i), 0)
	}
	double := func(x float64) float64 { return 2 * x }
	if x := s.Inverse(50, double); math.Abs(x-25) > 1e-9 {
		t.Errorf("50 comes from %g", x)
	}
	if x := s.Inverse(1e4, double); !math.IsNaN(x) {
		t.Errorf("a place behind the end comes from %g", x)
	}
}

func testFilm() *Film {
	var f Film
	for i := range 20 {
		f.Append(float64(10*i), []float64{float64(i) / 20, 0.5, 1 - float64(i)/20, math.NaN()})
	}
	return &f
}

// TestFilmIsBounded: a film is bounded, keeps its latest moment, and forgets the moments that are
// rewound.
func TestFilmIsBounded(t *testing.T) {
	var f Film
	for i := range 5000 {
		f.Append(float64(i), []float64{float64(i)})
		last := f.items[f.Len()-1]
		if f.Len() > filmColumns || last.x != float64(i) || last.values[0] != float32(i) {
			t.Fatalf("%d moments, the latest at %g", f.Len(), last.x)
		}
		if !slices.IsSortedFunc(f.items, func(a, b moment) int { return cmp.Compare(a.x, b.x) }) {
			t.Fatal("out of order")
		}
	}
	f.Rewind(100)
	if n := f.Len(); n == 0 || f.items[n-1].x > 100 {
		t.Errorf("rewound to %v", f.items[n-1].x)
	}
}

func TestGoldenHeat(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			h := &HeatMap{Film: testFilm(), Labels: []string{"circle", "star", "hexagon", "none"},
				X: Range{0, 250}, Values: Range{0, 1}, Percent: true, Head: "accuracy %", Mark: 2,
				Shades: true, Charset: cs, Order: []int{2, 0, 1, 3}}
			var f Frame
			h.DrawTo(&f, 40, 12)
			golden(t, "heat-"+name, styled(&f))
		})
	}
}

func TestGoldenSpread(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			s := &Spread{Hi: 1, Percent: true, Numbers: []uint8{0, 1, 2},
				Front: 1, Charset: cs, Heads: []string{"class", "acc %", "train"},
				Rows: []SpreadRow{
					{Row{Label: "hexagon", Worst: true, Cells: []string{"434"}},
						[]float64{.2, .4, .41}},
					{Row{Label: "circle", Cells: []string{"643"}}, []float64{.9, .5, math.NaN()}},
					{Row{Label: "rare", Few: true, Cells: []string{"3"}}, []float64{1, 0, .5}},
					{Row{Label: "none", Cells: []string{"1"}}, []float64{1, math.NaN(), .5}},
				}}
			var f Frame
			s.DrawTo(&f, 60, 8)
			golden(t, "spread-"+name, styled(&f))
		})
	}
}

// TestScaleOfSpread: the scale has a line where the rows leave it one, and takes none from them.
func TestScaleOfSpread(t *testing.T) {
	s := &Spread{Hi: 1, Front: -1, Numbers: []uint8{0}}
	for _, name := range []string{"one", "two", "three"} {
		s.Rows = append(s.Rows, SpreadRow{Row{Label: name}, []float64{.5}})
	}
	for h, first := range map[int]string{3: "one", 4: "0"} {
		var f Frame
		s.DrawTo(&f, 40, h)
		lines := strings.Split(f.String(), "\n")
		if !strings.HasPrefix(strings.TrimSpace(lines[0]), first) ||
			!strings.HasPrefix(lines[h-1], "three") {
			t.Errorf("%d lines:\n%s", h, f.String())
		}
	}
}

// TestPictureStaysInside: nothing is drawn outside the frame, whatever the values.
func TestPictureStaysInside(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		w, h, cs := r.IntN(50), r.IntN(14), Charset(r.IntN(3))
		var f Film
		s := &Spread{Hi: nasty(r), Front: r.IntN(3) - 1, First: r.IntN(5) - 1,
			Charset: cs, Numbers: []uint8{0, 1}, Heads: []string{"a", "v", "b"}}
		for i := range r.IntN(6) {
			f.Append(float64(i), []float64{nasty(r), nasty(r), nasty(r)})
			s.Rows = append(s.Rows, SpreadRow{Row{Label: "基準 of it", Cells: []string{"λ"}},
				[]float64{nasty(r), nasty(r)}})
		}
		m := &HeatMap{Film: &f, Labels: []string{"a", "基準", "c"}, X: nastyRange(r),
			Values: nastyRange(r), Log: r.IntN(2) == 0, First: r.IntN(5) - 1, Head: "λ",
			Charset: cs, Shades: r.IntN(2) == 0, Cross: Cross{On: r.IntN(2) == 0, X: nasty(r)}}
		var a, b Frame
		m.DrawTo(&a, w, h)
		checkFrame(t, &a, w, h, cs)
		s.DrawTo(&b, w, h)
		checkFrame(t, &b, w, h, cs)
	}
}

// TestRowsLeftOut: where rows have no room, the last line says how many, and no row covers it.
func TestRowsLeftOut(t *testing.T) {
	s := &Spread{Hi: 1, Front: -1, Numbers: []uint8{0}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.Rows = append(s.Rows, SpreadRow{Row{Label: name}, []float64{.5}})
	}
	var f Frame
	s.DrawTo(&f, 30, 3)
	lines := strings.Split(f.String(), "\n")
	if !strings.HasPrefix(lines[1], "b ") || !strings.HasPrefix(lines[2], "+3 more") {
		t.Errorf("drawn are\n%s", f.String())
	}
}
