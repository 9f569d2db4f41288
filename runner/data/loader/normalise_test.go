package loader

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// partOfRows returns every other row of wideRows with other labels, as a split with label noise
// has.
func partOfRows() data.Source {
	all := wideRows()
	var index, labels, groups []uint32
	for i := all.Len() - 1; i >= 0; i -= 2 {
		index = append(index, uint32(i))
		labels, groups = append(labels, uint32(i%3)), append(groups, uint32(i%5))
	}
	return data.Relabel(data.SubsetOf(all, index), labels, groups)
}

// A loader that takes rows where they lie gives the same rows as one that copies, also after jumps.
func TestInPlaceIsTheSame(t *testing.T) {
	for name, open := range loaders() {
		for _, src := range []data.Source{wideRows(), partOfRows()} {
			t.Run(name, func(t *testing.T) {
				o := Options{Batch: 8, Seed: 9, Stream: 1}
				copied := must(t)(open(src, o))
				o.RunOnThreads, o.InPlace, o.Ahead = lastFirst, true, true
				lying := must(t)(open(src, o))
				rng, size := rand.New(rand.NewPCG(1, 1)), src.Shape().Len()
				for i := range 60 {
					if s := copied.State(); i%7 == 6 {
						s.Epoch = rng.Uint64N(3)
						s.Step = rng.Uint64N(uint64(copied.StepsPerEpoch()))
						copied.Restore(s)
						if err := lying.Restore(s); err != nil {
							t.Fatal(err)
						}
					}
					got, want := lying.Next(), copied.Next()
					for j, at := range got.Offsets {
						if !slices.Equal(got.X[at:][:size], want.X[j*size:][:size]) {
							t.Fatalf("batch %d: row %d is another", i, j)
						}
					}
					if len(got.Offsets) != got.N {
						t.Fatalf("batch %d: %d offsets for %d samples", i, len(got.Offsets), got.N)
					}
					if diff := marksDiff(want, got); diff != "" {
						t.Fatalf("batch %d differs (-copied +in place):\n%s", i, diff)
					}
				}
			})
		}
	}
}

// A batch of an epoch tells where the rows of the next batch begin.
func TestNextRows(t *testing.T) {
	l := must(t)(NewEpochs(partOfRows(), Options{Batch: 8, InPlace: true}))
	steps := l.StepsPerEpoch()
	next := slices.Clone(l.Next().Next)
	for i := 1; i < 2*steps; i++ {
		b := l.Next()
		if i%steps != 0 && !slices.Equal(next, b.Offsets) {
			t.Fatalf("batch %d: its rows begin at %v, said to at %v", i, b.Offsets, next)
		}
		next = slices.Clone(b.Next)
	}
}

// Samples that are not in memory in the form that a network takes are copied.
func TestInPlaceWhereItCanBe(t *testing.T) {
	wide := wideRows().(*data.Features)
	doubles := *wide
	doubles.Size, doubles.Decode = 8, data.Decode64
	doubles.Dims.C /= 2
	o := Options{Batch: 4, InPlace: true}
	scaled := o
	scaled.Mean, scaled.Std = make([]float32, wide.Dims.C), slices.Repeat([]float32{2}, wide.Dims.C)
	for name, tc := range map[string]struct {
		src data.Source
		o   Options
	}{
		"doubles": {&doubles, o}, "scaled": {wide, scaled},
		"images":        {randomImages(50, data.Shape{C: 1, H: 4, W: 4}), o},
		"not asked for": {wide, Options{Batch: 4}},
	} {
		b := must(t)(NewEpochs(tc.src, tc.o)).Next()
		if b.Offsets != nil || len(b.X) != 4*tc.src.Shape().Len() {
			t.Errorf("%s: a batch has offsets %v and %d values, want none and those of 4 samples",
				name, b.Offsets, len(b.X))
		}
	}
}

// A loader without values has the same samples as one with values. It announces exactly the batches
// that it gives, each once and in order, past the ends of epochs and after a Restore.
func TestIndexOnly(t *testing.T) {
	set, err := source.Open("shapes", data.Options{Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	src := set.Train
	for kind, make := range map[kind]func(data.Source, Options) (*Loader, error){
		epochs: NewEpochs, draws: NewDraws, sequential: NewSequential,
	} {
		t.Run(string(kind), func(t *testing.T) {
			o := Options{Batch: 16, Seed: 3, Stream: 2}
			full, told := must(t)(make(src, o)), []string(nil)
			o.IndexOnly = true
			o.Announce = func(epoch uint64, index []int) {
				told = append(told, fmt.Sprint(epoch, index))
			}
			bare, given := must(t)(make(src, o)), []string(nil)
			for range 20 {
				a, b := full.Next(), bare.Next()
				if b.X != nil {
					t.Fatalf("a batch of indices has values: %v", b.X)
				}
				if diff := marksDiff(a, b); diff != "" {
					t.Fatalf("a batch differs (-with values +without):\n%s", diff)
				}
				if a.Epoch != b.Epoch {
					t.Fatalf("the batch without values is of epoch %d, want %d", b.Epoch, a.Epoch)
				}
				if full.State() != bare.State() {
					t.Fatalf("the place without values is %+v, want %+v", bare.State(),
						full.State())
				}
				if kind != sequential || b.Index[0] > 0 { // no pass announces the next one
					given = append(given, fmt.Sprint(b.Epoch, b.Index))
				}
			}
			if kind == sequential {
				if !slices.Equal(told, given) {
					t.Fatalf("announced\n%v\ngiven\n%v", told, given)
				}
				return
			}
			if len(told) != 21 || !slices.Equal(told[:19], given[1:]) {
				t.Fatalf("announced\n%v\ngiven\n%v", told, given)
			}
			told = nil
			state := State{string(kind), 50, 16, 3, 2, 0, 1}
			if err := bare.Restore(state); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				bare.Next()
			}
			if !slices.Equal(told[:4], given[2:6]) {
				t.Fatalf("after a restore it announces\n%v\nand gives\n%v", told, given[2:])
			}
		})
	}
}
