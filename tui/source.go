package tui

import (
	"slices"

	"drolab/runner"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// Source is where the interface reads runs. Commands call it; one call at a
// time for each log.
type Source interface {
	// List returns every run, newest first, and an error for each directory
	// that cannot be read.
	List() (runs []*record.Run, problems []error)
	// Find looks at one run: its exact name.
	Find(id string) (*record.Run, error)
	// Open returns the log of a run, at its start.
	Open(*record.Run) Log
	// Delete removes a run that has ended, for good.
	Delete(id string) error
}

// Log gives the events of a run as they are appended.
type Log interface {
	// Read returns the next events; none means that there are no more for now.
	Read() ([]runner.Event, error)
	// Skipped counts the lines that are no events.
	Skipped() int
}

// folder is the Source of a folder of run directories.
type folder string

func (f folder) List() ([]*record.Run, []error)      { return record.List(string(f)) }
func (f folder) Find(id string) (*record.Run, error) { return record.Find(string(f), id) }
func (folder) Open(r *record.Run) Log                { return r.Tail() }
func (f folder) Delete(id string) error              { return record.Delete(string(f), id) }

// opened is a run with its log.
type opened struct {
	run *record.Run
	log Log
}

// list reads all runs.
func list(s Source) tea.Cmd {
	return func() tea.Msg {
		runs, problems := s.List()
		return listMsg{runs, problems}
	}
}

// open finds the runs of the given names or, without names, the newest ones
// that belong together.
func open(s Source, ids []string) tea.Cmd {
	return func() tea.Msg {
		var m openMsg
		var runs []*record.Run
		if len(ids) == 0 {
			var all []*record.Run
			all, m.problems = s.List()
			runs = newest(all)
		}
		for _, id := range ids {
			r, err := s.Find(id)
			if err != nil {
				m.problems = append(m.problems, err)
				continue
			}
			runs = append(runs, r)
		}
		for _, r := range runs {
			m.runs = append(m.runs, opened{r, lineageOf(s, r, maxGenerations)})
		}
		return m
	}
}

// lineage is the log of a fork: what its parent did up to the checkpoint that
// the fork goes on from, a forkEvent, and then what it did itself.
type lineage struct {
	parent Log // nil when it is read, or is not there any more
	name   string
	step   int64 // of the checkpoint
	forked bool  // the forkEvent was returned
	own    Log
}

// forkEvent stands where a fork leaves its parent. It is in no file.
type forkEvent struct {
	runner.Head
	parent string // RUN@STEP
}

// Kind implements runner.Event.
func (*forkEvent) Kind() string { return "fork" }

// maxGenerations is how many forks of forks are followed: run.json may say
// anything of a run's parent, that it is the run itself too.
const maxGenerations = 8

func lineageOf(s Source, r *record.Run, generations int) Log {
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

// Read implements Log. A parent that cannot be read is left out.
func (l *lineage) Read() ([]runner.Event, error) {
	for l.parent != nil {
		events, err := l.parent.Read()
		end := slices.IndexFunc(events, func(e runner.Event) bool { return e.Header().Step > l.step })
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
		events = append([]runner.Event{&forkEvent{at, l.name}}, events...)
	}
	return events, err
}

// Skipped implements Log. It counts the run's own lines.
func (l *lineage) Skipped() int { return l.own.Skipped() }

// newest returns the live runs or, without any, the newest run and the ones
// that were created within a minute before it from the same preset: those that
// one command started.
func newest(all []*record.Run) (runs []*record.Run) {
	for _, r := range all {
		if !r.Status().Ended() {
			runs = append(runs, r)
		}
	}
	if len(runs) > 0 {
		return runs[:min(len(runs), maxWatched)]
	}
	for _, r := range all {
		first := &all[0].Meta
		if r.Meta.Preset == first.Preset && first.Created.Sub(r.Meta.Created).Minutes() <= 1 && len(runs) < maxWatched {
			runs = append(runs, r)
		}
	}
	return runs
}

// live finds out which of the runs have not ended.
func live(s Source, ids []string) tea.Cmd {
	return func() tea.Msg {
		var m leaveMsg
		for _, id := range ids {
			if r, err := s.Find(id); err == nil && !r.Status().Ended() {
				m.live = append(m.live, id)
			}
		}
		return m
	}
}
