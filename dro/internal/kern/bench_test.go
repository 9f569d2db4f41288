package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// benchThreads are the team sizes that benchmarks run with.
var benchThreads = []int{1, 2}

// alexNetConvs are the convolutions of the CIFAR AlexNet (math.md §6), without the last linear
// layer.
var alexNetConvs = []ConvConfig{
	{In: Shape{3, 32, 32}, Out: 64, KernelHeight: 11, KernelWidth: 11, Stride: 4, Pad: 5,
		ReLU: true},
	{In: Shape{64, 4, 4}, Out: 192, KernelHeight: 5, KernelWidth: 5, Stride: 1, Pad: 2, ReLU: true},
	{In: Shape{192, 2, 2}, Out: 384, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true},
	{In: Shape{384, 2, 2}, Out: 256, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true},
	{In: Shape{256, 2, 2}, Out: 256, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true},
}

// otherConvs are convolutions of smaller models: 3×3 on large maps with few channels, and the
// linear layers of a perceptron.
var otherConvs = []ConvConfig{
	{In: Shape{3, 32, 32}, Out: 16, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1, ReLU: true},
	{In: Shape{16, 32, 32}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true},
	{In: Shape{32, 16, 16}, Out: 64, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true},
	{In: Shape{16, 32, 32}, Out: 16, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{16, 32, 32}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 2, Pad: 1},
	{In: Shape{32, 16, 16}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{64, 8, 8}, Out: 64, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{512, 4, 4}, Out: 512, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{1, 28, 28}, Out: 16, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1, ReLU: true},
	Linear(Shape{1, 28, 28}, 300, true),
	Linear(Shape{300, 1, 1}, 300, true),
}

// BenchmarkConv reports GFLOP/s of real work, padding left out, for each layer, direction, ISA and
// team.
func BenchmarkConv(b *testing.B) {
	batch := NewBatch(128)
	for _, cfg := range append(alexNetConvs[:len(alexNetConvs):len(alexNetConvs)], otherConvs...) {
		for _, isa := range ISAs() {
			for _, threads := range benchThreads {
				c := must(NewConv(isa, batch, cfg))
				c.CopyVectors(NewScratch(threads))
				team := NewTeam(threads)
				r := rand.New(rand.NewPCG(1, 1))
				x, y := noise(r, batch.Len(cfg.In)), noise(r, batch.Len(c.Out()))
				w, bias := noise(r, c.weightLen()), noise(r, cfg.Out)
				dx, dw, db := Alloc(len(x)), Alloc(len(w)), Alloc(len(bias))
				for name, f := range map[string]func(){
					"forward": func() { c.Forward(team, y, x, w, bias) },
					"data":    func() { c.BackwardData(team, dx, y, w, x, nil) },
					"weights": func() { c.BackwardWeights(team, dw, db, x, y, false) },
				} {
					b.Run(fmt.Sprintf("%s/%s/%v/threads=%d", caseName(128, cfg), name, isa,
						threads), func(b *testing.B) {
						measure(b, c.FLOPs(), f)
					})
				}
				team.Close()
			}
		}
	}
}

// BenchmarkBF16 is BenchmarkConv for products of rounded operands, packing included.
func BenchmarkBF16(b *testing.B) {
	batch := NewBatch(128)
	for _, cfg := range append(alexNetConvs[:len(alexNetConvs):len(alexNetConvs)], otherConvs...) {
		for kind := AVX512BF16; kind.Available(); kind++ {
			for _, threads := range benchThreads {
				c := must(NewConv(AVX512, batch, cfg)).BF16(kind, new(Workspace), true)
				team := NewTeam(threads)
				r := rand.New(rand.NewPCG(1, 1))
				x, y := noise(r, batch.Len(cfg.In)), noise(r, batch.Len(c.Out()))
				w, bias := noise(r, c.weightLen()), noise(r, cfg.Out)
				dx, dw, db := Alloc(len(x)), Alloc(len(w)), Alloc(len(bias))
				for name, f := range map[string]func(){
					"forward": func() { c.Forward(team, y, x, w, bias) },
					"data":    func() { c.BackwardData(team, dx, y, w, x, nil) },
					"weights": func() { c.BackwardWeights(team, dw, db, x, y, false) },
				} {
					b.Run(fmt.Sprintf("%s/%s/%v/threads=%d", caseName(128, cfg), name, kind,
						threads), func(b *testing.B) {
						measure(b, c.FLOPs(), f)
					})
				}
				team.Close()
			}
		}
	}
}

// BenchmarkWinograd is BenchmarkConv for the convolutions that fit. Its rates count the products
// that Conv would compute.
func BenchmarkWinograd(b *testing.B) {
	batch := NewBatch(128)
	for _, cfg := range otherConvs {
		if !WinogradFits(Detect(), cfg) {
			continue
		}
		for _, threads := range benchThreads {
			c := must(NewConv(Detect(), batch, cfg)).Winograd(NewScratch(threads))
			team := NewTeam(threads)
			r := rand.New(rand.NewPCG(1, 1))
			x, y := noise(r, batch.Len(cfg.In)), noise(r, batch.Len(c.Out()))
			w, bias := noise(r, c.weightLen()), noise(r, cfg.Out)
			dx, dw := Alloc(len(x)), Alloc(len(w))
			for name, f := range map[string]func(){
				"forward": func() { c.Forward(team, y, x, w, bias) },
				"data":    func() { c.BackwardData(team, dx, y, w, x, nil) },
				"weights": func() { c.BackwardWeights(team, dw, nil, x, y, false) },
			} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", caseName(128, cfg), name, threads),
					func(b *testing.B) { measure(b, c.FLOPs(), f) })
			}
			team.Close()
		}
	}
}

// noise returns n aligned normal values.
func noise(r *rand.Rand, n int) []float32 {
	s := Alloc(n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

// measure runs f, which takes flop operations a call. It reports the rate over all calls, the rate
// of the fastest call, and the processor time of a call over all threads, spinning included. Other
// work on the machine disturbs the last two least.
func measure(b *testing.B, flop float64, f func()) {
	best := time.Duration(math.MaxInt64)
	busy := cpuTime()
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64((cpuTime()-busy).Microseconds())/1e3/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(best.Microseconds())/1e3, "best-ms")
	if flop > 0 {
		b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		b.ReportMetric(flop/float64(best.Nanoseconds()), "best-GFLOP/s")
	}
}

// alexNet is the network of math.md §6 with its training state.
type alexNet struct {
	team   *Team
	batch  Batch
	space  *Scratch
	pack   *Layout
	convs  []*Conv // the last is the linear layer
	pools  []*MaxPool
	loss   *Loss
	sgd    []*SGD
	flop   float64
	w, v   [][]float32 // weights and bias of a layer in one slice
	g      [][]float32
	images []float32
	labels []int
	losses []float64
	ratios []float64

	act, grad [][]float32 // by layer: the inputs of convs and pools in order, then the logits
}

// pooled holds the indices of the convolutions that are followed by a pooling.
var pooled = map[int]bool{0: true, 1: true, 4: true}

func newAlexNet(isa ISA, team *Team, images int) *alexNet {
	r := rand.New(rand.NewPCG(2, 2))
	b := NewBatch(images)
	n := &alexNet{
		team: team, batch: b, pack: NewLayout(isa, b, alexNetConvs[0].In),
		loss: NewLoss(isa, b, 10, CrossEntropy), space: NewScratch(max(1, team.Size())),
	}
	hold := func(s Shape) {
		n.act, n.grad = append(n.act, Alloc(b.Len(s))), append(n.grad, Alloc(b.Len(s)))
	}
	hold(alexNetConvs[0].In)
	for i, cfg := range slices.Concat(alexNetConvs,
		[]ConvConfig{Linear(Shape{256, 1, 1}, 10, false)}) {
		c := must(NewConv(isa, b, cfg))
		c.CopyVectors(n.space)
		n.convs = append(n.convs, c)
		hold(c.Out())
		n.flop += 3 * c.FLOPs()
		if i == 0 {
			n.flop -= c.FLOPs()
		}
		size := c.weightLen() + cfg.Out
		w := noise(r, size)
		for j := range w {
			w[j] *= .05
		}
		n.w, n.v, n.g = append(n.w, w), append(n.v, Alloc(size)), append(n.g, Alloc(size))
		n.sgd = append(n.sgd, NewSGD(isa, size))
		if pooled[i] {
			p := NewMaxPool(isa, b, c.Out())
			n.pools = append(n.pools, p)
			hold(p.Out())
		}
	}
	n.images, n.labels = noise(r, images*3*32*32), make([]int, images)
	n.losses, n.ratios = make([]float64, images), make([]float64, images)
	for i := range n.labels {
		n.labels[i], n.ratios[i] = r.IntN(10), 1/float64(images)
	}
	return n
}

func (n *alexNet) params(i int, of [][]float32) (w, b []float32) {
	k := n.convs[i].weightLen()
	return of[i][:k], of[i][k:]
}

func (n *alexNet) forward() {
	n.pack.Pack(n.team, n.act[0], n.images)
	at, pool := 0, 0
	for i, c := range n.convs {
		w, b := n.params(i, n.w)
		c.Forward(n.team, n.act[at+1], n.act[at], w, b)
		at++
		if pooled[i] {
			n.pools[pool].Forward(n.team, n.act[at+1], n.act[at])
			at++
			pool++
		}
	}
	n.loss.Losses(n.team, n.losses, n.grad[at], n.act[at], n.labels)
}

func (n *alexNet) backward() {
	at, pool := len(n.act)-1, len(n.pools)-1
	n.loss.Gradient(n.grad[at], n.grad[at], n.labels, n.ratios)
	for i := len(n.convs) - 1; i >= 0; i-- {
		if pooled[i] {
			n.pools[pool].Backward(n.team, n.grad[at-1], n.act[at-1], n.act[at], n.grad[at], true)
			at--
			pool--
		}
		dw, db := n.params(i, n.g)
		n.convs[i].BackwardWeights(n.team, dw, db, n.act[at-1], n.grad[at], false)
		if i > 0 {
			var mask []float32
			if !pooled[i-1] {
				mask = n.act[at-1]
			}
			w, _ := n.params(i, n.w)
			n.convs[i].BackwardData(n.team, n.grad[at-1], n.grad[at], w, mask, nil)
		}
		at--
	}
}

func (n *alexNet) update() (norm float64) {
	for i, s := range n.sgd {
		norm += s.Step(n.team, n.w[i], n.v[i], n.g[i], SGDConfig{LearningRate: 1e-3, Momentum: .9})
	}
	return norm
}

// BenchmarkAlexNetStep times a whole training step (images in, weights updated), its parts, and
// SFK's step, which adds a forward pass.
func BenchmarkAlexNetStep(b *testing.B) {
	for _, isa := range ISAs() {
		for _, threads := range benchThreads {
			team := NewTeam(threads)
			n := newAlexNet(isa, team, 128)
			b.Run(fmt.Sprintf("train/%v/threads=%d", isa, threads), func(b *testing.B) {
				b.ReportAllocs()
				measure(b, n.flop, func() {
					n.forward()
					n.backward()
					n.update()
				})
			})
			b.Run(fmt.Sprintf("sfk/%v/threads=%d", isa, threads), func(b *testing.B) {
				measure(b, 0, func() {
					n.forward()
					n.backward()
					n.update()
					n.forward()
				})
			})
			for name, f := range map[string]func(){
				"forward": n.forward, "backward": n.backward, "update": func() { n.update() },
			} {
				b.Run(fmt.Sprintf("%s/%v/threads=%d", name, isa, threads), func(b *testing.B) {
					measure(b, 0, f)
				})
			}
			team.Close()
		}
	}
}

// BenchmarkPeak reports the rate of multiply-adds without memory, which is the most that the other
// benchmarks can reach.
func BenchmarkPeak(b *testing.B) {
	for _, isa := range ISAs() {
		for _, threads := range benchThreads {
			team, p := NewTeam(threads), NewPeak(isa, Rounded)
			b.Run(fmt.Sprintf("%v/threads=%d", isa, threads), func(b *testing.B) {
				measure(b, p.FLOPs(), func() { p.Run(team) })
			})
			team.Close()
		}
	}
}
