package eventlog

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// Tail reads a run's log from its start and keeps its place, while the log
// grows. It holds no file open. It is for one goroutine at a time.
type Tail struct {
	Path    string
	Text    func() (LogFile, int64, error) // of a log that is no file; nil: of the path
	offset  int64                          // of the first byte not yet taken in
	size    int64                          // of the log, at the last look
	long    bool                           // inside a line that is longer than maxLine
	start   int64                          // of that line
	rest    []byte                         // what stood behind the last newline, at the last look
	unended bool                           // the newline of the line before offset was missing
	skipped int
	Passed  *PassedOver
	only    []string // types of events; nil is all
}

// Only has events of these types returned alone, and resumes, which tell what stands of
// them. Steps that are not among them are not even decoded, which takes nearly all the
// time: what they hold is not checked then.
func (t *Tail) Only(types ...string) { t.only = types }

// unread tells whether a line is a step that nobody asks for. Where it does not say its
// type in its first part, as every line that is written does, it is read.
func (t *Tail) unread(line []byte) bool {
	const first = 64 // bytes
	_, rest, _ := bytes.Cut(line[:min(len(line), first)], []byte(`"type":`))
	return bytes.HasPrefix(rest, []byte(`"step"`)) && !t.wanted("step")
}

func (t *Tail) wanted(kind string) bool {
	return t.only == nil || kind == "resume" || slices.Contains(t.only, kind)
}

// Skipped counts the lines so far that are no events: garbage, changed since they were written, or
// longer than any event. Events of types that this program does not know are no garbage, and not
// returned either.
func (t *Tail) Skipped() int { return t.skipped }

// Read returns the next events, from about one megabyte of log at most; none
// means that there are no more for now. A torn last line waits until it is
// whole. After an error the place is unchanged.
//
// What a resume takes back is still returned: see History.
func (t *Tail) Read() (events []runner.Event, err error) {
	add := func(e runner.Event, _ int64) { events = append(events, e) }
	if err = t.part(math.MaxInt64, add); err == nil && len(events) == 0 {
		t.last(add)
	}
	return events, err
}

// last gives the line behind the last newline, where it lacks nothing but that.
func (t *Tail) last(f func(e runner.Event, end int64)) {
	n := unended(t.rest)
	if t.long || n == 0 {
		return
	}
	start := t.offset
	t.offset += int64(n)
	t.unended = true
	t.decode(t.rest[:n], start, f)
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
		return fmt.Errorf("%s: is shorter than the part already read, so it was replaced: "+
			"open the run again", t.Path)
	}
	t.size = size
	var buf []byte // not the tail's: hundreds of tails are held, and few are read at a time
	for given := false; !given; {
		chunk, err := t.chunk(file, min(size, limit), &buf)
		if err == nil && t.hole() {
			err = HoleError{t.start}
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", t.Path, err)
		}
		end := bytes.LastIndexByte(chunk, '\n')
		if end < 0 {
			if len(chunk) < MaxLine {
				t.size, t.rest = t.offset, bytes.Clone(chunk) // for now
				return nil
			}
			t.pass(len(chunk))
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

// pass goes over a part of a line that is too long.
func (t *Tail) pass(n int) {
	if !t.long {
		t.long, t.start = true, t.offset
	}
	t.offset += int64(n)
}

// hole tells whether such a line is none at all.
func (t *Tail) hole() bool { return t.long && t.offset-t.start > maxHole }

func (t *Tail) open() (LogFile, int64, error) {
	if t.Text != nil {
		return t.Text()
	}
	return disk.OpenRegular(t.Path)
}

// chunk returns what stands at the offset, up to maxLine bytes, in buf. A newline that
// comes late belongs to the line before.
func (t *Tail) chunk(r io.ReaderAt, size int64, buf *[]byte) ([]byte, error) {
	n := int(min(size-t.offset, MaxLine))
	*buf = slices.Grow((*buf)[:0], n)[:n]
	_, err := r.ReadAt(*buf, t.offset)
	if err == io.EOF {
		return nil, nil // cut meanwhile: look again at the next Read
	}
	chunk := *buf
	if err == nil && t.unended && n > 0 && chunk[0] == '\n' {
		chunk, t.offset, t.unended = chunk[1:], t.offset+1, false
	}
	return chunk, err
}

// decode gives the events in lines that start at an offset and whose last newline
// is off.
func (t *Tail) decode(lines []byte, offset int64, f func(e runner.Event, end int64)) {
	for line := range bytes.SplitSeq(lines, []byte{'\n'}) {
		start := offset
		offset += int64(len(line)) + 1
		e, err := runner.Event(nil), errLong
		switch {
		case t.long:
			t.long, start = false, t.start
		case t.unread(line):
			continue
		default:
			e, err = decodeLine(line)
		}
		if err != nil {
			t.skip(start, err)
		} else if e != nil && t.wanted(e.Kind()) {
			f(e, offset)
		}
	}
}

// skip counts a line that is no event. An empty one has lost nothing.
func (t *Tail) skip(start int64, err error) {
	t.skipped++
	if err != errEmpty {
		t.Passed.addLine(t.Path, start, err)
	}
}
