package record

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"slices"
	"sync"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/measure"
)

// The summary of a run is held in memory where it was read from the run's own files. For a run from
// a catalogue's file, it is read from that file on demand.

// summaryPlace is the place of a summary in a catalogue's file.
type summaryPlace struct {
	At       int64
	Len, Sum uint32
	Figures  uint32 // where the measures begin in it: names, each with a number or a list
	from     *summaryFile
}

// summaryFile reads the summaries of a catalogue's file.
type summaryFile struct {
	file atomicfile.File

	mu     sync.Mutex
	cached map[*Run]*runner.Summary // summaries that were read, at most mostCached
}

const mostCached = 2048

// read reads the text of a summary.
func (p *summaryPlace) read() ([]byte, error) { return p.readTo(make([]byte, p.Len)) }

func (p *summaryPlace) readTo(b []byte) ([]byte, error) {
	if _, err := p.from.file.ReadAt(b, p.At); err != nil {
		return nil, err
	}
	if crc32.Checksum(b, disk.Castagnoli) != p.Sum {
		return nil, disk.ErrSum
	}
	return b, nil
}

// decodeSummary decodes a run's summary from its text in a catalogue.
func (r *Run) decodeSummary(text []byte) (*runner.Summary, error) {
	s := &runner.Summary{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	r.describe(s)
	return s, nil
}

// setSummary sets the run's summary, and the fields that are derived from it.
func (r *Run) setSummary(s *runner.Summary) {
	r.describe(s)
	r.summary, r.steps, r.epochs = s, s.Steps, s.Epochs
	r.own = len(s.Measures.User()) > 0
}

// describe fills in the fields of a summary that come from run.json and the directory.
func (r *Run) describe(s *runner.Summary) {
	s.Describe(&r.Meta)
	s.ID, s.Dir, s.Box = r.Meta.ID, r.Dir, ""
	if r.mirrored != nil {
		s.Box = r.mirrored.Box
	}
}

// Summary returns summary.json, with Dir filled in. For a run that has not ended or was resumed
// since, it returns what the end of the log says. Measures that stand further from the log's end
// than endBudget do not apply then. The summary of a run from a catalogue is read on demand. The
// caller must not change the summary.
func (r *Run) Summary() *runner.Summary {
	if r.entry == nil {
		return r.summary
	}
	from := r.entry.place.from
	if s := from.find(r); s != nil {
		return s
	}
	s := r.readSummary()
	from.mu.Lock()
	defer from.mu.Unlock()
	if len(from.cached) == mostCached {
		clear(from.cached)
	}
	from.cached[r] = s
	return s
}

// find returns the summary of a run if it was read recently, else nil.
func (s *summaryFile) find(r *Run) *runner.Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached[r]
}

// readSummary reads the summary from the catalogue's file or, where that is damaged, from the run's
// own files.
func (r *Run) readSummary() *runner.Summary {
	if text, err := r.entry.place.read(); err == nil {
		if s, err := r.decodeSummary(text); err == nil {
			return s
		}
	}
	if again, err := readRun(r.Dir, true); err == nil {
		return again.summary
	}
	s := &runner.Summary{Preset: r.Meta.Preset, Seed: r.Meta.Spec.Seed, Status: r.status}
	r.describe(s)
	return s
}

// Of returns one measure of the summary, or images_per_second. Ten thousand runs may be asked for
// it at once: a summary that nobody has read recently is searched as text, and not decoded.
func (r *Run) Of(name string) measure.Number {
	if r.entry != nil && r.entry.place.from.find(r) == nil {
		if n, err := r.entry.place.figure(name); err == nil {
			return n
		}
	}
	s := r.Summary()
	if name == speedName {
		return s.ImagesPerSecond
	}
	return s.Named(name)
}

const speedName = "images_per_second"

// buffers holds buffers for the texts that figure searches.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// figure finds the value of a measure in a summary's text.
func (p *summaryPlace) figure(name string) (n measure.Number, err error) {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = slices.Grow((*b)[:0], int(p.Len))[:p.Len]
	text, err := p.readTo(*b)
	if err != nil {
		return n, err
	}
	if name != speedName { // speedName stands before all other figures
		text = text[min(p.Figures, p.Len):]
	}
	_, text, ok := bytes.Cut(text, []byte(`,"`+name+`":`))
	end := bytes.IndexAny(text, ",}")
	if !ok || end < 0 {
		return n, nil
	}
	return n, n.UnmarshalJSON(text[:end])
}
