package tui

import (
	"drolab/presets"
	"drolab/runner/record"
	"drolab/tui/compare"
	"drolab/tui/film"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/launch"
	"drolab/tui/runs"
	"drolab/tui/samples"
	"drolab/tui/sweep"
	"drolab/tui/watch"

	tea "charm.land/bubbletea/v2"
)

// pageID is a page's place among the tabs.
type pageID int

const (
	launchPage pageID = iota
	watchPage
	runsPage
	comparePage
	sweepPage
	samplesPage
	filmPage
)

// newPages returns the pages, in the order of their tabs and of the keys 1, 2, ...: one line a
// page. The Watch page is watch, which the Model also holds.
func newPages(s *lab.Lab, list func() []presets.Preset, watch *watch.Page) []page {
	return []page{
		launch.New(s, list),
		watch,
		runs.New(s),
		compare.New(s),
		sweep.New(s),
		samples.New(s),
		film.New(s),
	}
}

// firstPage returns the page that is shown first.
func firstPage(cfg lab.Config) pageID {
	switch {
	case cfg.Film:
		return filmPage
	case cfg.Attach || cfg.Live || cfg.Replay != nil:
		return watchPage
	case cfg.RunsDir != "" && record.IsSweep(cfg.RunsDir): // the folder is that of one sweep
		return sweepPage
	}
	return launchPage
}

// absentPage is a page that may have nothing to show: its tab is its number then, and its key shows
// why.
// Seek finds that out, at the start.
type absentPage interface {
	Absent() bool
	Seek() tea.Cmd
}

// seek lets the pages that may be absent find out whether they are.
func (m *Model) seek() tea.Cmd {
	var cmds []tea.Cmd
	for i, p := range m.pages {
		if p, ok := p.(absentPage); ok && pageID(i) != m.current {
			cmds = append(cmds, p.Seek())
		}
	}
	return tea.Batch(cmds...)
}

// page is one screen between header and footer. Its state changes only in the actions of keys and
// in Update, which the event loop calls. Work that takes time is a command.
type page interface {
	// Title is the text of the page's tab.
	Title() string
	// Init is called when the page is turned to.
	Init() tea.Cmd
	// Keys are the page's rows of the key table, before those of all pages. They
	// are asked for once.
	Keys() []kit.Key
	// Update takes every message that is not the Model's own: ticks, while the
	// page is shown; answers, always; clicks and wheel, with the page's own
	// coordinates; and, while typing, keys and pastes.
	Update(tea.Msg) tea.Cmd
	// Typing reports whether keys write text instead of being looked up in the key table.
	Typing() bool
	// View draws the page: h lines of exactly w cells.
	View(w, h int) []string
}

// hoverPage is a page that cares where the mouse is while no button is down. Point reports whether
// the screen then looks different. Over SSH the terminal is not asked for such moves.
type hoverPage interface{ Point(kit.Hover) bool }
