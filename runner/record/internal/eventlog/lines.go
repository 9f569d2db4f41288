package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"

	"drolab/runner/record/internal/disk"
)

// maxHole bounds the bytes between two newlines of a log. Readers pass over a line that is longer
// than MaxLine. If not even maxHole bytes have a newline, the file is no log: it may be a hole of
// any size, which takes no room on the disk and hours to read.
const maxHole = 64 * MaxLine

// errLong is worded as part of a sentence.
var errLong = errors.New("is longer than any event")

// HoleError is the error of a long line that has no end, or none within maxHole bytes.
type HoleError struct{ start int64 }

func (e HoleError) Error() string { return e.What() + ": " + e.Remedy() }

func (e HoleError) What() string {
	return fmt.Sprintf("the line at byte %d is longer than any event and has no end", e.start)
}

func (e HoleError) Remedy() string {
	return fmt.Sprintf("restore the file from a copy, or keep the part before that line "+
		"(truncate -s %d)", e.start)
}

// forward reads the lines of a log from the first on. Its memory is bounded by MaxLine.
type forward struct {
	in     *bufio.Reader
	hash   hash.Hash // of the lines that were returned
	offset int64     // behind the line that was returned last
}

func newForward(r io.Reader, h hash.Hash) *forward {
	return &forward{in: bufio.NewReaderSize(r, MaxLine), hash: h}
}

// line returns the next line with its newline, or nil for a line that is longer than MaxLine. The
// line is valid until the next call. With io.EOF it returns the bytes behind the last newline.
func (f *forward) line() ([]byte, error) {
	for start := f.offset; ; {
		part, err := f.in.ReadSlice('\n')
		f.offset += int64(len(part))
		whole := f.offset == start+int64(len(part))
		if !errors.Is(err, io.EOF) {
			f.hash.Write(part)
		}
		switch {
		case errors.Is(err, io.EOF) && !whole:
			return nil, HoleError{start}
		case errors.Is(err, bufio.ErrBufferFull) && f.offset-start > maxHole:
			return nil, HoleError{start}
		case errors.Is(err, bufio.ErrBufferFull):
		case !whole:
			return nil, err
		default:
			return part, err
		}
	}
}

// unended returns how many of the bytes behind a log's last newline are a whole line. Such a line
// lacks its newline, or has another byte in its place. The result is 0 for part of a line, which a
// crash has left.
func unended(rest []byte) int {
	for _, n := range []int{len(rest), len(rest) - 1} {
		if n <= 0 {
			break
		}
		if _, err := disk.UnsealLine(bytes.Clone(rest[:n])); err == nil {
			return n
		}
	}
	return 0
}
