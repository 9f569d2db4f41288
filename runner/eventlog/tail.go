package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
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
	tailGaps
}

// tailGaps is what a Tail knows of lost lines: see GapEvent.
type tailGaps struct {
	from  int64     // offset at which it began to read
	lines int       // number of lines from there up to its offset
	last  linePlace // of the last event that could be read
	lost  bool      // the lines behind that event are lost
	spans []span    // of lines that could not be read
}

// linePlace is the place of an event in a run.
type linePlace struct {
	seq  int64 // -1: not known
	step int64
	time time.Time
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
// Read also returns the events that a resume takes back: see History. A GapEvent stands where lines
// are lost. Read returns ErrChanged once such lines have become others.
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
		log, _, failed := t.open()
		if failed != nil {
			return nil, failed
		}
		defer log.Close()
		err = t.decode(log, t.rest[:n], start, add)
	}
	return events, err
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
	other, err := changed(file, t.spans)
	if err != nil {
		return err
	}
	if other {
		return fmt.Errorf("%s: %w", t.Path, ErrChanged)
	}
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
	in := newForwardReader(io.NewSectionReader(file, first, left), left, io.Discard)
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
		if t.unended = false; late {
			continue
		}
		if err := t.decode(file, bytes.TrimSuffix(line, []byte{'\n'}), start, give); err != nil {
			return err
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

// decode passes to f the event of a line, which is nil if it is too long, and before it a GapEvent
// if lines are missing before it. In the place of a line that cannot be read it passes a GapEvent.
func (t *Tail) decode(
	log io.ReaderAt, line []byte, start int64, f func(e runner.Event, end int64),
) error {
	t.lines++
	if line != nil && len(line) == 0 { // it has lost nothing
		t.skipped++
		return nil
	}
	seq, _ := cutSeq(line)
	e, err := runner.Event(nil), errLong
	if t.unread(line) && t.follows(seq) {
		t.last.seq, t.lost = max(t.last.seq, seq), false
		return nil
	}
	if line != nil {
		e, err = decodeLine(line)
	}
	if err != nil {
		t.skipped++
		return t.gap(log, start, err, f)
	}
	if !t.follows(seq) {
		if err := t.gap(log, start, t.unlike(seq), f); err != nil {
			return err
		}
	}
	t.lost = false
	t.last.seq = max(t.last.seq, seq)
	if e == nil {
		return nil
	}
	t.last.step, t.last.time = e.Header().Step, e.Header().Time
	if t.wanted(e.Kind()) {
		f(e, t.offset)
	}
	return nil
}

// follows reports whether an event of this number may come next. Lines without a number have none
// that could be missing, and lines that are lost account for missing numbers.
func (t *Tail) follows(seq int64) bool {
	return seq == t.last.seq+1 || seq == 0 || t.last.seq < 0 || t.lost && seq > t.last.seq
}

// unlike says, as part of a sentence, why an event of this number does not follow.
func (t *Tail) unlike(seq int64) error {
	if seq > t.last.seq {
		return missingLines(seq - t.last.seq - 1)
	}
	return fmt.Errorf("is event %d, which stands behind event %d", seq, t.last.seq)
}

// gap passes to f that lines are lost, unless that was passed of the line before.
func (t *Tail) gap(
	log io.ReaderAt, start int64, why error, f func(e runner.Event, end int64),
) error {
	if len(t.spans) < mostSpans {
		s, err := spanOf(log, start, t.offset)
		if err != nil {
			return err
		}
		t.spans = append(t.spans, s)
	}
	if t.lost {
		return nil
	}
	t.lost = true
	g := &GapEvent{Path: t.Path, Start: start, Why: why,
		Head: runner.Head{Seq: t.last.seq + 1, Step: t.last.step, Time: t.last.time}}
	if before, ok := countLines(log, 0, t.from); ok {
		g.Line = before + t.lines
	}
	t.Passed.Add(g)
	f(g, t.offset)
	return nil
}
