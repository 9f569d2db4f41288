package data

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"drolab/runner/data/internal/dataset"
)

// A data set goes from one process to another as a header and then numbers as they lie in memory,
// base after base and split after split: who receives them is the same program on the same machine.
// The header bounds what follows.

// mostHeader bounds the names, categories and notes of a data set, in bytes.
const mostHeader = 64 << 20

// request is what the other process is asked for.
type request struct {
	Name    string
	Options Options
	Bounded bool
	Bytes   float64 // that it may take, where Bounded
	Threads int
}

// sent is a Dataset as a Provider opens it, but for its numbers, or the error.
type sent struct {
	Error   string
	Missing *MissingError // where that is the error

	Dataset Dataset // its exported fields
	Bases   []base
	Splits  [3]part // training, validation and test
}

// kinds of bases
const (
	tableBase = iota
	featuresBase
	imagesBase
)

// base is a source that splits are parts of.
type base struct {
	Kind            int
	Samples         int
	Shape           Shape
	Size            int // features: bytes of a number; images: bytes from one sample to the next
	Skip            int // images: bytes before the first
	Grouped, Origin bool
	Bytes           int // of the samples
	File            *filePlace
}

// part is some samples of a base, in an order of its own, or all.
type part struct {
	Base    int // from 1; 0: the data have no such split
	Whole   bool
	Samples int
}

// filePlace is where in a file samples lie that stay there.
type filePlace struct {
	Path     string
	At, Size int64
	Changed  time.Time
}

// placeIn finds samples in the mapped files.
func placeIn(samples []byte, in []dataset.Mapping) (*filePlace, error) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(samples)))
	for _, m := range in {
		// huge where it lies before
		at := first - uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes)))
		if at >= uintptr(len(m.Bytes)) {
			continue
		}
		info, err := os.Stat(m.Path)
		if err != nil {
			return nil, err
		}
		return &filePlace{m.Path, int64(at), int64(len(m.Bytes)), info.ModTime()}, nil
	}
	return nil, nil
}

// open maps the file.
func (p *filePlace) open(bytes int) (m dataset.Mapping, samples []byte, release func() error,
	err error) {
	f, err := dataset.OpenInput(p.Path)
	if err != nil {
		return m, nil, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || f.Size != p.Size || !info.ModTime().Equal(p.Changed) {
		return m, nil, nil, fmt.Errorf("%s: changed while it was read: try again when it does not",
			p.Path)
	}
	b, release, err := dataset.MapFile(f)
	if err != nil {
		return m, nil, nil, err
	}
	return dataset.Mapping{Path: p.Path, Bytes: b}, b[p.At:][:bytes], release, nil
}

// raw is numbers as they lie in memory.
func raw[T byte | uint16 | uint32 | float32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))),
		len(list)*int(unsafe.Sizeof(*new(T))))
}

// writeHeader writes the length of a header and it.
func writeHeader(to io.Writer, header any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(header); err != nil {
		return err
	}
	if b.Len() > mostHeader {
		return fmt.Errorf("its names and categories take %d bytes: at most %d are taken", b.Len(),
			mostHeader)
	}
	err := binary.Write(to, binary.NativeEndian, uint64(b.Len()))
	if err == nil {
		_, err = to.Write(b.Bytes())
	}
	return err
}

// readHeader reads a header, and nothing behind it.
func readHeader(from io.Reader, header any) error {
	var length uint64
	if err := binary.Read(from, binary.NativeEndian, &length); err != nil {
		return err
	}
	if length > mostHeader {
		return fmt.Errorf("a header of %d bytes", length)
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(from, b); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(header)
}
