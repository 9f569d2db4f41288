package record

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"drolab/runner"
)

// Tail reads a run's log from its start and keeps its place, while the log
// grows. It holds no file open. It is for one goroutine at a time.
type Tail struct {
	path    string
	packed  *packedLog // in place of path
	offset  int64      // of the first byte not yet taken in
	long    bool       // inside a line that is longer than maxLine
	skipped int
	buf     []byte
}

// Skipped counts the lines so far that are no events: garbage, changed since they
// were written, or longer than any event. Events of types that this program does not know are no garbage,
// and not returned either.
func (t *Tail) Skipped() int { return t.skipped }

// Read returns the next events, from about one megabyte of log at most; none
// means that there are no more for now. A torn last line waits until it is
// whole. After an error the place is unchanged.
//
// What a resume discards is still returned: see Progress.
func (t *Tail) Read() ([]runner.Event, error) {
	f, size, err := t.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size < t.offset {
		return nil, fmt.Errorf("%s: is shorter than what was read of it: it was replaced, open the run again",
			t.path)
	}
	var events []runner.Event
	for len(events) == 0 {
		chunk, err := t.chunk(f, size)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", t.path, err)
		}
		end := bytes.LastIndexByte(chunk, '\n')
		if end < 0 {
			if len(chunk) < maxLine {
				return nil, nil
			}
			t.offset += int64(len(chunk))
			t.long = true
			continue
		}
		t.offset += int64(end) + 1
		events = t.decode(chunk[:end])
	}
	return events, nil
}

func (t *Tail) open() (logFile, int64, error) {
	if t.packed != nil {
		return t.packed.open()
	}
	return openRegular(t.path)
}

// chunk returns what stands at the offset, up to maxLine bytes.
func (t *Tail) chunk(r io.ReaderAt, size int64) ([]byte, error) {
	n := int(min(size-t.offset, maxLine))
	t.buf = slices.Grow(t.buf[:0], n)[:n]
	_, err := r.ReadAt(t.buf, t.offset)
	if err == io.EOF {
		return nil, nil // cut meanwhile: look again at the next Read
	}
	return t.buf, err
}

// decode returns the events in the lines, whose last newline is off.
func (t *Tail) decode(lines []byte) (events []runner.Event) {
	for line := range bytes.SplitSeq(lines, []byte{'\n'}) {
		if t.long {
			t.long = false
			t.skipped++
			continue
		}
		e, err := decodeLine(line)
		if err != nil {
			t.skipped++
		} else if e != nil {
			events = append(events, e)
		}
	}
	return events
}
