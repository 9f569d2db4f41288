package tui

import (
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The view is what the user has set on the pages by keys. It is kept for the next start, for each
// folder of runs, among this user's own files on this machine. Whoever only looks at runs neither
// has a view nor leaves one. A file that cannot be read counts as none.

// chooser is a page with choices.
type chooser interface{ Choices() lab.Choices }

// viewKeeper is the state of keeping the view.
type viewKeeper struct {
	views    lab.Views // as they were read or written last
	recalled bool      // they were read
	writing  bool
}

// recall reads the views; it does nothing where none are kept.
func (m *Model) recall() tea.Cmd {
	in, runs := m.Config.Views, m.Config.RunsDir
	if in == "" || m.Config.ReadOnly {
		return nil
	}
	return func() tea.Msg {
		v, err := lab.ReadViews(in, runs)
		return viewsMsg{views: v, err: err}
	}
}

// setViews sets the pages to the views that were read.
func (m *Model) setViews(msg viewsMsg) tea.Cmd {
	if msg.written {
		m.keep.writing = false
		return nil
	}
	m.keep.recalled = true
	for _, p := range m.pages {
		values := msg.views[p.Title()]
		if c, ok := p.(chooser); ok && len(values) > 0 {
			c.Choices().Set(values)
		}
	}
	m.recallLook(msg.views)
	m.keep.views = m.view()
	cmd := m.answer(kit.Changed{})
	if msg.err != nil {
		return tea.Batch(cmd, kit.Send(kit.Notice{Bad: true,
			Text: "The view kept for this folder is damaged and was ignored"}))
	}
	return cmd
}

// view returns what the user has set so far.
func (m *Model) view() lab.Views {
	v := lab.Views{}
	for _, p := range m.pages {
		if c, ok := p.(chooser); ok {
			if values := c.Choices().Get(); len(values) > 0 {
				v[p.Title()] = values
			}
		}
	}
	m.keepLook(v)
	return v
}

// keepView writes the view if it has changed.
func (m *Model) keepView() tea.Cmd {
	if !m.keep.recalled || m.keep.writing {
		return nil
	}
	v := m.view()
	if v.Same(m.keep.views) {
		return nil
	}
	m.keep.views, m.keep.writing = v, true
	in, runs := m.Config.Views, m.Config.RunsDir
	return func() tea.Msg {
		// A disk that refuses it costs the view at the next start and nothing now.
		return viewsMsg{written: true, err: lab.WriteViews(in, runs, v)}
	}
}

// keepLast writes the view when the interface is left.
func (m *Model) keepLast() {
	if m.keep.writing { // that write may be cut off
		m.keep.views, m.keep.writing = nil, false
	}
	if write := m.keepView(); write != nil {
		write()
	}
}
