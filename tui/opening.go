package tui

import (
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// A dialog may take a moment to open, and so may the page of an action that the search has found.
// Keys that are typed meanwhile are kept, and reach what they were typed for.

// dialog is what is open over the page, or about to open.
type dialog struct {
	overlay *kit.Overlay
	kept    []tea.KeyPressMsg // the keys that are typed meanwhile
	held    *offer            // what the search has found, until its page has opened
}

// keepsKeys reports whether keys are kept now.
func (m *Model) keepsKeys() bool {
	return m.overlay == nil && m.Starting == "" && (m.IsOpening() || m.held != nil)
}

// opened takes in what should open a dialog. Without a dialog, the keys that were typed for it do
// nothing: the page would take them for something else.
func (m *Model) opened(msg lab.Opened) (cmd tea.Cmd) {
	m.EndOpening()
	switch msg := msg.Msg.(type) {
	case nil:
	case tea.BatchMsg:
		cmd = tea.Batch(msg...)
	default:
		cmd = m.route(msg)
	}
	if m.IsOpening() {
		return cmd
	}
	if m.overlay == nil {
		m.kept = nil
	}
	return tea.Batch(cmd, m.pressKept())
}

// pressKept presses the keys that were kept.
func (m *Model) pressKept() (cmd tea.Cmd) {
	kept := m.kept
	m.kept = nil
	for _, k := range kept {
		cmd = tea.Batch(cmd, m.press(k))
	}
	return cmd
}

// loader is a page that has to read what it shows, when it is turned to first.
type loader interface{ Loading() bool }

// choose turns to the page of what the search has found. Esc leads back from there, as after any
// other jump.
func (m *Model) choose(o offer) tea.Cmd {
	from := m.current
	cmd := m.turnTo(o.page)
	if from != o.page {
		m.led[o.page] = from
	}
	m.held = &o
	return cmd
}

// performHeld does what the search has found, once its page has what it shows.
func (m *Model) performHeld() tea.Cmd {
	if p, ok := m.page().(loader); m.held == nil || ok && p.Loading() {
		return nil
	}
	o := *m.held
	m.held = nil
	if m.current != o.page { // another page was asked for meanwhile
		m.kept = nil
		return nil
	}
	cmd := m.perform(o.Key, o.Blocked())
	if m.IsOpening() {
		return cmd
	}
	return tea.Batch(cmd, m.pressKept())
}
