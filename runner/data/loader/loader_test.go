package loader

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/data/synthetic"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// randomImages returns a small image source of random bytes.
func randomImages(n int, sh data.Shape) *data.Images {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &data.Images{Marks: data.NewLabels(n), Dims: sh, Data: make([]byte, n*sh.Len()),
		Stride: sh.Len()}
	for i := range s.Data {
		s.Data[i] = byte(rng.Uint32())
	}
	for i := range s.Labels {
		s.Labels[i] = uint16(i % 3)
	}
	return s
}

// labelled is a source whose samples have one value, the sample's index. The label of sample i is
// labels[i], and its group is the label modulo 2.
type labelled []int

func (s labelled) Len() int                  { return len(s) }
func (s labelled) Shape() data.Shape         { return data.Shape{C: 1, H: 1, W: 1} }
func (s labelled) Label(i int) int           { return s[i] }
func (s labelled) Group(i int) int           { return s[i] % 2 }
func (s labelled) Read(dst []float32, i int) { dst[0] = float32(i) }

// must fails the test on an error.
func must(t testing.TB) func(*Loader, error) *Loader {
	return func(l *Loader, err error) *Loader {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// loaders returns all kinds of loader by name.
func loaders() map[string]func(data.Source, Options) (*Loader, error) {
	return map[string]func(data.Source, Options) (*Loader, error){
		"epochs": NewEpochs, "draws": NewDraws, "sequential": NewSequential}
}

func TestEpochsArePermutations(t *testing.T) {
	l := must(t)(NewEpochs(randomImages(103, data.Shape{C: 1, H: 2, W: 2}), Options{Batch: 10}))
	if l.StepsPerEpoch() != 10 {
		t.Fatalf("%d steps an epoch, want 10", l.StepsPerEpoch())
	}
	var orders [][]int
	for range 3 {
		var order []int
		for range 10 {
			order = append(order, l.Next().Index...)
		}
		orders = append(orders, slices.Clone(order))
		slices.Sort(order)
		if len(slices.Compact(order)) != 100 {
			t.Error("an epoch gives a sample twice")
		}
	}
	if slices.Equal(orders[0], orders[1]) || slices.Equal(orders[1], orders[2]) {
		t.Error("two epochs have the same order")
	}
}

// Every order of three is equally likely: χ² with 5 degrees of freedom stays below its 99.9 %
// point.
func TestShuffleIsUniform(t *testing.T) {
	l := must(t)(NewEpochs(randomImages(3, data.Shape{C: 1, H: 1, W: 1}), Options{Batch: 3}))
	seen := map[[3]int]float64{}
	const n = 6000
	for range n {
		seen[[3]int(l.Next().Index)]++
	}
	chi2 := 0.0
	for _, k := range seen {
		chi2 += (k - n/6.) * (k - n/6.) / (n / 6.)
	}
	if len(seen) != 6 {
		t.Errorf("%d orders of three samples, want 6", len(seen))
	}
	if chi2 > 20.5 {
		t.Errorf("χ² = %.1f, want at most 20.5", chi2)
	}
}

func TestDrawsAreUniformWithReplacement(t *testing.T) {
	l := must(t)(NewDraws(randomImages(10, data.Shape{C: 1, H: 1, W: 1}),
		Options{Batch: 64, Seed: 5}))
	counts, repeated := make([]float64, 10), false
	for range 200 {
		b := l.Next()
		repeated = repeated || len(slices.Compact(slices.Sorted(slices.Values(b.Index)))) < 10
		for _, i := range b.Index {
			counts[i]++
		}
	}
	chi2, want := 0.0, 64*200/10.
	for _, k := range counts {
		chi2 += (k - want) * (k - want) / want
	}
	if chi2 > 27.9 { // 99.9 % point, 9 degrees of freedom
		t.Errorf("χ² = %.1f: counts %v", chi2, counts)
	}
	if !repeated {
		t.Error("every batch of 64 has all ten samples: draws are not independent")
	}
}

func TestSequential(t *testing.T) {
	src := randomImages(7, data.Shape{C: 1, H: 1, W: 1})
	l := must(t)(NewSequential(src, Options{Batch: 3, Augment: data.Augment{Flip: true}}))
	for pass := range 2 {
		var got []int
		for range l.StepsPerEpoch() {
			b := l.Next()
			lengths := [...]int{len(b.Index), len(b.X), len(b.Labels), len(b.Groups)}
			if want := [...]int{b.N, b.N, b.N, b.N}; lengths != want {
				t.Fatalf("a batch of %d has %v indices, values, labels and groups", b.N, lengths)
			}
			for j, i := range b.Index {
				if b.Labels[j] != src.Label(i) || b.X[j] != float32(src.Data[i])/255 {
					t.Errorf("sample %d comes with label %d and value %v, want %d and %v", i,
						b.Labels[j], b.X[j], src.Label(i), float32(src.Data[i])/255)
				}
			}
			got = append(got, b.Index...)
		}
		if !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6}) {
			t.Errorf("pass %d goes through %v", pass, got)
		}
	}
	small := must(t)(NewSequential(src, Options{Batch: 100}))
	if got := small.Next().N; got != 7 {
		t.Errorf("a batch larger than the source has %d samples, want all 7", got)
	}
	if got := small.StepsPerEpoch(); got != 1 {
		t.Errorf("%d steps an epoch of batches larger than the source, want 1", got)
	}
}

// From any place, a restored loader continues with exactly the batches of the loader that saved its
// state.
func TestResumeIsExact(t *testing.T) {
	src := randomImages(50, data.Shape{C: 3, H: 8, W: 8})
	o := Options{Batch: 8, Augment: data.Augment{Pad: 2, Flip: true}, Mean: []float32{.5, .4, .3},
		Std: []float32{.2, .3, .4}, Seed: 9, Stream: 1}
	for name, open := range loaders() {
		t.Run(name, func(t *testing.T) {
			l := must(t)(open(src, o))
			for step := range 20 {
				text, err := json.Marshal(l.State())
				if err != nil {
					t.Fatal(err)
				}
				var s State
				if err := json.Unmarshal(text, &s); err != nil {
					t.Fatal(err)
				}
				again := must(t)(open(src, o))
				if err := again.Restore(s); err != nil {
					t.Fatal(err)
				}
				again.Next()
				want := l.Next()
				if !slices.Equal(again.batch.X, want.X) ||
					!slices.Equal(again.batch.Index, want.Index) {
					t.Fatalf("the batch after step %d differs", step)
				}
				if again.State() != l.State() {
					t.Fatalf("the state after step %d differs", step)
				}
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	src := randomImages(50, data.Shape{C: 1, H: 1, W: 1})
	l := must(t)(NewEpochs(src, Options{Batch: 8, Seed: 1}))
	good := l.State()
	for name, change := range map[string]func(*State){
		"kind": func(s *State) { s.Kind = "draws" }, "samples": func(s *State) { s.Samples++ },
		"batch": func(s *State) { s.Batch++ },
		"seed":  func(s *State) { s.Seed++ }, "stream": func(s *State) { s.Stream++ },
		"step": func(s *State) { s.Step = 6 },
	} {
		s := good
		change(&s)
		if l.Restore(s) == nil {
			t.Errorf("a state with another %s is taken", name)
		}
	}
	if l.State() != good {
		t.Error("a refused state moves the loader")
	}
}

func TestStreamsAndSeedsDiffer(t *testing.T) {
	src := randomImages(1000, data.Shape{C: 1, H: 1, W: 1})
	first := func(seed, stream uint64) []int {
		return must(t)(NewDraws(src, Options{Batch: 64, Seed: seed,
			Stream: stream})).Next().Index
	}
	if slices.Equal(first(0, 0), first(0, 1)) {
		t.Error("two streams of a seed draw the same samples")
	}
	if slices.Equal(first(1, 0), first(0, 1)) {
		t.Error("seed 1 of stream 0 and seed 0 of stream 1 draw the same samples")
	}
	if diff := cmp.Diff(first(2, 3), first(2, 3)); diff != "" {
		t.Errorf("two loaders of one seed and stream draw other samples:\n%s", diff)
	}
}

// cropTo agrees with its definition for every shift and both directions, on black and on the mean
// colour.
func TestCropAgainstDefinition(t *testing.T) {
	sh := data.Shape{C: 2, H: 5, W: 4}
	src := randomImages(1, sh)
	mean, std := []float32{.1, .7}, []float32{.5, .25}
	got := make([]float32, sh.Len())
	for at := range 2 * 7 * 7 * 2 {
		onMean, dx, dy, flip := at%2 == 0, at/2%7-3, at/14%7-3, at/98 == 0
		n, err := newNormaliser(src,
			Options{Mean: mean, Std: std, Augment: data.Augment{Pad: 3, Mean: onMean}})
		if err != nil {
			t.Fatal(err)
		}
		n.cropTo(got, src.Pixels(nil, 0), dx, dy, flip)
		for i, v := range got {
			c, y, x := i/20, i%20/4, i%4
			if flip {
				x = 3 - x
			}
			value := 0.0
			if onMean {
				value = float64(mean[c])
			}
			if sy, sx := y+dy, x+dx; sy >= 0 && sy < 5 && sx >= 0 && sx < 4 {
				value = float64(src.Data[(c*5+sy)*4+sx]) / 255
			}
			want := (value - float64(mean[c])) / float64(std[c])
			if math.Abs(float64(v)-want) > 1e-6 {
				t.Fatalf("shift (%d, %d), flip %v, mean %v: value %d is %v, want %v",
					dx, dy, flip, onMean, i, v, want)
			}
		}
	}
	if _, err := newNormaliser(src,
		Options{Augment: data.Augment{Pad: 3, Mean: true}}); err == nil {
		t.Error("the mean colour of an image without a mean is taken")
	}
}

// The augmentation draws every shift and both directions about equally often.
func TestAugmentIsUniform(t *testing.T) {
	src := &data.Images{Marks: data.NewLabels(1), Dims: data.Shape{C: 1, H: 3, W: 3},
		Data: []byte{255, 0, 0, 0, 0, 0, 0, 0, 0}, Stride: 9}
	l := must(t)(NewDraws(src, Options{Batch: 100, Augment: data.Augment{Pad: 1, Flip: true}}))
	counts := map[int]int{}
	const n = 18000
	for range n / 100 {
		b := l.Next()
		for j := range b.N {
			counts[slices.Index(b.X[j*9:(j+1)*9], 1)]++
		}
	}
	// Of the 3×3 shifts, 4 leave the corner pixel inside. Without a flip it lands in columns 0 and
	// 1, with a flip in columns 2 and 1.
	for at, want := range map[int]float64{-1: 5. / 9, 0: 1. / 18, 1: 1. / 9, 2: 1. / 18, 3: 1. / 18,
		4: 1. / 9,
		5: 1. / 18} {
		if got := float64(counts[at]) / n; math.Abs(got-want) > 5*math.Sqrt(want/n) {
			t.Errorf("the pixel is at %d in %.4f of the draws, want %.4f", at, got, want)
		}
	}
}

func TestTablesAreNormalised(t *testing.T) {
	l := must(t)(NewSequential(labelled{0, 1, 0},
		Options{Batch: 3, Mean: []float32{1}, Std: []float32{2}}))
	b := l.Next()
	if want := []float32{-.5, 0, .5}; !slices.Equal(b.X, want) {
		t.Errorf("values %v, want %v", b.X, want)
	}
	if want := []int{0, 1, 0}; !slices.Equal(b.Groups, want) {
		t.Errorf("groups %v, want %v", b.Groups, want)
	}
}

func TestLoaderRefuses(t *testing.T) {
	src := randomImages(5, data.Shape{C: 3, H: 4, W: 4})
	for name, o := range map[string]Options{
		"no batch":    {},
		"large batch": {Batch: 6},
		"short mean":  {Batch: 1, Mean: []float32{0}, Std: []float32{1}},
		"no std":      {Batch: 1, Mean: []float32{0, 0, 0}},
		"zero std":    {Batch: 1, Mean: []float32{0, 0, 0}, Std: []float32{1, 0, 1}},
		"large pad":   {Batch: 1, Augment: data.Augment{Pad: 4}},
	} {
		if _, err := NewEpochs(src, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewSequential(labelled{}, Options{Batch: 1}); err == nil {
		t.Error("an empty source: no error")
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	d, err := source.Open("shapes", data.Options{Samples: 100})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Batch: 16, Augment: d.Augment, Mean: d.Mean, Std: d.Std}
	lazy := &synthetic.Drawn{Art: synthetic.NewArtist(0), Key: 1, N: 100}
	table := must(t)(openLoader(NewEpochs, "csv:example", 16))
	early := o
	early.Ahead = true
	ahead := must(t)(NewEpochs(d.Train, early))
	defer ahead.Close()
	for name, l := range map[string]*Loader{
		"epochs": must(t)(NewEpochs(d.Train, o)), "draws": must(t)(NewDraws(d.Train, o)),
		"sequential": must(t)(NewSequential(d.Test, o)), "drawn": must(t)(NewEpochs(lazy, o)),
		"table": table,
		"ahead": ahead,
	} {
		if allocs := testing.AllocsPerRun(20, func() { l.Next() }); allocs != 0 {
			t.Errorf("%s: %v allocations a batch", name, allocs)
		}
	}
}

// openLoader opens a dataset and a loader of its training split.
func openLoader(
	open func(data.Source, Options) (*Loader, error), name string, batch int,
) (*Loader, error) {
	d, err := source.Open(name, data.Options{})
	if err != nil {
		return nil, err
	}
	return open(d.Train, Options{Batch: batch, Mean: d.Mean, Std: d.Std})
}

// BenchmarkNext times a batch of the paper's experiment: 128 images of 3×32×32, cropped, flipped
// and normalised. Its cost must not grow with the number of samples (except for the shuffle, once
// an epoch).
func BenchmarkNext(b *testing.B) {
	for name, n := range map[string]int{"n=1e4": 10000, "n=1e5": 100000} {
		b.Run(name, func(b *testing.B) {
			l := must(b)(NewEpochs(randomImages(n, data.Shape{C: 3, H: 32, W: 32}),
				Options{Batch: 128,
					Augment: data.Augment{Pad: 4, Flip: true},
					Mean:    []float32{.5, .5, .5}, Std: []float32{.2, .2, .2}}))
			l.Next()
			b.ReportAllocs()
			for b.Loop() {
				l.Next()
			}
		})
	}
}

// In every kind of loader, a batch names its samples by their place in the split that is left to
// train on, and has their labels and groups.
func TestBatchesIndexTheTrainingSplit(t *testing.T) {
	for _, name := range []string{"shapes", "csv:example"} {
		o := data.Options{Samples: 300, ValFraction: .3, Imbalance: []float64{.5, .9}}
		if name == "shapes" {
			o.Imbalance = data.PaperImbalance()
		}
		d, err := source.Open(name, o)
		if err != nil {
			t.Fatal(err)
		}
		n := d.Train.Len()
		for _, ahead := range []bool{false, true} {
			for kind, open := range loaders() {
				l := must(t)(open(d.Train, Options{Batch: 7, Seed: 5, Ahead: ahead}))
				seen := make([]bool, n)
				for range 20 * n / 7 {
					b := l.Next()
					for j, i := range b.Index {
						if b.Labels[j] != d.Train.Label(i) || b.Groups[j] != d.Train.Group(i) {
							t.Fatalf("%s, %s: sample %d has label %d and group %d, "+
								"in the split %d and %d",
								name, kind, i, b.Labels[j], b.Groups[j],
								d.Train.Label(i), d.Train.Group(i))
						}
						seen[i] = true
					}
				}
				if at := slices.Index(seen, false); at >= 0 {
					t.Errorf("%s, %s: sample %d of %d never comes", name, kind, at, n)
				}
			}
		}
	}
}

// groupedSource is a source of samples of one pixel in groups of the given sizes.
type groupedSource struct {
	data.Source
	group []int
}

func (m *groupedSource) Group(i int) int { return m.group[i] }

func inGroups(sizes ...int) *groupedSource {
	m := &groupedSource{}
	for g, n := range sizes {
		m.group = append(m.group, slices.Repeat([]int{g}, n)...)
	}
	m.Source = randomImages(len(m.group), data.Shape{C: 1, H: 1, W: 1})
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
			l := must(t)(open(src, Options{Batch: 20, Sampling: s, Seed: 3}))
			counts := make([]float64, src.Len())
			const batches = 900
			for range batches {
				b := l.Next()
				for j, i := range b.Index {
					counts[i]++
					got, want := [...]int{b.Labels[j], b.Groups[j]},
						[...]int{src.Label(i), src.group[i]}
					if got != want {
						t.Fatalf("%s, %s: sample %d has label and group %v, want %v", name, s, i,
							got, want)
					}
				}
			}
			chi2 := 0.0
			for i, k := range counts {
				want := batches * 20 / 3. / []float64{40, 1, 5, 15}[src.group[i]]
				chi2 += (k - want) * (k - want) / want
			}
			if chi2 > 98.3 { // 59 degrees of freedom
				t.Errorf("%s, %s: χ² = %.1f, want at most 98.3", name, s, chi2)
			}
		}
	}
}

// Each pass of a sub-sampled source has as many samples of every group as the smallest group has,
// none twice. Passes differ, and over many passes every sample of a group comes up equally often.
func TestSubsampleCutsEveryGroupToTheSmallest(t *testing.T) {
	src := inGroups(30, 6, 0, 12)
	l := must(t)(NewEpochs(src, Options{Batch: 6, Sampling: Subsample, Seed: 1}))
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
		o := Options{Batch: 7, Sampling: s, Seed: 9}
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

// A loader that works ahead gives the same batches and states as one that does not, also after
// jumps to other places.
func TestAheadIsTheSame(t *testing.T) {
	src := randomImages(50, data.Shape{C: 3, H: 8, W: 8})
	o := Options{Batch: 8, Augment: data.Augment{Pad: 2, Flip: true}, Seed: 9, Stream: 1}
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
	if diff := marksDiff(w, g); diff != "" {
		t.Fatalf("the batch at %+v differs (-want +got):\n%s", at, diff)
	}
	if !slices.Equal(g.X, w.X) {
		t.Fatalf("the values of the batch at %+v differ: samples %v", at, w.Index)
	}
}

// marksDiff compares two batches, except for their values and the memory that these lie in.
func marksDiff(want, got *Batch) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(Batch{}, "X", "Offsets", "Next", "Epoch"))
}

// A batch stays as it is until the next call of Next, even while the next batch is made.
func TestAheadLeavesTheBatchAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(t)(NewDraws(randomImages(50, data.Shape{C: 1, H: 4, W: 4}),
			Options{Batch: 8, Ahead: true}))
		defer l.Close()
		for range 5 {
			b := l.Next()
			x, index := slices.Clone(b.X), slices.Clone(b.Index)
			synctest.Wait() // the next batch is made
			if !slices.Equal(b.X, x) {
				t.Fatal("making the next batch changes the values of the one in use")
			}
			if !slices.Equal(b.Index, index) {
				t.Fatalf("making the next batch changes the indices of the one in use: %v, want %v",
					b.Index, index)
			}
		}
	})
}

// panickingSource is a source that panics at one of its samples.
type panickingSource struct{ data.Source }

func (b panickingSource) Read(dst []float32, i int) {
	if i == 9 {
		panic("sample 9")
	}
}

// The panic of a source surfaces where the batch is asked for, so that it ends a run and not the
// program.
func TestAheadPanicsInNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := panickingSource{randomImages(12, data.Shape{C: 1, H: 1, W: 1})}
		l := must(t)(NewSequential(src, Options{Batch: 4, Ahead: true}))
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
	data.Tabulated(panickingSource{randomImages(12, data.Shape{C: 1, H: 1, W: 1})})
	t.Error("a panic of the source is lost")
}
