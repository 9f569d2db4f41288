package record

import (
	"slices"

	"drolab/runner"
	"drolab/runner/eventlog"
)

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
