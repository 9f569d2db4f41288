package tui

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// tab is a page's name in the header and where it starts.
type tab struct {
	page pageID
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
		at := pageID(i)
		if a, ok := p.(absentPage); ok && a.Absent() && at != m.current {
			continue
		}
		text := fmt.Sprintf(" %d %s ", i+1, p.Title())
		list = append(list, tab{at, text, x})
		x += cell.Width(text)
	}
	if x > m.w { // only the current page has its name
		x = 1
		for i := range list {
			list[i].x = x
			if list[i].page != m.current {
				list[i].text = fmt.Sprintf(" %d ", list[i].page+1)
			}
			x += cell.Width(list[i].text)
		}
	}
	return list
}

func (m *Model) tabAt(x int) (pageID, bool) {
	for _, t := range m.tabs() {
		if x >= t.x && x < t.x+cell.Width(t.text) {
			return t.page, true
		}
	}
	return 0, false
}

// header draws the first line.
func (m *Model) header() string {
	t, tabs := m.Theme, m.tabs()
	s := kit.Left(" drolab", tabs[0].x)
	if tabs[0].x < 4 {
		s = kit.Blanks(tabs[0].x)
	}
	s = t.Title.Paint(s)
	for _, tab := range tabs {
		st := t.Dim
		if tab.page == m.current {
			st = t.BarText
		}
		s += st.Paint(tab.text)
	}
	note := m.watch.Digest(m.w - cell.Width(s) - 2)
	switch {
	case m.watch.Replaying(): // it is read-only, too, and nobody must take it for the present
		note = cell.Cut(note, m.w-cell.Width(s)-2)
	case !m.watch.Live() && len(m.live) > 0: // others than those that are watched
		note = strings.TrimSuffix(fmt.Sprintf("%d live", len(m.live))+" · "+note, " · ")
	case m.Config.ReadOnly:
		note = strings.TrimSuffix("read-only · "+note, " · ")
	}
	return kit.Justify(s, t.Dim.Paint(note+" "), m.w)
}

// footer draws the last line: a notice, or the keys that work now.
func (m *Model) footer() string {
	t := m.Theme
	switch {
	case m.notice.Text != "" && m.notice.Bad:
		text := cell.Warning + " " + cell.Cut(m.notice.Text, m.w-4)
		return kit.Left(" "+t.Alarm.Paint(t.Greek(text)), m.w)
	case m.notice.Text != "":
		return kit.Left(" "+t.Warn.Paint(t.Greek(cell.Cut(m.notice.Text, m.w-2))), m.w)
	case m.overlay != nil:
		return m.overlay.Hint(t, m.w)
	case m.page().Typing():
		return t.Footer(kit.TypingKeys(), m.w)
	case m.Starting != "" || m.Reading() != nil:
		return kit.Left(" "+t.Accent.Paint(cell.Cut(t.Greek(m.waiting()), m.w-2)), m.w)
	}
	return t.Footer(m.hinted(), m.w)
}

// hinted returns the rows whose hints the footer may show: those that can be done now.
func (m *Model) hinted() []kit.Key {
	idle := func(row kit.Key) bool { return row.Hint == "" || m.blockReason(&row) != "" }
	return slices.DeleteFunc(slices.Clone(m.keys[m.current]), idle)
}

// hintAt returns the row whose hint stands at column x of the footer; nil where the footer says
// something else.
func (m *Model) hintAt(x int) *kit.Key {
	busy := m.notice.Text != "" || m.Starting != "" || m.Reading() != nil
	if busy || m.page().Typing() {
		return nil
	}
	return m.Theme.HintAt(m.hinted(), m.w, x)
}

// title returns the title of the terminal's window: how far the watched runs are, and how many runs
// train.
func (m *Model) title() string {
	part, _, live := m.watch.Progress()
	if !live || m.watch.Replaying() {
		return "drolab"
	}
	text, running := fmt.Sprintf("drolab %d %%", int(100*part)), 0
	for _, r := range m.live {
		if r.Status() == runner.Running {
			running++
		}
	}
	if running > 0 {
		text += fmt.Sprintf(" · %d running", running)
	}
	return text
}

// waiting says what was asked for and is not answered for yet, and how far what is read for it is.
func (m *Model) waiting() string {
	now := m.Reading()
	switch {
	case now == nil:
		return m.Starting
	case m.Starting == "":
		return now.String()
	}
	return m.Starting + " " + now.String()
}
