package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// TestRowsAgainstFloat64 compares Rows with float64 at whole and odd numbers of images, units and
// vectors of features, on teams.
func TestRowsAgainstFloat64(t *testing.T) {
	for _, images := range testsize.Few(3, 1, 16, 67, 5, 130) {
		for _, in := range []Shape{{16, 1, 1}, {80, 1, 1}, {592, 1, 1}, {3, 4, 4}, {1, 8, 10}} {
			for _, units := range testsize.Few(3, 1, 6, 7, 2, 13) {
				cfg := Linear(in, units, units == 7)
				t.Run(caseName(images, cfg), func(t *testing.T) {
					p := newConvProblem(t, rand.New(rand.NewPCG(5, 6)), images, cfg)
					eachRows(t, cfg, func(t *testing.T, isa ISA) {
						p.checkRows(t, isa)
					})
				})
			}
		}
	}
}

// eachRows runs f for every instruction set of this machine that has kernels of rows. A build
// without assembly has none, and the test is skipped.
func eachRows(t *testing.T, cfg ConvConfig, f func(t *testing.T, isa ISA)) {
	fit := slices.DeleteFunc(ISAs(), func(isa ISA) bool { return !RowsFit(isa, cfg) })
	if len(fit) == 0 {
		t.Skip("no assembly")
	}
	for _, isa := range fit {
		t.Run(isa.String(), func(t *testing.T) { f(t, isa) })
	}
}

func (p *convProblem) checkRows(t *testing.T, isa ISA) {
	var before [][]float32
	scattered := p.scatter()
	for _, threads := range []int{1, 3} {
		team := NewTeam(threads)
		r := must(NewRows(isa, p.b, p.cfg))
		rng := rand.New(rand.NewPCG(7, 8))
		y := guarded(t, p.b.Len(p.out))
		r.Forward(team, y, scattered, p.w, p.bias)
		near(t, "y", gather(p.b, p.out, y), p.y.value, p.y.scale)
		for i, v := range y {
			if v != v {
				t.Fatalf("y[%d], of a lane without an image, is %v", i, v)
			}
		}
		dy := packed(t, rng, p.b, p.out, p.dy)
		zeroPadding(p.b, dy)
		dw, db := guarded(t, len(p.w)), guarded(t, len(p.bias))
		r.BackwardWeights(team, dw, db, scattered, dy, false)
		near(t, "dw", dw, p.dw.value, p.dw.scale)
		near(t, "db", db, p.db.value, p.db.scale)
		for i, now := range [][]float32{y, dw, db} {
			if before != nil {
				sameBits(t, fmt.Sprintf("result %d on %d threads", i, threads), before[i], now)
			}
		}
		before = [][]float32{y, slices.Clone(dw), slices.Clone(db)}
		r.BackwardWeights(team, dw, db, scattered, dy, true)
		near(t, "dw twice", dw, doubled(p.dw.value), doubled(p.dw.scale))
		near(t, "db twice", db, doubled(p.db.value), doubled(p.db.scale))
		team.Close()
	}
}

// scatter returns the images of p.x at places in a random order, with gaps between them.
func (p *convProblem) scatter() (s Images) {
	in := p.cfg.In.Len()
	n := len(p.x) / in
	s.X = make([]float32, 2*n*in+3)
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
		s.At = append(s.At, int32(2*i*in+3))
	}
	for i, at := range s.At {
		copy(s.X[at:], p.x[i*in:(i+1)*in])
	}
	return s
}

func doubled(values []float64) (twice []float64) {
	for _, v := range values {
		twice = append(twice, 2*v)
	}
	return twice
}

// TestRowsOfPartOfABatch checks that missing images have no part in any result.
func TestRowsOfPartOfABatch(t *testing.T) {
	cfg := Linear(Shape{32, 1, 1}, 3, false)
	p := newConvProblem(t, rand.New(rand.NewPCG(9, 9)), 20, cfg)
	eachRows(t, cfg, func(t *testing.T, isa ISA) {
		large := NewBatch(100)
		r := must(NewRows(isa, large, cfg))
		y := guarded(t, large.Len(p.out))
		r.Forward(nil, y, p.scatter(), p.w, p.bias)
		dy := make([]float32, len(y))
		for i := range 20 {
			for u := range 3 {
				got, want := y[large.at(p.out, i, u, 0)], p.y.value[i*3+u]
				if float64(got)-want > 1e-4 {
					t.Errorf("image %d, unit %d: %v, want %v", i, u, got, want)
				}
				dy[large.at(p.out, i, u, 0)] = p.dy[i*3+u]
			}
		}
		dw, db := guarded(t, len(p.w)), guarded(t, 3)
		r.BackwardWeights(nil, dw, db, p.scatter(), dy, false)
		near(t, "dw", dw, p.dw.value, p.dw.scale)
		near(t, "db", db, p.db.value, p.db.scale)
	})
}

func TestRowsRefuses(t *testing.T) {
	b := NewBatch(8)
	for _, cfg := range []ConvConfig{
		Linear(Shape{15, 1, 1}, 2, false), Linear(Shape{16, 1, 1}, 200, false), {},
		{In: Shape{16, 2, 2}, Out: 2, KernelHeight: 1, KernelWidth: 1, Stride: 1},
	} {
		if _, err := NewRows(Detect(), b, cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
	if _, err := NewRows(Generic, b, Linear(Shape{16, 1, 1}, 2, false)); err == nil {
		t.Error("plain Go: no error")
	}
}

// TestRowsOutside checks that nothing is read outside the rows.
func TestRowsOutside(t *testing.T) {
	cfg, b := Linear(Shape{16, 1, 1}, 2, false), NewBatch(4)
	eachRows(t, cfg, func(t *testing.T, isa ISA) {
		r := must(NewRows(isa, b, cfg))
		for _, at := range [][]int32{{-1}, {49}, {0, 1 << 30}, {0, 0, 0, 0, 0}} {
			if panicOf(func() {
				r.Forward(nil, make([]float32, 32), Images{X: make([]float32, 64), At: at},
					make([]float32, 32), nil)
			}) == nil {
				t.Errorf("rows at %v of 64 values are taken", at)
			}
		}
		inside := Images{X: make([]float32, 64), At: []int32{48, 1}}
		r.Forward(nil, make([]float32, 32), inside, make([]float32, 32), nil)
	})
}
