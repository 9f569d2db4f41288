package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// normalised are convolutions that are followed by batch normalisation.
var normalised = []ConvConfig{
	{In: Shape{3, 9, 7}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{17, 4, 6}, Out: 19, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	{In: Shape{16, 8, 8}, Out: 19, KernelHeight: 3, KernelWidth: 3, Stride: 2, Pad: 1},
	{In: Shape{33, 4, 4}, Out: 16, KernelHeight: 1, KernelWidth: 1, Stride: 2},
	{In: Shape{40, 3, 2}, Out: 118, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
}

// TestConvTellsMoments checks that the moments that a convolution computes on the way have the bits
// of a separate pass, on any number of threads, with operands rounded or not.
func TestConvTellsMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 41))
	for _, cfg := range normalised {
		for _, images := range testsize.Few(2, 3, 70, 128) {
			eachISA(t, func(t *testing.T, isa ISA) {
				b := NewBatch(images)
				plain := must(NewConv(isa, b, cfg))
				x, w := random(t, r, b.Len(cfg.In)), random(t, r, plain.weightLen())
				gamma, beta := random(t, r, cfg.Out), random(t, r, cfg.Out)
				n := NewBatchNorm(isa, b, plain.Out(), true)
				copying := must(NewConv(isa, b, cfg))
				copying.CopyVectors(NewScratch(3))
				convs := []momentsConv{plain, copying}
				if cfg.KernelWidth == 3 && cfg.Stride == 1 && cfg.In.Height%2+cfg.In.Width%2 == 0 {
					convs = append(convs, must(NewConv(isa, b, cfg)).Winograd(NewScratch(3)))
				}
				for kind := Rounded; kind.runsBeside(isa); kind++ {
					c := must(NewConv(isa, b, cfg)).BF16(kind, new(Workspace), false)
					convs = append(convs, c)
				}
				for i, c := range convs {
					y, z := guarded(t, b.Len(plain.Out())), guarded(t, b.Len(plain.Out()))
					c.Forward(nil, y, x, w, nil)
					n.Forward(nil, z, y, gamma, beta, nil, max(images-1, 1))
					for threads := 1; threads <= 3; threads++ {
						team, got := NewTeam(threads), guarded(t, len(z))
						c.SumMoments(n, y, max(images-1, 1))
						c.Forward(team, y, x, w, nil)
						clear(n.mean) // nothing is left of the last one
						n.Forward(team, got, y, gamma, beta, nil, max(images-1, 1))
						sameBits(t, fmt.Sprintf("kernel %d on %d threads", i, threads), got, z)
						team.Close()
					}
				}
			})
		}
	}
}

// momentsConv is a convolution that computes the moments of its output: [Conv] or [BF16Conv].
type momentsConv interface {
	SumMoments(n *BatchNorm, y []float32, images int)
	Forward(t *Team, y, x, w, bias []float32)
}

// TestNormWithSum checks that normalisation with the sum of a residual block and its ReLU has the
// bits of separate passes, and so has the sum of two gradients with the mask of that ReLU. Every
// instruction set agrees with the reference.
func TestNormWithSum(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 43))
	s := Shape{5, 3, 4}
	for _, images := range []int{1, 6, 35, 70, 128} {
		b := NewBatch(images)
		x, plus := random(t, r, b.Len(s)), random(t, r, b.Len(s))
		zeroPadding(b, plus)
		gamma, beta := random(t, r, 5), random(t, r, 5)
		var reference []float32
		eachISA(t, func(t *testing.T, isa ISA) {
			n, sum := NewBatchNorm(isa, b, s, false), NewSum(isa)
			apart, joined := guarded(t, len(x)), guarded(t, len(x))
			n.Forward(nil, apart, x, gamma, beta, nil, images)
			sum.Run(nil, apart, apart, plus, apart)
			n.Forward(nil, joined, x, gamma, beta, plus, images)
			sameBits(t, fmt.Sprint("y of ", images), joined, apart)
			dx, grads := guarded(t, len(x)), guarded(t, 10)
			n.Backward(nil, dx, grads[:5], grads[5:], x, plus, gamma, false)
			all := slices.Concat(joined, dx, grads)
			if reference == nil {
				reference = all
			}
			sameBits(t, fmt.Sprint("against the reference, of ", images), all, reference)
		})
	}
}

// TestBackwardSum checks that the gradient of an input that is used twice has the bits of separate
// passes, both where a task goes through all weights at every position and where it goes through
// some.
func TestBackwardSum(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 47))
	for _, cfg := range append([]ConvConfig{
		{In: Shape{97, 3, 2}, Out: 53, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1},
	}, normalised...) {
		for _, images := range []int{3, 33, 70} {
			eachISA(t, func(t *testing.T, isa ISA) {
				b := NewBatch(images)
				c := must(NewConv(isa, b, cfg))
				dy, w := random(t, r, b.Len(c.Out())), random(t, r, c.weightLen())
				plus, act := random(t, r, b.Len(cfg.In)), random(t, r, b.Len(cfg.In))
				want, got := guarded(t, len(act)), guarded(t, len(act))
				c.BackwardData(nil, want, dy, w, nil, nil)
				NewSum(isa).Run(nil, want, want, plus, act)
				for threads := 1; threads <= 3; threads++ {
					team := NewTeam(threads)
					c.BackwardData(team, got, dy, w, act, plus)
					sameBits(t, fmt.Sprintf("%d images, %d threads", images, threads), got, want)
					team.Close()
				}
			})
		}
	}
}
