package nn

import "drolab/dro/internal/kern"

// Memory returns an estimate of the memory that a network of c takes, in bytes. It counts
// parameters with their gradients and velocities and, for every sample of a batch, the inputs and
// outputs of each layer with gradients. It fails as New does.
func Memory(c Config) (bytes float64, err error) {
	list, err := stages(c)
	if err != nil {
		return 0, err
	}
	const (
		lanes   = 16   // blocks of images are padded to a multiple of this
		scratch = 1.75 // a factor for what else kernels and graph keep; see TestMemory
	)
	values := 0.0 // in floating point, which does not overflow
	packed, widest, partial := 0.0, 0.0, 0.0
	for i, s := range list {
		if i == 0 && c.Precision != bf16 && takesRows(kern.Detect(), s) {
			parts := kern.RowsParts(kern.NewBatch(c.Batch), s.config())
			partial = float64(parts) * float64(s.in.Len()) * float64(s.out.Len())
			s.in = kern.Shape{} // the batch as it came
		}
		for _, shape := range [...]kern.Shape{s.in, s.mid, s.out} {
			values += valuesOf(shape)
		}
		if s.curve != "" { // with its gradient and slope
			values += 2 * valuesOf(s.out)
		}
		packed = max(packed, s.packed())
	}
	weights, _ := slots(list, c.Init)
	parameters := 0.0
	for _, s := range weights {
		parameters += float64(s.len())
		widest = max(widest, float64(s.len()))
	}
	vectors := 4.0
	if c.Optimizer == AdamWName {
		vectors++
	}
	bytes = 4 * (vectors*parameters + partial + scratch*values*(float64(c.Batch)+lanes))
	// the operands of one product: 2 bytes a value, in tiles that are at least half full
	if c.Precision == bf16 {
		bytes += 4 * (widest + packed*(float64(c.Batch)+lanes))
	}
	return bytes, nil
}

// packed returns how many values of a sample an operand of the stage's products has. The operand is
// the stage's input, as columns of outputs see it where the channels are few, or its output.
func (s stage) packed() float64 {
	seen, c := 0.0, s.config()
	multiplies := s.kind == conv || s.kind == linear
	if multiplies && kern.BF16Strips(kern.DetectBF16(), c) {
		rows := (s.mid.Height-1)*c.Stride + c.KernelHeight
		column := float64(c.In.Channels) * float64(c.KernelWidth) * float64(rows)
		seen = column * float64(s.mid.Width)
	}
	return max(seen, valuesOf(s.in), valuesOf(s.mid))
}

func valuesOf(s kern.Shape) float64 {
	return float64(s.Channels) * float64(s.Height) * float64(s.Width)
}
