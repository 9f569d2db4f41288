package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"drolab/runner/data"
)

// A data set goes from one process to another as a header, followed by numbers as they lie in
// memory, base after base and split after split. The receiver is the same program on the same
// machine. The header bounds the size of the numbers.

// mostHeader bounds the names, categories and notes of a data set, in bytes.
const mostHeader = 64 << 20

// Before the answer, the reading process says how far it is. Such a message begins with a length
// that no header has, and has two numbers: how many samples are read, and of how many.
const progressMark = ^uint64(0)

// tellProgress writes such a message.
func tellProgress(to io.Writer, done, of int) error {
	return binary.Write(to, binary.NativeEndian, []uint64{progressMark, uint64(done), uint64(of)})
}

// hearProgress reads the messages until the answer begins, and passes them to tell.
func hearProgress(from *bufio.Reader, tell func(done, of int) error) error {
	for {
		begin, err := from.Peek(8)
		if err != nil || binary.NativeEndian.Uint64(begin) != progressMark {
			return nil // receive finds the error, too
		}
		var message [3]uint64
		if err := binary.Read(from, binary.NativeEndian, &message); err != nil {
			return err
		}
		done, of := int(message[1]), int(message[2])
		if done < 0 || done > of {
			return fmt.Errorf("the process that reads it says that it has read %d of %d", done, of)
		}
		if tell != nil {
			if err := tell(done, of); err != nil {
				return err
			}
		}
	}
}

// request is the message that asks the other process for a data set.
type request struct {
	Name    string
	Options data.Options
	Bounded bool
	Bytes   float64 // memory that it may take, if Bounded
	Threads int
}

// answer is the header of the answer: a Dataset as a Provider opens it, without its numbers, or an
// error.
type answer struct {
	Error   string
	Missing *data.MissingError // if that is the error

	Dataset data.Dataset // its exported fields
	Bases   []sourceHeader
	Splits  [3]splitHeader // training, validation and test
}

// kinds of bases
const (
	tableBase = iota
	featuresBase
	imagesBase
)

// sourceHeader is a source that splits are parts of.
type sourceHeader struct {
	Kind            int
	Samples         int
	Shape           data.Shape
	Size            int // features: bytes of a number; images: bytes from one sample to the next
	Skip            int // images: bytes before the first
	Grouped, Origin bool
	Members         int // words of each sample
	Keyed           bool
	Bytes           int // of the samples
	File            *filePlace
}

// splitHeader is a split: all samples of a base, or some of them in an order of their own.
type splitHeader struct {
	Base    int // from 1; 0: the data have no such split
	Whole   bool
	Samples int
}

// filePlace is the place of samples that stay in their file.
type filePlace struct {
	Path     string
	At, Size int64
	Changed  time.Time
}

// placeIn returns the place of samples in one of the mapped files, or nil.
func placeIn(samples []byte, in data.Mapped) (*filePlace, error) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(samples)))
	for _, m := range in {
		// The difference wraps to a huge number if the samples begin before the mapping.
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

// open maps the file and returns the samples in it, unless the file has changed.
func (p *filePlace) open(in *data.Mapped, bytes int) (samples []byte, err error) {
	f, err := data.OpenInput(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || f.Size != p.Size || !info.ModTime().Equal(p.Changed) {
		return nil, fmt.Errorf("%s: changed while it was read: try again when it does not", p.Path)
	}
	b, err := in.Map(f)
	if err != nil {
		return nil, err
	}
	return b[p.At:][:bytes], nil
}

// bytesOf returns the bytes of numbers as they lie in memory.
func bytesOf[T byte | uint16 | uint32 | float32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))),
		len(list)*int(unsafe.Sizeof(*new(T))))
}

// writeHeader writes the length of a header, then the header.
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
