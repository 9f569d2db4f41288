package kit_test

import (
	"strings"
	"testing"

	"drolab/tui/cell"
	"drolab/tui/internal/render"
	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// noise returns a picture without two equal adjacent pixels.
func noise(w, h int) kit.Pixels {
	p := kit.Pixels{W: w, H: h}
	for i := range w * h {
		p.RGB = append(p.RGB, byte(i*37), byte(i*91), byte(i*151))
	}
	return p
}

// TestPixels: each cell has two pixels in their own colours, enlarged by a whole factor, and the
// width of the lines is their visible width.
func TestPixels(t *testing.T) {
	theme := kit.NewTheme(colorprofile.TrueColor, true, false)
	for _, c := range []struct{ w, h, roomW, roomH, scale int }{{4, 4, 4, 2, 1}, {4, 4, 9, 9, 2},
		{3, 5, 12, 30, 4}, {5, 3, 5, 2, 1}, {6, 6, 4, 2, 1}} {
		p := noise(c.w, c.h)
		lines := theme.Pixels(p, c.roomW, c.roomH)
		wide := min(c.roomW, c.scale*c.w)
		high := (min(2*c.roomH, c.scale*c.h) + 1) / 2
		if len(lines) != high || cell.Width(lines[0]) != wide {
			t.Fatalf("%+v: %d lines of %d cells, want %d of %d", c, len(lines),
				cell.Width(lines[0]), high, wide)
		}
		shot := render.Shot(strings.Join(lines, "\n"), wide, high)
		for y := range high {
			for x := range wide {
				for half, got := range colours(shot.CellAt(x, y)) {
					if py := (2*y + half) / c.scale; py < c.h {
						want := [3]byte(p.RGB[3*(py*c.w+x/c.scale):])
						if got != want {
							t.Fatalf("%+v: pixel %d, %d is %v, want %v", c, x, 2*y+half, got, want)
						}
					}
				}
			}
		}
	}
}

// colours returns the colours of the upper and lower half of a cell.
func colours(c *uv.Cell) (list [2][3]byte) {
	if c.Style.Fg != nil {
		r, g, b, _ := c.Style.Fg.RGBA()
		list[0] = [3]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}
	}
	switch {
	case c.Content == "█":
		list[1] = list[0]
	case c.Style.Bg != nil:
		r, g, b, _ := c.Style.Bg.RGBA()
		list[1] = [3]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}
	}
	switch c.Content {
	case " ":
		list[0] = list[1]
	case "▄":
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// TestFewColours: a lighter pixel is drawn lighter on a dark background, and with less ink on a
// light one. Terminals get no more colours than they have.
func TestFewColours(t *testing.T) {
	ramp := kit.Pixels{W: 52, H: 2}
	for range 2 {
		for x := range 52 {
			ramp.RGB = append(ramp.RGB, byte(5*x), byte(5*x), byte(5*x))
		}
	}
	draw := func(p colorprofile.Profile, dark, ascii bool) string {
		return kit.NewTheme(p, dark, ascii).Pixels(ramp, 52, 1)[0]
	}
	s := draw(colorprofile.ANSI256, true, false)
	if strings.Contains(s, ";2;") {
		t.Errorf("with 256 colours one of 24 bits is sent: %q", s)
	}
	if !strings.Contains(s, "48;5;") {
		t.Errorf("with 256 colours none of them is sent: %q", s)
	}
	if s := draw(colorprofile.ANSI, true, false); strings.Contains(s, "8;5;") ||
		!strings.Contains(s, "97m") {
		t.Errorf("with 16 colours it is %q, want them and none of 256", s)
	}
	for want, c := range map[string][3]byte{"38;5;16": {0, 0, 0}, "38;5;231": {255, 255, 255},
		"38;5;196": {250, 9, 3}, "38;5;244": {128, 127, 129}, "38;5;58": {90, 100, 10},
		"38;5;235": {40, 39, 37}} {
		p := kit.Pixels{W: 1, H: 1, RGB: c[:]}
		s := kit.NewTheme(colorprofile.ANSI256, true, false).Pixels(p, 1, 1)[0]
		if !strings.Contains(s, want+"m") {
			t.Errorf("%v is %q, want %s", c, s, want)
		}
	}
	for ascii, shades := range map[bool]string{false: " ░▒▓█", true: " .:-=+*#%@"} {
		onDark, onLight := draw(colorprofile.NoTTY, true, ascii),
			draw(colorprofile.NoTTY, false, ascii)
		last := 0
		for i, r := range []rune(onDark) {
			at := strings.IndexRune(shades, r)
			if at < last {
				t.Fatalf("shade %d comes after shade %d, want them to grow: %q", at, last, onDark)
			}
			if strings.ContainsRune(onDark, '\x1b') {
				t.Fatalf("shades have colours: %q", onDark)
			}
			last = at
			if other := []rune(onLight)[51-i]; other != r {
				t.Fatalf("on light %q is no mirror of %q", onLight, onDark)
			}
		}
		if first := []rune(onDark)[0]; first != ' ' {
			t.Errorf("black is drawn as %q, want a blank", first)
		}
		if want := shades[len(shades)-1:]; !strings.HasSuffix(onDark, want) {
			t.Errorf("from black to white it is %q, want %q at the end", onDark, want)
		}
	}
}

// TestThumbnail: a picture that changes while the user looks costs a terminal at most two thirds of
// the bytes, has only the 256 colours, and is no other picture.
func TestThumbnail(t *testing.T) {
	theme := kit.NewTheme(colorprofile.TrueColor, true, false)
	p := kit.Pixels{W: 12, H: 12}
	for i := range p.W * p.H { // a disc on a slightly varying background
		c := [3]byte{byte(40 + i*37%30), byte(60 + i*11%30), byte(90 + i*53%30)}
		if x, y := i%12-6, i/12-6; x*x+y*y < 16 {
			c = [3]byte{byte(200 + i*37%30), byte(30 + i*11%30), byte(30 + i*53%30)}
		}
		p.RGB = append(p.RGB, c[:]...)
	}
	cost := func(lines []string) int {
		wr := render.NewRenderer(12, 6)
		for i := range lines {
			lines[i] = cell.ForTerminal(lines[i])
		}
		return wr.Frame(t, strings.Join(lines, "\n"))
	}
	lines := theme.Thumbnail(p, 12, 6)
	shot := render.Shot(strings.Join(lines, "\n"), 12, 6)
	for i := range p.W * p.H {
		red := colours(shot.CellAt(i%12, i/24))[i/12%2][0]
		if want := p.RGB[3*i] >= 200; (red > 120) != want {
			t.Fatalf("pixel %d is red: %v, want %v", i, !want, want)
		}
	}
	few, all := cost(lines), cost(theme.Pixels(p, 12, 6))
	if 3*few > 2*all {
		t.Errorf("%d bytes, and %d with all colours, want a third less", few, all)
	}
	if strings.Contains(strings.Join(lines, ""), ";2;") {
		t.Error("with few colours one of 24 bits is sent")
	}
}
