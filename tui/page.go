package tui

import (
	"maps"
	"slices"
	"time"

	"drolab/runner"

	tea "charm.land/bubbletea/v2"
)

// pageID is a page's place among the tabs.
type pageID int

const (
	launchPage pageID = iota
	watchPage
	runsPage
	comparePage
	pages // how many
)

// page is one screen between header and footer. Its state changes in
// what keys do and in update only, which the event loop calls; what takes time
// is a command.
type page interface {
	// title is the tab's.
	title() string
	// enter is called when the page is turned to.
	enter() tea.Cmd
	// Keys are the page's rows of the key table, before those of all pages. They
	// are asked for once.
	Keys() []Key
	// update takes every message that is not the Model's own: ticks, while the
	// page is shown; answers, always; clicks and wheel, with the page's own
	// coordinates; and, while typing, keys and pastes.
	update(tea.Msg) tea.Cmd
	// typing tells whether keys write text instead of being looked up in the
	// key table.
	typing() bool
	// view draws the page: h lines of exactly w cells.
	view(w, h int) []string
}

// shared is what all pages know.
type shared struct {
	cfg    Config
	env    environment
	source Source
	theme  *theme
	// after makes a tick in a while.
	after func(time.Duration) tea.Cmd
	// mine are the runs that this process was asked to start or resume.
	mine map[string]bool
	// body is the pages' part of the screen, for where the mouse points.
	body rect
}

// started returns the runs of this process, in the order of their names.
func (s *shared) started() []string { return slices.Sorted(maps.Keys(s.mine)) }

// controls tells whether a run can be asked something while it is live: by the
// process that runs it alone, which is this one or a process for all runs.
func (s *shared) controls(id string) bool { return s.cfg.RunsGoOn || s.mine[id] }

// start asks for runs; the answer is a startMsg.
func (s *shared) start(r runner.Request) tea.Cmd {
	return func() tea.Msg {
		ids, err := s.cfg.Verbs.Start(r)
		return startMsg{ids, err}
	}
}

// ask asks something of a run: "pause", "resume", "stop" or "checkpoint". The
// answer is a verbMsg.
func (s *shared) ask(verb, id string) tea.Cmd {
	v := s.cfg.Verbs
	does := map[string]func(string) error{"pause": v.Pause, "resume": v.Resume, "stop": v.Stop, "checkpoint": v.Checkpoint}[verb]
	return func() tea.Msg { return verbMsg{verb, id, does(id)} }
}

// tickAfter is the after of a real clock.
func tickAfter(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(t time.Time) tea.Msg { return tickMsg(t) })
}
