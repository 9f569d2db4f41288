package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// normProblem is a batch normalisation of a few images in plain order, and in float64.
type normProblem struct {
	shape          Shape
	images         int
	mean, variance []float64 // given statistics, or nil
	relu           bool
}

// forward normalises x, which lies as [image][channel][position]; params are gamma and beta.
func (p normProblem) forward(x, params []float64) (y, mean, variance []float64) {
	channels, area := p.shape.Channels, p.shape.Height*p.shape.Width
	mean, variance = make([]float64, channels), make([]float64, channels)
	count := float64(p.images * area)
	for i, v := range x {
		mean[i/area%channels] += v / count
	}
	for i, v := range x {
		d := v - mean[i/area%channels]
		variance[i/area%channels] += d * d / count
	}
	if p.mean != nil {
		mean, variance = p.mean, p.variance
	}
	y = make([]float64, len(x))
	for i, v := range x {
		c := i / area % channels
		y[i] = params[c]*(v-mean[c])/math.Sqrt(variance[c]+1e-5) + params[channels+c]
		if p.relu {
			y[i] = max(y[i], 0)
		}
	}
	return y, mean, variance
}

// differences returns the derivatives of Σ dy·y by the values of at, a slice that forward reads, by
// central differences.
func (p normProblem) differences(x, params, dy, at []float64) []float64 {
	objective := func() (f float64) {
		y, _, _ := p.forward(x, params)
		for i, d := range dy {
			f += d * y[i]
		}
		return f
	}
	const h = 1e-5
	slopes := make([]float64, len(at))
	for i, v := range at {
		at[i] = v + h
		up := objective()
		at[i] = v - h
		slopes[i] = (up - objective()) / (2 * h)
		at[i] = v
	}
	return slopes
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// close64 fails unless got is within 2e-5 of want, relative to the largest of want.
func close64(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	scale := 1e-3
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(float64(got[i])-v) <= 2e-5*scale) {
			t.Fatalf("%s[%d] = %v, want %v (scale %v)", what, i, got[i], v, scale)
		}
	}
}

// TestBatchNorm compares outputs with float64 and gradients with differences, also for batches
// whose last images are missing.
func TestBatchNorm(t *testing.T) {
	for _, tc := range []struct {
		batch, images int
		shape         Shape
	}{
		{1, 1, Shape{3, 3, 2}},
		{7, 6, Shape{2, 3, 2}},
		{20, 20, Shape{1, 1, 2}},
		{70, 67, Shape{2, 1, 1}},
		{100, 30, Shape{1, 2, 1}}, // the second block has no image
	} {
		for i := range 4 {
			p := normProblem{shape: tc.shape, images: tc.images, relu: i%2 == 1}
			if i/2 == 1 {
				p.mean = []float64{.5, -.25, 2}[:tc.shape.Channels]
				p.variance = []float64{.5, 2, 4}[:tc.shape.Channels]
			}
			t.Run(fmt.Sprintf("%d of %d %+v", tc.images, tc.batch, p), func(t *testing.T) {
				eachISA(t, func(t *testing.T, isa ISA) { p.check(t, isa, NewBatch(tc.batch)) })
			})
		}
	}
}

func (p normProblem) check(t *testing.T, isa ISA, b Batch) {
	r := rand.New(rand.NewPCG(20, 21))
	held := b // as if the batch had no other images, for scatter and gather
	held.Images = p.images
	channels := p.shape.Channels
	plain, params := random(t, r, p.images*p.shape.Len()), random(t, r, 2*channels)
	for i := range plain {
		plain[i] = 3*plain[i] + 7
	}
	dyPlain := random(t, r, len(plain))
	x := packed(t, r, b, p.shape, make([]float32, b.Images*p.shape.Len()))
	dy := guarded(t, b.Len(p.shape))
	scatter(held, p.shape, x, plain)
	n := NewBatchNorm(isa, b, p.shape, p.relu)
	y, dx := guarded(t, len(x)), guarded(t, len(x))
	gamma, beta := params[:channels], params[channels:]
	if p.mean == nil {
		n.Forward(nil, y, x, gamma, beta, nil, p.images)
	} else {
		n.ForwardBy(nil, y, x, gamma, beta, nil, p.images, narrow(p.mean), narrow(p.variance))
	}
	want, mean, variance := p.forward(wide(plain), wide(params))
	close64(t, "y", gather(held, p.shape, y), want)

	for i, v := range want { // the ReLU's backward pass is not part of Backward
		if p.relu && v <= 0 {
			dyPlain[i] = 0
		}
	}
	clear(dy)
	scatter(held, p.shape, dy, dyPlain)
	grads := guarded(t, 2*channels)
	n.Backward(nil, dx, grads[:channels], grads[channels:], x, dy, gamma, false)
	x64, params64 := wide(plain), wide(params)
	close64(t, "dx", gather(held, p.shape, dx), p.differences(x64, params64, wide(dyPlain), x64))
	slopes := p.differences(x64, params64, wide(dyPlain), params64)
	close64(t, "dgamma, dbeta", grads, slopes)
	n.Backward(nil, dx, grads[:channels], grads[channels:], x, dy, gamma, true)
	for i := range slopes {
		slopes[i] *= 2
	}
	close64(t, "twice dgamma, dbeta", grads, slopes)
	held.checkPadding(t, "y", y)
	held.checkPadding(t, "dx", dx)
	p.checkTracking(t, n, mean, variance)
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// checkPadding fails if a lane beyond the last image is not 0.
func (b Batch) checkPadding(t *testing.T, what string, blocked []float32) {
	t.Helper()
	clean := slices.Clone(blocked)
	zeroPadding(b, clean)
	sameBits(t, what+" beyond the last image", blocked, clean)
}

// checkTracking checks PyTorch's rule: the running statistics move a tenth of the way to the
// batch's, with the unbiased variance.
func (p normProblem) checkTracking(t *testing.T, n *BatchNorm, mean, variance []float64) {
	runningMean, runningVariance := []float32{1, 2, 3}[:len(mean)], []float32{4, 5, 6}[:len(mean)]
	wantMean, wantVariance := wide(runningMean), wide(runningVariance)
	count := float64(p.images * p.shape.Height * p.shape.Width)
	for c := range mean {
		wantMean[c] = .9*wantMean[c] + .1*mean[c]
		wantVariance[c] = .9*wantVariance[c] + .1*variance[c]*count/(count-1)
	}
	n.Track(runningMean, runningVariance)
	close64(t, "running mean", runningMean, wantMean)
	close64(t, "running variance", runningVariance, wantVariance)
}

// A channel of one value has no variance to estimate, so the estimate is 0, not 0/0.
func TestBatchNormOfOneValue(t *testing.T) {
	n := NewBatchNorm(Generic, NewBatch(1), Shape{1, 1, 1}, false)
	y, x := make([]float32, 16), make([]float32, 16)
	x[0] = 3
	mean, variance := []float32{0}, []float32{1}
	n.Forward(nil, y, x, []float32{2}, []float32{5}, nil, 1)
	n.Track(mean, variance)
	if y[0] != 5 {
		t.Errorf("y = %v, want 5", y[0])
	}
	if mean[0] != .3 {
		t.Errorf("the running mean is %v, want .3", mean[0])
	}
	if variance[0] != .9 {
		t.Errorf("the running variance is %v, want .9", variance[0])
	}
}

// TestNormAndPoolOnTeams checks that the number of threads does not change the bits of operations
// other than convolutions.
func TestNormAndPoolOnTeams(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	b, s := NewBatch(70), Shape{5, 6, 3}
	x, dy := random(t, r, b.Len(s)), random(t, r, b.Len(s))
	gamma, beta := random(t, r, 5), random(t, r, 5)
	var first []float32
	for threads := 1; threads <= 4; threads++ {
		team := NewTeam(threads)
		n, p := NewBatchNorm(Detect(), b, s, true), NewAveragePool(Detect(), b, s)
		add := NewSum(Detect())
		y, dx, sum, masked := Alloc(len(x)), Alloc(len(x)), Alloc(len(x)), Alloc(len(x))
		pooled, grads := Alloc(b.Len(p.Out())), Alloc(10)
		n.Forward(team, y, x, gamma, beta, nil, 69)
		n.Backward(team, dx, grads[:5], grads[5:], x, dy, gamma, false)
		p.Forward(team, pooled, x)
		add.Run(team, sum, x, dy, sum)
		add.Run(team, masked, dy, nil, x)
		all := slices.Concat(y, dx, grads, pooled, sum, masked)
		if first == nil {
			first = all
		}
		sameBits(t, fmt.Sprintf("on %d threads", threads), all, first)
		team.Close()
	}
}
