package tui

import (
	"fmt"
	"strings"

	"drolab/tui/kit"
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
		text := fmt.Sprintf(" %d %s ", i+1, p.Title())
		list = append(list, tab{text, x})
		x += kit.Width(text)
	}
	return list
}

func (m *Model) tabAt(x int) (pageID, bool) {
	for i, t := range m.tabs() {
		if x >= t.x && x < t.x+kit.Width(t.text) {
			return pageID(i), true
		}
	}
	return 0, false
}

// header is the first line.
func (m *Model) header() string {
	t, tabs := m.Theme, m.tabs()
	s := kit.Left(" drolab", tabs[0].x)
	if tabs[0].x < 4 {
		s = kit.Blanks(tabs[0].x)
	}
	s = t.Title.Paint(s)
	for i, tab := range tabs {
		st := t.Dim
		if pageID(i) == m.at {
			st = t.BarText
		}
		s += st.Paint(tab.text)
	}
	note := m.watch.Digest()
	if m.Config.ReadOnly {
		note = strings.TrimSuffix("read-only · "+note, " · ")
	}
	return kit.Spread(s, t.Dim.Paint(note+" "), m.w)
}

// footer is the last line: a notice, or the keys that work now.
func (m *Model) footer() string {
	t := m.Theme
	switch {
	case m.notice.Text != "" && m.notice.Bad:
		return kit.Left(" "+t.Bad.Paint(t.Greek("! "+kit.Cut(m.notice.Text, m.w-4))), m.w)
	case m.notice.Text != "":
		return kit.Left(" "+t.Warn.Paint(t.Greek(kit.Cut(m.notice.Text, m.w-2))), m.w)
	case m.overlay != nil && m.overlay.Form != nil:
		return kit.Left(" "+t.Key.Paint("Enter")+t.Dim.Paint(" take  ")+t.Key.Paint("Esc")+t.Dim.Paint(" cancel"), m.w)
	case m.overlay != nil && len(m.overlay.Choices) == 0:
		return kit.Left(" "+t.Key.Paint("Esc")+t.Dim.Paint(" back"), m.w)
	case m.overlay != nil:
		return kit.Left(" "+m.overlay.Options(t), m.w)
	}
	if m.pages[m.at].Typing() {
		return kit.Left(" "+t.Key.Paint("Enter")+t.Dim.Paint(" take  ")+t.Key.Paint("Esc")+t.Dim.Paint(" cancel"), m.w)
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
		if kit.Width(hints)+kit.Width(h)+kit.Width(tail) >= m.w {
			break
		}
		hints += h
	}
	return kit.Spread(hints, tail, m.w)
}

func (m *Model) hint(row *kit.Key) string {
	return " " + m.Theme.Key.Paint(row.Name(m.env.ascii)) + m.Theme.Dim.Paint(" "+row.Hint) + " "
}

// help is the key table of the page, and of all pages: what works now, and then
// what does not, under the reasons.
func (m *Model) help() *kit.Overlay {
	t := m.Theme
	var lines, reasons []string
	idle := map[string][]string{} // lines by reason
	for i := range m.keys[m.at] {
		row := &m.keys[m.at][i]
		if row.Help == "" || m.Config.ReadOnly && row.Alters {
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
	lines = append(lines, t.Key.Paint(kit.Left("1 to 4", 9))+" the pages: Launch, Watch, Runs, Compare",
		t.Key.Paint(kit.Left("mouse", 9))+" click a tab, a panel or a row; the wheel scrolls")
	for _, why := range reasons {
		lines = append(lines, "", t.Dim.Paint("Not now ("+t.Greek(why)+"):"))
		lines = append(lines, idle[why]...)
	}
	if m.Config.ReadOnly {
		lines = append(lines, "", t.Warn.Paint("This view is read-only: it starts, changes and deletes no run."))
	}
	return &kit.Overlay{Title: "Keys on " + m.pages[m.at].Title(), Lines: lines}
}

func (m *Model) helpLine(row *kit.Key) string {
	return m.Theme.Key.Paint(kit.Left(row.Names(m.env.ascii), 9)) + " " + m.Theme.Greek(row.Help)
}

// screen is where the parts that every page has are.
type screen struct{ header, body, footer kit.Rect }

// layScreen divides a screen of w by h cells.
func layScreen(w, h int) screen {
	return screen{
		header: kit.Area(0, 0, w, 1),
		body:   kit.Area(0, 1, w, h - 2),
		footer: kit.Area(0, h - 1, w, 1),
	}
}
