package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// Tail reads a run's log from its start, and keeps its place while the log grows. It holds no file
// open. It is for one goroutine at a time.
type Tail struct {
	Path    string
	Text    func() (LogFile, int64, error) // opens a log that is no file; nil: open Path
	offset  int64                          // of the first byte not yet read
	size    int64                          // of the log, at the last Read
	rest    []byte                         // the bytes behind the last newline, at the last Read
	unended bool                           // the newline of the line before offset was missing
	skipped int
	Passed  *PassedOver
	only    []string // types of events to return; nil: all
}

// Only restricts Read to events of these types and to resumes, which tell what stands of them.
// Steps that are not among the types are not decoded, which saves nearly all of the time; their
// content is not checked then.
func (t *Tail) Only(types ...string) { t.only = types }

// unread reports whether a line is a step that nobody asks for. A line whose type is not in its
// first bytes is read; every line that this program writes has it there.
func (t *Tail) unread(line []byte) bool {
	const first = 64 // bytes
	_, rest, _ := bytes.Cut(line[:min(len(line), first)], []byte(`"type":`))
	return bytes.HasPrefix(rest, []byte(`"step"`)) && !t.wanted("step")
}

func (t *Tail) wanted(kind string) bool {
	return t.only == nil || kind == "resume" || slices.Contains(t.only, kind)
}

// Skipped returns the number of lines so far that are not events: garbage, changed since they were
// written, or longer than any event. Events of types that this program does not know do not count,
// and are not returned either.
func (t *Tail) Skipped() int { return t.skipped }

// Read returns the next events, from about one megabyte of log at most; none means that there are
// no more for now. A torn last line waits until it is whole. After an error the place is unchanged.
//
// Read also returns the events that a resume takes back: see History.
func (t *Tail) Read() (events []runner.Event, err error) {
	add := func(e runner.Event, _ int64) { events = append(events, e) }
	err = t.readPart(math.MaxInt64, add)
	if err != nil || len(events) > 0 {
		return events, err
	}
	if n := unended(t.rest); n > 0 { // the last line lacks nothing but its newline
		start := t.offset
		t.offset += int64(n)
		t.unended = true
		t.decode(t.rest[:n], start, add)
	}
	return events, nil
}

// Share implements Log.
func (t *Tail) Share() float64 { return share(t.offset, t.size) }

// share returns the part of size that offset has reached, 0 to 1.
func share(offset, size int64) float64 {
	if offset >= size {
		return 1
	}
	return float64(offset) / float64(size)
}

// readPart passes to f the next events from the bytes before limit, each with the offset behind its
// line. It reads about one megabyte, or more until there is an event.
func (t *Tail) readPart(limit int64, f func(e runner.Event, end int64)) error {
	file, size, err := t.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if size < t.offset {
		return fmt.Errorf("%s: is shorter than the part already read, so it was replaced: "+
			"open the run again", t.Path)
	}
	t.size = size
	first, given := t.offset, false
	give := func(e runner.Event, end int64) {
		given = true
		f(e, end)
	}
	left := min(size, limit) - first
	in := newForward(io.NewSectionReader(file, first, left), left, io.Discard)
	in.offset = first
	for !given || in.offset-first < MaxLine {
		line, err := in.line()
		switch {
		case errors.Is(err, io.EOF) && size > limit:
			return nil
		case errors.Is(err, io.EOF):
			t.size, t.rest = t.offset, bytes.Clone(line) // for now
			return nil
		case err != nil && given:
			return nil // the next part begins with it
		case err != nil:
			return fmt.Errorf("reading %s: %w", t.Path, err)
		}
		start := t.offset
		t.offset = in.offset
		late := t.unended && len(line) == 1 // the newline of a line that was read before it
		if t.unended = false; !late {
			t.decode(bytes.TrimSuffix(line, []byte{'\n'}), start, give)
		}
	}
	return nil
}

func (t *Tail) open() (LogFile, int64, error) {
	if t.Text != nil {
		return t.Text()
	}
	return disk.OpenRegular(t.Path)
}

// decode passes to f the event of a line, which is nil if it is too long.
func (t *Tail) decode(line []byte, start int64, f func(e runner.Event, end int64)) {
	e, err := runner.Event(nil), errLong
	switch {
	case line == nil:
	case t.unread(line):
		return
	default:
		e, err = decodeLine(line)
	}
	if err != nil {
		t.skipped++
		if err != errEmpty { // an empty line has lost nothing
			t.Passed.addLine(t.Path, start, err)
		}
	} else if e != nil && t.wanted(e.Kind()) {
		f(e, t.offset)
	}
}
