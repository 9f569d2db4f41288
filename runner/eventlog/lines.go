package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"drolab/runner"
	"drolab/runner/disk"
)

// decodeLine decodes a line of a log. It may change the line's bytes.
func decodeLine(line []byte) (runner.Event, error) {
	bare, err := disk.UnsealLine(line)
	if err != nil {
		return nil, err
	}
	return runner.DecodeEvent(bare)
}

// maxHole bounds the bytes between two newlines of a log. Readers pass over a line that is longer
// than MaxLine. If not even maxHole bytes have a newline, the file is no log: it may be a hole of
// any size, which takes no room on the disk and hours to read.
const maxHole = 64 * MaxLine

// errLong is worded as part of a sentence.
var errLong = errors.New("is longer than any event")

// holeAt is the error of a long line that has no end, or none within maxHole bytes.
func holeAt(start int64) error {
	return fmt.Errorf("the line at byte %d is longer than any event and has no end: restore the "+
		"file from a copy, or keep the part before that line (truncate -s %[1]d)", start)
}

// forwardReader reads the lines of a log from the first on. Its memory is bounded by MaxLine.
type forwardReader struct {
	in     *bufio.Reader
	hash   io.Writer // receives the lines that are returned
	offset int64     // behind the line that was returned last
}

// newForwardReader reads the lines of r. A text of fewer bytes than MaxLine takes less memory.
func newForwardReader(r io.Reader, size int64, hash io.Writer) *forwardReader {
	// With one byte more, the buffer has room for all of a short text, and the end is seen.
	return &forwardReader{in: bufio.NewReaderSize(r, int(min(size+1, MaxLine))), hash: hash}
}

// line returns the next line with its newline, or nil for a line that is longer than MaxLine. The
// line is valid until the next call. With io.EOF it returns the bytes behind the last newline.
func (f *forwardReader) line() ([]byte, error) {
	for start := f.offset; ; {
		part, err := f.in.ReadSlice('\n')
		f.offset += int64(len(part))
		whole := f.offset == start+int64(len(part))
		if !errors.Is(err, io.EOF) {
			f.hash.Write(part)
		}
		switch {
		case errors.Is(err, io.EOF) && !whole,
			errors.Is(err, bufio.ErrBufferFull) && f.offset-start > maxHole:
			return nil, holeAt(start)
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

// backwardReader reads the lines of a file from the last to the first. Its memory is about MaxLine,
// whatever the file holds.
type backwardReader struct {
	r     io.ReaderAt
	floor int64  // nothing below this offset is read
	pos   int64  // offset of buf[0]
	buf   []byte // bytes not yet returned
	long  bool   // a part of the line at the end of buf was dropped, as it was too long
	done  bool
	chunk int64 // how much the next fill reads: little at first, since most want the last line
}

// newBackwardReader starts behind the offset end. It stops at floor, and does not return a line
// that begins before floor.
func newBackwardReader(r io.ReaderAt, end, floor int64) *backwardReader {
	return &backwardReader{r: r, floor: max(0, floor), pos: end, chunk: 4 << 10}
}

// line returns the line before the last one returned, without its newline, and the offset at which
// it starts. The first call returns the bytes behind the last newline, of which there are none
// unless the file is torn. The line is valid until the next call, and nil where it is longer than
// MaxLine. The error is io.EOF after the first line of the file and at the floor.
func (b *backwardReader) line() (line []byte, start int64, err error) {
	for {
		if i := bytes.LastIndexByte(b.buf, '\n'); i >= 0 {
			line, start = b.buf[i+1:], b.pos+int64(i)+1
			b.buf = b.buf[:i]
			return b.whole(line), start, nil
		}
		if b.pos == b.floor {
			if b.done || b.floor > 0 {
				return nil, 0, io.EOF
			}
			b.done = true
			return b.whole(b.buf), 0, nil
		}
		if err := b.fill(); err != nil {
			return nil, 0, err
		}
	}
}

// whole returns line, or nil where a piece of it was dropped.
func (b *backwardReader) whole(line []byte) []byte {
	if b.long {
		b.long = false
		return nil
	}
	return line
}

// fill reads the bytes before buf.
func (b *backwardReader) fill() error {
	if len(b.buf) > MaxLine {
		b.buf, b.long = nil, true
	}
	n := min(b.chunk, b.pos-b.floor)
	b.chunk = min(2*b.chunk, 64<<10)
	grown := make([]byte, int(n), int(n)+len(b.buf))
	if _, err := b.r.ReadAt(grown, b.pos-n); err != nil {
		return err
	}
	b.buf, b.pos = append(grown, b.buf...), b.pos-n
	return nil
}

// parseLeading returns the seq and the type of a line that is valid JSON, or 0 and "" where it has
// none. Both stand at the start of the lines that this program writes.
func parseLeading(line []byte) (seq int64, kind string) {
	if seq, rest := cutSeq(line); rest != nil {
		kind, _, _ := bytes.Cut(rest, []byte{'"'})
		return seq, string(kind)
	}
	var h runner.Head
	if json.Unmarshal(line, &h) != nil {
		return 0, ""
	}
	return h.Seq, h.Type
}

// cutSeq returns the seq of a line that this program has written, and the rest of it from its type
// on; nil for other lines.
func cutSeq(line []byte) (seq int64, rest []byte) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	if !ok {
		return 0, nil
	}
	number, rest, _ := bytes.Cut(rest, []byte(`,"type":"`))
	seq, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return 0, nil
	}
	return seq, rest
}
