package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"sync"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/measure"
)

// recorder is the writing side of one run directory. It belongs to one
// goroutine at a time.
type recorder struct {
	in   *disk.Folder
	keep int // number of newest checkpoints that stay
	lock *disk.Lock
	log  *eventlog.EventLog

	index eventlog.Indexer
	// spare is a descriptor for the summary: a run's end is recorded even if no other is left.
	spare *os.File

	observed int64 // samples of the machine; Observe's alone
}

// errGone ends a run whose files can no longer be found, or which another machine has taken over.
var errGone = errors.New(
	"some of its files were removed or replaced while it was recorded: it cannot continue")

// present returns errGone unless run.json, the lock and the log are in the folder, and the latter
// two are still those of this recorder.
func (r *recorder) present() error {
	if _, err := r.in.Lstat(metaName); err != nil {
		return errors.Join(errGone, err)
	}
	lock, err := r.in.Lstat(lockName)
	if err != nil || !r.lock.Is(lock) || !r.log.InPlace() {
		return errors.Join(errGone, err)
	}
	return nil
}

// Append implements runner.Recorder. After an error the log is as it was before, so the caller may
// go on, or try again.
func (r *recorder) Append(e runner.Event) error {
	if r.log.Removed() {
		return errGone
	}
	if eventlog.Urgent(e) || r.lock.Local() {
		if err := r.present(); err != nil {
			return err
		}
	}
	if err := r.log.Append(e); err != nil {
		return err
	}
	r.index.Grown(r.in, r.log.Bytes)
	return nil
}

// Checkpoint implements runner.Recorder. The log is synced first: a power cut
// must not leave a checkpoint of a step that the log has not reached.
func (r *recorder) Checkpoint(s *runner.State) (string, error) {
	if err := r.present(); err != nil {
		return "", err
	}
	if err := r.log.Sync(); err != nil {
		return "", err
	}
	in, err := r.in.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &runner.DiskError{Away: true, Err: err,
			What: r.in.Join(checkpointsName) + " is missing: bring it back and resume"}
	}
	if err != nil {
		return "", disk.Explain(err)
	}
	defer in.Close()
	if err := writeCheckpoint(in, s, r.log.At()); err != nil {
		return "", err
	}
	pruneCheckpoints(in, s.Step, r.keep)
	return checkpointFile(s.Step), nil
}

// Finish implements runner.Recorder.
func (r *recorder) Finish(s *runner.Summary) error {
	if err := r.present(); err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	stored := *s
	stored.Dir = "" // the directory may be moved later
	at := r.log.At()
	r.spare.Close() // a second Close, or one of nil, only returns an error
	return r.in.WriteSealed(summaryName, &stored, &at.Extent)
}

// Close implements runner.Recorder. It syncs the log, since the event that says how the run ended
// stands behind the last checkpoint.
func (r *recorder) Close() error {
	r.index.Close()
	r.spare.Close()
	return errors.Join(r.log.Sync(), r.log.File.Close(), r.lock.Release(), r.in.Close())
}

// The summary of a run is held in memory where it was read from the run's own files. For a run from
// a catalogue's file, it is read from that file on demand.

// passage is the place of a summary in a catalogue's file.
type passage struct {
	At       int64
	Len, Sum uint32
	Figures  uint32 // where the measures begin in it: names, each with a number or a list
	from     *summaries
}

// summaries reads the summaries of a catalogue's file.
type summaries struct {
	file atomicfile.File

	mu     sync.Mutex
	recent map[*Run]*runner.Summary // summaries that were read, at most mostRecent
}

const mostRecent = 2048

// read reads the text of a summary.
func (p *passage) read() ([]byte, error) { return p.readTo(make([]byte, p.Len)) }

func (p *passage) readTo(b []byte) ([]byte, error) {
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
	s.ID, s.Dir = r.Meta.ID, r.Dir
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
	if len(from.recent) == mostRecent {
		clear(from.recent)
	}
	from.recent[r] = s
	return s
}

// find returns the summary of a run if it was read recently, else nil.
func (s *summaries) find(r *Run) *runner.Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent[r]
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
func (p *passage) figure(name string) (n measure.Number, err error) {
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

// Configuration returns the configuration of the run's Meta: see runner.Meta.Configuration.
func (r *Run) Configuration() string {
	if r.configuration != "" {
		return r.configuration
	}
	return r.Meta.Configuration()
}
