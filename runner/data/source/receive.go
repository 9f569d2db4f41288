package source

import (
	"errors"
	"io"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
)

// receiver makes a data set from the message of another process.
type receiver struct {
	answer
	in      io.Reader
	sources []data.Source
	mapped  data.Mapped
	err     error // the first error
}

// receive reads a data set. It asks for no further memory, but keeps as much of the reading
// process's share as the data set takes: that process gives up its memory meanwhile.
func receive(in io.Reader, share *memory.Share) (*data.Dataset, error) {
	r := &receiver{in: in}
	if err := readHeader(in, &r.answer); err != nil {
		return nil, err
	}
	switch {
	case r.Missing != nil:
		return nil, r.Missing
	case r.Error != "":
		return nil, errors.New(r.Error)
	}
	bytes := r.bytes()
	if share.Bounded && bytes > share.Bytes() {
		return nil, &memory.Error{What: "what was read", Need: bytes, Has: share.Bytes()}
	}
	d := &r.Dataset
	for i := range r.Bases {
		r.sources = append(r.sources, r.source(&r.Bases[i]))
	}
	for i, to := range []*data.Source{&d.Train, &d.Val, &d.Test} {
		*to = r.split(&r.Splits[i])
	}
	if r.err != nil {
		return nil, errors.Join(r.err, r.mapped.Close())
	}
	d.Mapped = r.mapped
	d.Release = share.Release
	share.Shrink(bytes)
	return d, nil
}

// bytes returns the memory, in bytes, of the numbers that follow the header.
func (r *receiver) bytes() (sum float64) {
	for _, b := range r.Bases {
		const marks = 2 + 2 + 4 + 4 // label, group, key and origin
		sum += float64(marks+4*b.Members) * float64(b.Samples)
		if b.File == nil {
			sum += float64(b.Bytes)
		}
	}
	for _, p := range r.Splits {
		sum += 4 * float64(p.Samples)
	}
	return sum
}

// source reads a base.
func (r *receiver) source(b *sourceHeader) data.Source {
	marks := r.marks(b)
	switch b.Kind {
	case tableBase:
		var origin []uint32
		if b.Origin {
			origin = make([]uint32, b.Samples)
			r.read(bytesOf(origin))
		}
		return &data.Table{Marks: marks, Origin: origin, X: r.rows(b)}
	case featuresBase:
		return &data.Features{Marks: marks, Dims: b.Shape, Size: b.Size,
			Data: r.samples(b), Decode: data.Decoders()[b.Size]}
	}
	return &data.Images{Marks: marks, Dims: b.Shape, Stride: b.Size, Skip: b.Skip,
		Data: r.samples(b)}
}

func (r *receiver) read(to []byte) {
	if r.err == nil {
		_, r.err = io.ReadFull(r.in, to)
	}
}

func (r *receiver) marks(b *sourceHeader) (m data.Marks) {
	m = data.NewLabels(b.Samples)
	r.read(bytesOf(m.Labels))
	if b.Grouped {
		m.Groups = make([]uint16, b.Samples)
		r.read(bytesOf(m.Groups))
	}
	m.Members = make([]uint32, b.Members*b.Samples)
	r.read(bytesOf(m.Members))
	if b.Keyed {
		m.Keys = make([]uint32, b.Samples)
		r.read(bytesOf(m.Keys))
	}
	return m
}

// rows reads the rows block by block: this process takes only memory that the other has given up.
func (r *receiver) rows(b *sourceHeader) *data.Rows[float32] {
	x := &data.Rows[float32]{Width: b.Shape.C, Per: max(1, data.BlockWords/b.Shape.C)}
	for left := b.Samples; left > 0; left -= x.Per {
		block := make([]float32, min(left, x.Per)*x.Width)
		r.read(bytesOf(block))
		x.Blocks = append(x.Blocks, block)
	}
	return x
}

// samples reads the samples of a base, or maps the file in which they lie.
func (r *receiver) samples(b *sourceHeader) (samples []byte) {
	if b.File == nil {
		samples = make([]byte, b.Bytes)
		r.read(samples)
		return samples
	}
	samples, err := b.File.open(&r.mapped, b.Bytes)
	r.err = errors.Join(r.err, err)
	return samples
}

func (r *receiver) split(p *splitHeader) data.Source {
	switch {
	case p.Base == 0:
		return nil
	case p.Whole:
		return r.sources[p.Base-1]
	}
	index := make([]uint32, p.Samples)
	r.read(bytesOf(index))
	return data.SubsetOf(r.sources[p.Base-1], index)
}
