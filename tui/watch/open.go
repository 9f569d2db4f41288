package watch

import (
	"slices"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// open finds the runs of the given names or, without names, the newest ones
// that belong together.
func open(s lab.Source, ids []string) tea.Cmd {
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
	parent lab.Log // nil when it is read, or is not there any more
	name   string
	step   int64 // of the checkpoint
	forked bool  // the forkEvent was returned
	own    lab.Log
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

func lineageOf(s lab.Source, r *record.Run, generations int) lab.Log {
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
		return runs[:min(len(runs), lab.MaxWatched)]
	}
	for _, r := range all {
		first := &all[0].Meta
		if r.Meta.Preset == first.Preset && first.Created.Sub(r.Meta.Created).Minutes() <= 1 &&
			len(runs) < lab.MaxWatched {
			runs = append(runs, r)
		}
	}
	return runs
}
