package data

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"drolab/runner/data/internal/dataset"
)

// A loader that works ahead gives the same batches and states as one that does not, also after
// jumps to other places.
func TestAheadIsTheSame(t *testing.T) {
	src := noise(50, Shape{C: 3, H: 8, W: 8})
	o := LoaderOptions{Batch: 8, Augment: Augment{Pad: 2, Flip: true}, Seed: 9, Stream: 1}
	for name, open := range loaders() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left at the end
				o.Ahead = false
				plain := must(t)(open(src, o))
				o.Ahead = true
				l := must(t)(open(src, o))
				defer l.Close()
				rng := rand.New(rand.NewPCG(1, 1))
				for i := range 60 {
					if i%7 == 6 {
						s := plain.State()
						s.Epoch, s.Step = rng.Uint64N(3), rng.Uint64N(uint64(l.StepsPerEpoch()))
						if err := l.Restore(s); err != nil {
							t.Fatal(err)
						}
						plain.Restore(s)
					}
					same(t, l, plain)
				}
				l.Close()
				same(t, l, plain)
			})
		})
	}
}

// same compares the next batches of two loaders, and their places before and after.
func same(t *testing.T, got, want *Loader) {
	t.Helper()
	at := want.State()
	if s := got.State(); s != at {
		t.Fatalf("the place is %+v, want %+v", s, at)
	}
	g, w := got.Next(), want.Next()
	if g.N != w.N || !slices.Equal(g.X, w.X) || !slices.Equal(g.Labels, w.Labels) ||
		!slices.Equal(g.Groups, w.Groups) || !slices.Equal(g.Index, w.Index) {
		t.Fatalf("the batch at %+v differs", at)
	}
}

// A batch stays as it is until the next call of Next, even while the next batch is made.
func TestAheadLeavesTheBatchAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(t)(NewDraws(noise(50, Shape{C: 1, H: 4, W: 4}),
			LoaderOptions{Batch: 8, Ahead: true}))
		defer l.Close()
		for range 5 {
			b := l.Next()
			x, index := slices.Clone(b.X), slices.Clone(b.Index)
			synctest.Wait() // the next batch is made
			if !slices.Equal(b.X, x) || !slices.Equal(b.Index, index) {
				t.Fatal("making the next batch changes the one in use")
			}
		}
	})
}

// brittle is a source that panics at one of its samples.
type brittle struct{ Source }

func (b brittle) Read(dst []float32, i int) {
	if i == 9 {
		panic("sample 9")
	}
}

// The panic of a source surfaces where the batch is asked for, so that it ends a run and not the
// program.
func TestAheadPanicsInNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := brittle{noise(12, Shape{C: 1, H: 1, W: 1})}
		l := must(t)(NewSequential(src, LoaderOptions{Batch: 4, Ahead: true}))
		defer l.Close()
		l.Next()
		l.Next()
		defer func() {
			if p := recover(); p != "sample 9" {
				t.Errorf("recovered %v", p)
			}
		}()
		l.Next()
		t.Error("a panic of the source is lost")
	})
}

// The panic of a source surfaces in the caller, too, where a split is read on every core at once.
func TestEveryCorePanicsInCaller(t *testing.T) {
	defer func() {
		if p := recover(); p != "sample 9" {
			t.Errorf("recovered %v", p)
		}
	}()
	dataset.Tabulated(brittle{noise(12, Shape{C: 1, H: 1, W: 1})})
	t.Error("a panic of the source is lost")
}
