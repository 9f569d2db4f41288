package nn

import (
	"fmt"
	"slices"
	"testing"
	"time"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BenchmarkAgainstPlainGorgonia times forward and backward of each model with the kernels and with
// the plain Gorgonia graph. It takes turns, so that other work on the machine disturbs both alike.
// It reports medians, and the median of the ratios of neighbours; ns/op is of no use. See
// -benchtime 10x.
//
// Build tags choose what is compared. Without tags, our assembly competes with Gorgonia's (whose
// BLAS has some on amd64); with purego, our plain Go competes with Gorgonia's assembly; with
// purego,noasm, plain Go competes with plain Go.
func BenchmarkAgainstPlainGorgonia(b *testing.B) {
	for _, model := range Models() {
		b.Run(model, func(b *testing.B) {
			c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Seed: 1,
				Threads: 2}
			n, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			x, labels, ratios := batch(c, 128, 1)
			losses := make([]float64, 128)
			machine := G.NewTapeMachine(newOracle(b, tensor.Float32, n, x, labels, ratios).graph)
			defer machine.Close()
			var kernels, plain, speedUp []float64
			for b.Loop() {
				ours := clock(func() {
					n.Losses(losses, x, labels)
					n.Gradient(ratios)
				})
				theirs := clock(func() {
					if err := machine.RunAll(); err != nil {
						b.Fatal(err)
					}
					machine.Reset()
				})
				kernels, plain = append(kernels, ours), append(plain, theirs)
				speedUp = append(speedUp, theirs/ours)
			}
			b.ReportMetric(median(kernels), "kernels-ms")
			b.ReportMetric(median(plain), "plain-ms")
			b.ReportMetric(median(speedUp), "plain/kernels")
		})
	}
}

// BenchmarkOutsideKernels reports the share of a training step (losses, gradient, update) that is
// spent outside kernels: running the plan, the ops' closures, labels and ratios. The step is
// written out as [Net]'s methods do it, and every kernel is timed where it is called. The share is
// the median over b.N steps.
func BenchmarkOutsideKernels(b *testing.B) {
	for _, model := range Models() {
		b.Run(model, func(b *testing.B) {
			c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Seed: 1,
				Threads: 2}
			n, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			x, labels, ratios := batch(c, 128, 1)
			losses, inKernels := make([]float64, 128), 0.0
			kernel := func(f func()) { inKernels += clock(f) }
			for _, i := range slices.Concat(n.plan.forward, n.plan.backward) {
				o := *i.op
				i.run = func(to []float32, in []array) { kernel(func() { o.run(to, in) }) }
			}
			var outside []float64
			for b.Loop() {
				inKernels = 0
				step := clock(func() {
					n.graph.labels = append(n.graph.labels[:0], labels...)
					kernel(func() { n.graph.inputLayout.Pack(n.graph.team, n.graph.x, x) })
					run(n.plan.forward)
					copy(losses, n.graph.losses)
					n.Gradient(ratios)
					kernel(func() { n.Update(SGD{LR: 0.001, Momentum: 0.9}) })
				})
				outside = append(outside, 100*(1-inKernels/step))
			}
			b.ReportMetric(median(outside), "outside-%")
		})
	}
}

// clock returns the number of milliseconds that f takes.
func clock(f func()) float64 {
	start := time.Now()
	f()
	return 1e3 * time.Since(start).Seconds()
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkPrecision times training steps (losses, gradient, update) in fp32 and in bf16, in turns:
// see compareSteps and -benchtime 10x.
func BenchmarkPrecision(b *testing.B) {
	for _, model := range Models() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", model, threads), func(b *testing.B) {
				var configs [2]Config
				for i, precision := range Precisions() {
					configs[i] = stepConfig(model, threads)
					configs[i].Precision = precision
				}
				compareSteps(b, Precisions(), configs)
			})
		}
	}
}

// BenchmarkConvolution times training steps by direct convolutions and by Winograd's, in turns.
func BenchmarkConvolution(b *testing.B) {
	for _, model := range []string{"resnet8", "convnet", "resnet18"} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", model, threads), func(b *testing.B) {
				var configs [2]Config
				for i, convolution := range Convolutions() {
					configs[i] = stepConfig(model, threads)
					configs[i].Convolution = convolution
				}
				compareSteps(b, Convolutions(), configs)
			})
		}
	}
}

// stepConfig returns the configuration of a step that is timed.
func stepConfig(model string, threads int) Config {
	return Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 128, Seed: 1,
		Threads: threads}
}

// compareSteps times training steps of two configurations in turns. For each it reports the medians
// of wall time and processor time, the best wall time and the share of the peak. It also reports
// the median of the ratios of neighbours, over wall time and over the processor time of all
// threads. The processor time of one thread, which never spins, is what other work on the machine
// disturbs least.
func compareSteps(b *testing.B, names []string, configs [2]Config) {
	x, labels, ratios := batch(configs[0], 128, 1)
	losses := make([]float64, 128)
	var step, peak [2]func()
	var work [2]float64 // operations of a step, divided by those of a run of Peak
	for i, c := range configs {
		n, err := New(c)
		if err != nil {
			b.Fatal(err)
		}
		defer n.Close()
		step[i] = func() {
			n.Losses(losses, x, labels)
			n.Gradient(ratios)
			n.Update(SGD{LR: 1e-4, Momentum: 0.9})
		}
		step[i]()
		peak[i] = func() { n.Peak() }
		forward, backward := n.FLOPs()
		work[i] = (forward + backward) / n.Peak()
	}
	var wall, busy [2][]float64
	var wallRatio, busyRatio []float64
	var share [2][]float64
	for b.Loop() {
		var w, p [2]float64
		for i := range step {
			start := processorTime()
			w[i] = clock(step[i])
			p[i] = processorTime() - start
			peak[i]()
			most := processorTime() - start - p[i]
			share[i] = append(share[i], 100*work[i]*most/p[i])
			wall[i], busy[i] = append(wall[i], w[i]), append(busy[i], p[i])
		}
		wallRatio, busyRatio = append(wallRatio, w[0]/w[1]), append(busyRatio, p[0]/p[1])
	}
	for i, name := range names {
		b.ReportMetric(median(wall[i]), name+"-ms")
		b.ReportMetric(slices.Min(wall[i]), name+"-best-ms")
		b.ReportMetric(median(busy[i]), name+"-cpu-ms")
		b.ReportMetric(median(share[i]), name+"-cpu-peak-%")
	}
	b.ReportMetric(median(wallRatio), names[0]+"/"+names[1])
	b.ReportMetric(median(busyRatio), "cpu-"+names[0]+"/"+names[1])
}
