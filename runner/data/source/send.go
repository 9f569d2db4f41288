package source

import (
	"fmt"
	"io"
	"slices"

	"drolab/runner/data"
)

// sender writes the numbers of a data set, and gives up their memory.
type sender struct {
	answer
	numbers [][]byte
	sources []data.Source
}

// send writes a data set.
func send(out io.Writer, d *data.Dataset) error {
	s := &sender{}
	s.Dataset = *d
	s.Dataset.Mapped = nil // sources say where in these files they lie
	s.Dataset.Train, s.Dataset.Val, s.Dataset.Test, s.Dataset.Release = nil, nil, nil, nil
	for i, split := range []data.Source{d.Train, d.Val, d.Test} {
		if split == nil {
			continue
		}
		if err := s.add(&s.Splits[i], split, d.Mapped); err != nil {
			return err
		}
	}
	for i, split := range []data.Source{d.Train, d.Val, d.Test} {
		if part, _ := partOf(split); s.Splits[i].Base > 0 && !s.Splits[i].Whole {
			s.numbers = append(s.numbers, bytesOf(part))
		}
	}
	if err := writeHeader(out, &s.answer); err != nil {
		return err
	}
	const size = 1 << 20 // bytes of a piece, whose memory is given up once it is written
	for _, b := range s.numbers {
		for piece := range slices.Chunk(b, size) {
			if _, err := out.Write(piece); err != nil {
				return &lostError{err}
			}
			forget(piece)
		}
	}
	return nil
}

// partOf returns the base of a split, and the indices of the split's samples in it: nil for all.
func partOf(split data.Source) (index []uint32, of data.Source) {
	switch s := split.(type) {
	case *data.Subset:
		return s.Index, s.Source
	case *data.ImageSubset:
		return s.Index, s.Source
	}
	return nil, split
}

// add describes a split in p, and adds its base if the base is new.
func (s *sender) add(p *splitHeader, split data.Source, mapped data.Mapped) error {
	index, src := partOf(split)
	*p = splitHeader{Base: 1 + slices.Index(s.sources, src), Whole: src == split,
		Samples: len(index)}
	if p.Base > 0 {
		return nil
	}
	b := sourceHeader{Samples: src.Len(), Shape: src.Shape()}
	var marks data.Marks
	var origin []uint32
	var samples [][]byte
	switch src := src.(type) {
	case *data.Table:
		b.Kind = tableBase
		marks, origin = src.Marks, src.Origin
		samples = rawRows(src.X, src.Len())
	case *data.Features:
		b.Kind, b.Size = featuresBase, src.Size
		marks, samples = src.Marks, [][]byte{src.Data}
	case *data.Images:
		b.Kind, b.Size, b.Skip = imagesBase, src.Stride, src.Skip
		marks, samples = src.Marks, [][]byte{src.Data}
	default:
		return fmt.Errorf("a source of type %T cannot be sent", src)
	}
	s.numbers = append(s.numbers, bytesOf(marks.Labels))
	b.Grouped = &marks.Labels[0] != &marks.Groups[0]
	if b.Grouped {
		s.numbers = append(s.numbers, bytesOf(marks.Groups))
	}
	b.Members = len(marks.Members) / src.Len()
	s.numbers = append(s.numbers, bytesOf(marks.Members))
	b.Keyed = marks.Keys != nil
	if b.Keyed {
		s.numbers = append(s.numbers, bytesOf(marks.Keys))
	}
	b.Origin = origin != nil
	if b.Origin {
		s.numbers = append(s.numbers, bytesOf(origin))
	}
	var err error
	if b.Kind != tableBase {
		b.File, err = placeIn(samples[0], mapped)
	}
	for _, piece := range samples {
		b.Bytes += len(piece)
	}
	if b.File == nil {
		s.numbers = append(s.numbers, samples...)
	}
	s.Bases, s.sources = append(s.Bases, b), append(s.sources, src)
	p.Base = len(s.Bases)
	return err
}

// rawRows returns the bytes of the first n rows as they lie in memory.
func rawRows(b *data.Rows[float32], n int) (list [][]byte) {
	for _, block := range b.Blocks {
		rows := min(n, b.Per)
		list = append(list, bytesOf(block[:rows*b.Width]))
		n -= rows
	}
	return list
}
