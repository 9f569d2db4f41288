package tui

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// commonKeys returns the rows of the key table that all pages have.
func (m *Model) commonKeys() []kit.Key {
	leave := "quit; asks while runs of this program are live"
	if m.Config.RunsGoOn {
		leave = "quit; the runs continue, and drolab attach shows them again"
	}
	rows := []kit.Key{
		{Keys: kit.On(":"), Help: "find a command by name",
			Act: kit.Just(m.openPalette), Moves: true, Group: kit.ToStart},
		{Keys: kit.On("?"), Hint: "help", Help: "show these keys", Last: true, Group: kit.ToLook,
			Act: kit.Just(func() { m.open(m.help()) })},
		{Keys: kit.On("q", "ctrl+c"), Hint: "quit", Help: leave, Act: m.askLeave, Last: true},
		{Keys: kit.On("esc"), Group: kit.ToLeave, Help: "back to the page that led here",
			Why: m.noLead, Act: m.goBack},
		{Keys: kit.On("ctrl+z"), Help: "suspend the program; the shell's fg resumes it",
			// from a guest it would suspend the program of the user who shares
			Act: func() tea.Cmd { return tea.Suspend }, Local: true, Group: kit.ToLeave},
		{Keys: kit.On("X"), Help: "stop all runs of the last start (asks)", Alters: true,
			Why: func() string { return kit.Unless(len(m.launched) > 0, noneStarted) },
			Act: m.stopAll},
		{Keys: kit.On("]"), Help: "next page", Group: kit.ToLeave,
			Act: func() tea.Cmd { return m.turnTo(m.pageAfter(+1)) }},
		{Keys: kit.On("["), Help: "previous page", Group: kit.ToLeave,
			Act: func() tea.Cmd { return m.turnTo(m.pageAfter(-1)) }},
	}
	for i := range m.pages {
		rows = append(rows, kit.Key{Keys: kit.On(string(rune('1' + i))),
			Act: func() tea.Cmd { return m.turnTo(pageID(i)) }})
	}
	return rows
}

// stopAll asks, and then stops the runs of the last start that have not ended.
func (m *Model) stopAll() tea.Cmd {
	s, launched := m.Source, m.launched
	return func() tea.Msg {
		ids := unfinishedRuns(s, launched)
		if len(ids) == 0 {
			return kit.Notice{Text: allEnded}
		}
		stops := kit.Map(ids, func(id string) tea.Cmd { return m.Ask("stop", id) })
		lines := kit.QuestionLines(kit.Plural(len(ids), "run")+":", ids, savesFirst)
		return kit.Question("Stop all?", lines,
			kit.Answer{Keys: []string{"y"}, Name: "stop", Then: tea.Batch(stops...)})()
	}
}

// pageAfter returns the page so many tabs further on; the first follows the last.
func (m *Model) pageAfter(by int) pageID {
	n := len(m.pages)
	return pageID((int(m.current) + by + n) % n)
}

// picker is a page on which runs are selected.
type picker interface{ Chosen() []*record.Run }

// turnTo shows a page that the user asks for by its tab. Compare shows the runs selected on Runs.
func (m *Model) turnTo(id pageID) tea.Cmd {
	if p, ok := m.pages[runsPage].(picker); ok && id == comparePage && m.current != id {
		if runs := p.Chosen(); len(runs) > 0 {
			return kit.Send(lab.Compare{Runs: runs})
		}
	}
	delete(m.led, id)
	return m.show(id)
}

func (m *Model) openPalette() {
	m.open(&kit.Overlay{Title: findCommand, Form: &palette{m: m, line: kit.NewInput("")}})
}

// askLeave leaves, or finds out first which runs of this program go on.
func (m *Model) askLeave() tea.Cmd {
	if m.Config.RunsGoOn {
		return tea.Quit
	}
	s, started := m.Source, m.Lab.Started()
	return func() tea.Msg { return leaveMsg{unfinishedRuns(s, started)} }
}

// blocked returns why a row's action cannot be done now; "" when it can.
func (m *Model) blocked(row *kit.Key) string {
	if why := m.barred(row); why != "" {
		return why
	}
	if m.current == watchPage && m.watch.Replaying() && row.Alters {
		return replayReadOnly
	}
	return row.Blocked()
}

// barred returns why this view never does a row's action; "" if it may.
func (m *Model) barred(row *kit.Key) string {
	switch {
	case m.Config.ReadOnly && row.Alters:
		return readOnly
	case m.Config.Guest && row.Local:
		return guest
	}
	return ""
}

// The messages that stay in this package; the others are in tui/kit and tui/lab.

// offer is a row of the key table that the palette found, and its page. As a message it asks for
// the action of the row, on that page.
type offer struct {
	*kit.Key
	page pageID // the page of the key
}

// leaveMsg says which runs of this process are live when leaving is asked for.
type leaveMsg struct{ live []string }

// unfinishedRuns returns those of the runs that have not ended.
func unfinishedRuns(s lab.Source, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		r, err := s.Find(id)
		return err != nil || r.Status().Ended()
	})
}

// palette is the form that finds what a key does by the words of its help.
type palette struct {
	m      *Model
	line   kit.Input
	cursor int // row under the cursor
}

// rows returns the rows of all pages' keys that have every typed word, without the rows that only
// move the cursor. First come the rows of this page that can be done now, then those of other
// pages, then the rest.
func (p *palette) rows() (rows []offer) {
	var elsewhere, idle []offer
	common := len(p.m.commonKeys())
	for n := range p.m.pages {
		page := pageID((int(p.m.current) + n) % len(p.m.pages))
		for i := range p.m.keys[page] {
			row := &p.m.keys[page][i]
			all := i >= len(p.m.keys[page])-common // a key of all pages
			if row.Moves || row.Help == "" || p.m.barred(row) != "" || all && n > 0 ||
				!p.matches(row) {
				continue
			}
			switch o := (offer{row, page}); {
			case n > 0:
				elsewhere = append(elsewhere, o)
			case row.Blocked() == "":
				rows = append(rows, o)
			default:
				idle = append(idle, o)
			}
		}
	}
	if p.line.String() == "" { // the page's own keys are what one looks for then
		elsewhere = nil
	}
	return slices.Concat(rows, elsewhere, idle)
}

// matches reports whether a row has every typed word, or another word for it.
func (p *palette) matches(row *kit.Key) bool {
	text := strings.ToLower(row.Hint + " " + row.Help)
	for of, words := range synonyms() {
		if strings.Contains(text, of) {
			text += " " + words
		}
	}
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(p.line.String())), lacks)
}

// synonyms returns other words for the words of the help.
func synonyms() map[string]string {
	return map[string]string{
		"fork":             "branch clone what-if whatif",
		"change a setting": "knob lr learning rate lambda tune turn edit slider",
		"undo":             "take back revert",
		"stop":             "kill end abort cancel terminate",
		"delete":           "remove rm trash",
		"resume":           "continue restart go on",
		"pause":            "halt hold",
		"checkpoint":       "save snapshot",
		"export":           "csv download write",
		"replay":           "play again rewind",
		"compare":          "table versus diff",
		"filter":           "search find",
		"smoothing":        "ema average",
		"log":              "logarithmic scale",
		"define":           "help explain what is meaning",
		"start":            "run launch train begin",
	}
}

// Press implements kit.Form.
func (p *palette) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	rows := p.rows()
	switch key.String() {
	case "up", "shift+tab":
		p.cursor--
	case "down", "tab":
		p.cursor++
	case "enter":
		if p.cursor < len(rows) {
			return true, kit.Send(rows[p.cursor])
		}
	default:
		if p.line.Update(key) {
			p.cursor = 0
		}
	}
	p.cursor = max(0, min(p.cursor, len(p.rows())-1))
	return false, nil
}

// Hint implements kit.Form.
func (p *palette) Hint() []kit.Key { return kit.TypingKeys() }

// paletteRows is the number of rows that are shown at once, if there is room.
const paletteRows = 14

// View implements kit.Form.
func (p *palette) View(t *kit.Theme, w, h int) []string {
	room := max(1, min(paletteRows, h-2))
	lines := []string{t.Accent.Paint(": ") + p.line.View(t.Text, w-2), ""}
	rows := p.rows()
	first := kit.First(p.cursor, len(rows), room)
	for i := first; i < min(first+room, len(rows)); i++ {
		row := rows[i]
		name, help := kit.Left(row.Name(t.ASCII), 7), t.Greek(row.Help)
		if row.page != p.m.current {
			help = p.m.pages[row.page].Title() + ": " + help
		}
		switch {
		case i == p.cursor:
			lines = append(lines, t.Selected.Paint(kit.Left(t.Cursor+" "+name+help, w)))
		case row.page == p.m.current && row.Blocked() != "":
			lines = append(lines, t.Dim.Paint("  "+name+help))
		default:
			lines = append(lines, "  "+t.Key.Paint(name)+help)
		}
	}
	if len(rows) == 0 {
		lines = append(lines, t.Dim.Paint("  "+noCommand))
	}
	return kit.Fill(lines, w, room+2)
}

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
	if p, ok := m.page().(pointed); ok && p.Point(kit.Hover{X: x, Y: y}) {
		m.version++
	}
	return nil
}

// What the terminal itself is told, where the user wants that (lab.Ring).

// notification returns the escape sequence that tells the terminal of the end of a run; "" for
// none. A run's name cannot steer the terminal: it has no control characters and ends no field.
func notification(r lab.Ring, e lab.Ended) string {
	clean := func(s string) string { return strings.ReplaceAll(cell.Clean(s), ";", ",") }
	text := clean(fmt.Sprintf("%s: %s", e.Name, e.Status))
	switch r.Notify {
	case "9":
		return ansi.Notify("drolab: " + text)
	case "777":
		return ansi.URxvtExt("notify", "drolab", text)
	}
	return ""
}

// ring tells the terminal of a run that is done or has failed.
func (m *Model) ring(e lab.Ended) tea.Cmd {
	if s := notification(m.Config.Ring, e); s != "" {
		return tea.Raw(s)
	}
	return nil
}

// progress returns the progress of the watched runs, for the window's icon or tab; nil for none.
func (m *Model) progress() *tea.ProgressBar {
	part, failed, live := m.watch.Progress()
	switch {
	case !m.Config.Ring.Progress || !live:
		return nil
	case failed:
		return tea.NewProgressBar(tea.ProgressBarError, int(100*part))
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, int(100*part))
}
