package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func points(ys ...float64) (list []Point) {
	for i, y := range ys {
		list = append(list, Point{X: float64(i + 1), Y: y, Half: math.NaN()})
	}
	return list
}

// Every point of a curve lies within its picture and at the place of its value.
func TestSVG(t *testing.T) {
	banded := points(1.25, 3.25, 5.25)
	for i := range banded {
		banded[i].Half = .25
	}
	f := &Figure{Curves: []Curve{{Name: "a", Points: banded},
		{Name: "b", Points: points(-2, -2, -2)}}}
	point := regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)
	for name, drawn := range map[string]struct {
		svg string
		of  layout
	}{"on a page": {f.inline(), inlineLayout()}, "a file": {SVG("", []*Figure{f}), fileLayout()}} {
		t.Run(name, func(t *testing.T) {
			of := drawn.of
			list := regexp.MustCompile(` points="([^"]*)"`)
			for _, text := range list.FindAllString(drawn.svg, -1) {
				for _, m := range point.FindAllStringSubmatch(text, -1) {
					x, _ := strconv.ParseFloat(m[1], 64)
					y, _ := strconv.ParseFloat(m[2], 64)
					left, right := float64(of.left), float64(of.width-of.right)
					if x < left || x > right {
						t.Errorf("point %s is not between %g and %g", m[0], left, right)
					}
					top, bottom := float64(of.top), float64(of.height-of.bottom)
					if y < top || y > bottom {
						t.Errorf("point %s is not between the heights %g and %g", m[0], top, bottom)
					}
				}
			}
			line := regexp.MustCompile(`<polyline[^>]*points="([^"]*)"`)
			lines := line.FindAllStringSubmatch(drawn.svg, -1)
			if len(lines) != 2 {
				t.Fatalf("%d lines: %s", len(lines), drawn.svg)
			}
			first := point.FindAllStringSubmatch(lines[0][1], -1)
			y := func(i int) float64 { v, _ := strconv.ParseFloat(first[i][2], 64); return v }
			if len(first) != 3 {
				t.Fatalf("the first curve has the points %v, want 3", first)
			}
			if math.Abs((y(0)-y(1))-(y(1)-y(2))) > .11 || y(0) <= y(2) {
				t.Errorf("1.25, 3.25, 5.25 are at the heights %g, %g, %g, want equal steps up",
					y(0), y(1), y(2))
			}
			if n := strings.Count(drawn.svg, "<polygon"); n != 1 {
				t.Errorf("%d bands, want 1: the other curve is of one seed", n)
			}
		})
	}
}

// TestFigureOfAnyRange draws curves whose values are equal, one unit in the last place apart,
// missing, or as large as numbers can be. The drawing ends and holds no NaN and no infinity.
func TestFigureOfAnyRange(t *testing.T) {
	nan := math.NaN()
	lists := [][]Point{{{math.Inf(1), 1, nan}},
		{{1, 0, nan}, {1 + 0x1p-52, math.SmallestNonzeroFloat64, nan}},
		{{7, 1, nan}, {7 + 0x1p-50, 1, .5}}}
	for _, y := range [][]float64{
		{}, {2}, {2, 2}, {math.NaN()}, {math.Inf(1)}, {0}, {1, math.Nextafter(1, 2)},
		{0, 0}, {0, math.SmallestNonzeroFloat64},
		{-1e308, 1e308}, {1e308, math.MaxFloat64}, {1e16, 1e16 + 2},
	} {
		lists = append(lists, points(y...))
	}
	for _, list := range lists {
		for _, log := range []bool{false, true} {
			t.Run(fmt.Sprint(list, log), func(t *testing.T) {
				f := &Figure{Log: log, Curves: []Curve{{Name: "loss", Points: list}}}
				for _, s := range []string{f.inline(), SVG("title", []*Figure{f})} {
					if len(s) > 4000 {
						t.Errorf("the drawing has %d bytes, want at most 4000: %.200s", len(s), s)
					}
					for _, not := range []string{"NaN", "Inf"} {
						if strings.Contains(s, not) {
							t.Errorf("the drawing has %s: %.4000s", not, s)
						}
					}
				}
			})
		}
	}
}

// Every name above a figure in HTML lies within the drawing and above its axes, however many curves
// there are. The 7 pixels a letter are more than a browser takes at this text size.
func TestLegendWhole(t *testing.T) {
	f := new(Figure)
	for i := range 8 {
		name := fmt.Sprintf("sfk c=%d", 100*(i+1))
		f.Curves = append(f.Curves, Curve{Name: name, Points: points(1, 2)})
	}
	l, svg := inlineLayout(), f.inline()
	top := regexp.MustCompile(`class="axis" d="M\d+ (\d+)`).FindStringSubmatch(svg)
	axes, _ := strconv.Atoi(top[1])
	names := regexp.MustCompile(`<text x="(\d+)" y="(\d+)">(sfk[^<]*)<`)
	found := names.FindAllStringSubmatch(svg, -1)
	if len(found) != len(f.Curves) {
		t.Fatalf("%d names of %d: %s", len(found), len(f.Curves), svg)
	}
	for _, m := range found {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		if x+7*len(m[3]) > l.width || y > axes {
			t.Errorf("%s stands at %d, %d: the drawing is %d wide, its axes begin at %d",
				m[3], x, y, l.width, axes)
		}
	}
}

// The tone of a cell is the tone of the longest known words at the end of the cell.
func TestTone(t *testing.T) {
	tone := Tones(map[string]Tone{"supported": Good, "not supported": Bad})
	for cell, want := range map[string]Tone{"supported": Good, "not supported": Bad,
		"+0.1 ± 0.2 not supported": Bad, "sfk: supported": Good, "supported ¹": Good,
		"undecided": "", "unsupported": ""} {
		if got := tone(cell); got != want {
			t.Errorf("%q has the tone %q, want %q", cell, got, want)
		}
	}
}
