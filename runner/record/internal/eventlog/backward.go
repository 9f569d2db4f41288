package eventlog

import (
	"bytes"
	"io"
)

// backward reads the lines of a file from the last to the first. Its memory is about MaxLine,
// whatever the file holds.
type backward struct {
	r     io.ReaderAt
	floor int64  // nothing below this offset is read
	pos   int64  // offset of buf[0]
	buf   []byte // bytes not yet returned
	long  bool   // a part of the line at the end of buf was dropped, as it was too long
	done  bool
}

// newBackward starts behind the offset end. It stops at floor, and does not return a line that
// begins before floor.
func newBackward(r io.ReaderAt, end, floor int64) *backward {
	return &backward{r: r, floor: max(0, floor), pos: end}
}

// line returns the line before the last one returned, without its newline, and the offset at which
// it starts. The first call returns the bytes behind the last newline, of which there are none
// unless the file is torn. The line is valid until the next call, and nil where it is longer than
// MaxLine. The error is io.EOF after the first line of the file and at the floor.
func (b *backward) line() (line []byte, start int64, err error) {
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
func (b *backward) whole(line []byte) []byte {
	if b.long {
		b.long = false
		return nil
	}
	return line
}

// fill reads the bytes before buf.
func (b *backward) fill() error {
	if len(b.buf) > MaxLine {
		b.buf, b.long = nil, true
	}
	const chunk = 64 << 10
	n := min(chunk, b.pos-b.floor)
	grown := make([]byte, int(n), int(n)+len(b.buf))
	if _, err := b.r.ReadAt(grown, b.pos-n); err != nil {
		return err
	}
	b.buf, b.pos = append(grown, b.buf...), b.pos-n
	return nil
}
