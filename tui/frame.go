package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// tab is a page's name in the header and where it starts.
type tab struct {
	text string
	x    int
}

// tabs lays out the header: the program's name, then the pages.
func (m *Model) tabs() []tab {
	x := len(" drolab  ")
	if m.w < 56 {
		x = 1
	}
	var list []tab
	for i, p := range m.pages {
		text := fmt.Sprintf(" %d %s ", i+1, p.title())
		list = append(list, tab{text, x})
		x += width(text)
	}
	return list
}

func (m *Model) tabAt(x int) (pageID, bool) {
	for i, t := range m.tabs() {
		if x >= t.x && x < t.x+width(t.text) {
			return pageID(i), true
		}
	}
	return 0, false
}

// header is the first line.
func (m *Model) header() string {
	t, tabs := m.theme, m.tabs()
	s := left(" drolab", tabs[0].x)
	if tabs[0].x < 4 {
		s = blanks(tabs[0].x)
	}
	s = t.title.paint(s)
	for i, tab := range tabs {
		st := t.dim
		if pageID(i) == m.at {
			st = t.barText
		}
		s += st.paint(tab.text)
	}
	note := m.watch.digest()
	if m.cfg.ReadOnly {
		note = strings.TrimSuffix("read-only · "+note, " · ")
	}
	return spread(s, t.dim.paint(note+" "), m.w)
}

// footer is the last line: a notice, or the keys that work now.
func (m *Model) footer() string {
	t := m.theme
	switch {
	case m.notice.text != "" && m.notice.bad:
		return left(" "+t.bad.paint(t.greek("! "+cut(m.notice.text, m.w-4))), m.w)
	case m.notice.text != "":
		return left(" "+t.warn.paint(t.greek(cut(m.notice.text, m.w-2))), m.w)
	case m.overlay != nil && m.overlay.form != nil:
		return left(" "+t.key.paint("Enter")+t.dim.paint(" take  ")+t.key.paint("Esc")+t.dim.paint(" cancel"), m.w)
	case m.overlay != nil && len(m.overlay.choices) == 0:
		return left(" "+t.key.paint("Esc")+t.dim.paint(" back"), m.w)
	case m.overlay != nil:
		return left(" "+m.overlay.options(t), m.w)
	}
	if m.pages[m.at].typing() {
		return left(" "+t.key.paint("Enter")+t.dim.paint(" take  ")+t.key.paint("Esc")+t.dim.paint(" cancel"), m.w)
	}
	// help and quit are the ones to find when everything else is forgotten.
	hints, tail := "", ""
	for i := range m.keys[m.at] {
		if row := &m.keys[m.at][i]; row.Last {
			tail += m.hint(row)
		}
	}
	for i := range m.keys[m.at] {
		row := &m.keys[m.at][i]
		if row.Hint == "" || row.Last || m.blocked(row) != "" {
			continue
		}
		h := m.hint(row)
		if width(hints)+width(h)+width(tail) >= m.w {
			break
		}
		hints += h
	}
	return spread(hints, tail, m.w)
}

func (m *Model) hint(row *Key) string {
	return " " + m.theme.key.paint(row.Name(m.env.ascii)) + m.theme.dim.paint(" "+row.Hint) + " "
}

// help is the key table of the page, and of all pages: what works now, and then
// what does not, under the reasons.
func (m *Model) help() *overlay {
	t := m.theme
	var lines, reasons []string
	idle := map[string][]string{} // lines by reason
	for i := range m.keys[m.at] {
		row := &m.keys[m.at][i]
		if row.Help == "" || m.cfg.ReadOnly && row.Alters {
			continue
		}
		why := row.Blocked()
		switch {
		case why == "":
			lines = append(lines, m.helpLine(row))
			continue
		case idle[why] == nil:
			reasons = append(reasons, why)
		}
		idle[why] = append(idle[why], m.helpLine(row))
	}
	lines = append(lines, t.key.paint(left("1 to 4", 9))+" the pages: Launch, Watch, Runs, Compare",
		t.key.paint(left("mouse", 9))+" click a tab, a panel or a row; the wheel scrolls")
	for _, why := range reasons {
		lines = append(lines, "", t.dim.paint("Not now ("+t.greek(why)+"):"))
		lines = append(lines, idle[why]...)
	}
	if m.cfg.ReadOnly {
		lines = append(lines, "", t.warn.paint("This view is read-only: it starts, changes and deletes no run."))
	}
	return &overlay{title: "Keys on " + m.pages[m.at].title(), lines: lines}
}

func (m *Model) helpLine(row *Key) string {
	return m.theme.key.paint(left(row.Names(m.env.ascii), 9)) + " " + m.theme.greek(row.Help)
}

func (o *overlay) wheel(b tea.MouseButton) {
	switch b {
	case tea.MouseWheelDown:
		o.key("down")
	case tea.MouseWheelUp:
		o.key("up")
	}
}
