package tui

import (
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// mouse routes clicks and the wheel.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if m.tooSmall() {
		return nil
	}
	if m.overlay != nil {
		if msg, ok := msg.(tea.MouseWheelMsg); ok {
			m.overlay.Wheel(msg)
		}
		return nil
	}
	x, y, inside := at.X-m.Body.X, at.Y-m.Body.Y, m.Body.Contains(at.X, at.Y)
	_, click := msg.(tea.MouseClickMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	m.pressed, m.used = m.now, true
	m.frames.set(m.env.frames)
	if _, motion := msg.(tea.MouseMotionMsg); motion {
		return m.moved(x, y, at.Button)
	}
	m.news = m.now
	switch {
	case click && at.Y == 0: // the header
		if id, ok := m.tabAt(at.X); ok {
			return m.turnTo(id)
		}
	case click && at.Y == m.h-1: // the footer
		if row := m.hintAt(at.X); row != nil {
			return m.perform(row)
		}
		m.notice = kit.Notice{}
	case click && inside:
		return m.page().Update(kit.Click{X: x, Y: y})
	case wheel && inside:
		return m.page().Update(kit.Wheel{X: x, Y: y, Down: at.Button == tea.MouseWheelDown})
	}
	return nil
}

// moved routes a move of the mouse; a move without a button mostly changes nothing.
func (m *Model) moved(x, y int, button tea.MouseButton) tea.Cmd {
	if button == tea.MouseLeft {
		m.version++
		return m.page().Update(kit.Drag{X: x, Y: y})
	}
	if p, ok := m.page().(hoverPage); ok && p.Point(kit.Hover{X: x, Y: y}) {
		m.version++
	}
	return nil
}
