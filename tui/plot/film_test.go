package plot

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

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
		if f.Len() > filmColumns {
			t.Fatalf("%d moments are kept, want at most %d", f.Len(), filmColumns)
		}
		if last.x != float64(i) || last.values[0] != float32(i) {
			t.Fatalf("the latest moment is %+v, want %d at %d", last, i, i)
		}
		if !slices.IsSortedFunc(f.items, func(a, b moment) int { return cmp.Compare(a.x, b.x) }) {
			t.Fatal("out of order")
		}
	}
	f.Rewind(100)
	if n := f.Len(); n == 0 || f.items[n-1].x > 100 {
		t.Errorf("after a rewind to 100 the film ends at %v, want 100 or before", f.items[n-1].x)
	}
}
