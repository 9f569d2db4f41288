package nn

import (
	"math"
	"math/rand/v2"

	"drolab/dro/internal/kern"

	"gorgonia.org/tensor"
)

// Tensor is a named array of the network, a view and not a copy.
type Tensor struct {
	Name string // "conv1.weight", "conv1.bias", "conv1.norm.running_mean", ...
	// Shape is [out, in, height, width] for a convolution's weights, [out, in] for a dense layer's.
	Shape []int
	Data  []float32
}

// slot is a tensor that has no memory yet, with the values that it starts with.
type slot struct {
	Tensor
	value     float32
	deviation float64 // standard deviation of normal values around 0; 0: not normal
	bound     float64 // of uniform values in ±bound; 0: not uniform
}

func (s slot) len() int {
	return tensor.Shape(s.Shape).TotalSize()
}

// Inits returns the names of the initialisations, the customary one first:
//
//   - he: weights normal with variance 2/fan-in, or 1/fan-in where no ReLU, GELU or normalisation
//     follows, and zero biases (He et al., "Delving deep into rectifiers", 2015, eq. 10);
//   - torch: weights and biases uniform in ±1/√fan-in, the default of PyTorch's layers.
func Inits() []string { return []string{"he", "torch"} }

// slots lists the parameters and the buffers of a model, with the values that they start with under
// an initialisation (empty: the first of Inits).
func slots(list []stage, init string) (parameters, buffers []slot) {
	for _, s := range list {
		if of := kinds[s.kind].slots; of != nil {
			p, b := of(s, init)
			parameters, buffers = append(parameters, p...), append(buffers, b...)
		}
	}
	return parameters, buffers
}

// weightedSlots lists the tensors of a convolution or a linear layer: the weights, and the bias or,
// in its place, batch normalisation.
func weightedSlots(s stage, init string) (parameters, buffers []slot) {
	vector := func(name string, value float32) slot {
		return slot{Tensor: Tensor{Name: s.name + name, Shape: []int{s.out.Channels}}, value: value}
	}
	weight, bias := s.weightSlot(), vector(".bias", 0)
	if init == "torch" {
		weight.deviation, weight.bound = 0, 1/math.Sqrt(float64(s.fanIn()))
		bias.bound = weight.bound
	}
	if !s.norm {
		return []slot{weight, bias}, nil
	}
	return []slot{weight, vector(".norm.weight", 1), vector(".norm.bias", 0)},
		[]slot{vector(".norm.running_mean", 0), vector(".norm.running_var", 1)}
}

// fanIn returns the number of inputs that one output of a layer depends on.
func (s stage) fanIn() int {
	if s.kind == conv {
		return s.in.Channels * s.kernel * s.kernel
	}
	return s.in.Len()
}

// weightSlot returns the slot of a layer's weights, with the values that "he" starts them with.
func (s stage) weightSlot() slot {
	config := s.config()
	shape := []int{config.Out, s.in.Len()}
	if s.kind == conv {
		shape = []int{config.Out, s.in.Channels, s.kernel, s.kernel}
	}
	gain := 1.0
	if s.relu || s.norm || s.curve == "relu" || s.curve == "gelu" {
		gain = 2
	}
	return slot{
		Tensor:    Tensor{Name: s.name + ".weight", Shape: shape},
		deviation: math.Sqrt(gain / float64(s.fanIn())),
	}
}

// arena returns one piece of memory for all slots, and a view of it for each, at the start of a
// cache line.
func arena(list []slot) (memory []float32, tensors []Tensor) {
	const line = 16 // float32s
	total := 0
	for _, s := range list {
		total += (s.len() + line - 1) / line * line
	}
	memory = kern.Alloc(total)
	offset := 0
	for _, s := range list {
		s.Data = memory[offset : offset+s.len() : offset+s.len()]
		tensors = append(tensors, s.Tensor)
		offset += (s.len() + line - 1) / line * line
	}
	return memory, tensors
}

// initialise fills tensors with the values that their slots start with.
func initialise(tensors []Tensor, list []slot, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x696e6974)) // "init": a stream of its own
	for i, s := range list {
		data := tensors[i].Data
		for j := range data {
			switch {
			case s.deviation > 0:
				data[j] = float32(s.deviation * rng.NormFloat64())
			case s.bound > 0:
				data[j] = float32(s.bound * (2*rng.Float64() - 1))
			default:
				data[j] = s.value
			}
		}
	}
}
