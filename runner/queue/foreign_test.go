package queue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// foreign is a Network that shares nothing with dro/nn: a softmax regression in plain Go, which
// reads its samples itself, by their indices. weights, velocity and gradient hold, class by class,
// a number for each feature and one for the bias.
type foreign struct {
	data                     *data.Dataset
	classes, size            int // size: the number of weights of a class
	start, weights, velocity []float32
	gradient, kept           []float32
	rows                     [][]float64 // samples of the last batch, each followed by a 1
	labels                   []int
	probabilities            [][]float64
	moves, largest           int // steps taken; size of the largest batch
}

// newForeign returns a foreign network with the initial weights of drolab's own network.
func newForeign(s *spec.Spec, d *data.Dataset, _ int) (train.Network, error) {
	own, err := train.Native(s, d, 1)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	f := &foreign{data: d, classes: len(d.Classes), size: d.Shape.Len() + 1}
	tensors := own.(train.Parameters).Tensors()
	for k := range f.classes {
		f.start = append(f.start, tensors[0].Data[k*(f.size-1):][:f.size-1]...)
		f.start = append(f.start, tensors[1].Data[k])
	}
	f.velocity, f.gradient = make([]float32, len(f.start)), make([]float32, len(f.start))
	f.weights = slices.Clone(f.start)
	return f, nil
}

func (f *foreign) Feed(string, nn.Mode, *loader.Options) {}

func (f *foreign) Losses(losses []float64, b train.Batch, _ func(w, losses []float64)) {
	f.rows, f.labels, f.probabilities = nil, slices.Clone(b.Labels), nil
	f.largest = max(f.largest, b.N)
	row := make([]float32, f.size-1)
	for j, i := range b.Index {
		train.Source(f.data, b.Split).Read(row, i)
		x, p, sum := make([]float64, f.size), make([]float64, f.classes), 0.0
		for c, v := range row {
			x[c] = float64(v)
		}
		x[f.size-1] = 1
		for k := range p {
			p[k] = math.Exp(dot(x, f.weights[k*f.size:]))
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
		losses[j] = -math.Log(p[b.Labels[j]])
		f.rows, f.probabilities = append(f.rows, x), append(f.probabilities, p)
	}
}

func dot(x []float64, w []float32) (sum float64) {
	for i, v := range x {
		sum += v * float64(w[i])
	}
	return sum
}

func (f *foreign) Outputs(o train.Outputs) {
	for j, p := range f.probabilities {
		class := 0
		for k := range p {
			if p[k] > p[class] {
				class = k
			}
		}
		if o.Classes != nil {
			o.Classes[j] = class
		}
		if o.Confidences != nil {
			o.Confidences[j] = p[class]
		}
	}
}

func (f *foreign) Gradient(weights []float64, add bool) {
	if !add {
		clear(f.gradient)
	}
	for j, x := range f.rows {
		for k, p := range f.probabilities[j] {
			if k == f.labels[j] {
				p--
			}
			for c, v := range x {
				f.gradient[k*f.size+c] += float32(weights[j] * p * v / float64(len(f.rows)))
			}
		}
	}
}

func norm(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

func (f *foreign) GradNorm() float64 { return norm(f.gradient) }

func (f *foreign) Step(r train.Rule) (float64, bool) {
	length, scale, keep := f.GradNorm(), 1.0, 1.0
	if r.Clip > 0 && length > r.Clip {
		scale = r.Clip / length
	}
	if r.Advance != nil {
		keep = 1 - r.Momentum
	}
	for i, g := range f.gradient {
		decayed := scale*float64(g) + r.WeightDecay*float64(f.weights[i])
		f.velocity[i] = float32(r.Momentum*float64(f.velocity[i]) + keep*decayed)
	}
	rate := r.LR
	if r.Advance != nil {
		rate = r.Advance(norm(f.velocity), r.LR)
	}
	for i, v := range f.velocity {
		f.weights[i] -= float32(rate * float64(v))
	}
	f.moves++
	return length, true
}

func (f *foreign) Restart() {
	copy(f.weights, f.start)
	clear(f.velocity)
}

func (f *foreign) Pick() { f.kept = slices.Clone(f.weights) }
func (f *foreign) Swap() { f.weights, f.kept = f.kept, f.weights }

func (f *foreign) Save(s *runner.State) error {
	tensor := func(x []float32) []nn.Tensor {
		return []nn.Tensor{{Name: "all", Shape: []int{len(x)}, Data: x}}
	}
	s.Parameters, s.Velocities, s.Picked = tensor(f.weights), tensor(f.velocity), tensor(f.kept)
	return nil
}

func (f *foreign) Load(s *runner.State) error {
	copy(f.weights, s.Parameters[0].Data)
	copy(f.velocity, s.Velocities[0].Data)
	f.kept = slices.Clone(s.Picked[0].Data)
	return nil
}

func (f *foreign) Err() error { return nil }
func (f *foreign) Close()     {}

// trained runs a spec with a network, in as many parts as there are epochs.
func trained(t *testing.T, build train.NewNetwork, s spec.Spec, parts int) *trace {
	t.Helper()
	store := newMemoryStore()
	start := func(do func(*Queue) error) {
		q := NewQueue(context.Background(), Settings{Store: store, Threads: 2, Network: build})
		if err := do(q); err != nil {
			t.Fatal(err)
		}
		for _, o := range q.Wait() {
			if o.Err != nil {
				t.Fatalf("run %s: %v", o.ID, o.Err)
			}
		}
	}
	var id string
	start(func(q *Queue) error {
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{s},
			Means: runner.Means{Until: s.Epochs / parts}})
		if err == nil {
			id = ids[0]
		}
		return err
	})
	for part := 2; part <= parts; part++ {
		start(func(q *Queue) error {
			_, err := q.CarryOut(runner.Order{Verb: runner.Resume, Run: id,
				Means: &runner.Means{Until: part * s.Epochs / parts}})
			return err
		})
	}
	return store.runs[id]
}

// TestForeignNetwork: with every method, a network of another program trains as drolab's own does,
// up to the rounding of float32, and goes on from its checkpoint with the same bits.
func TestForeignNetwork(t *testing.T) {
	for _, a := range methods() {
		if refits(a) { // it does not show its last layer
			continue
		}
		t.Run(string(a), func(t *testing.T) {
			s := brief(a)
			s.BatchZ, s.WeightDecay, s.Clip = 40, 1e-3, dro.Fixed(2)
			var net *foreign
			tr := trained(t, func(s *spec.Spec, d *data.Dataset, n int) (train.Network, error) {
				made, err := newForeign(s, d, n)
				net, _ = made.(*foreign)
				return made, err
			}, s, 1)
			if net.largest > s.Batch {
				t.Errorf("the largest batch has %d samples, want at most %d", net.largest, s.Batch)
			}
			if want := int(tr.meta.Steps); net.moves != want {
				t.Errorf("the network takes %d steps, want %d", net.moves, want)
			}
			own := trained(t, train.Native, s, 1).summary
			near(t, tr.summary.Measures, own.Measures)
			if p, q := tr.summary.PaperIterate, own.PaperIterate; p != nil && (p.Step != q.Step ||
				math.Abs(p.TestLoss.Float()/q.TestLoss.Float()-1) > 1e-3) {
				t.Errorf("the paper's iterate is %+v, of drolab's own %+v", p, q)
			}
			parts := trained(t, newForeign, s, 2)
			got, want := fmt.Sprint(parts.summary.Measures), fmt.Sprint(tr.summary.Measures)
			if got != want {
				t.Errorf("resumed: %s\nwant %s", got, want)
			}
		})
	}
}

// near compares measures up to a relative error, and measures near 0 up to an absolute one.
func near(t *testing.T, got, want measure.Values) {
	t.Helper()
	for i, v := range got {
		if d := math.Abs(v.Float() - want[i].Float()); v.Applies() &&
			!(d <= 1e-3*(.1+math.Abs(want[i].Float()))) {
			t.Errorf("%s is %v, of drolab's own %v", v.Name, v.Number, want[i].Number)
		}
	}
}

// TestForeignNetworkHasNoParameters: a figure that needs the parameters of a network says so where
// there are none.
func TestForeignNetworkHasNoParameters(t *testing.T) {
	f := frozen(t, runAll(t, 1, brief(dro.PGD))[0])
	train, err := f.Pass(runner.SplitTrain)
	if err != nil {
		t.Fatal(err)
	}
	own := f.Run.Net
	defer own.Close()
	if f.Run.Net, err = newForeign(&f.Meta.Spec, f.Data, 1); err != nil {
		t.Fatal(err)
	}
	want := "run " + f.Meta.ID + ": the constants need a network whose weights are at hand"
	if _, err = f.Constants(train, 3); err == nil || err.Error() != want {
		t.Errorf("Constants() = %v, want %q", err, want)
	}
}
