package plot

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"drolab/dro/testsize"
	"drolab/tui/cell"
)

// draws returns how many random cases a test takes of n: a tenth with -short.
func draws(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// checkFrame fails unless every row has exactly w cells of drawable runes, and the spans agree with
// the text.
func checkFrame(t *testing.T, f *Frame, w, h int, cs Charset) {
	t.Helper()
	if f.W != w || f.H != h {
		t.Fatalf("the frame is %dx%d, want %dx%d", f.W, f.H, w, h)
	}
	if len(f.Cells) != w*h {
		t.Fatalf("a frame of %dx%d has %d cells, want %v", w, h, len(f.Cells), w*h)
	}
	for y := range f.H {
		row := f.Row(y)
		var line strings.Builder
		f.WriteRow(&line, y, func(Style) (start, end string) { return "", "" })
		text := line.String()
		if got := cell.Width(text); got != w {
			t.Fatalf("row %d is %d wide, want %d: %q", y, got, w, text)
		}
		if !utf8.ValidString(text) {
			t.Fatalf("row %d is not UTF-8: %q", y, text)
		}
		if strings.ContainsAny(text, "\x1b\n\r\t") {
			t.Fatalf("row %d steers the terminal: %q", y, text)
		}
		for x, c := range row {
			if c.Rune == 0 && (x == 0 || cell.RuneWidth(row[x-1].Rune) != 2) {
				t.Fatalf("row %d: half a wide rune at %d: %q", y, x, text)
			}
			if cs == ASCII && (c.Rune < ' ' || c.Rune > '~' || c.Mark != 0) {
				t.Fatalf("row %d: %q in an ASCII frame", y, c.Rune)
			}
		}
	}
}

func nastyName(r *rand.Rand) string {
	names := []string{
		"", "loss", "λ̄", "日本語の猫", "a\x1b[31mred\n\tb", "\xff\xfe",
		"👩‍👩‍👧 family", "é\u0301\u0301",
		"\u202eright to left", strings.Repeat("long ", 30), "한글", "\u0301", "ᅡᆨ",
	}
	return names[r.IntN(len(names))]
}

func nastySeries(r *rand.Rand, n int) *Series {
	s := new(Series)
	kind, x := r.IntN(4), float64(r.IntN(3)-1)
	for range n {
		y := nasty(r)
		switch kind {
		case 0:
			y = 2.5
		case 1:
			y = r.NormFloat64()
		}
		s.Append(x, y)
		x += r.Float64() * float64(r.IntN(3))
		switch r.IntN(200) {
		case 0:
			s.interrupt()
		case 1:
			s.Rewind(x / 2)
		}
	}
	return s
}

func nastyChart(r *rand.Rand) *Chart {
	c := &Chart{
		X: nastyRange(r), Y: nastyRange(r), YScale: scales()[r.IntN(4)],
		Charset: Charset(r.IntN(3)), Duration: r.IntN(3) == 0,
	}
	if r.IntN(2) == 0 {
		c.X = Range{0, 50}
	}
	lengths := []int{0, 1, 2, 60, 300}
	for i := range r.IntN(4) {
		l := Line{Name: nastyName(r), Seeds: []*Series{nastySeries(r, lengths[r.IntN(5)])},
			Number: uint8(i), Faint: i == 2}
		if r.IntN(5) == 0 {
			l.Glyph = []rune{'*', '日', '\n', 0x301}[r.IntN(4)]
		}
		if r.IntN(8) == 0 {
			l.Seeds[0] = nil
		}
		c.Lines = append(c.Lines, l)
	}
	if r.IntN(3) == 0 {
		seeds := []*Series{nastySeries(r, 50), nastySeries(r, 20), nil, nastySeries(r, 0)}
		c.Lines = append(c.Lines, Line{Name: nastyName(r), Seeds: seeds, HalfWidth: student})
	}
	if r.IntN(5) == 0 {
		c.Lines = append(c.Lines, Line{Name: "no seeds"})
	}
	for range r.IntN(3) {
		c.Refs = append(c.Refs, RefLine{nastyName(r), nasty(r)})
		c.Markers = append(c.Markers,
			Marker{nasty(r), []rune{'R', '日', 0, -1}[r.IntN(4)]})
	}
	if r.IntN(2) == 0 {
		c.Y = c.FitY()
	}
	return c
}

// TestChartsNeverPanic: charts do not panic or draw outside their frame, whatever the data, the
// sizes and the names.
func TestChartsNeverPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	f := new(Frame)
	for range draws(4000) {
		c := nastyChart(r)
		w, h := 1+r.IntN(60), 1+r.IntN(20)
		c.DrawTo(f, w, h)
		checkFrame(t, f, w, h, c.Charset)
	}
	c := nastyChart(r)
	for _, size := range [][2]int{{0, 0}, {-1, 5}, {5, 0}} {
		if g, _ := c.Draw(size[0], size[1]); len(g.Cells) != 0 {
			t.Errorf("%v has %d cells, want none", size, len(g.Cells))
		}
	}
}

func TestOthersNeverPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range draws(4000) {
		w, h, cs := 1+r.IntN(70), 1+r.IntN(12), Charset(r.IntN(3))
		b := Bars{Charset: cs, Percent: r.IntN(2) == 0, LowerIsBetter: r.IntN(2) == 0,
			First: r.IntN(8) - 2}
		if r.IntN(2) == 0 {
			b.Max = nasty(r)
		}
		for range r.IntN(12) {
			b.Bars = append(b.Bars, Bar{Row: Row{Label: nastyName(r), Worst: r.IntN(4) == 0,
				Few: r.IntN(4) == 0, Cells: []string{nastyName(r), nastyName(r)}[:r.IntN(3)]},
				Value: nasty(r), Base: nasty(r)})
		}
		checkFrame(t, b.Draw(w, h), w, h, cs)

		p := new(Path)
		for range r.IntN(100) {
			p.Append(nasty(r), nasty(r))
		}
		ph := Phase{X: nastyRange(r), Y: nastyRange(r),
			Trails: []Trail{{Path: p}, {Path: p, Back: true}},
			BoxX:   nastyRange(r), BoxY: nastyRange(r), Charset: cs}
		if r.IntN(2) == 0 {
			ph.X, ph.Y = p.Ranges()
		}
		checkFrame(t, ph.Draw(w, h), w, h, cs)
	}
}

func TestMillionPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	s := new(Series)
	for i := range 1_000_000 {
		s.Append(float64(i), nasty(r))
	}
	for _, cs := range []Charset{Lines, Braille, ASCII} {
		for _, sc := range scales() {
			for _, x := range []Range{{0, 1e6}, {999_000, 1e6}, {5, 6}, {2e6, 3e6}} {
				c := Chart{X: x, YScale: sc, Charset: cs,
					Lines: []Line{{Name: "s", Seeds: []*Series{s}}}}
				c.Y = c.FitY()
				f, _ := c.Draw(160, 45)
				checkFrame(t, f, 160, 45, cs)
			}
		}
	}
}

// TestBreakInterrupts: every break is visible as a missing connection, wherever it is.
func TestBreakInterrupts(t *testing.T) {
	whole, broken := new(Series), new(Series)
	for i := range 20 {
		if i == 10 {
			broken.interrupt()
		}
		y := float64(4 * (i / 10))
		whole.Append(float64(i), y)
		broken.Append(float64(i), y)
	}
	c := Chart{X: Range{0, 20}, Y: Range{0, 4},
		Lines: []Line{{Seeds: []*Series{whole}}}}
	f, _ := c.Draw(19, 4) // too small for axes
	if got := f.String(); !strings.Contains(got, "│") {
		t.Errorf("no rise in\n%s", got)
	}
	c.Lines[0].Seeds[0] = broken
	f, _ = c.Draw(19, 4)
	if got := f.String(); strings.Contains(got, "│") {
		t.Errorf("line drawn across the break:\n%s", got)
	}
}

// TestFramesAreStill: while the axis is unchanged, a frame changes only by the new points.
func TestFramesAreStill(t *testing.T) {
	for _, cs := range testsize.Few(1, Lines, Braille, ASCII) {
		s := new(Series)
		c := Chart{X: Range{0, 1000}, Charset: cs,
			Lines: []Line{{Name: "s", Seeds: []*Series{s}}}}
		var last []Cell
		changed := 0
		for i := range 1000 {
			s.Append(float64(i), 2+math.Sin(float64(i)/50))
			c.Y = c.FitY()
			f, _ := c.Draw(160, 45)
			for j := range last {
				if i > 400 && last[j] != f.Cells[j] {
					changed++
				}
			}
			last = f.Cells
		}
		if perFrame := float64(changed) / 600; perFrame > 4 {
			t.Errorf("charset %d: %.1f cells changed in a frame", cs, perFrame)
		}
	}
}

func FuzzChart(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf0\x7f12345678"), uint8(20), uint8(5), uint8(0))
	f.Add([]byte("seven.."), uint8(1), uint8(1), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, w, h, flags uint8) {
		s := new(Series)
		for i := 0; i+8 <= len(data); i += 8 {
			s.Append(float64(i), math.Float64frombits(binary.LittleEndian.Uint64(data[i:])))
		}
		c := Chart{
			X: s.XRange(), YScale: scales()[flags>>2&3], Charset: Charset(flags & 3 % 3),
			Lines: []Line{{Name: string(data), Seeds: []*Series{s}}},
			Refs:  []RefLine{{string(data), 0}},
		}
		c.Y = c.FitY()
		frame, _ := c.Draw(int(w), int(h))
		checkFrame(t, frame, int(w), int(h), c.Charset)
	})
}
