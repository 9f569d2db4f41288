package nn_test

import (
	"fmt"

	"drolab/dro"
	"drolab/dro/nn"
)

// points are eight points on a line; two of them belong to a rare class.
var (
	points = []float32{-1.6, -1.4, -1.2, -1, -.8, -.6, .9, 1.1}
	labels = []int{0, 0, 0, 0, 0, 0, 1, 1}
)

// newNet returns a linear classifier of points.
func newNet() *nn.Net {
	net, err := nn.New(nn.Config{Model: "linear", C: 1, H: 1, W: 1, Classes: 2, Batch: len(points),
		Seed: 1})
	if err != nil {
		panic(err)
	}
	return net
}

// A step of robust training: losses out, the worst-case ratios of a χ² ball in, an update along the
// gradient.
func Example() {
	net := newNet()
	defer net.Close()
	set, err := dro.NewSet("chi2", 0, 0)
	if err != nil {
		panic(err)
	}
	losses, ratios := make([]float64, len(points)), make([]float64, len(points))
	var first, last float64 // worst-case risks
	for step := range 100 {
		net.Losses(losses, points, labels)
		worst, err := dro.WorstCase(set, ratios, losses, .5)
		if err != nil {
			panic(err)
		}
		net.Gradient(ratios)
		net.Update(nn.SGD{LR: .1, Momentum: .9, WeightDecay: 1e-4})
		if last = worst.Risk; step == 0 {
			first = last
		}
	}
	classes := make([]int, len(points))
	net.Predictions(classes)
	fmt.Println("the risk fell to less than a tenth:", last < first/10)
	fmt.Println("predictions:", classes)
	// Output:
	// the risk fell to less than a tenth: true
	// predictions: [0 0 0 0 0 0 1 1]
}

// Normalised momentum looks at the velocity before it moves, so every step has the length .1.
func ExampleNet_Accumulate() {
	net := newNet()
	defer net.Close()
	losses, ones := make([]float64, len(points)), []float64{1, 1, 1, 1, 1, 1, 1, 1}
	for range 60 {
		net.Losses(losses, points, labels)
		net.Gradient(ones)
		if _, velocity := net.Accumulate(.9, .9, 0, 0); velocity > 0 {
			net.Advance(.1 / velocity)
		}
	}
	net.Losses(losses, points, labels)
	var mean float64
	for _, l := range losses {
		mean += l / float64(len(losses))
	}
	fmt.Println("the mean loss is below .2:", mean < .2)
	// Output: the mean loss is below .2: true
}

// A batch in mode Probe leaves the running statistics of batch normalisation alone; evaluation uses
// them.
func ExampleNet_SetMode() {
	net, err := nn.New(nn.Config{Model: "resnet8", C: 1, H: 8, W: 8, Classes: 2, Batch: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	defer net.Close()
	x, losses := make([]float32, 2*8*8), make([]float64, 2)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	mean := net.Buffers()[0]
	for _, mode := range []nn.Mode{nn.Probe, nn.Train} {
		net.SetMode(mode)
		net.Losses(losses, x, []int{0, 1})
		fmt.Println(mean.Name, "moved:", mean.Data[0] != 0)
	}
	net.SetMode(nn.Evaluate)
	net.Losses(losses, x, []int{0, 1})
	alone := make([]float64, 1)
	net.Losses(alone, x[:8*8], []int{0})
	fmt.Println("the same loss alone:", alone[0] == losses[0])
	// Output:
	// conv1.norm.running_mean moved: false
	// conv1.norm.running_mean moved: true
	// the same loss alone: true
}

// A network that trains again from scratch begins at exactly the weights at which it first began.
func ExampleNet_Restart() {
	net := newNet()
	defer net.Close()
	losses := make([]float64, len(points))
	net.Losses(losses, points, labels)
	first := losses[0]
	net.Gradient([]float64{1, 1, 1, 1, 1, 1, 1, 1})
	net.Update(nn.SGD{LR: .1, Clip: 1})
	net.Restart()
	net.Losses(losses, points, labels)
	fmt.Println(losses[0] == first)
	// Output: true
}
