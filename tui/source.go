package tui

import (
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// Source is where the interface reads runs. Commands call it; one call at a
// time for each log.
type Source interface {
	record.Source
	// List returns every run, newest first, and an error for each directory
	// that cannot be read.
	List() (runs []*record.Run, problems []error)
	// Delete removes a run that nobody records, for good.
	Delete(id string) error
}

// Log gives the events of a run as they are appended.
type Log = record.Log

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
			m.runs = append(m.runs, opened{r, record.Lineage(s, r)})
		}
		return m
	}
}

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
		if r.Meta.Preset == first.Preset && first.Created.Sub(r.Meta.Created).Minutes() <= 1 &&
			len(runs) < maxWatched {
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
