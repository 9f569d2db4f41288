package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSGD(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	c := SGDConfig{LearningRate: .1, Momentum: .9, WeightDecay: .01}
	for _, n := range []int{1, 7, 16, 33, 2*sgdChunk + 19} {
		w0, v0, g := random(t, r, n), random(t, r, n), random(t, r, n)
		eachISA(t, func(t *testing.T, isa ISA) {
			w, v := guarded(t, n), guarded(t, n)
			copy(w, w0)
			copy(v, v0)
			s := NewSGD(isa, n)
			norm := s.Step(nil, w, v, g, c)
			want := 0.0
			for i := range g {
				want += float64(g[i]) * float64(g[i])
				wantV := .9*float64(v0[i]) + float64(g[i]) + .01*float64(w0[i])
				wantW := float64(w0[i]) - .1*wantV
				if math.Abs(float64(v[i])-wantV) > 2e-6 || math.Abs(float64(w[i])-wantW) > 2e-6 {
					t.Fatalf("w, v [%d] = %v, %v, want %v, %v", i, w[i], v[i], wantW, wantV)
				}
			}
			if math.Abs(norm-want) > 1e-12*want {
				t.Fatalf("norm² = %v, want %v", norm, want)
			}
			team := NewTeam(3)
			defer team.Close()
			if got := s.SquaredNorm(team, g); got != norm {
				t.Fatalf("SquaredNorm on 3 threads = %v, Step's %v", got, norm)
			}
		})
	}
}

// TestSGDInTwoParts checks both halves by hand, and that the number of threads does not change
// their bits.
func TestSGDInTwoParts(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 29))
	m := AccumulateConfig{Momentum: .9, Keep: .25, Scale: .5, WeightDecay: .01}
	for _, n := range []int{1, 17, 2*sgdChunk + 19} {
		w0, v0, g := random(t, r, n), random(t, r, n), random(t, r, n)
		eachISA(t, func(t *testing.T, isa ISA) {
			w, v := guarded(t, n), guarded(t, n)
			copy(w, w0)
			copy(v, v0)
			s := NewSGD(isa, n)
			norm := s.Accumulate(nil, w, v, g, m)
			s.Advance(nil, w, v, .1)
			want := 0.0
			for i := range g {
				wantV := .9*float64(v0[i]) + .25*(.5*float64(g[i])+.01*float64(w0[i]))
				wantW := float64(w0[i]) - .1*wantV
				want += wantV * wantV
				if math.Abs(float64(v[i])-wantV) > 2e-6 || math.Abs(float64(w[i])-wantW) > 2e-6 {
					t.Fatalf("w, v [%d] = %v, %v, want %v, %v", i, w[i], v[i], wantW, wantV)
				}
			}
			if math.Abs(norm-want) > 1e-6*want {
				t.Fatalf("‖v‖² = %v, want %v", norm, want)
			}
			team := NewTeam(3)
			defer team.Close()
			again, moved := guarded(t, n), guarded(t, n)
			copy(again, v0)
			copy(moved, w0)
			if got := s.Accumulate(team, moved, again, g, m); got != norm {
				t.Fatalf("‖v‖² on 3 threads = %v, on one %v", got, norm)
			}
			s.Advance(team, moved, again, .1)
			sameBits(t, "v", again, v)
			sameBits(t, "w", moved, w)
		})
	}
}
