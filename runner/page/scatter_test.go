package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// someScatter returns three points: two on the front, one of them without intervals, and one behind
// it.
func someScatter() *Scatter {
	return &Scatter{Caption: "a & b", Title: "worst against mean",
		X: ScatterAxis{Name: "mean", Unit: "%", Percent: true, Higher: true},
		Y: ScatterAxis{Name: "loss", Unit: "nats"},
		Points: []ScatterPoint{
			{Name: "erm <1>", Mark: 1, X: .9, Y: 2, HalfX: .01, HalfY: .2, Front: true},
			{Name: "sfk", Mark: 2, X: .8, Y: 1, HalfX: math.NaN(), HalfY: math.NaN(), Front: true},
			{Name: "pgd", Mark: 3, X: .7, Y: 3, HalfX: .02, HalfY: .1}}}
}

// TestScatterForms: every form of a picture of points has each name, and the drawings are
// well-formed.
func TestScatterForms(t *testing.T) {
	s := someScatter()
	p := &Page{Title: "page", Blocks: []Block{s}}
	for form, text := range map[string]string{"HTML": p.HTML(), "SVG": ScatterSVG("t", "n & m",
		[]*Scatter{s, s}), "LaTeX": p.LaTeX(), "Markdown": p.Markdown(), "PGF": s.PGFPlots()} {
		for _, name := range []string{"erm", "sfk", "pgd"} {
			if !strings.Contains(text, name) {
				t.Errorf("%s lacks %s:\n%s", form, name, text)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
			t.Errorf("%s has a number that is none:\n%s", form, text)
		}
		if form != "HTML" && form != "SVG" {
			continue
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", form, err, text)
			}
		}
	}
	if got, want := Markdown(s), "| method | loss, nats | mean, % | front |\n"; !strings.Contains(
		got, want) || !strings.Contains(got, "| sfk | 1 | 80.0 | yes |") {
		t.Errorf("the table is\n%s\nwant %q", got, want)
	}
}

// TestFrontCorners: the front runs from the side of the worse X to that of the worse Y.
func TestFrontCorners(t *testing.T) {
	want := [][2]float64{{60, 1}, {80, 1}, {80, 2}, {90, 2}, {90, 4}}
	if got := someScatter().Front(60, 100, 0, 4); !slices.Equal(got, want) {
		t.Errorf("the corners are %v, want %v", got, want)
	}
}

// TestNamesOfPoints: as long as there is room, no name covers another one or a point.
func TestNamesOfPoints(t *testing.T) {
	s := someScatter()
	for i := range 6 { // a heap of points
		s.Points = append(s.Points, ScatterPoint{Name: fmt.Sprint("method ", i), Mark: 4 + i,
			X: .8 + float64(i)/1e3, Y: 1.5, HalfX: math.NaN(), HalfY: math.NaN()})
	}
	d := s.drawing(fileLayout())
	sides := s.sides(d)
	for i, p := range s.Points {
		for k, q := range s.Points[:i] {
			if a := s.nameBox(d, p, sides[i]); a.covers(s.nameBox(d, q, sides[k])) {
				t.Errorf("the name of %s covers that of %s", p.Name, q.Name)
			}
		}
	}
}

// TestNamesWithoutRoom: of very many points, names without room are left out and counted, and no
// name covers another one. In the drawings each point has its name as a title.
func TestNamesWithoutRoom(t *testing.T) {
	s := someScatter()
	for i := range 100 {
		s.Points = append(s.Points, ScatterPoint{Name: fmt.Sprint("模型 with a long name ", i),
			Mark: 1 + i, X: .8 + float64(i)/1e3, Y: 1 + float64(i)/1e2, HalfX: math.NaN(),
			HalfY: math.NaN(), Front: i%2 == 0})
	}
	d := s.drawing(fileLayout())
	sides := s.sides(d)
	none := 0
	for i, p := range s.Points {
		for k, q := range s.Points[:i] {
			a := s.nameBox(d, p, sides[i])
			if !sides[i].none && !sides[k].none && a.covers(s.nameBox(d, q, sides[k])) {
				t.Errorf("the name of %s covers that of %s", p.Name, q.Name)
			}
		}
		if sides[i].none {
			none++
		}
	}
	if none == 0 || none == len(s.Points) {
		t.Fatalf("%d of %d points have no name, want some", none, len(s.Points))
	}
	for form, text := range map[string]string{"SVG": ScatterSVG("t", "n", []*Scatter{s}),
		"PGF": s.PGFPlots()} {
		said := regexp.MustCompile(`(\d+) points have no room for their names`).FindString(text)
		none := 0
		if _, err := fmt.Sscan(said, &none); err != nil {
			t.Errorf("%s does not say how many points have no name", form)
		}
		named := map[string]int{"SVG": strings.Count(text, "stroke=\"none\" fill=\"#222\""),
			"PGF": strings.Count(text, "node[")}[form]
		if named != len(s.Points)-none {
			t.Errorf("%s names %d points, want %d", form, named, len(s.Points)-none)
		}
		if n := strings.Count(text, "<title>"); form == "SVG" && n != len(s.Points) {
			t.Errorf("%d points have a title, want %d", n, len(s.Points))
		}
	}
}

// TestBoundsOfPoints: axes hold all points, percentages end at 0 and 100, and a wide cross leaves
// the points a third of the axis.
func TestBoundsOfPoints(t *testing.T) {
	s := someScatter()
	s.Points[0].X, s.Points[2].HalfY = 1, 100
	x0, x1, y0, y1 := s.Bounds()
	if x1 != 100 || x0 > 70 {
		t.Errorf("X is from %g to %g, want at most 70 to 100", x0, x1)
	}
	if y0 > 1 || y1 < 3 || 3*(3-1) < .9*(y1-y0) {
		t.Errorf("Y is from %g to %g, want it to hold 1 to 3 on a third of it", y0, y1)
	}
}
