package tui

import (
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// mouse routes clicks and the wheel.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if m.tooSmall() {
		return nil
	}
	x, y, inside := at.X-m.Body.X, at.Y-m.Body.Y, m.Body.Contains(at.X, at.Y)
	_, click := msg.(tea.MouseClickMsg)
	wheelMsg, wheel := msg.(tea.MouseWheelMsg)
	if m.overlay != nil {
		switch {
		case wheel:
			m.overlay.Wheel(wheelMsg)
		case click && at.Y == m.h-1:
			return m.clickFooter(at.X)
		}
		return nil
	}
	m.pressed, m.used = m.now, true
	m.frames.set(m.env.frames)
	if _, motion := msg.(tea.MouseMotionMsg); motion {
		return m.moved(x, y, at.Button)
	}
	m.news = m.now
	switch {
	case click && at.Y == 0: // the header
		tabs := m.tabs()
		last := tabs[len(tabs)-1]
		if id, ok := m.tabAt(at.X); ok {
			return m.turnTo(id)
		}
		if len(m.boxes.notes) > 0 && at.X >= last.x+cell.Width(last.text) {
			return m.openBoxes("")
		}
	case click && at.Y == m.h-1:
		return m.clickFooter(at.X)
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
