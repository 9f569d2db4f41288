package data

import (
	"math"
	"slices"
	"testing"
)

// marked is a source of samples of one pixel in groups of the given sizes.
type marked struct {
	Source
	group []int
}

func (m *marked) Group(i int) int { return m.group[i] }

func inGroups(sizes ...int) *marked {
	m := &marked{}
	for g, n := range sizes {
		m.group = append(m.group, slices.Repeat([]int{g}, n)...)
	}
	m.Source = noise(len(m.group), Shape{C: 1, H: 1, W: 1})
	return m
}

// Every sample of a group is drawn as often as the others of its group, and every group as often as
// the other groups. With these expectations, χ² over the samples stays below its 99.9 % point.
func TestSamplingByGroupIsUniformOverGroups(t *testing.T) {
	src := inGroups(40, 0, 5, 15)
	for name, open := range loaders() {
		if name == "sequential" {
			continue
		}
		for _, s := range []Sampling{ByGroup, Subsample} {
			if s == Subsample && name == "epochs" {
				continue // the test below
			}
			l := must(t)(open(src, LoaderOptions{Batch: 20, Sampling: s, Seed: 3}))
			counts := make([]float64, src.Len())
			const batches = 900
			for range batches {
				b := l.Next()
				for j, i := range b.Index {
					counts[i]++
					if b.Groups[j] != src.group[i] || b.Labels[j] != src.Label(i) {
						t.Fatalf("%s, %s: sample %d has other marks", name, s, i)
					}
				}
			}
			chi2 := 0.0
			for i, k := range counts {
				want := batches * 20 / 3. / []float64{40, 1, 5, 15}[src.group[i]]
				chi2 += (k - want) * (k - want) / want
			}
			if chi2 > 98.3 { // 59 degrees of freedom
				t.Errorf("%s, %s: χ² = %.1f", name, s, chi2)
			}
		}
	}
}

// Each pass of a sub-sampled source has as many samples of every group as the smallest group has,
// none twice. Passes differ, and over many passes every sample of a group comes up equally often.
func TestSubsampleCutsEveryGroupToTheSmallest(t *testing.T) {
	src := inGroups(30, 6, 0, 12)
	l := must(t)(NewEpochs(src, LoaderOptions{Batch: 6, Sampling: Subsample, Seed: 1}))
	counts := make([]float64, src.Len())
	var last []int
	const epochs = 500
	for range epochs {
		var order []int
		for range l.StepsPerEpoch() {
			order = append(order, l.Next().Index...)
		}
		if len(order) != 48 {
			t.Fatalf("an epoch has %d samples", len(order))
		}
		for pass := range slices.Chunk(order[:36], 18) {
			var of [4]int
			sorted := slices.Sorted(slices.Values(pass))
			for _, i := range pass {
				of[src.group[i]]++
				counts[i]++
			}
			if of != [4]int{6, 6, 0, 6} || len(slices.Compact(sorted)) != 18 {
				t.Fatalf("a pass has %v of the groups: %v", of, pass)
			}
			if slices.Equal(pass, last) {
				t.Fatal("two passes are the same")
			}
			last = pass
		}
	}
	for i, k := range counts { // a binomial's deviation, five times
		p := 6 / []float64{30, 6, 1, 12}[src.group[i]]
		if math.Abs(k-2*epochs*p) > 5*math.Sqrt(2*epochs*p*(1-p)) {
			t.Errorf("sample %d was there %v times in %d passes", i, k, 2*epochs)
		}
	}
}

// A loader that goes on from a place gives the same as one that never stopped; nothing of earlier
// passes is left behind. It allocates nothing.
func TestSamplingGoesOnFromAnyPlace(t *testing.T) {
	src := inGroups(30, 6, 0, 12)
	for _, s := range []Sampling{ByGroup, Subsample} {
		o := LoaderOptions{Batch: 7, Sampling: s, Seed: 9}
		whole, resumed := must(t)(NewEpochs(src, o)), must(t)(NewEpochs(src, o))
		for range 40 {
			whole.Next()
		}
		if err := resumed.Restore(whole.State()); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if a, b := whole.Next(), resumed.Next(); !slices.Equal(a.Index, b.Index) {
				t.Fatalf("%s: %v after a resume, %v without", s, b.Index, a.Index)
			}
		}
		if n := testing.AllocsPerRun(50, func() { whole.Next() }); n != 0 {
			t.Errorf("%s: %v allocations a batch", s, n)
		}
	}
}
