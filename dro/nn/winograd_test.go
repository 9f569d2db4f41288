package nn

import (
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"drolab/dro/internal/kern"
	"drolab/dro/testsize"
)

// byWinograd are networks whose convolutions fit Winograd, on maps of 8×8, 4×4 and 2×2, with
// batches that leave lanes empty. One convolution has a bias and max-pooling behind it; others have
// batch normalisation and sums.
var byWinograd = []Config{
	{Model: "convnet", C: 3, H: 32, W: 32, Classes: 10, Batch: 8},
	{Model: "resnet8", C: 3, H: 16, W: 16, Classes: 10, Batch: 6},
	{Model: "resnet18", C: 3, H: 16, W: 16, Classes: 10, Batch: 4},
}

func TestWinogradAgainstPlainGorgonia(t *testing.T) {
	for _, c := range byWinograd {
		if skipped(c.Model) {
			continue
		}
		t.Run(c.Model, func(t *testing.T) {
			c.Seed, c.Threads, c.Convolution = 3, 2, winograd
			if order := Order(c); !strings.Contains(order, winograd) {
				t.Fatalf("the order of sums is %q: no convolution fits", order)
			}
			n := testNet(t, c)
			roughen(n.parameters)
			x, labels, ratios := batch(c, c.Batch-1, 7)
			compare(t, n, x, labels, ratios)
		})
	}
}

// TestOrderTellsOfFewChannels checks that the order of sums is named where convolutions of 16
// channels are among Winograd's, and where gradients are summed for 16 images after the other.
func TestOrderTellsOfFewChannels(t *testing.T) {
	order := Order(Config{Model: "resnet8", C: 3, H: 32, W: 32, Classes: 10, Batch: 8,
		Convolution: winograd})
	want := kern.Detect() == kern.AVX2
	if got := strings.HasSuffix(order, "winograd-16-vectors"); got != want {
		t.Errorf("order %q on %v", order, kern.Detect())
	}
}

// TestWinogradRoundsLittleMore checks that the gradient's distance from float64 is at most three
// times that of direct convolutions.
func TestWinogradRoundsLittleMore(t *testing.T) {
	testsize.NotShort(t, "builds Gorgonia's graph twice: TestWinogradAgainstPlainGorgonia once")
	c := byWinograd[1]
	c.Seed, c.Threads = 3, 2
	x, labels, ratios := batch(c, c.Batch, 7)
	lost := map[string]float64{}
	for _, c.Convolution = range Convolutions() {
		n := testNet(t, c)
		roughen(n.parameters)
		n.Losses(make([]float64, c.Batch), x, labels)
		n.Gradient(ratios)
		plain := newOracle(t, tensor.Float64, n, x, labels, ratios)
		machine := G.NewTapeMachine(plain.graph)
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		var got, want []float64
		for i, g := range n.gradients {
			got = append(got, widen(g.Data)...)
			want = append(want, plain.gradients[i].Data().([]float64)...)
		}
		lost[c.Convolution] = distance(got, want)
	}
	t.Logf("the gradient is %.2g from float64 by winograd, %.2g directly", lost[winograd],
		lost["direct"])
	if got, most := lost[winograd], 3*lost["direct"]; got > most {
		t.Errorf("Winograd is %v from float64, want at most %v", got, most)
	}
	if lost[winograd] == lost["direct"] {
		t.Errorf("Winograd and direct sums have the same distance from float64, %v", lost[winograd])
	}
}

func TestWinogradSameBitsOnAnyThreads(t *testing.T) {
	var want []float32
	for _, threads := range testsize.Few(2, 1, 3, 2) {
		c := byWinograd[1]
		c.Batch, c.Threads, c.Convolution = 70, threads, winograd
		n := testNet(t, c)
		x, labels, ratios := batch(c, 70, 1)
		for range 2 {
			n.Losses(make([]float64, 70), x, labels)
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

func TestConvolutionIsChecked(t *testing.T) {
	for _, test := range []struct{ model, convolution, precision, want string }{
		{"resnet8", winograd, "fp32", ""},
		{"linear", "direct", "fp32", ""},
		{"resnet8", winograd, bf16, "expected direct in bf16"},
		{"mlp", winograd, "fp32", "mlp has no convolutions"},
	} {
		err := CheckConvolution(test.model, test.convolution, test.precision)
		if test.want == "" && err != nil {
			t.Errorf("CheckConvolution(%q, %q, %q): %v", test.model, test.convolution,
				test.precision, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("CheckConvolution(%q, %q, %q) = %v, want an error with %q", test.model,
				test.convolution, test.precision, err, test.want)
		}
	}
	_, err := New(Config{Model: "linear", C: 1, H: 1, W: 1, Classes: 2, Batch: 1,
		Convolution: "fast"})
	if err == nil || !strings.Contains(err.Error(), "expected one of direct, winograd") {
		t.Errorf("convolution fast: %v", err)
	}
	if order := Order(Config{Model: "linear", C: 1, H: 1, W: 1, Classes: 2, Batch: 1,
		Convolution: winograd}); strings.Contains(order, winograd) {
		t.Errorf("the order of sums of a linear layer is %q", order)
	}
}
