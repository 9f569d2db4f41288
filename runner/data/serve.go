package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"drolab/runner/internal/room"
)

// Serve is the whole work of a process that reads a data set for another: it takes the request from
// in, reads the files within the memory that it may take, and writes the data set to out. It ends
// the process when in ends, since nobody waits then.
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
	debug.SetGCPercent(10) // what is kept holds no pointers, and garbage counts against the bound
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
		return err // nobody reads, or a part has been read
	}
	failed := sent{Error: err.Error()}
	errors.As(err, &failed.Missing)
	return writeHeader(out, &failed)
}

// readOwn opens one's own files. A fault in one that is mapped is an error.
func readOwn(name string, o Options) (d *Dataset, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if f, ok := p.(interface{ Addr() uintptr }); ok && f.Addr() > 1<<16 { // below lies nil
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

// lostError says that numbers did not reach who asked for them.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// sender writes the numbers of a data set, and lets go of their memory.
type sender struct {
	sent
	numbers [][]byte
	sources []Source
}

// send writes a data set.
func send(out io.Writer, d *Dataset) error {
	s := &sender{}
	s.Dataset = *d
	s.Dataset.Train, s.Dataset.Val, s.Dataset.Test, s.Dataset.Release = nil, nil, nil, nil
	if c := d.cells; c != nil {
		s.Cells = &wiredCells{c.label, c.given, c.names}
	}
	for i, split := range []Source{d.Train, d.Val, d.Test} {
		if split == nil {
			continue
		}
		if err := s.add(&s.Splits[i], split, d.mapped); err != nil {
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

// sendPieces writes numbers, and lets go of each piece.
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

// partOf takes a split apart: which samples it has of its base, nil for all.
func partOf(split Source) (index []uint32, of Source) {
	switch s := split.(type) {
	case *subset:
		return s.index, s.Source
	case *imageSubset:
		return s.index, s.Source
	}
	return nil, split
}

// add describes a split, and the base that it is of where that is a new one.
func (s *sender) add(p *part, split Source, mapped []mapping) error {
	index, src := partOf(split)
	*p = part{Base: 1 + slices.Index(s.sources, src), Whole: src == split, Samples: len(index)}
	if p.Base > 0 {
		return nil
	}
	b, samples := base{Samples: src.Len(), Shape: src.Shape()}, [][]byte(nil)
	switch src := src.(type) {
	case *table:
		b.Kind, b.Origin, samples = tableBase, src.origin != nil, src.x.raw(src.Len())
		b.Grouped = s.mark(src.labels, src.groups)
		if b.Origin {
			s.numbers = append(s.numbers, raw(src.origin))
		}
	case *features:
		b.Kind, b.Size, samples = featuresBase, src.size, [][]byte{src.data}
		b.Grouped = s.mark(src.labels, src.groups)
	case *images:
		b.Kind, b.Size, b.Skip, samples = imagesBase, src.stride, src.skip, [][]byte{src.data}
		s.numbers = append(s.numbers, src.labels)
		if b.Grouped = src.groups != nil; b.Grouped {
			s.numbers = append(s.numbers, raw(src.groups))
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

// mark takes labels, and groups where they are others.
func (s *sender) mark(labels, groups []uint16) (grouped bool) {
	s.numbers = append(s.numbers, raw(labels))
	if grouped = &labels[0] != &groups[0]; grouped {
		s.numbers = append(s.numbers, raw(groups))
	}
	return grouped
}

// raw is the first n rows as they lie in memory.
func (b *rowBlocks) raw(n int) (list [][]byte) {
	for _, block := range b.blocks {
		rows := min(n, b.per)
		list = append(list, raw(block[:rows*b.width]))
		n -= rows
	}
	return list
}
