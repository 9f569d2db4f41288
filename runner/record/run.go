package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/measure"
)

// Run is the content of a run directory at the moment when it was read. It does not change: read it
// again with Find, or follow the run with Tail.
type Run struct {
	Dir  string
	Meta runner.Meta

	status  runner.Status
	summary *runner.Summary // nil: it is in the catalogue's file
	entry   *listed         // nil: the run is not from a catalogue's file
	own     bool            // its program gave values of its own
	steps   int64
	epochs  float64

	configuration string // "" where no catalogue has set it
	label         Label
	open          atomicfile.Opener // nil: the system's
	packed        *packedRun        // in place of files; nil for others
	passed        *eventlog.PassedOver
}

// Steps and Epochs return the numbers of steps and epochs that are done.
func (r *Run) Steps() int64 { return r.steps }

func (r *Run) Epochs() float64 { return r.epochs }

// Status returns the run's state. An unfinished run that nobody records is
// runner.Interrupted.
func (r *Run) Status() runner.Status { return r.status }

// Standing returns how the run stands, from the end of its log, or from its summary where that end
// does not reach far enough back. Its cost does not depend on the length of the log.
func (r *Run) Standing() eventlog.Standing {
	summary := r.Summary()
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return eventlog.Standing{Status: r.status, Step: summary.Steps}
	}
	defer in.Close()
	e, _ := eventlog.ReadEnd(in, r.passed,
		func(e *eventlog.End) bool { return e.Complete(&r.Meta) })
	s := e.Standing
	s.Status, s.Cause = r.status, summary.Cause
	s.Step = max(s.Step, summary.Steps)
	measured := func(l measure.List) bool { return len(l.Numbers) > 0 }
	if s.Eval == nil && slices.ContainsFunc(summary.ByGroup, measured) {
		s.Eval = &runner.EvalEvent{
			Head:    runner.Head{Step: summary.Steps},
			Epoch:   summary.Epochs,
			Values:  summary.Measures,
			ByGroup: summary.ByGroup,
		}
	}
	return s
}

// Tail returns a reader of the run's log, at its start.
func (r *Run) Tail() *eventlog.Tail {
	t := &eventlog.Tail{Path: filepath.Join(r.Dir, logName), Passed: r.passed}
	if r.packed != nil {
		t.Text = (&packedLog{packedRun: r.packed}).open
	}
	return t
}

// Checkpoints lists the steps whose checkpoints Load can read, ascending.
func (r *Run) Checkpoints() (steps []int64, err error) {
	err = r.inCheckpoints(func(f *disk.Folder) error {
		steps, err = checkpointSteps(f)
		return err
	})
	return steps, err
}

// Save identifies a checkpoint, and tells it from an earlier one of the same step.
type Save struct {
	Step int64
	Time time.Time // when it was complete
}

// Saved returns the newest checkpoint; ok is false where there is none.
func (r *Run) Saved() (s Save, ok bool, err error) {
	err = r.inCheckpoints(func(f *disk.Folder) error {
		steps, err := checkpointSteps(f)
		if err != nil || len(steps) == 0 {
			return err
		}
		s.Step, ok = steps[len(steps)-1], true
		info, err := f.Lstat(checkpointNames(s.Step)[0])
		if err == nil {
			s.Time = info.ModTime()
		}
		return err
	})
	return s, ok && err == nil, err
}

// Settle brings to the disk what was read of the run, so that a caller who reports it is right even
// after a power cut. The end of the log and the names of checkpoints may not be there yet.
func (r *Run) Settle() error {
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return err
	}
	defer in.Close()
	log, err := in.Open(logName, os.O_RDWR, 0) // some systems sync only a file that can be written
	if err != nil {
		return err
	}
	logged := errors.Join(log.Sync(), log.Close())
	kept := r.inCheckpoints(func(f *disk.Folder) error { return f.Sync() })
	return disk.Explain(errors.Join(logged, kept))
}

// newestStep stands for the step of the newest checkpoint.
const newestStep = -1

// Load reads the checkpoint of a step, or the newest one. It checks the weights
// against their checksum.
func (r *Run) Load(step int64) (*runner.State, error) {
	s, err := r.load(step)
	return s.State, err
}

func (r *Run) load(step int64) (s checkpoint, err error) {
	defer r.Hold()()
	if step < 0 {
		newest, ok, err := r.Saved()
		if err != nil || !ok {
			none := fmt.Errorf("run %s has %w yet", r.Meta.ID, errNoCheckpoint)
			return s, errors.Join(none, err)
		}
		step = newest.Step
	}
	if err := r.checkCheckpoint(step); err != nil {
		return s, err
	}
	err = r.inCheckpoints(func(f *disk.Folder) error {
		s, err = readCheckpoint(f, step)
		return err
	})
	return s, err
}

// Past reads the run as it was at the checkpoint of a step, or at the newest one, for a fork. The
// error lists the checkpoints that exist.
func (r *Run) Past(step int64) (*runner.Past, error) {
	from, err := r.load(step)
	if err != nil {
		return nil, err
	}
	log, err := r.audit()
	if err != nil {
		return nil, err
	}
	return &runner.Past{Meta: &r.Meta, From: from.State, Log: log.Since(from.At)}, nil
}

// PassedOver returns an error that describes what Find and later reads passed over in the run's
// files: damaged lines of its log, a damaged summary or label. Every figure lacks that content.
// PassedOver returns nil where all was read.
func (r *Run) PassedOver() error {
	more, err := r.passed.First()
	if err == nil {
		return nil
	}
	others := ""
	if more > 0 {
		others = fmt.Sprintf(" (and %d more)", more)
	}
	return fmt.Errorf("run %s: passed over: %w%s: see drolab doctor", r.Meta.ID, err, others)
}

// Damage says what PassedOver says in a few words for a screen, with the remedy; "" where all was
// read.
func (r *Run) Damage() string {
	if gap := r.Gap(); gap != nil {
		return gap.Brief()
	}
	if r.PassedOver() != nil {
		return "a file of it is damaged: drolab doctor says what helps"
	}
	return ""
}

// Gap returns the first of the places where lines of the log were found to be lost; nil where none
// was.
func (r *Run) Gap() *eventlog.GapEvent { return r.passed.Gap() }

// Held reports whether somebody records the run at this moment. It stays true for a moment after
// the last event.
func (r *Run) Held() bool { return disk.Held(filepath.Join(r.Dir, lockName)) }

// List returns every run in the folder dir, newest first, and one error for each directory that
// cannot be read or of which something was passed over. A missing folder has no runs. List reads
// run.json, summary.json and the end of the log of each run: see Catalogue.
func List(dir string) (runs []*Run, problems []error) { return NewCatalogue(dir, "").List() }

// NewestFirst sorts runs as List does.
func NewestFirst(runs []*Run) {
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(b.Meta.Created.Compare(a.Meta.Created), cmp.Compare(a.Meta.ID, b.Meta.ID))
	})
}

// Find returns the run in the folder dir that id means: its exact name, the
// start of its name that no other run has, the path of a run directory, or
// "latest".
func Find(dir, id string) (*Run, error) {
	if id == "latest" {
		return NewCatalogue(dir, "").Latest()
	}
	if !plainName(id) {
		return readRun(id, false)
	}
	if path := filepath.Join(dir, id); isRun(path) {
		return readRun(path, false)
	}
	names, err := runNames(dir)
	if err != nil {
		return nil, err
	}
	name, err := match(names, id)
	if err != nil {
		if _, e := os.Stat(filepath.Join(id, metaName)); e == nil {
			return readRun(id, false) // a path without a separator
		}
		return nil, fmt.Errorf("%w in %s", err, dir)
	}
	return readRun(filepath.Join(dir, name), false)
}

// match returns the name that equals id, or else the only one that begins with it.
func match(names []string, id string) (string, error) {
	var starting, near []string
	for _, n := range names {
		switch {
		case n == id:
			return n, nil
		case strings.HasPrefix(n, id):
			starting = append(starting, n)
		case strings.Contains(n, id) || strings.HasPrefix(n, id[:(len(id)+1)/2]):
			near = append(near, n)
		}
	}
	switch {
	case len(starting) == 1:
		return starting[0], nil
	case len(starting) > 1:
		return "", fmt.Errorf("run %s: want more of the name: %s", id, listSome(starting))
	case len(near) > 0:
		return "", fmt.Errorf("no run %s (near it: %s)", id, listSome(near))
	}
	return "", fmt.Errorf("no run %s", id)
}

// listSome joins the first few names, and says how many more there are.
func listSome(names []string) string {
	const most = 5
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return list
}

// runNames lists the directories in dir that may be runs.
func runNames(dir string) ([]string, error) {
	names, err := folders(dir)
	return slices.DeleteFunc(names, func(name string) bool {
		return IsSweep(filepath.Join(dir, name))
	}), err
}

// folders lists the directories in dir that may be runs or sweeps.
func folders(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		folder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			folder = err == nil && info.IsDir()
		}
		if folder && plainName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Starting lists the names in the folder dir that begin with a prefix. It opens no run.
func Starting(dir, with string) []string {
	names, _ := folders(dir)
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, with)
	})
}

func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, metaName))
	return err == nil && !IsSweep(dir)
}

// IsSweep reports whether a folder is a runs folder of its own: see runner/sweep.
func IsSweep(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "sweep.json"))
	return err == nil
}

// readRun reads a run directory. sound says that the run's log was verified since it last changed.
func readRun(dir string, sound bool) (*Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	in, err := disk.OpenFolder(nil, dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m, err := readMeta(in)
	if err == nil {
		err = eventlog.CheckHead(in)
	}
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Meta: *m, passed: &eventlog.PassedOver{}}
	if r.label, err = readLabel(in); err != nil {
		r.passed.Add(err)
	}
	var stored runner.Summary
	seal, noSummary := in.ReadSealed(summaryName, &stored)
	switch {
	case errors.Is(noSummary, disk.ErrForeign):
		return nil, noSummary
	case noSummary != nil && !errors.Is(noSummary, fs.ErrNotExist):
		r.passed.Add(noSummary)
	}
	// A log that ends as the summary says needs no further look.
	e, err := eventlog.SettledEnd(func() (*eventlog.End, error) {
		return eventlog.ReadEnd(in, r.passed, func(e *eventlog.End) bool {
			return noSummary == nil && e.Status == stored.Status || e.Complete(m)
		})
	}, func() bool { return in.Held(lockName) }, func() int64 { return sizeOf(in, logName) })
	if err == nil {
		err = checkLength(in, seal)
	}
	if err != nil {
		return nil, err
	}
	r.status = e.Status
	if e.Interrupted {
		r.status = runner.Interrupted
	}
	r.summary = &stored
	if noSummary != nil || e.Status != stored.Status || !e.Status.Ended() {
		if r.status.Ended() && !sound { // the figures are those of the log
			if _, err := verified(in); err != nil {
				return nil, err
			}
		}
		r.summary = m.Ended(r.status, e.Cause, e.Step,
			&runner.State{Eval: e.Eval, Last: e.Last, Selected: e.Selected})
	}
	r.setSummary(r.summary)
	return r, nil
}

// sizeOf returns the size of a file in bytes, or −1 where it does not exist.
func sizeOf(in *disk.Folder, name string) int64 {
	info, err := in.Lstat(name)
	if err != nil {
		return -1
	}
	return info.Size()
}

// Source finds runs and opens their logs.
type Source interface {
	// Find reads the run with this exact name.
	Find(id string) (*Run, error)
	// Open returns the log of a run, at its start.
	Open(*Run) eventlog.Log
}

// maxGenerations bounds how many parents, one after another, a lineage follows. A run.json may name
// any parent, even the run itself.
const maxGenerations = 8

// Lineage returns the log of a run. For a fork, it first gives the parent's events up to the
// checkpoint that the fork continues from, and a ForkEvent. A parent that cannot be read is left
// out.
func Lineage(s Source, r *Run) eventlog.Log { return lineageOf(s, r, maxGenerations) }

func lineageOf(s Source, r *Run, generations int) eventlog.Log {
	own := s.Open(r)
	id, step, err := runner.ParseParent(r.Meta.Parent)
	if err != nil || generations == 0 { // most runs are no forks
		return own
	}
	l := &lineage{name: r.Meta.Parent, step: step, own: own}
	if parent, err := s.Find(id); err == nil && parent.Meta.ID == id {
		l.parent = lineageOf(s, parent, generations-1)
	}
	return l
}

type lineage struct {
	parent eventlog.Log // nil once it is read, or if it no longer exists
	name   string
	step   int64 // of the checkpoint
	forked bool  // the ForkEvent was returned
	own    eventlog.Log
}

// Read implements Log.
func (l *lineage) Read() ([]runner.Event, error) {
	for l.parent != nil {
		events, err := l.parent.Read()
		end := slices.IndexFunc(events, func(e runner.Event) bool {
			return e.Header().Step > l.step
		})
		if err != nil || len(events) == 0 || end >= 0 {
			l.parent = nil
		}
		if end >= 0 {
			events = events[:end]
		}
		if len(events) > 0 {
			return events, nil
		}
	}
	events, err := l.own.Read()
	if len(events) > 0 && !l.forked {
		l.forked = true
		at := runner.Head{Step: l.step, Time: events[0].Header().Time}
		events = append([]runner.Event{&eventlog.ForkEvent{Head: at, Parent: l.name}}, events...)
	}
	return events, err
}

// Skipped implements Log. It counts the run's own lines.
func (l *lineage) Skipped() int { return l.own.Skipped() }

// Share implements Log.
func (l *lineage) Share() float64 {
	if l.parent != nil {
		return 0
	}
	return l.own.Share()
}

// Measures returns the measures of the runs' summaries: those of the table, then those that their
// programs define.
func Measures(runs ...*Run) []measure.Measure {
	return append(measure.SummaryMeasures(), UserMeasures(runs...)...)
}

// UserMeasures returns the measures that the runs' own programs define.
func UserMeasures(runs ...*Run) []measure.Measure {
	sides := runner.UserSides{}
	for _, r := range runs {
		if r.own {
			sides.Add(&r.Meta, r.Summary().Measures)
		}
	}
	return sides.Measures()
}

// Evaluations returns the evaluations in the run's log that no later resume has taken back.
func (r *Run) Evaluations() ([]*runner.EvalEvent, error) {
	log := r.Tail()
	log.Only((&runner.EvalEvent{}).Kind())
	h, err := eventlog.ReadHistory(log, nil)
	return h.Evals, runError(r.Meta.ID, err)
}

// averageBudget is the number of bytes at the end of a log that are read for its last evaluations.
// The steps of some epochs lie between these.
const averageBudget = 16 << 20

// Average returns the mean of the run's last evaluations, as the paper reports it, or nil before
// the first evaluation, and nil where one of the last evaluations may be lost. It reads the log, so
// that runs of any version have an average.
func (r *Run) Average() (*runner.Average, error) {
	if r.packed != nil { // its log is small
		h, err := eventlog.ReadHistory(r.Tail(), nil)
		return runner.AverageOf(h.Evals), err
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	enough := func(e *eventlog.End) bool { return len(e.Evals) >= runner.AverageWindow }
	e, err := eventlog.ReadBack(in, averageBudget, r.passed, enough)
	if err != nil || e.Gap != nil {
		return nil, err
	}
	return runner.AverageOf(e.Evals), nil
}

// Printed returns the end of what the run's program printed: the last most bytes of it, or less.
// whole says that the text is all of the output. The error is an fs.ErrNotExist where no output is
// kept.
func (r *Run) Printed(most int64) (text []byte, whole bool, err error) {
	text, from, err := r.readEnd(programLogName, 0, most)
	return text, from == 0, err
}

// readEnd returns what a file of the run has from a place on, or only its last most bytes. at is
// the place of the text.
func (r *Run) readEnd(name string, from, most int64) (text []byte, at int64, err error) {
	if r.packed != nil {
		return nil, from, os.ErrNotExist
	}
	path := filepath.Join(r.Dir, name)
	err = disk.InFolderOf(r.open, path, func(in *disk.Folder, name string) error {
		f, size, err := in.Read(name)
		if err != nil {
			return err
		}
		defer f.Close()
		at = max(from, size-most)
		text, err = io.ReadAll(io.NewSectionReader(f, at, max(0, size-at)))
		return err
	})
	return text, at, err
}
