package data

import (
	"fmt"
	"slices"
	"testing"
)

// A loader without values has the same samples as one with values. It announces exactly the batches
// that it gives, each once and in order, past the ends of epochs and after a Restore.
func TestIndexOnly(t *testing.T) {
	src := opened(t, "shapes", Options{Samples: 50}).Train
	for kind, make := range map[kind]func(Source, LoaderOptions) (*Loader, error){
		epochs: NewEpochs, draws: NewDraws, sequential: NewSequential,
	} {
		t.Run(string(kind), func(t *testing.T) {
			o := LoaderOptions{Batch: 16, Seed: 3, Stream: 2}
			full, told := must(t)(make(src, o)), []string(nil)
			o.IndexOnly = true
			o.Announce = func(epoch uint64, index []int) {
				told = append(told, fmt.Sprint(epoch, index))
			}
			bare, given := must(t)(make(src, o)), []string(nil)
			for range 20 {
				a, b := full.Next(), bare.Next()
				if b.X != nil || !slices.Equal(a.Index, b.Index) ||
					!slices.Equal(a.Labels, b.Labels) || !slices.Equal(a.Groups, b.Groups) ||
					a.Epoch != b.Epoch || full.State() != bare.State() {
					t.Fatalf("%v, with values %v", b, a)
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
