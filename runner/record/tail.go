package record

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"drolab/runner"
)

// Tail reads a run's log from its start and keeps its place, while the log
// grows. It holds no file open. It is for one goroutine at a time.
type Tail struct {
	path    string
	packed  *packedLog // in place of path
	offset  int64      // of the first byte not yet taken in
	size    int64      // of the log, at the last look
	long    bool       // inside a line that is longer than maxLine
	skipped int
	buf     []byte
	only    []string // types of events; nil is all
}

// Only has events of these types returned alone: the lines of others are not even decoded,
// which takes nearly all the time. What they hold is not checked then.
func (t *Tail) Only(types ...string) { t.only = types }

// wanted tells whether a line is of a type that is asked for. Where it does not say its type
// in its first part, as every line that is written does, it is.
func (t *Tail) wanted(line []byte) bool {
	const first = 64 // bytes
	_, rest, found := bytes.Cut(line[:min(len(line), first)], []byte(`"type":"`))
	if t.only == nil || !found {
		return true
	}
	return slices.ContainsFunc(t.only, func(s string) bool {
		return bytes.HasPrefix(rest, append([]byte(s), '"'))
	})
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
func (t *Tail) Read() (events []runner.Event, err error) {
	err = t.part(math.MaxInt64, func(e runner.Event, _ int64) { events = append(events, e) })
	return events, err
}

// Share implements Log.
func (t *Tail) Share() float64 {
	if t.offset >= t.size {
		return 1
	}
	return float64(t.offset) / float64(t.size)
}

// part gives the next events, of the bytes before a limit, to f, with the offsets
// behind their lines.
func (t *Tail) part(limit int64, f func(e runner.Event, end int64)) error {
	file, size, err := t.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if size < t.offset {
		return fmt.Errorf("%s: is shorter than what was read of it: it was replaced, open the run again", t.path)
	}
	t.size = size
	for given := false; !given; {
		chunk, err := t.chunk(file, min(size, limit))
		if err != nil {
			return fmt.Errorf("reading %s: %w", t.path, err)
		}
		end := bytes.LastIndexByte(chunk, '\n')
		if end < 0 {
			if len(chunk) < maxLine {
				t.size = t.offset // for now
				return nil
			}
			t.offset += int64(len(chunk))
			t.long = true
			continue
		}
		start := t.offset
		t.offset += int64(end) + 1
		t.decode(chunk[:end], start, func(e runner.Event, end int64) {
			given = true
			f(e, end)
		})
	}
	return nil
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

// decode gives the events in lines that start at an offset and whose last newline
// is off.
func (t *Tail) decode(lines []byte, offset int64, f func(e runner.Event, end int64)) {
	for line := range bytes.SplitSeq(lines, []byte{'\n'}) {
		offset += int64(len(line)) + 1
		if t.long {
			t.long = false
			t.skipped++
			continue
		}
		if !t.wanted(line) {
			continue
		}
		e, err := decodeLine(line)
		if err != nil {
			t.skipped++
		} else if e != nil {
			f(e, offset)
		}
	}
}
