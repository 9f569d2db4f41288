package tui

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// tab is a page's name in the header and where it starts.
type tab struct {
	page pageID
	text string
	x    int
}

// tabs lays out the header: the program's name, then the pages. Where there is no room for them and
// the state of the runs, the least goes: the program's name, then the names of other pages.
func (m *Model) tabs() (list []tab) {
	least, _, _ := strings.Cut(m.headerNote(m.w), " · ")
	room := m.w - cell.Width(least) - len("  ")
	for _, named := range []struct{ program, others bool }{{true, true}, {false, true}, {}} {
		list = m.tabsNamed(named.program, named.others)
		last := list[len(list)-1]
		if last.x+cell.Width(last.text) <= room {
			break
		}
	}
	return list
}

// tabsNamed lays out the header with or without the program's name and the names of other pages
// than the current one. A page with nothing to show has its number alone.
func (m *Model) tabsNamed(program, others bool) (list []tab) {
	x := 1
	if program {
		x = len(programName + "  ")
	}
	for i, p := range m.pages {
		at := pageID(i)
		a, ok := p.(absentPage)
		absent := ok && a.Absent()
		text := fmt.Sprintf(" %d %s ", i+1, p.Title())
		if (!others || absent) && at != m.current {
			text = fmt.Sprintf(" %d ", i+1)
		}
		list = append(list, tab{at, text, x})
		x += cell.Width(text)
	}
	return list
}

// programName stands at the left of the header.
const programName = " drolab"

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
	s := kit.Blanks(tabs[0].x)
	if tabs[0].x > len(programName) {
		s = kit.Left(programName, tabs[0].x)
	}
	s = t.Title.Paint(s)
	for _, tab := range tabs {
		st := t.Dim
		if tab.page == m.current {
			st = t.BarText
		}
		s += st.Paint(tab.text)
	}
	note := m.headerNote(m.w - cell.Width(s) - 2)
	return kit.Justify(s, t.Dim.Paint(note+" "), m.w)
}

// headerNote says how the watched runs stand, in so many cells. On other pages it says that these
// are the watched ones. Where others are live on this machine it counts all of them first, so that
// nobody takes the watched ones for all. What does not fit is left out, the least important first:
// the states if others are live, then that others are live or that the view is read-only, then the
// last states.
func (m *Model) headerNote(cells int) string {
	state := m.watch.Digest(cells)
	if m.watch.Replaying() { // it is read-only, too, and nobody must take it for the present
		return cell.Cut(state, cells)
	}
	note, short, watched := state, state, 0
	for _, r := range m.watch.Living() {
		if r.Mirrored() == nil {
			watched++
		}
	}
	if m.current != watchPage && state != "" { // other pages show other runs, too
		state = "watched: " + state
		note, short = state, state
	}
	switch here := m.liveHere(); {
	case here > watched && state == "":
		note = fmt.Sprintf("%d live here", here)
	case here > watched: // others than those that are watched
		note = fmt.Sprintf("%d live here · watched: %s", here, m.watch.Digest(cells))
		short = fmt.Sprintf("%d live, %d watched", here, watched)
	case m.Config.ReadOnly:
		note = strings.TrimSuffix("read-only · "+state, " · ")
	}
	for _, shorter := range []string{short, state} {
		if cell.Width(note) > cells && state != "" {
			note = shorter
		}
	}
	if m.current != watchPage && cell.Width(note) > cells {
		note = "" // cut, it would not say that these are the watched runs
	}
	return m.Theme.Shorten(m.withBoxes(note, cells), cells)
}

// footer draws the last line, which has the keys that work now, or a notice in as many lines as it
// takes.
func (m *Model) footer() string {
	t := m.Theme
	late, _ := m.Unanswered()
	far := m.isBusy() && (m.AsksAgain() != "" || late != "")
	switch {
	case m.notice.Text != "" && !(far && m.notice.Unasked): // else waiting says more
		return strings.Join(m.noticeLines(), "\n")
	case m.isBusy():
		return kit.Left(" "+t.Accent.Paint(cell.Cut(t.Greek(m.waiting()), m.w-2)), m.w)
	}
	return t.Footer(m.hinted(), m.w)
}

// noticeLines draws the notice. It stands over the last lines of the page where one line is too
// short for it, and is cut where half of the page is.
func (m *Model) noticeLines() (lines []string) {
	t := m.Theme
	mark, st := "", t.Warn
	if m.notice.Bad {
		mark, st = cell.Warning+" ", t.Alarm
	}
	cells := m.w - 2 - cell.Width(mark)
	parts := kit.Wrap(t.Greek(m.notice.Text), cells)
	most := max(1, m.Body.H/2)
	if m.notice.OneLine {
		most = 1
	}
	if len(parts) > most {
		parts[most-1] = cell.Cut(strings.Join(parts[most-1:], " "), cells)
		parts = parts[:most]
	}
	for _, part := range parts {
		lines = append(lines, kit.Left(" "+st.Paint(mark+part), m.w))
		mark = kit.Blanks(cell.Width(mark))
	}
	return lines
}

// isBusy reports whether the footer says what is waited for, in place of the keys.
func (m *Model) isBusy() bool {
	late, _ := m.Unanswered()
	return !m.isTyping() &&
		(m.Starting != "" || m.Reading() != nil || m.AsksAgain() != "" || late != "")
}

// isTyping reports whether keys go to an overlay, or to a text that is typed on the page.
func (m *Model) isTyping() bool { return m.overlay != nil || m.page().Typing() }

// hinted returns the rows whose hints the footer may show: those that can be done now.
func (m *Model) hinted() []kit.Key {
	switch {
	case m.overlay != nil:
		return m.overlay.Hints()
	case m.page().Typing():
		return kit.TypingKeys()
	}
	idle := func(row kit.Key) bool { // HintIn is asked only where the key can be pressed
		return row.Hint == "" || m.blockReason(&row, row.Blocked()) != "" ||
			row.HintIn != nil && row.HintIn(m.w) == ""
	}
	return slices.DeleteFunc(slices.Clone(m.keys[m.current]), idle)
}

// clickFooter does what the hint at column x of the footer says. A click beside the hints takes
// away a notice.
func (m *Model) clickFooter(x int) tea.Cmd {
	if m.notice.Text != "" || m.isBusy() {
		m.notice = kit.Notice{}
		return nil
	}
	row := m.Theme.HintAt(m.hinted(), m.w, x)
	switch {
	case row == nil:
		return nil
	case m.isTyping():
		return m.press(kit.Press(row.Keys.Keys()[0]))
	}
	return m.perform(row, "")
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
		if r.Status() == runner.Running && m.Silent.Ago(r, r.Status()) == "" {
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
	now, box := m.Reading(), m.AsksAgain()
	late, waits := m.Unanswered()
	switch {
	case box != "":
		return fmt.Sprintf("The link of box %s was lost: drolab asks again once it is back", box)
	case late != "" && now == nil:
		text := fmt.Sprintf("box %s has not answered for %d s", late, int(waits.Seconds()))
		return strings.TrimSpace(m.Starting + " " + text)
	case now == nil:
		return m.Starting
	case m.Starting == "":
		return now.String()
	}
	return m.Starting + " " + now.String()
}
