package record

import (
	"slices"

	"drolab/runner"
)

// Source is where runs and their logs are found.
type Source interface {
	// Find looks at one run: its exact name.
	Find(id string) (*Run, error)
	// Open returns the log of a run, at its start.
	Open(*Run) Log
}

// maxGenerations is how many forks of forks are followed: run.json may say
// anything of a run's parent, that it is the run itself too.
const maxGenerations = 8

// Lineage returns the log of a run and, for a fork, of what it came from: what
// its parent did up to the checkpoint that the fork goes on from, a ForkEvent,
// and then what it did itself. A parent that cannot be read is left out.
func Lineage(s Source, r *Run) Log { return lineageOf(s, r, maxGenerations) }

func lineageOf(s Source, r *Run, generations int) Log {
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
	parent Log // nil when it is read, or is not there any more
	name   string
	step   int64 // of the checkpoint
	forked bool  // the ForkEvent was returned
	own    Log
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
		events = append([]runner.Event{&ForkEvent{Head: at, Parent: l.name}}, events...)
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
