package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/presets"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/pixels"
	"drolab/tui/watch"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Model is the whole interface. Bubble Tea's loop owns it.
type Model struct {
	*lab.Lab
	env     environment
	after   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // sends a message after a while
	pages   []page
	keys    [][]kit.Key // by page: its own, and behind them those of all pages
	watch   *watch.Page
	current pageID
	led     map[pageID]pageID // by page: the one that led to it

	folder
	boxes boxStates

	w, h      int
	unfocused bool
	used      bool // a key was pressed, or the mouse was used
	times
	frames *frames
	dialog
	notice kit.Notice
	failed error // why the interface ended by itself

	drawing
}

// drawing says when the screen has to be drawn anew. A screen stands until a message changes it,
// which saves most of the cost of an idle minute.
type drawing struct {
	version      int            // grows with every message that may change the screen
	drawn        string         // the screen as it was drawn last
	drawnVersion int            // the version of drawn
	waited       string         // what the last tick had to say of what is read
	pixels       *pixels.Screen // nil where the terminal is not asked for pictures
}

// folder holds what is known of the runs' folder.
type folder struct {
	keep     viewKeeper
	launched []string      // runs of the last start
	listed   bool          // the runs were listed
	begun    bool          // the interface has found out with which page it begins
	live     []*record.Run // those that have not ended, as listed
	beating  bool          // a beat is under way
	alerts   alertState
}

// times says when something was last done.
type times struct {
	now     time.Time // the last tick
	news    time.Time // when something was last read or pressed
	pressed time.Time // when a key or the mouse was last used, or the start
	noticed time.Time // when the notice came
}

// modelOf returns the interface over the runs of a configuration.
func modelOf(cfg lab.Config) *Model {
	list := func() []presets.Preset {
		list := presets.List()
		if cfg.Dir != "" {
			list = append(list, presets.Beside(cfg.Dir)...)
		}
		return list
	}
	return newModel(cfg, sourceOf(cfg), list)
}

func newModel(cfg lab.Config, source lab.Source, list func() []presets.Preset) *Model {
	s := &lab.Lab{Config: cfg, Source: source, Mine: map[string]bool{}}
	m := &Model{Lab: s, env: environmentOf(cfg.Environ), after: tea.Tick, watch: watch.New(s)}
	s.Open = m.open
	m.bind(newPages(s, list, m.watch))
	s.Round = m.env.round
	m.current = firstPage(cfg)
	m.restyle()
	return m
}

// bind sets the pages of the interface, and fills its key table from their keys.
func (m *Model) bind(pages []page) {
	m.pages, m.keys, m.led = pages, nil, map[pageID]pageID{}
	for _, p := range pages {
		m.keys = append(m.keys, append(p.Keys(), m.commonKeys()...))
	}
}

// restyle adapts the look of everything to the terminal.
func (m *Model) restyle() {
	m.Theme = kit.NewTheme(m.env.profile, !m.env.light, m.env.ascii)
	if m.env.bright {
		m.Theme.Contrast()
	}
	if m.pixels != nil && m.pixels.Protocol() != pixels.None &&
		m.env.profile >= colorprofile.ANSI256 {
		m.Theme.Draws = m.pixels.Cells
	}
	m.open(m.overlay)
}

// open puts an overlay over the page; nil takes away the one that is there.
func (m *Model) open(o *kit.Overlay) {
	m.overlay = o
	if o != nil {
		o.Resize(m.Theme, m.Body.W, m.Body.H)
	}
}

// Init implements tea.Model. Nothing slow comes before the first frame.
func (m *Model) Init() tea.Cmd {
	m.LookAtBoxes(time.Now()) // what a mirror says may be old
	return tea.Batch(
		// As if the terminal had answered that it can synchronize its output. One that cannot takes
		// no notice of it.
		kit.Send(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}),
		tea.RequestBackgroundColor,
		m.askForPixels(),
		m.page().Init(),
		m.seek(),
		m.recall(),
		m.after(readEvery, newTick),
	)
}

// askForPixels asks the terminal which pictures it can draw.
func (m *Model) askForPixels() tea.Cmd {
	m.logPictures()
	if m.pixels == nil {
		return nil
	}
	return tea.Raw(pixels.Question(m.env.multiplexer))
}

// logPictures writes for the report of a bug how pictures are drawn.
func (m *Model) logPictures() {
	if m.Config.Debug != nil {
		m.Config.Debug("pictures: %s", m.env.pictures(m.pixels))
	}
}

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if changes(msg) {
		m.version++
	}
	cmd := m.route(msg)
	return m, tea.Batch(cmd, m.performHeld())
}

// route hands a message to those that it is for.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	if m.pixels != nil {
		changed := m.pixels.Answer(msg)
		if _, last := msg.(uv.PrimaryDeviceAttributesEvent); last || changed {
			m.logPictures()
		}
		if changed {
			m.restyle()
			return m.answer(kit.Changed{})
		}
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = min(msg.Width, mostColumns), msg.Height
		m.Body = kit.Area(0, 1, m.w, m.h-2) // between header and footer
		m.open(m.overlay)
		return m.answer(kit.Changed{})
	case tea.BackgroundColorMsg:
		m.env.light = !msg.IsDark()
		m.restyle()
		return m.answer(kit.Changed{})
	case tea.ColorProfileMsg:
		if !m.env.plain { // as Bubble Tea has found them out meanwhile
			m.env.setProfile(msg.Profile)
			m.restyle()
			return m.answer(kit.Changed{})
		}
	case tea.FocusMsg:
		m.unfocused = false
	case tea.BlurMsg:
		m.unfocused = true
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.PasteMsg:
		if m.overlay == nil && m.page().Typing() {
			return m.page().Update(msg)
		}
	case kit.Tick:
		return m.tick(time.Time(msg))
	case kit.Notice:
		if !msg.Unasked || !m.notice.Bad {
			m.notice, m.noticed = msg, m.now
		}
	case lab.Opened:
		return m.opened(msg)
	case beatMsg:
		return m.beat(msg)
	case lab.Listed:
		return m.noteRuns(msg)
	case lab.Unchanged:
		return m.Note(msg)
	case alertsMsg:
		return m.noteAlerts(msg)
	case viewsMsg:
		return m.setViews(msg)
	case kit.Open:
		m.open(msg.Overlay)
	case leaveMsg:
		return m.leave(msg)
	case lab.Failed:
		m.failed = msg.Err
		return tea.Quit
	default:
		return m.answer(msg)
	}
	return nil
}

// The answer to a look may have found nothing new. Changes reports whether the screen may look
// different; News, whether something went on, so that frequent looks are worth while. Without these
// methods, a message changes the screen and is no news.
type (
	changeReporter interface{ Changes() bool }
	newsReporter   interface{ News() bool }
)

// changes reports whether a message may change the screen. A tick only asks for a look at the
// files, which mostly finds nothing new; noteRuns redraws by itself.
func changes(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case kit.Tick, beatMsg, alertsMsg, lab.Listed, lab.Unchanged, tea.MouseMotionMsg:
		return false
	case changeReporter:
		return msg.Changes()
	}
	return true
}

// answer hands an answer to every page, since a page may have asked before it
// was left.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case lab.Started:
		cmds = append(cmds, m.started(msg))
	case lab.Heeded:
		m.Starting = msg.Starting
		return msg.Begin
	case lab.Ended:
		cmds = append(cmds, m.ring(msg))
	case lab.Gone:
		cmds = append(cmds, kit.Send(kit.Notice{Text: msg.Notice(), Unasked: true}))
	case lab.Answered:
		cmds = append(cmds, m.answered(msg))
	case lab.AllAnswered:
		cmds = append(cmds, m.allAnswered(msg))
	case newsReporter:
		if msg.News() {
			m.news = m.now
		}
	}
	for _, p := range m.pages {
		cmds = append(cmds, p.Update(msg))
	}
	switch msg.(type) { // the page that is shown next has handled the message by now
	case lab.Watch:
		cmds = append(cmds, m.lead(watchPage))
	case lab.Compare:
		cmds = append(cmds, m.lead(comparePage))
	case lab.Samples:
		cmds = append(cmds, m.lead(samplesPage))
	case lab.Film:
		cmds = append(cmds, m.lead(filmPage))
	case lab.Prepare:
		cmds = append(cmds, m.lead(launchPage))
	}
	return tea.Batch(cmds...)
}

// started notes the runs that were started and turns to them.
func (m *Model) started(msg lab.Started) tea.Cmd {
	m.Starting = ""
	if msg.Err != nil {
		return kit.Complain(msg.Err)
	}
	m.launched = msg.IDs
	m.Begun(msg)
	if msg.Parent != "" { // the fork races its parent
		return kit.Send(lab.Watch{IDs: append([]string{msg.Parent}, msg.IDs...),
			Parent: msg.Parent})
	}
	return kit.Send(lab.Watch{IDs: msg.IDs})
}

// answered reports the outcome of a request to a run.
func (m *Model) answered(msg lab.Answered) tea.Cmd {
	if msg.Err != nil {
		return kit.Complain(msg.Err)
	}
	if msg.Verb == "resume" && m.BoxOf(msg.ID) == "" {
		m.Mine[msg.ID] = true
	}
	run := msg.ID
	if box := m.BoxOf(msg.ID); box != "" {
		run += " on " + box
	}
	if msg.Done == "" {
		back := map[string]string{"pause": ". r resumes it", "stop": ". r resumes it"}
		return kit.Notify(fmt.Sprintf("Asked to %s: %s%s", msg.Verb, run, back[msg.Verb]))
	}
	return kit.Notify(msg.Done + ": " + run)
}

// allAnswered reports the outcome of a request to several runs as one: how many were asked, or the
// first problem.
func (m *Model) allAnswered(msg lab.AllAnswered) (cmd tea.Cmd) {
	failed := func(a lab.Answered) bool { return a.Err != nil }
	for _, a := range msg {
		cmd = m.answered(a)
	}
	if i := slices.IndexFunc(msg, failed); i >= 0 {
		return m.answered(msg[i])
	}
	if len(msg) > 1 {
		back := map[string]string{"pause": ". r resumes them", "stop": ". r resumes them"}
		return kit.Notify(fmt.Sprintf("Asked to %s %s%s", msg[0].Verb,
			kit.Plural(len(msg), "run"), back[msg[0].Verb]))
	}
	return cmd
}

// press routes a key: to the overlay, to the text that is typed, or through the key table.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	m.notice = kit.Notice{}
	m.news, m.pressed = m.now, m.now
	m.used = true
	m.frames.set(m.env.frames)
	key := k.String()
	p := m.page()
	switch {
	case m.overlay != nil:
		was := m.overlay
		done, cmd := was.Press(k)
		if done && m.overlay == was { // an answer may have asked once more
			m.overlay = nil
		}
		return cmd
	case m.keepsKeys() && key != "ctrl+c":
		m.kept = append(m.kept, k)
		return nil
	case p.Typing() && key != "ctrl+c":
		return p.Update(k)
	case m.Starting != "" && key != "ctrl+c":
		return nil
	}
	row, blocked := kit.Find(m.keys[m.current], k)
	if row != nil {
		return m.perform(row, blocked)
	}
	return m.hintOtherPage(k)
}

// page returns the page that is shown.
func (m *Model) page() page { return m.pages[m.current] }

// hintOtherPage says on which page a key does something, if it does nothing here.
func (m *Model) hintOtherPage(k tea.KeyPressMsg) tea.Cmd {
	for i, rows := range m.keys {
		if row, _ := kit.Find(rows, k); row != nil && !row.Moves {
			return kit.Notify(fmt.Sprintf("%s works on page %d, %s: %s",
				kit.KeyName(k.String(), m.env.ascii), i+1, m.pages[i].Title(), row.Help))
		}
	}
	return nil
}

// perform runs the action of a row of the key table, or says why it cannot. The row itself says
// that it is blocked, or "".
func (m *Model) perform(row *kit.Key, blocked string) tea.Cmd {
	why := m.blockReason(row, blocked)
	if why != "" {
		return kit.Notify(why)
	}
	return row.Act()
}

// lead shows a page that the current one asks for. Esc goes back from there.
func (m *Model) lead(id pageID) tea.Cmd {
	if m.current != id {
		m.led[id] = m.current
	}
	return m.show(id)
}

// noLead says why there is no page to go back to.
func (m *Model) noLead() string {
	_, ok := m.led[m.current]
	return kit.Unless(ok, kit.NoWayBack)
}

// goBack shows the page that led to the current one, which forgets it: Esc never goes in a circle.
func (m *Model) goBack() tea.Cmd {
	id := m.led[m.current]
	delete(m.led, m.current)
	return m.show(id)
}

func (m *Model) show(id pageID) tea.Cmd {
	if m.current == id {
		return nil
	}
	m.current = id
	return m.pages[id].Init()
}

func (m *Model) tooSmall() bool { return m.w < kit.LeastWidth || m.h < kit.LeastHeight }

// View implements tea.Model.
func (m *Model) View() tea.View {
	if m.drawn == "" || m.drawnVersion != m.version {
		m.drawn, m.drawnVersion = m.screen(), m.version
		if m.pixels != nil {
			m.pixels.Show(m.drawn)
		}
	}
	v := tea.NewView(m.drawn)
	v.AltScreen = true
	v.ReportFocus = true
	v.MouseMode = tea.MouseModeCellMotion
	if _, ok := m.page().(hoverPage); ok && !m.env.remote {
		v.MouseMode = tea.MouseModeAllMotion
	}
	v.WindowTitle = m.title()
	v.ProgressBar = m.progress()
	return v
}

// screen returns the frame as the terminal gets it. Text was cleaned where it was laid out (package
// kit); nothing is left to clean here, unless a page forgot to.
func (m *Model) screen() string { return m.terminalText(m.frame()) }

// terminalText returns the lines of a frame as the terminal gets them. It changes the lines.
func (m *Model) terminalText(lines []string) string {
	for i, line := range lines {
		lines[i] = cell.ForTerminal(line)
		if m.env.ascii {
			lines[i] = cell.ASCII(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// frame draws everything: m.h lines of m.w cells.
func (m *Model) frame() []string {
	switch {
	case m.w <= 0 || m.h <= 0:
		return nil
	case m.tooSmall():
		line := fmt.Sprintf("too small: %dx%d needed", kit.LeastWidth, kit.LeastHeight)
		return kit.Fill([]string{line}, m.w, m.h)
	}
	body := m.page().View(m.Body.W, m.Body.H)
	if m.overlay != nil {
		body = m.overlay.View(m.Theme, body, m.Body.W, m.Body.H)
	}
	lines := append([]string{m.header()}, body...)
	foot := strings.Split(m.footer(), "\n")
	return append(lines[:m.h-len(foot)], foot...)
}
