package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/runner/page"
)

// fourPoints returns the points of four methods, two of them on the front.
func fourPoints() *page.Scatter {
	return &page.Scatter{
		X: page.ScatterAxis{Name: "mean", Unit: "%", Percent: true, Higher: true},
		Y: page.ScatterAxis{Name: "worst class", Unit: "%", Percent: true, Higher: true},
		Points: []page.ScatterPoint{
			{Name: "sfk", Mark: 1, X: .70, Y: .66, HalfX: .01, HalfY: .03, Front: true},
			{Name: "pgd", Mark: 2, X: .69, Y: .60, HalfX: .02, HalfY: .02},
			{Name: "erm", Mark: 4, X: .74, Y: .52, HalfX: .005, HalfY: .02, Front: true},
			{Name: "pan", Mark: 3, X: .73, Y: .50, HalfX: math.NaN(), HalfY: math.NaN()}}}
}

func TestScatterGoldens(t *testing.T) {
	for _, size := range [][2]int{{38, 8}, {60, 12}, {96, 24}} {
		for name, charset := range map[string]Charset{"": Lines, "-ascii": ASCII} {
			var f Frame
			hidden := (&Scatter{Of: fourPoints(), Charset: charset}).DrawTo(&f, size[0], size[1])
			golden(t, fmt.Sprintf("scatter-%dx%d%s", size[0], size[1], name),
				styled(&f)+fmt.Sprintln(hidden))
		}
	}
}

// TestEveryPointIsShownOrTold: at every size, a point has its name in the chart, or the chart says
// that it has none.
func TestEveryPointIsShownOrTold(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	named, told := 0, 0
	for range 300 {
		s := fourPoints()
		for i := range s.Points {
			p := &s.Points[i]
			p.X, p.Y = float64(random.IntN(9))/8, random.Float64()
			p.HalfX = random.Float64() / 4
		}
		var f Frame
		hidden := (&Scatter{Of: s}).DrawTo(&f, 20+random.IntN(80), 5+random.IntN(30))
		text := f.String()
		for i, p := range s.Points {
			without := slices.Contains(slices.Concat(hidden.Unnamed, hidden.Covered), i)
			if without == strings.Contains(text, p.Name) {
				t.Fatalf("%s: is told to have no name: %v\n%s", p.Name, without, text)
			}
			if without {
				told++
			} else {
				named++
			}
		}
	}
	if named == 0 || told == 0 {
		t.Errorf("%d points have names and %d have none, want some of each", named, told)
	}
}

// TestScatterOfAnything: no point and no size makes a drawing fail.
func TestScatterOfAnything(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 1e300, -1e300, 1e-300, math.MaxFloat64} {
		s := fourPoints()
		s.X.Percent, s.Y.Percent = false, false
		s.Points[0].X, s.Points[1].Y, s.Points[1].HalfY = v, -v, math.Inf(1)
		for w := range 40 {
			for h := range 12 {
				var f Frame
				(&Scatter{Of: s, Charset: ASCII}).DrawTo(&f, w, h)
				if f.W != w || f.H != h {
					t.Fatalf("%d by %d cells, want %d by %d", f.W, f.H, w, h)
				}
			}
		}
	}
	var f Frame
	(&Scatter{Of: new(page.Scatter)}).DrawTo(&f, 40, 10)
}
