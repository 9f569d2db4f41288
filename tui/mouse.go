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
	lay := layScreen(m.w, m.h)
	_, click := msg.(tea.MouseClickMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	m.pressed = m.now
	m.frames.set(m.env.frames())
	if _, motion := msg.(tea.MouseMotionMsg); motion {
		return m.moved(at, lay.body)
	}
	m.news = m.now
	switch {
	case click && lay.header.Contains(at.X, at.Y):
		if id, ok := m.tabAt(at.X); ok {
			return m.turnTo(id)
		}
	case click && lay.body.Contains(at.X, at.Y):
		return m.pages[m.at].Update(kit.Click{X: at.X - lay.body.X, Y: at.Y - lay.body.Y})
	case wheel && lay.body.Contains(at.X, at.Y):
		return m.pages[m.at].Update(kit.Wheel{X: at.X - lay.body.X, Y: at.Y - lay.body.Y,
			Down: at.Button == tea.MouseWheelDown})
	}
	return nil
}

// moved routes a move of the mouse; a move without a button mostly changes nothing.
func (m *Model) moved(at tea.Mouse, body kit.Rect) tea.Cmd {
	x, y := at.X-body.X, at.Y-body.Y
	if at.Button == tea.MouseLeft {
		m.version++
		return m.pages[m.at].Update(kit.Drag{X: x, Y: y})
	}
	if p, ok := m.pages[m.at].(pointed); ok && p.Point(kit.Hover{X: x, Y: y}) {
		m.version++
	}
	return nil
}
