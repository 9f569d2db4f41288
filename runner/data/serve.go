package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// Serve does the whole work of a process that reads a data set for another. It takes the request
// from in, reads the files within its memory bound, and writes the data set to out. It ends the
// process when in ends, since nobody waits for the data then.
func Serve(in io.Reader, out io.Writer) error {
	var ask request
	if err := readHeader(in, &ask); err != nil {
		return fmt.Errorf("this command is for drolab itself: see drolab data show: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	runtime.GOMAXPROCS(ask.Threads)
	debug.SetGCPercent(10) // kept data hold no pointers, and garbage counts against the bound
	if ask.Bounded {
		if err := room.Bound(ask.Bytes); err != nil {
			return err
		}
	}
	d, err := readOwn(ask.Name, ask.Options)
	if err == nil {
		err = send(out, d)
	}
	var lost *lostError
	if err == nil || errors.As(err, &lost) {
		return err // nobody reads any more, or a part has been read
	}
	failed := sent{Error: err.Error()}
	errors.As(err, &failed.Missing)
	return writeHeader(out, &failed)
}

// readOwn opens the user's own files. It turns a fault in a mapped file into an error.
func readOwn(name string, o Options) (d *Dataset, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if f, ok := p.(interface{ Addr() uintptr }); ok && f.Addr() > 1<<16 { // else a nil pointer
			err = errors.New("its files were cut or lost while they were read: " +
				"bring them back and try again")
		} else if p != nil {
			panic(p)
		}
	}()
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	return p.Open(name, o)
}

// lostError is the error of numbers that did not reach the process that asked for them.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// sender writes the numbers of a data set, and gives up their memory.
type sender struct {
	sent
	numbers [][]byte
	sources []Source
}

// send writes a data set.
func send(out io.Writer, d *Dataset) error {
	s := &sender{}
	s.Dataset = *d
	s.Dataset.Mapped = nil // sources say where in these files they lie
	s.Dataset.Train, s.Dataset.Val, s.Dataset.Test, s.Dataset.Release = nil, nil, nil, nil
	for i, split := range []Source{d.Train, d.Val, d.Test} {
		if split == nil {
			continue
		}
		if err := s.add(&s.Splits[i], split, d.Mapped); err != nil {
			return err
		}
	}
	for i, split := range []Source{d.Train, d.Val, d.Test} {
		if part, _ := partOf(split); s.Splits[i].Base > 0 && !s.Splits[i].Whole {
			s.numbers = append(s.numbers, raw(part))
		}
	}
	if err := writeHeader(out, &s.sent); err != nil {
		return err
	}
	for _, b := range s.numbers {
		if err := sendPieces(out, b); err != nil {
			return &lostError{err}
		}
	}
	return nil
}

// sendPieces writes numbers piece by piece, and gives up the memory of each piece.
func sendPieces(out io.Writer, b []byte) error {
	const piece = 1 << 20
	for piece := range slices.Chunk(b, piece) {
		if _, err := out.Write(piece); err != nil {
			return err
		}
		forget(piece)
	}
	return nil
}

// partOf returns the base of a split, and the indices of the split's samples in it: nil for all.
func partOf(split Source) (index []uint32, of Source) {
	switch s := split.(type) {
	case *dataset.Subset:
		return s.Index, s.Source
	case *dataset.ImageSubset:
		return s.Index, s.Source
	}
	return nil, split
}

// add describes a split in p, and adds its base if the base is new.
func (s *sender) add(p *part, split Source, mapped []dataset.Mapping) error {
	index, src := partOf(split)
	*p = part{Base: 1 + slices.Index(s.sources, src), Whole: src == split, Samples: len(index)}
	if p.Base > 0 {
		return nil
	}
	b, samples := base{Samples: src.Len(), Shape: src.Shape()}, [][]byte(nil)
	switch src := src.(type) {
	case *dataset.Table:
		b.Kind, b.Origin, samples = tableBase, src.Origin != nil, rawRows(src.X, src.Len())
		b.Grouped = s.mark(src.Labels, src.Groups)
		if b.Origin {
			s.numbers = append(s.numbers, raw(src.Origin))
		}
	case *dataset.Features:
		b.Kind, b.Size, samples = featuresBase, src.Size, [][]byte{src.Data}
		b.Grouped = s.mark(src.Labels, src.Groups)
	case *dataset.Images:
		b.Kind, b.Size, b.Skip, samples = imagesBase, src.Stride, src.Skip, [][]byte{src.Data}
		s.numbers = append(s.numbers, src.Labels)
		if b.Grouped = src.Groups != nil; b.Grouped {
			s.numbers = append(s.numbers, raw(src.Groups))
		}
	default:
		return fmt.Errorf("a source of type %T cannot be sent", src)
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

// mark adds the labels to the numbers to send, and the groups if they are not the labels. It
// reports whether it added groups.
func (s *sender) mark(labels, groups []uint16) (grouped bool) {
	s.numbers = append(s.numbers, raw(labels))
	if grouped = &labels[0] != &groups[0]; grouped {
		s.numbers = append(s.numbers, raw(groups))
	}
	return grouped
}

// rawRows returns the bytes of the first n rows as they lie in memory.
func rawRows(b *dataset.RowBlocks, n int) (list [][]byte) {
	for _, block := range b.Blocks {
		rows := min(n, b.Per)
		list = append(list, raw(block[:rows*b.Width]))
		n -= rows
	}
	return list
}
