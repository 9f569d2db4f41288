package data

import (
	"errors"
	"io"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// receiver makes a data set from the message of another process.
type receiver struct {
	sent
	in      io.Reader
	sources []Source
	release []func() error
	err     error // the first error
}

// receive reads a data set. It asks for no further memory, but keeps as much of the reading
// process's share as the data set takes: that process gives up its memory meanwhile.
func receive(in io.Reader, share *room.Share) (*Dataset, error) {
	r := &receiver{in: in}
	if err := readHeader(in, &r.sent); err != nil {
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
		return nil, &room.Error{What: "what was read", Need: bytes, Has: share.Bytes()}
	}
	d := r.Dataset
	for i := range r.Bases {
		r.sources = append(r.sources, r.source(&r.Bases[i], &d))
	}
	for i, to := range []*Source{&d.Train, &d.Val, &d.Test} {
		*to = r.split(&r.Splits[i])
	}
	d.Release = func() error {
		share.Release()
		return r.close()
	}
	if r.err != nil {
		return nil, errors.Join(r.err, r.close())
	}
	share.Shrink(bytes)
	return &d, nil
}

func (r *receiver) close() error {
	var errs error
	for _, release := range r.release {
		errs = errors.Join(errs, release())
	}
	return errs
}

// bytes returns the memory, in bytes, of the numbers that follow the header.
func (r *receiver) bytes() (sum float64) {
	for _, b := range r.Bases {
		const marks = 2 + 2 + 4 // label, group and origin
		sum += marks * float64(b.Samples)
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
func (r *receiver) source(b *base, d *Dataset) Source {
	switch b.Kind {
	case tableBase:
		t := &dataset.Table{}
		t.Marks = r.marks(b)
		if b.Origin {
			t.Origin = make([]uint32, b.Samples)
			r.read(raw(t.Origin))
		}
		t.X = r.rows(b)
		return t
	case featuresBase:
		f := &dataset.Features{Marks: r.marks(b), Dims: b.Shape, Size: b.Size,
			Decode: dataset.Decoders()[b.Size]}
		f.Data = r.samples(b, d)
		return f
	}
	i := &dataset.Images{
		Dims: b.Shape, Stride: b.Size, Skip: b.Skip, Labels: make([]byte, b.Samples),
	}
	r.read(i.Labels)
	if b.Grouped {
		i.Groups = make([]uint16, b.Samples)
		r.read(raw(i.Groups))
	}
	i.Data = r.samples(b, d)
	return i
}

func (r *receiver) read(to []byte) {
	if r.err == nil {
		_, r.err = io.ReadFull(r.in, to)
	}
}

func (r *receiver) marks(b *base) (m dataset.Marks) {
	m.Labels = make([]uint16, b.Samples)
	m.Groups = m.Labels
	r.read(raw(m.Labels))
	if b.Grouped {
		m.Groups = make([]uint16, b.Samples)
		r.read(raw(m.Groups))
	}
	return m
}

// rows reads the rows block by block: this process takes only memory that the other has given up.
func (r *receiver) rows(b *base) *dataset.RowBlocks {
	x := &dataset.RowBlocks{Width: b.Shape.C, Per: max(1, dataset.BlockWords/b.Shape.C)}
	for left := b.Samples; left > 0; left -= x.Per {
		block := make([]float32, min(left, x.Per)*x.Width)
		r.read(raw(block))
		x.Blocks = append(x.Blocks, block)
	}
	return x
}

// samples reads the samples of a base, or maps the file in which they lie.
func (r *receiver) samples(b *base, d *Dataset) []byte {
	if b.File == nil {
		samples := make([]byte, b.Bytes)
		r.read(samples)
		return samples
	}
	m, samples, release, err := b.File.open(b.Bytes)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return nil
	}
	d.Mapped, r.release = append(d.Mapped, m), append(r.release, release)
	return samples
}

func (r *receiver) split(p *part) Source {
	switch {
	case p.Base == 0:
		return nil
	case p.Whole:
		return r.sources[p.Base-1]
	}
	index := make([]uint32, p.Samples)
	r.read(raw(index))
	return dataset.SubsetOf(r.sources[p.Base-1], index)
}
