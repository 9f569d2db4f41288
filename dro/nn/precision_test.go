package nn

import (
	"math"
	"slices"
	"testing"

	"drolab/dro/internal/kern"
	"drolab/dro/testsize"
)

// precise returns a network at the given precision.
func precise(t *testing.T, model, precision string, threads int) *Net {
	t.Helper()
	n, err := New(Config{
		Model: model, C: 3, H: side(model), W: side(model), Classes: 10, Batch: 24, Seed: 6,
		Threads: threads, Precision: precision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// Training rounds operands, and its results are near those of fp32. Evaluations use the weights
// themselves and agree with fp32 to the bit, and so does the gradient of a certificate.
func TestBF16TrainsAndFP32Evaluates(t *testing.T) {
	for _, model := range representative() {
		t.Run(model, func(t *testing.T) {
			exact, rounded := precise(t, model, "fp32", 2), precise(t, model, bf16, 2)
			x, labels, ratios := batch(exact.Config, 24, 1)
			for _, mode := range []Mode{Evaluate, Train} {
				losses := map[*Net][]float64{}
				for _, n := range []*Net{exact, rounded} {
					losses[n] = make([]float64, 24)
					n.SetMode(mode)
					n.Losses(losses[n], x, labels)
					n.Gradient(ratios)
				}
				same := slices.Equal(losses[exact], losses[rounded]) &&
					slices.Equal(exact.gradient, rounded.gradient)
				if same != (mode == Evaluate) {
					t.Errorf("mode %v: the numbers of both precisions are the same: %v", mode, same)
				}
				for i, l := range losses[exact] {
					if math.Abs(l-losses[rounded][i]) > .05*(1+math.Abs(l)) {
						t.Errorf("mode %v: loss %d is %v, in fp32 %v", mode, i,
							losses[rounded][i], l)
					}
				}
				if a, b := exact.GradientNorm(), rounded.GradientNorm(); math.Abs(a-b) > .05*a {
					t.Errorf("mode %v: the gradient's norm is %v, in fp32 %v", mode, b, a)
				}
			}
		})
	}
}

func TestBF16SameBitsOnAnyThreads(t *testing.T) {
	var want []float32
	for _, threads := range testsize.Few(2, 1, 3, 2) {
		n := precise(t, "alexnet", bf16, threads)
		x, labels, ratios := batch(n.Config, 24, 1)
		losses := make([]float64, 24)
		for range 2 {
			n.Losses(losses, x, labels)
			n.Gradient(ratios)
			n.Update(SGD{LR: .01, Momentum: .9})
		}
		if want == nil {
			want = slices.Clone(n.weights)
		}
		if !slices.Equal(n.weights, want) {
			t.Errorf("%d threads give other weights", threads)
		}
	}
}

func TestPrecisionIsOneOfTwo(t *testing.T) {
	_, err := New(Config{Model: "linear", C: 1, H: 1, W: 1, Classes: 2, Batch: 1, Precision: "fp8"})
	if err == nil {
		t.Error("fp8 is taken")
	}
	if got, want := Kernel(bf16), kern.DetectBF16().On(kern.Detect()); got != want {
		t.Errorf("the kernel of bf16 is %s, want %s", got, want)
	}
}

// Where an input has few channels, the order of sums differs from that of the kernel's first
// release, and so does the kernel's name in runs.
func TestOrderOfBF16(t *testing.T) {
	for _, tc := range []struct {
		model          string
		c, side, batch int
		want           map[kern.BF16]string
	}{
		{"alexnet", 3, 32, 24, map[kern.BF16]string{
			kern.AVX512BF16: "strips-pairs", kern.AMX: "strips"}},
		{"alexnet", 3, 32, 40, map[kern.BF16]string{ // images that do not fill lines
			kern.AVX512BF16: "strips", kern.AMX: "strips"}},
		{"convnet", 3, 32, 24, map[kern.BF16]string{
			kern.AVX512BF16: "runs-pairs", kern.AMX: "strips"}},
		{"mlp", 3, 32, 24, nil},
		{"alexnet", 16, 32, 24, map[kern.BF16]string{kern.AVX512BF16: "pairs"}},
		{"mlp", 54, 1, 24, nil},
	} {
		c := Config{Model: tc.model, C: tc.c, H: tc.side, W: tc.side, Classes: 10, Batch: tc.batch,
			Precision: bf16}
		if got := Order(c); got != tc.want[kern.DetectBF16()] {
			t.Errorf("%s of %d channels: order %q, want %q", tc.model, tc.c, got, tc.want)
		}
	}
}
