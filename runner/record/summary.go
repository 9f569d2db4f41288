package record

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"slices"
	"sync"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record/internal/disk"
)

// What a run came to is held in memory where its own files were read. That of a run of a
// catalogue is looked up there when it is asked for.

// passage is where a summary is.
type passage struct {
	At       int64
	Len, Sum uint32
	Figures  uint32 // where the measures begin in it: names with a number or a list each
	from     *summaries
}

// summaries are those of a file.
type summaries struct {
	file disk.File

	mu     sync.Mutex
	recent map[*Run]*runner.Summary // that were asked for, so many at most
}

const mostRecent = 2048

// read reads a summary's text.
func (p *passage) read() ([]byte, error) { return p.readTo(make([]byte, p.Len)) }

func (p *passage) readTo(b []byte) ([]byte, error) {
	if _, err := p.from.file.ReadAt(b, p.At); err != nil {
		return nil, err
	}
	if crc32.Checksum(b, castagnoli) != p.Sum {
		return nil, ErrSum
	}
	return b, nil
}

// cameTo reads a summary from its text in a catalogue.
func (r *Run) cameTo(text []byte) (*runner.Summary, error) {
	s := &runner.Summary{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	r.describe(s)
	return s, nil
}

// came takes in the summary that was read.
func (r *Run) came(s *runner.Summary) {
	r.describe(s)
	r.summary, r.steps, r.epochs = s, s.Steps, s.Epochs
	r.own = len(s.Measures.User()) > 0
}

// describe fills in what the run's file says.
func (r *Run) describe(s *runner.Summary) {
	s.Describe(&r.Meta)
	s.ID, s.Dir = r.Meta.ID, r.Dir
}

// Summary returns summary.json or, for a run that has not ended or was resumed
// since, what the end of the log says: measures that stand further from the
// log's end than endBudget do not apply then. Dir is filled in. The caller
// must not change it. That of a run of a catalogue is read when it is asked for.
func (r *Run) Summary() *runner.Summary {
	if r.entry == nil {
		return r.summary
	}
	from := r.entry.place.from
	from.mu.Lock()
	s := from.recent[r]
	from.mu.Unlock()
	if s != nil {
		return s
	}
	s = r.lookUp()
	from.mu.Lock()
	defer from.mu.Unlock()
	if len(from.recent) == mostRecent {
		clear(from.recent)
	}
	from.recent[r] = s
	return s
}

// recent tells whether the summary was asked for of late.
func (r *Run) recent() bool {
	from := r.entry.place.from
	from.mu.Lock()
	defer from.mu.Unlock()
	return from.recent[r] != nil
}

// lookUp reads the summary from the catalogue's file or, where that is damaged, from the
// run's own.
func (r *Run) lookUp() *runner.Summary {
	if text, err := r.entry.place.read(); err == nil {
		if s, err := r.cameTo(text); err == nil {
			return s
		}
	}
	if again, err := readRun(r.Dir); err == nil {
		return again.summary
	}
	s := &runner.Summary{Preset: r.Meta.Preset, Seed: r.Meta.Spec.Seed, Status: r.status}
	r.describe(s)
	return s
}

// Of is one measure of the summary, or images_per_second. Ten thousand runs may be asked for
// it: of those that nobody looks at the text is searched, and not read.
func (r *Run) Of(name string) measure.Number {
	if r.entry != nil && !r.recent() {
		if n, err := r.entry.place.figure(name); err == nil {
			return n
		}
	}
	s := r.Summary()
	if name == speedName {
		return s.ImagesPerSecond
	}
	return s.Of(name)
}

const speedName = "images_per_second"

// buffers are for texts that are searched.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// figure looks for a measure in a summary's text.
func (p *passage) figure(name string) (n measure.Number, err error) {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = slices.Grow((*b)[:0], int(p.Len))[:p.Len]
	text, err := p.readTo(*b)
	if err != nil {
		return n, err
	}
	if name != speedName { // which stands before all other figures
		text = text[min(p.Figures, p.Len):]
	}
	_, text, ok := bytes.Cut(text, []byte(`,"`+name+`":`))
	end := bytes.IndexAny(text, ",}")
	if !ok || end < 0 {
		return n, nil
	}
	return n, n.UnmarshalJSON(text[:end])
}

// Configuration is that of what made the run.
func (r *Run) Configuration() string {
	if r.configuration != "" {
		return r.configuration
	}
	return r.Meta.Configuration()
}
