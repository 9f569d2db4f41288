package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// convCase is a convolution with its number of images.
type convCase struct {
	images int
	cfg    ConvConfig
}

// compared returns the number of images that are compared with float64: without DROLAB_LONG=1, as
// many as make a few million products, and with -short fewer.
func (c convCase) compared() int {
	if testsize.Long() {
		return c.images
	}
	out := must(c.cfg.OutShape())
	each := out.Len() * c.cfg.In.Channels * c.cfg.KernelHeight * c.cfg.KernelWidth
	products := 2_000_000
	if testing.Short() {
		products = 200_000
	}
	return min(c.images, 1+products/each)
}

// convCases are geometries that leave remainders everywhere: channels beside tiles, edges, strides
// that skip inputs, and a single pixel.
var convCases = []convCase{
	{1, ConvConfig{In: Shape{1, 1, 1}, Out: 1, KernelHeight: 1, KernelWidth: 1, Stride: 1}},
	{7, ConvConfig{In: Shape{3, 9, 8}, Out: 5, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true}},
	{130, ConvConfig{In: Shape{5, 4, 4}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}},
	{128, ConvConfig{
		In: Shape{4, 2, 2}, Out: 13, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true}},
	{20, ConvConfig{
		In: Shape{3, 32, 32}, Out: 8, KernelHeight: 11, KernelWidth: 11, Stride: 4, Pad: 5,
		ReLU: true}},
	{33, ConvConfig{In: Shape{2, 5, 7}, Out: 6, KernelHeight: 2, KernelWidth: 3, Stride: 3,
		Pad: 1}},
	{9, ConvConfig{In: Shape{6, 7, 7}, Out: 3, KernelHeight: 1, KernelWidth: 1, Stride: 2}},
	{17, Linear(Shape{11, 3, 2}, 10, false)},
	{128, Linear(Shape{70, 1, 1}, 10, true)},
	{19, Linear(Shape{1, 9, 8}, 7, true)},
	{130, ConvConfig{In: Shape{64, 5, 5}, Out: 2, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}},
	{70, ConvConfig{In: Shape{64, 9, 8}, Out: 3, KernelHeight: 3, KernelWidth: 1, Stride: 1}},
	{64, ConvConfig{In: Shape{8, 12, 12}, Out: 8, KernelHeight: 5, KernelWidth: 5, Stride: 1,
		Pad: 2}},
	{20, ConvConfig{In: Shape{16, 16, 17}, Out: 16, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}},
	{65, ConvConfig{In: Shape{16, 17, 16}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 2,
		Pad: 1}},
	{5, ConvConfig{In: Shape{48, 16, 16}, Out: 16, KernelHeight: 5, KernelWidth: 3, Stride: 1,
		Pad: 2, ReLU: true}},
	{3, ConvConfig{In: Shape{16, 20, 19}, Out: 48, KernelHeight: 3, KernelWidth: 3, Stride: 4}},
}

func caseName(images int, c ConvConfig) string {
	return fmt.Sprintf("n%d_%dx%dx%d_to_%d_k%dx%d_s%d_p%d", images, c.In.Channels, c.In.Height,
		c.In.Width, c.Out, c.KernelHeight, c.KernelWidth, c.Stride, c.Pad)
}

// naive visits every product of the convolution: by image, output channel, position, input channel
// and kernel element. visit gets the flat indices in NCHW and OIHW.
func naive(images int, c ConvConfig, visit func(y, x, w, channel int)) {
	out, _ := c.OutShape()
	for n := range images {
		for o := range c.Out {
			for p := range out.Height * out.Width {
				for i := range c.In.Channels {
					for k := range c.KernelHeight * c.KernelWidth {
						row := p/out.Width*c.Stride - c.Pad + k/c.KernelWidth
						col := p%out.Width*c.Stride - c.Pad + k%c.KernelWidth
						if row < 0 || col < 0 || row >= c.In.Height || col >= c.In.Width {
							continue
						}
						visit((n*c.Out+o)*out.Height*out.Width+p,
							((n*c.In.Channels+i)*c.In.Height+row)*c.In.Width+col,
							(o*c.In.Channels+i)*c.KernelHeight*c.KernelWidth+k, o)
					}
				}
			}
		}
	}
}

// sums is a vector of float64 sums, with the sums of the magnitudes of their terms.
type sums struct{ value, scale []float64 }

func newSums(n int) sums { return sums{make([]float64, n), make([]float64, n)} }

func (s sums) add(i int, v float64) {
	s.value[i] += v
	s.scale[i] += math.Abs(v)
}

// convProblem is a convolution with plain inputs and the results of its three directions in
// float64.
type convProblem struct {
	cfg            ConvConfig
	b              Batch
	out            Shape
	x, w, bias, dy []float32
	y, dx, dw, db  sums
}

func newConvProblem(t *testing.T, r *rand.Rand, images int, cfg ConvConfig) *convProblem {
	return newRoundedProblem(t, r, images, cfg, func(x float32) float32 { return x })
}

// newRoundedProblem returns a convProblem with inputs rounded by round.
func newRoundedProblem(
	t *testing.T, r *rand.Rand, images int, cfg ConvConfig, round func(float32) float32,
) *convProblem {
	out := must(cfg.OutShape())
	p := &convProblem{cfg: cfg, b: NewBatch(images), out: out}
	area := cfg.KernelHeight * cfg.KernelWidth
	p.x, p.dy = random(t, r, images*cfg.In.Len()), random(t, r, images*out.Len())
	p.w, p.bias = random(t, r, cfg.Out*cfg.In.Channels*area), random(t, r, cfg.Out)
	for _, values := range [][]float32{p.x, p.dy, p.w} {
		for i, v := range values {
			values[i] = round(v)
		}
	}
	p.y, p.dx = newSums(len(p.dy)), newSums(len(p.x))
	p.dw, p.db = newSums(len(p.w)), newSums(cfg.Out)
	naive(images, cfg, func(y, x, w, _ int) {
		p.y.add(y, float64(p.x[x])*float64(p.w[w]))
		p.dx.add(x, float64(p.dy[y])*float64(p.w[w]))
		p.dw.add(w, float64(p.dy[y])*float64(p.x[x]))
	})
	for i, v := range p.dy {
		o := i / (out.Height * out.Width) % cfg.Out
		p.db.add(o, float64(v))
		p.y.add(i, float64(p.bias[o]))
		if cfg.ReLU {
			p.y.value[i] = max(p.y.value[i], 0)
		}
	}
	return p
}

func TestConvAgainstFloat64(t *testing.T) {
	for i, tc := range convCases {
		if testing.Short() && i%2 > 0 {
			continue
		}
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) {
			p := newConvProblem(t, rand.New(rand.NewPCG(1, 2)), tc.compared(), tc.cfg)
			eachISA(t, func(t *testing.T, isa ISA) { p.check(t, isa) })
		})
	}
}

// check compares the three directions on isa with the float64 results.
func (p *convProblem) check(t *testing.T, isa ISA) {
	r := rand.New(rand.NewPCG(3, 4))
	c := must(NewConv(isa, p.b, p.cfg))
	x, dy := packed(t, r, p.b, p.cfg.In, p.x), packed(t, r, p.b, p.out, p.dy)
	zeroPadding(p.b, dy)

	y := guarded(t, p.b.Len(p.out))
	c.Forward(nil, y, x, p.w, p.bias)
	near(t, "y", gather(p.b, p.out, y), p.y.value, p.y.scale)

	dx := guarded(t, len(x))
	c.BackwardData(nil, dx, dy, p.w, nil, nil)
	near(t, "dx", gather(p.b, p.cfg.In, dx), p.dx.value, p.dx.scale)
	masked := guarded(t, len(x))
	c.BackwardData(nil, masked, dy, p.w, x, nil)
	for i := range masked {
		if want := dx[i] * boolFloat(x[i] > 0); masked[i] != want {
			t.Fatalf("masked dx[%d] = %v, want %v", i, masked[i], want)
		}
	}

	for _, way := range []func(){
		func() {
			if GradTaps(isa, p.cfg) {
				c.taps = newTapsPlan(c, false)
			}
		},
		func() { c.dot, c.outer, c.taps = newDotPlan(c), nil, nil },
		func() { c.dot, c.outer, c.taps = nil, newOuterPlan(c), nil },
		func() { c.SumByVectors(NewScratch(1)) },
	} {
		way()
		dw, db := guarded(t, len(p.w)), guarded(t, p.cfg.Out)
		c.BackwardWeights(nil, dw, db, x, dy, false)
		near(t, "dw", dw, p.dw.value, p.dw.scale)
		near(t, "db", db, p.db.value, p.db.scale)

		twice, bias := guarded(t, len(dw)), guarded(t, len(db))
		copy(twice, dw)
		copy(bias, db)
		c.BackwardWeights(nil, twice, bias, x, dy, true)
		near(t, "dw, twice", halved(twice), p.dw.value, p.dw.scale)
		near(t, "db, twice", halved(bias), p.db.value, p.db.scale)
	}
}

func halved(a []float32) []float32 {
	for i := range a {
		a[i] /= 2
	}
	return a
}

func boolFloat(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func TestConvSameBitsOnAnyTeam(t *testing.T) {
	for _, tc := range testsize.Few(1, convCases[2], convCases[14]) {
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) { sameBitsOnAnyTeam(t, tc) })
	}
}

// repeats returns the number of runs in which a team could differ. Plain Go takes ten times as long
// as the best instructions, so it runs less often; the team divides the work in the same way for
// all.
func repeats(isa ISA) int {
	n := 5
	if testing.Short() {
		n = 2
	}
	if isa == Generic {
		n = 1
	}
	if testsize.Long() {
		n *= 4
	}
	return n
}

func sameBitsOnAnyTeam(t *testing.T, tc convCase) {
	eachISA(t, func(t *testing.T, isa ISA) {
		r := rand.New(rand.NewPCG(5, 6))
		b := NewBatch(tc.images)
		c := must(NewConv(isa, b, tc.cfg))
		x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
		w, bias := random(t, r, c.weightLen()), random(t, r, tc.cfg.Out)
		run := func(team *Team) []float32 {
			n := len(dy) + len(x) + len(w) + len(bias)
			all := guarded(t, n)
			y, rest := all[:len(dy)], all[len(dy):]
			dx, rest := rest[:len(x)], rest[len(x):]
			c.Forward(team, y, x, w, bias)
			c.BackwardData(team, dx, dy, w, x, nil)
			dot := guarded(t, len(w))
			taps := guarded(t, len(w))
			c.BackwardWeights(team, taps, nil, x, dy, false)
			c.dot, c.outer, c.taps = newDotPlan(c), nil, nil
			c.BackwardWeights(team, dot, nil, x, dy, false)
			c.dot, c.outer = nil, newOuterPlan(c)
			c.BackwardWeights(team, rest[:len(w)], rest[len(w):], x, dy, false)
			c.dot, c.outer, c.taps = nil, nil, nil
			c.planGrad()
			return slices.Concat(all, dot, taps)
		}
		want := run(nil)
		for _, n := range []int{2, 3} {
			team := NewTeam(n)
			defer team.Close()
			for range repeats(isa) {
				sameBits(t, fmt.Sprintf("%d threads", n), run(team), want)
			}
		}
	})
}

func TestConvPropagatesNaNInfAndDenormals(t *testing.T) {
	cfg := ConvConfig{In: Shape{2, 3, 3}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1, ReLU: true}
	b := NewBatch(16)
	eachISA(t, func(t *testing.T, isa ISA) {
		c := must(NewConv(isa, b, cfg))
		x, y := make([]float32, b.Len(cfg.In)), make([]float32, b.Len(c.Out()))
		w := make([]float32, c.weightLen())
		for i := range w {
			w[i] = 1
		}
		nan, inf, denormal := float32(math.NaN()), float32(math.Inf(1)), float32(1e-42)
		x[0], x[1], x[2] = nan, inf, denormal // images 0, 1 and 2, channel 0, first position
		c.Forward(nil, y, x, w, nil)
		want := []float32{nan, inf, denormal, 0}
		if diff := cmp.Diff(want, y[:4], cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("the first outputs differ (-want +got):\n%s", diff)
		}
		dw := make([]float32, len(w))
		dy := make([]float32, len(y))
		for i := range dy {
			dy[i] = 1
		}
		c.BackwardWeights(nil, dw, nil, x, dy, false)
		if dw[4] == dw[4] || dw[9] != 0 {
			t.Fatalf("dw = %v, want NaN at the centre of channel 0 and 0 in channel 1", dw[:18])
		}
		clear(dy)
		act := make([]float32, len(x))
		act[0] = nan
		for i := range dy {
			dy[i] = nan
		}
		dx := make([]float32, len(x))
		c.BackwardData(nil, dx, dy, w, act, nil)
		if dx[0] == dx[0] || dx[1] != 0 {
			t.Fatalf("dx = %v, want NaN where the activation is NaN and 0 where it is 0", dx[:2])
		}
	})
}

func TestConvConfigErrors(t *testing.T) {
	good := ConvConfig{In: Shape{1, 4, 4}, Out: 1, KernelHeight: 3, KernelWidth: 3,
		Stride: 1, Pad: 1}
	for name, change := range map[string]func(*ConvConfig){
		"no channels":   func(c *ConvConfig) { c.In.Channels = 0 },
		"no outputs":    func(c *ConvConfig) { c.Out = 0 },
		"stride 0":      func(c *ConvConfig) { c.Stride = 0 },
		"negative pad":  func(c *ConvConfig) { c.Pad = -1 },
		"pad too large": func(c *ConvConfig) { c.Pad = 3 },
		"kernel too large": func(c *ConvConfig) {
			c.KernelHeight, c.KernelWidth, c.Pad = 5, 5, 0
		},
	} {
		cfg := good
		change(&cfg)
		if _, err := NewConv(Generic, NewBatch(1), cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if panicOf(func() { NewConv(Generic, Batch{Images: 5, Blocks: 1, Lanes: 5}, good) }) == nil {
		t.Error("batch not from NewBatch: no panic")
	}
	if panicOf(func() { NewConv(NEON+1, NewBatch(1), good) }) == nil {
		t.Error("unknown instruction set: no panic")
	}
}

// FuzzConv compares every implementation with float64 on small geometries drawn by the fuzzer.
func FuzzConv(f *testing.F) {
	f.Add(uint8(7), uint8(3), uint8(5), uint8(6), uint8(5), uint8(3), uint8(2), uint8(1), uint8(1))
	f.Add(uint8(66), uint8(1), uint8(2), uint8(2), uint8(9), uint8(2), uint8(2), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, images, channels, height, width, out, kh, kw, stride, pad uint8) {
		cfg := ConvConfig{
			In:           Shape{1 + int(channels%9), 1 + int(height%7), 1 + int(width%7)},
			Out:          1 + int(out%14),
			KernelHeight: 1 + int(kh%5), KernelWidth: 1 + int(kw%5),
			Stride: 1 + int(stride%4), Pad: int(pad % 4), ReLU: pad&64 != 0,
		}
		if _, err := cfg.OutShape(); err != nil {
			return
		}
		p := newConvProblem(t, rand.New(rand.NewPCG(7, uint64(images))), 1+int(images%80), cfg)
		for _, isa := range ISAs() {
			p.check(t, isa)
		}
	})
}
