package plot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fresh returns copies of the series that have not been drawn.
func fresh(list []*Series) (copies []*Series) {
	for _, s := range list {
		c := *s
		c.bandCaches = nil
		copies = append(copies, &c)
	}
	return copies
}

// TestBandKeptLooksNew: a band whose seeds grow, break and are rewound has the same points, in
// every view, as a band of new seeds.
func TestBandKeptLooksNew(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	for range 200 {
		b := Line{HalfWidth: student,
			Seeds: []*Series{new(Series), new(Series), new(Series)}[:1+r.IntN(3)]}
		view := Range{0, float64(5 + r.IntN(60))}
		for range 30 {
			grow(r, b.Seeds[r.IntN(len(b.Seeds))])
			switch r.IntN(20) {
			case 0:
				view = Range{float64(r.IntN(20)), float64(21 + r.IntN(60))}
			case 1:
				slices.Reverse(b.Seeds)
			case 2:
				b.Seeds = b.Seeds[:max(1, len(b.Seeds)-1)]
			}
			n := []int{1, 7, 40, 64, 100, 256}[r.IntN(6)]
			got := b.Points(view, n)
			want := (&Line{HalfWidth: student, Seeds: fresh(b.Seeds)}).Points(view, n)
			if !slices.EqualFunc(got, want, func(p, q BandPoint) bool {
				return p.X == q.X && p.N == q.N && same(p.Mean, q.Mean) &&
					same(p.Lo, q.Lo) && same(p.Hi, q.Hi)
			}) {
				t.Fatalf("%d columns of %v: kept\n%v\nnew\n%v", n, view, got, want)
			}
		}
	}
}

// TestBandKeptCostsWhatChanged: computing the points of a band again costs only the columns that
// have changed.
func TestBandKeptCostsWhatChanged(t *testing.T) {
	b := Line{HalfWidth: student, Seeds: seeds(make([]float64, 8000), make([]float64, 8000),
		make([]float64, 8000))}
	view := Range{0, 8100}
	b.Points(view, 256)
	c := b.Seeds[0].bandCaches[0]
	c.points[10].Mean = 7 // unchanged columns are not recomputed
	for _, s := range b.Seeds {
		s.Append(8001, 1)
	}
	points := b.Points(view, 256)
	if got := points[10].Mean; got != 7 {
		t.Errorf("column 10, which has not changed, has the mean %v, want the kept 7", got)
	}
	if got := points[252]; got.N != 3 || got.Mean == 0 {
		t.Errorf("column 252, which has changed, has %+v, want a mean of 3 seeds", got)
	}
	if n := testing.AllocsPerRun(10, func() { points = b.Points(view, 256) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
