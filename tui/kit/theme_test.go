package kit

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"drolab/tui/cell"
	"drolab/tui/plot"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// linear returns a colour in linear RGB.
func linear(c color.Color) (v [3]float64) {
	r, g, b, _ := c.RGBA()
	for i, x := range [...]uint32{r, g, b} {
		s := float64(x) / 0xffff
		if v[i] = s / 12.92; s > 0.04045 {
			v[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return v
}

// contrast returns the contrast ratio of WCAG 2, from 1 to 21.
func contrast(a, b color.Color) float64 {
	luminance := func(c color.Color) float64 {
		v := linear(c)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// apart returns the distance of two colours in OKLab (Ottosson 2020).
func apart(a, b color.Color) float64 {
	lab := func(c color.Color) [3]float64 {
		v := linear(c)
		l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
		m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
		s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
		return [...]float64{
			0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
			1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
			0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
		}
	}
	x, y := lab(a), lab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// TestSeriesAreToldApart: every series stands out from the background and from every other series,
// in 256 colours and in 24 bits. With fewer colours, marks tell similar series apart.
func TestSeriesAreToldApart(t *testing.T) {
	const leastContrast, leastApart = 3.5, 0.07
	backgrounds := map[bool]color.Color{true: rgb(0x1e1e1e), false: rgb(0xffffff)}
	for dark, p := range map[bool]inks{true: darkInks(), false: lightInks()} {
		for i, a := range p.series {
			for _, c := range []color.Color{rgb(a.rgb), ansi.IndexedColor(a.x256)} {
				if got := contrast(c, backgrounds[dark]); got < leastContrast {
					t.Errorf("dark %t: series %d has contrast %.1f", dark, i, got)
				}
			}
			for j, b := range p.series[:i] {
				d := apart(ansi.IndexedColor(a.x256), ansi.IndexedColor(b.x256))
				if d < leastApart {
					t.Errorf("dark %t: series %d and %d are %.3f apart in 256 colours",
						dark, i, j, d)
				}
				if d := apart(rgb(a.rgb), rgb(b.rgb)); d < leastApart {
					t.Errorf("dark %t: series %d and %d are %.3f apart in 24 bits", dark, i, j, d)
				}
			}
		}
		for _, profile := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256,
			colorprofile.TrueColor} {
			th := NewTheme(profile, dark, false)
			seen := map[string]bool{}
			for i := range th.Series {
				look := th.Series[i].Paint("x")
				if g := th.Glyph(uint8(i)); (g != 0) != seen[look] {
					t.Errorf("dark %t, profile %v: series %d has the glyph %q", dark, profile, i, g)
				}
				seen[look] = true
			}
			if n := len(seen); profile > colorprofile.ANSI && n != Colors || n < 8 {
				t.Errorf("dark %t, profile %v: %d colours, want %d, or 8 of 16", dark, profile, n,
					Colors)
			}
		}
	}
	marks := map[rune]bool{}
	for i := range Colors {
		m := cell.Mark(i, false)
		if marks[m] {
			t.Errorf("two series have the mark %c", m)
		}
		marks[m] = true
	}
}

// TestGreenAndRedAreBetterAndWorse: no other colour is green or red, of methods or of anything
// else, for any kind of terminal.
func TestGreenAndRedAreBetterAndWorse(t *testing.T) {
	full := [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	// hue returns the hue in OKLab, in degrees, and whether the colour is grey.
	hue := func(rgb uint32) (degrees float64, grey bool) {
		lab := okLab(rgb, full)
		degrees = math.Mod(math.Atan2(lab[2], lab[1])*180/math.Pi+360, 360)
		return degrees, math.Hypot(lab[1], lab[2]) < .04
	}
	of256 := func(x uint8) uint32 {
		r, g, b, _ := ansi.IndexedColor(x).RGBA()
		return r>>8<<16 | g>>8<<8 | b>>8
	}
	for name, p := range map[string]inks{"dark": darkInks(), "light": lightInks()} {
		heat := heatInks()
		others := append(p.series[:], heat[:]...)
		others = append(others, p.dim, p.accent, p.warn, p.border, p.faded, p.selected)
		for i, c := range others {
			for _, rgb := range []uint32{c.rgb, of256(c.x256)} {
				h, grey := hue(rgb)
				if !grey && (h > 112 && h < 180 || h < 48 || h > 352) {
					t.Errorf("%s: colour %d, %06x, is green or red: its hue is %.0f", name, i, rgb,
						h)
				}
			}
			if x := c.x16 % 8; x == 1 || x == 2 {
				t.Errorf("%s: colour %d is %d of the 16, green or red", name, i, c.x16)
			}
		}
	}
}

// TestContrast: with high contrast no text is grey, and the selected row is inverse.
func TestContrast(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.TrueColor} {
		th := NewTheme(profile, true, false)
		if grey := th.Dim.Paint("x"); grey == "x" {
			t.Errorf("%v: without contrast, dim text is %q", profile, grey)
		}
		th.Contrast()
		for name, style := range map[string]Style{"dim text": th.Dim, "a border": th.border,
			"an axis": th.styleOfCell(plot.Style{Role: plot.Axis})} {
			if got := style.Paint("x"); got != "x" {
				t.Errorf("%v: %s is %q, want it plain", profile, name, got)
			}
		}
		if back := th.styleOfCell(plot.Style{Role: plot.Back, Series: 2}); back != th.Series[2] {
			t.Errorf("%v: a curve that is not chosen is %q, want %q", profile, back.Paint("x"),
				th.Series[2].Paint("x"))
		}
		if got := th.Selected.Paint("x"); !strings.Contains(got, ";7mx") {
			t.Errorf("%v: the selected row is %q", profile, got)
		}
	}
}

// TestColoursApart: people with deuteranopia or protanopia tell the first eight series apart, and
// those drawn in the back too, on both backgrounds. The distance is that of OKLab; the deficiencies
// are simulated as by Machado, Oliveira and Fernandes (2009).
func TestColoursApart(t *testing.T) {
	const first, bright, back = 8, 0.03, 0.012
	sights := map[string][9]float64{
		"full": {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"deuteranopia": {.367322, .860646, -.227968, .280085, .672501, .047413, -.01182, .04294,
			.968881},
		"protanopia": {.152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116,
			1.051998},
	}
	for name, p := range map[string]inks{"dark": darkInks(), "light": lightInks()} {
		for sight, m := range sights {
			for _, dimmed := range []bool{false, true} {
				least, bound, which := math.Inf(1), 0.0, ""
				for i := range first {
					for j := range i {
						a, b := p.series[i].rgb, p.series[j].rgb
						if bound = bright; dimmed {
							bound = back
							a, b = mixColours(a, p.border.rgb), mixColours(b, p.border.rgb)
						}
						if d := distance(okLab(a, m), okLab(b, m)); d < least {
							least, which = d, fmt.Sprint(j, i)
						}
					}
				}
				if least < bound {
					t.Errorf("%s, %s, dimmed %t: series %s are %.3f apart", name, sight, dimmed,
						which, least)
				}
			}
		}
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// okLab returns a colour in OKLab as it is seen through a matrix of linear RGB.
func okLab(rgb uint32, m [9]float64) [3]float64 {
	var linear, seen [3]float64
	for i := range linear {
		v := float64(rgb>>(16-8*i)&0xff) / 255
		if linear[i] = v / 12.92; v > .04045 {
			linear[i] = math.Pow((v+.055)/1.055, 2.4)
		}
	}
	for i := range seen {
		for j := range linear {
			seen[i] += m[3*i+j] * linear[j]
		}
		seen[i] = max(0, min(1, seen[i]))
	}
	r, g, b := seen[0], seen[1], seen[2]
	l := math.Cbrt(.4122214708*r + .5363325363*g + .0514459929*b)
	n := math.Cbrt(.2119034982*r + .6806995451*g + .1073969566*b)
	s := math.Cbrt(.0883024619*r + .2817188376*g + .6299787005*b)
	return [3]float64{.2104542553*l + .793617785*n - .0040720468*s,
		1.9779984951*l - 2.428592205*n + .4505937099*s,
		.0259040371*l + .7827717662*n - .808675766*s}
}

// TestTints: text is read on every tint, and a greater difference has a stronger one. Where there
// are no tints, figures have the styles of what is better and worse.
func TestTints(t *testing.T) {
	const readable = 4.5
	for dark, text := range map[bool]color.Color{true: rgb(0xdcdcdc), false: rgb(0x141414)} {
		better, worse := tintInks(dark)
		for _, inks := range [][plot.TintLevels]ink{better, worse} {
			for i, c := range inks {
				for _, ground := range []color.Color{rgb(c.rgb), ansi.IndexedColor(c.x256)} {
					if got := contrast(text, ground); got < readable {
						t.Errorf("dark %t: text on tint %d has contrast %.1f, want %.1f", dark, i,
							got, readable)
					}
				}
				if i > 0 && contrast(text, rgb(c.rgb)) >= contrast(text, rgb(inks[i-1].rgb)) {
					t.Errorf("dark %t: tint %d is fainter than the one before", dark, i)
				}
			}
			if first, last := inks[0].x256, inks[len(inks)-1].x256; first == last {
				t.Errorf("dark %t: the smallest and the greatest have %d", dark, last)
			}
		}
		for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI} {
			th := NewTheme(profile, dark, false)
			if th.better[0] != th.Better || th.worse[0] != th.Worse {
				t.Errorf("dark %t, profile %v: tints are %q and %q, want those of words", dark,
					profile, th.better[0].Paint("x"), th.worse[0].Paint("x"))
			}
		}
	}
}
