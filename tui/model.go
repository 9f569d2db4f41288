package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Model is the whole interface. Bubble Tea's loop owns it.
type Model struct {
	*shared
	pages [pages]page
	keys  [pages][]Key // a page's own and those of all pages
	watch *watch
	at    pageID

	w, h      int
	dark      bool
	unfocused bool
	news      time.Time // when something was last read or pressed
	pressed   time.Time // when a key or the mouse was
	now       time.Time // of the last tick
	overlay   *overlay
	notice    noticeMsg
	noticed   time.Time // when the notice came

	version int  // grows with every message that may change the screen
	drawn   memo // the screen at a version
}

// New returns the interface over runs that source reads.
func New(cfg Config, source Source) *Model {
	s := &shared{cfg: cfg, env: cfg.environment(), source: source, after: tickAfter, mine: map[string]bool{}}
	m := &Model{shared: s, dark: true, watch: newWatch(s)}
	m.pages = [pages]page{newLaunchPage(s), m.watch, newRunsPage(s), newComparePage(s)}
	for i, p := range m.pages {
		m.keys[i] = append(p.Keys(), m.ownKeys()...)
	}
	if cfg.Attach {
		m.at = watchPage
	}
	m.restyle()
	return m
}

func (m *Model) restyle() { m.theme = newTheme(m.env.profile, m.dark, m.env.ascii) }

// Init implements tea.Model. Nothing slow comes before the first frame.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(
		// Bubble Tea does not ask for it over SSH; a terminal that does not
		// know the mode answers so, or not at all.
		tea.Raw(ansi.RequestModeSynchronizedOutput),
		tea.RequestBackgroundColor,
		m.pages[m.at].enter(),
		m.after(readEvery),
	)
}

// Update implements tea.Model: it routes.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if changes(msg) {
		m.version++
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.body = layScreen(m.w, m.h).body
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.profile(msg.Profile)
	case tea.FocusMsg:
		m.unfocused = false
	case tea.BlurMsg:
		m.unfocused = true
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.MouseMsg:
		return m, m.mouse(msg)
	case tea.PasteMsg:
		if m.overlay == nil && m.pages[m.at].typing() {
			return m, m.pages[m.at].update(msg)
		}
	case tickMsg:
		return m, m.tick(time.Time(msg))
	case showMsg:
		return m, m.show(pageID(msg))
	case noticeMsg:
		m.notice, m.noticed = msg, m.now
	case doMsg:
		return m, m.do(msg.Key)
	case overlayMsg:
		m.overlay = msg.overlay
	case leaveMsg:
		return m, m.leave(msg)
	default:
		return m, m.answer(msg)
	}
	return m, nil
}

// changes tells whether a message may change the screen. A tick only asks for
// a look at the files, and mostly nothing is new there.
func changes(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tickMsg:
		return false
	case readMsg:
		return slices.ContainsFunc(msg.parts, func(p part) bool { return len(p.events) > 0 || p.err != nil || p.status != "" })
	}
	return true
}

// answer hands an answer to every page, since a page may have asked before it
// was left.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case startMsg:
		cmds = append(cmds, m.started(msg))
	case verbMsg:
		cmds = append(cmds, m.answered(msg))
	case watchMsg:
		cmds = append(cmds, m.show(watchPage))
	case compareMsg:
		cmds = append(cmds, m.show(comparePage))
	case readMsg:
		for _, p := range msg.parts {
			if len(p.events) > 0 {
				m.news = m.now
			}
		}
	}
	for _, p := range m.pages {
		cmds = append(cmds, p.update(msg))
	}
	return tea.Batch(cmds...)
}

// started notes the runs that were started and turns to them.
func (m *Model) started(msg startMsg) tea.Cmd {
	if msg.err != nil {
		return complain(msg.err)
	}
	for _, id := range msg.ids {
		m.mine[id] = true
	}
	return send(watchMsg{msg.ids})
}

// answered tells what came of asking something of a run.
func (m *Model) answered(msg verbMsg) tea.Cmd {
	if msg.err != nil {
		return complain(msg.err)
	}
	if msg.verb == "resume" {
		m.mine[msg.id] = true
	}
	return notify(fmt.Sprintf("asked to %s: %s", verbText(msg.verb), Clean(msg.id)))
}

// verbText is a verb in a sentence.
func verbText(verb string) string {
	if verb == "checkpoint" {
		return "save a checkpoint"
	}
	return verb
}

// profile takes what Bubble Tea learned of the terminal's colours meanwhile.
func (m *Model) profile(p colorprofile.Profile) {
	if !m.env.plain {
		m.env.profile = p
		m.restyle()
	}
}

// press routes a key: to the overlay, to what is typed, or by the key table.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	m.notice, m.news, m.pressed = noticeMsg{}, m.now, m.now
	key := k.String()
	p := m.pages[m.at]
	switch {
	case m.overlay != nil:
		done, cmd := m.overlay.press(k)
		if done {
			m.overlay = nil
		}
		return cmd
	case p.typing() && key != "ctrl+c":
		return p.update(k)
	}
	if row := Find(m.keys[m.at], k); row != nil {
		return m.do(row)
	}
	return nil
}

// do does what a row of the key table does, or says why not.
func (m *Model) do(row *Key) tea.Cmd {
	if why := m.blocked(row); why != "" {
		return notify(why)
	}
	return row.Do()
}

// blocked says why what a row does cannot be done now; "" when it can.
func (m *Model) blocked(row *Key) string {
	if m.cfg.ReadOnly && row.Alters {
		return readOnly
	}
	return row.Blocked()
}

const readOnly = "this view is read-only: leave it and use drolab attach to change anything"

func (m *Model) show(id pageID) tea.Cmd {
	if m.at == id {
		return nil
	}
	m.at = id
	return m.pages[id].enter()
}

// leave ends the program, after a question where runs of it go on.
func (m *Model) leave(msg leaveMsg) tea.Cmd {
	if len(msg.live) == 0 {
		return tea.Quit
	}
	lines := []string{fmt.Sprintf("%s of this program not finished:", plural(len(msg.live), "run")), ""}
	for i, id := range msg.live {
		if i == 8 {
			lines = append(lines, fmt.Sprintf("  and %d more", len(msg.live)-i))
			break
		}
		lines = append(lines, "  "+Clean(id))
	}
	lines = append(lines, "", "Leaving stops them with a checkpoint;", "drolab resume RUN goes on from there.")
	m.overlay = &overlay{title: "Leave?", lines: lines,
		choices: []choice{{[]string{"y", "ctrl+c"}, "stop them and leave", tea.Quit}}}
	return nil
}

// tick lets the page look at the files and sets the next tick.
func (m *Model) tick(t time.Time) tea.Cmd {
	m.now = t
	if m.notice.text != "" && t.Sub(m.noticed) > noticeTime {
		m.notice = noticeMsg{}
		m.version++
	}
	cmds := []tea.Cmd{m.after(m.pace()), m.watch.read(t)}
	return tea.Batch(append(cmds, m.pages[m.at].update(tickMsg(t)))...)
}

// pace is the time to the next tick: short only while there is something to
// see.
func (m *Model) pace() time.Duration {
	if m.now.Sub(m.news) > boredom {
		return readRarely
	}
	if m.unfocused || m.now.Sub(m.news) > patience {
		return readSeldom
	}
	if m.now.Sub(m.pressed) > calm {
		return readCalm
	}
	return readEvery
}

// mouse routes clicks and the wheel.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if m.tooSmall() {
		return nil
	}
	if m.overlay != nil {
		m.overlay.wheel(at.Button)
		return nil
	}
	lay := layScreen(m.w, m.h)
	_, click := msg.(tea.MouseClickMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	m.news, m.pressed = m.now, m.now
	switch {
	case click && lay.header.contains(at.X, at.Y):
		if id, ok := m.tabAt(at.X); ok {
			return m.show(id)
		}
	case click && lay.body.contains(at.X, at.Y):
		return m.pages[m.at].update(clickMsg{at.X - lay.body.x, at.Y - lay.body.y})
	case wheel && lay.body.contains(at.X, at.Y):
		return m.pages[m.at].update(wheelMsg{at.X - lay.body.x, at.Y - lay.body.y, at.Button == tea.MouseWheelDown})
	}
	return nil
}

func (m *Model) tooSmall() bool { return m.w < leastWidth || m.h < leastHeight }

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(m.drawn.get(m.version, func() []string { return []string{m.screen()} })[0])
	v.AltScreen = true
	v.ReportFocus = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "drolab"
	return v
}

// screen draws everything: m.h lines of m.w cells.
func (m *Model) screen() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	var lines []string
	if m.tooSmall() {
		lines = fill([]string{fmt.Sprintf("too small: %dx%d needed", leastWidth, leastHeight)}, m.w, m.h)
	} else {
		lay := layScreen(m.w, m.h)
		body := m.pages[m.at].view(lay.body.w, lay.body.h)
		if m.overlay != nil {
			body = m.overlay.draw(m.theme, body, lay.body.w, lay.body.h)
		}
		lines = append(append([]string{m.header()}, body...), m.footer())
	}
	s := strings.Join(lines, "\n")
	if m.env.ascii {
		return sevenBit(s)
	}
	return s
}
