package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	refit   *runner.RefitEvent
	summary *runner.Summary // nil: it is in the catalogue's file
	entry   *knownRun       // nil: the run is not from a catalogue's file
	own     bool            // its program gave values of its own
	steps   int64
	epochs  float64

	configuration string // "" where no catalogue has set it
	label         Label
	mirrored      *mirroredRun      // nil: a run of this machine
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

// Refitting returns the fit of the last layer that goes on, or nil.
func (r *Run) Refitting() *runner.RefitEvent { return r.refit }

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
	t := &eventlog.Tail{Path: filepath.Join(r.Dir, eventlog.LogName), Passed: r.passed}
	if r.packed != nil {
		t.Text = (&packedLog{packedRun: r.packed}).open
	}
	return t
}

// Checkpoints lists the steps whose checkpoints Load can read, ascending. Those of a mirrored run
// are on its box.
func (r *Run) Checkpoints() (steps []int64, err error) {
	if r.mirrored != nil {
		v, err := r.verdict()
		return v.Checkpoints, err
	}
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
	if r.mirrored != nil {
		v, err := r.verdict()
		if v.Saved == nil {
			return s, false, err
		}
		return *v.Saved, true, nil
	}
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
// after a power cut. The end of the log and the names of checkpoints may not be there yet. A mirror
// is not settled: a power cut here loses nothing of its box.
func (r *Run) Settle() error {
	if r.mirrored != nil {
		return nil
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return err
	}
	defer in.Close()
	log, err := in.Open(eventlog.LogName, os.O_RDWR,
		0) // some systems sync only a file that can be written
	if err != nil {
		return err
	}
	logged := errors.Join(log.Sync(), log.Close())
	kept := r.inCheckpoints(func(f *disk.Folder) error { return f.Sync() })
	return disk.Explain(errors.Join(logged, kept), in.Path)
}

// newestStep stands for the step of the newest checkpoint.
const newestStep = -1

// Load reads the checkpoint of a step, or the newest one. It checks the weights
// against their checksum.
func (r *Run) Load(step int64) (*runner.State, error) {
	s, err := r.load(step)
	if err != nil {
		return nil, err
	}
	return s.State, nil
}

func (r *Run) load(step int64) (s checkpoint, err error) {
	if r.mirrored != nil {
		return s, r.mirrorOf()
	}
	defer r.Hold()()
	if step < 0 {
		newest, ok, err := r.Saved()
		if err != nil || !ok {
			if err := r.Meta.Trained(); err != nil && !r.Meta.Predicted() {
				return s, err // a log of another program never has one
			}
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
func (r *Run) Held() bool { return disk.Held(filepath.Join(r.Dir, eventlog.LockName)) }

// readRun reads a run directory. verified says that the run's log was verified since it last
// changed.
func readRun(dir string, verified bool) (*Run, error) {
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
	mirrored, err := readMirrored(in)
	switch {
	case err != nil:
		return nil, err
	case mirrored != nil:
		return r, r.takeVerdict(in, mirrored)
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
	}, func() bool { return in.Held(eventlog.LockName) }, func() int64 {
		return sizeOf(in,
			eventlog.LogName)
	})
	if err == nil {
		err = checkLength(in, seal)
	}
	if err != nil {
		return nil, err
	}
	r.status, r.refit = e.Status, e.Refitting()
	if e.Interrupted {
		r.status, r.refit = runner.Interrupted, nil
	}
	r.summary = &stored
	if noSummary != nil || e.Status != stored.Status || !e.Status.Ended() {
		if r.status.Ended() && !verified { // the figures are those of the log
			if _, err := verifyLog(in); err != nil {
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

// Configuration returns the configuration of the run's Meta: see runner.Meta.Configuration.
func (r *Run) Configuration() string {
	if r.configuration != "" {
		return r.configuration
	}
	return r.Meta.Configuration()
}
