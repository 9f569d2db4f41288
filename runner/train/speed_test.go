package train

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The benchmarks here compare things with each other, so the things take turns within one
// benchmark: other work of the machine then disturbs all alike. Each benchmark reports medians and
// their ratios; ns/op is of no use. See -benchtime 20x.

// alexNetRun returns a run of the paper's network on a source of 3×32×32 images.
func alexNetRun(b *testing.B, a dro.Algorithm, src data.Source, threads int) *Run {
	b.Helper()
	s := spec.Defaults()
	s.Model = "alexnet"
	r, err := benchRun(s, a, src, 10, threads)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Close)
	return r
}

// turns does all things b.N times in turn (at least three times) and returns the times of each, in
// ms.
func turns(b *testing.B, things ...func() error) [][]float64 {
	b.Helper()
	ms := make([][]float64, len(things))
	for b.Loop() {
		round, _, err := rounds(context.Background(), 0, things...)
		if err != nil {
			b.Fatal(err)
		}
		for i, times := range round {
			for _, t := range times {
				ms[i] = append(ms[i], 1e3*t.Seconds())
			}
		}
	}
	return ms
}

// middle returns the median.
func middle(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}

// ratio returns the median ratio of the times above and below that were taken one after the other.
func ratio(above, below []float64) float64 {
	list := make([]float64, len(above))
	for i := range list {
		list[i] = above[i] / below[i]
	}
	return middle(list)
}

// BenchmarkInput measures what the input pipeline adds to a step of AlexNet on 2 threads. It
// compares nothing to load (the same batch again), batches made when they are asked for, and
// batches made ahead. SFK loads two batches a step. The first two figures are differences of step
// times, which another program's work drowns. The share is the time that one thread needs to make a
// step's batches, divided by the time that both threads spend on a step.
//
// "outside" is the part of a step made ahead that lies outside the network: waiting for the batch,
// ratios, dual step and record. BenchmarkOutsideKernels of dro/nn measures the part within the
// network that lies outside the kernels.
func BenchmarkInput(b *testing.B) {
	drawn, err := source.Open("shapes", data.Options{Samples: 1e5})
	if err != nil {
		b.Fatal(err)
	}
	sources := map[string]data.Source{
		"memory": newNoise(data.Shape{C: 3, H: 32, W: 32}, 10, 1e4),
		"drawn":  drawn.Train,
	}
	if cifar, err := source.Open("cifar10",
		data.Options{Dir: os.Getenv("DROLAB_DATA")}); err == nil {
		defer cifar.Close()
		sources["cifar10"] = cifar.Train
	}
	for name, src := range sources {
		for _, a := range []dro.Algorithm{dro.ERM, dro.SFK} {
			b.Run(name+"/"+string(a), func(b *testing.B) {
				fixed, asked, ahead := alexNetRun(b, a, src, 2), alexNetRun(b, a, src,
					2), alexNetRun(b, a, src, 2)
				asked.batches.Close() // so that it no longer works ahead
				asked.draws.Close()
				same := fixed.batches.Next()
				var outside []float64
				loaded := func() error { _, err := fixed.timedStep(same); return err }
				ms := turns(b, loaded, asked.train, asked.loadOnly, func() error {
					start := time.Now()
					network, err := ahead.timedStep(nil)
					outside = append(outside, 100*(1-network.Seconds()/time.Since(start).Seconds()))
					return err
				})
				b.ReportMetric(middle(ms[0]), "fixed-ms")
				b.ReportMetric(100*(ratio(ms[1], ms[0])-1), "asked-%")
				b.ReportMetric(100*(ratio(ms[3], ms[0])-1), "ahead-%")
				b.ReportMetric(100*ratio(ms[2], ms[0])/2, "share-%")
				b.ReportMetric(middle(outside), "outside-%")
			})
		}
	}
}

// loadOnly makes the batches of a step and does nothing with them.
func (r *Run) loadOnly() error {
	r.batches.Next()
	if r.Method.Fresh() {
		r.draws.Next()
	}
	return nil
}

// timedStep is train with a measurement of the network's time, and must follow train verb by verb.
// With a batch x, every batch is x and nothing is loaded.
func (r *Run) timedStep(x *loader.Batch) (network time.Duration, err error) {
	timed := func(f func()) {
		start := time.Now()
		f()
		network += time.Since(start)
	}
	z := x
	if x == nil {
		x = r.batches.Next()
	}
	alpha, batch := r.rate(), batchOf(x, r.losses)
	timed(func() { r.Net.Losses(r.losses, Batch{runner.SplitTrain, nn.Train, x}, nil) })
	r.Method.Before(batch)
	r.Method.Weights(r.weights, batch)
	var norm float64
	timed(func() {
		r.Net.Gradient(r.weights, false)
		norm, _ = r.Net.Step(r.stepRule(alpha))
	})
	r.step++
	r.images += x.N
	if r.Method.Fresh() {
		if z == nil {
			z = r.draws.Next()
		}
		batch = batchOf(z, r.drawn)
		timed(func() { r.Net.Losses(r.drawn, Batch{runner.SplitTrain, nn.Train, z}, nil) })
	}
	r.Method.After(batch, dro.Step{T: r.step, Rate: alpha, GradNorm: norm})
	r.keepPicked()
	return network, r.reportStep(measure.Num(norm))
}

// BenchmarkMethods measures a step of every method on one thread, relative to the baseline's step
// in the same round. A method's Cost should be this ratio.
func BenchmarkMethods(b *testing.B) {
	src := newNoise(data.Shape{C: 3, H: 32, W: 32}, 10, 1e4)
	for _, model := range []string{"linear", "convnet", "alexnet"} {
		b.Run(model, func(b *testing.B) {
			methods := append([]dro.Algorithm{dro.Baseline()}, dro.Algorithms()...)
			var steps []func() error
			for _, a := range methods {
				s := spec.Defaults()
				s.Model, s.LR = model, 1e-4 // noise teaches nothing, and a larger step diverges
				r, err := benchRun(s, a, src, 10, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(r.Close)
				steps = append(steps, r.train)
			}
			ms := turns(b, steps...)
			for i, a := range methods[1:] {
				b.ReportMetric(ratio(ms[i+1], ms[0]), string(a)+"-ratio")
			}
		})
	}
}

// BenchmarkTogether measures the throughput of 2 threads: of one run that has both, and of 2 and 4
// runs of one thread each. The ratios compare images a second with the one run's.
func BenchmarkTogether(b *testing.B) {
	src := newNoise(data.Shape{C: 3, H: 32, W: 32}, 10, 1e4)
	both := alexNetRun(b, dro.ERM, src, 2)
	var single []*Run
	for range 4 {
		single = append(single, alexNetRun(b, dro.ERM, src, 1))
	}
	const steps = 8
	ms := turns(b, together(steps, both), together(steps, single[:2]...),
		together(steps, single...))
	b.ReportMetric(middle(ms[0])/steps, "step-ms")
	b.ReportMetric(2*ratio(ms[0], ms[1]), "2-runs-ratio")
	b.ReportMetric(4*ratio(ms[0], ms[2]), "4-runs-ratio")
}

// together returns a function that trains some steps of every run, all runs at once.
func together(steps int, runs ...*Run) func() error {
	return func() error {
		var all sync.WaitGroup
		errs := make(chan error, len(runs))
		for _, r := range runs {
			all.Go(func() {
				for range steps {
					if err := r.train(); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		all.Wait()
		close(errs)
		return <-errs
	}
}

// BenchmarkSamples measures a step of AlexNet on 1e3, 1e5 and 1e7 samples. The source "bytes" is in
// memory. The source "mapped" is a file without blocks, 29 GiB at 1e7, mapped as IDX files are. The
// source "shapes" draws its images: 1e3 once, and the larger numbers whenever a batch is made,
// which costs each image the same at every size. The ratios are relative to 1e3 samples.
func BenchmarkSamples(b *testing.B) {
	for name, open := range map[string]func(n int) (data.Source, error){
		"mapped": func(n int) (data.Source, error) { return newMapped(b, n) },
		"bytes":  func(n int) (data.Source, error) { return newWindows(n), nil },
		"shapes": func(n int) (data.Source, error) {
			d, err := source.Open("shapes", data.Options{Samples: n})
			if err != nil {
				return nil, err
			}
			return d.Train, nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			var steps []func() error
			for _, n := range []int{1e3, 1e5, 1e7} {
				src, err := open(n)
				if err != nil {
					b.Fatal(err)
				}
				steps = append(steps, alexNetRun(b, dro.ERM, src, 2).train)
			}
			ms := turns(b, steps...)
			b.ReportMetric(middle(ms[0]), "1e3-ms")
			b.ReportMetric(ratio(ms[1], ms[0]), "1e5-ratio")
			b.ReportMetric(ratio(ms[2], ms[0]), "1e7-ratio")
		})
	}
}

// windows is a source of n distinct images that needs 16 bytes for each. Image i is a window of one
// array of random bytes, so that batches come from all over n·16 bytes.
type windows struct {
	data.ImageSource
	bytes []byte
	n     int
}

func newWindows(n int) *windows {
	shape := data.Shape{C: 3, H: 32, W: 32}
	w := &windows{newNoise(shape, 10, 1), make([]byte, 16*n+shape.Len()), n}
	rng := rand.New(rand.NewPCG(2, 0))
	for i := range w.bytes {
		w.bytes[i] = byte(rng.Uint32())
	}
	return w
}

func (w *windows) Len() int                      { return w.n }
func (w *windows) Pixels(_ []byte, i int) []byte { return w.bytes[16*i:][:w.Shape().Len()] }
func (w *windows) Read(dst []float32, i int) {
	for j, v := range w.Pixels(nil, i) {
		dst[j] = float32(v) / 255
	}
}
