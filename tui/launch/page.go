package launch

import (
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the page where runs are started: presets on the left, on the right
// the settings of the one under the cursor, as they would run.
//
//	keys -> specs[at] (presets.Set, Validate) -> runner.Request -> Verbs.Start -> Watch
//
// Edits stay with their preset until the program ends; nothing is written.
type Page struct {
	*lab.Lab
	load  func() []presets.Preset // nil when it was done
	list  []presets.Preset        // see presets
	specs []spec.Spec             // one a preset, as edited; each of them valid
	at    int                     // preset under the cursor

	right   bool // the settings have the focus, not the presets
	row     int  // setting under the cursor, over all groups
	box     int  // method or seed under the cursor, in a row of boxes
	editing bool
	line    kit.Input
	// problem is what is wrong with the line as typed, or with the last change.
	problem  error
	starting bool // asked for, and not answered yet

	entries map[string]data.Entry // datasets by name, as a look at the folder said
	past    []*record.Run
	plan    estimate
	looked  time.Time // at the data folder, by a tick
}

// New returns the page for the presets that load gives. They are loaded when they are first asked
// for: who attaches to runs does not wait for them.
func New(s *lab.Lab, load func() []presets.Preset) *Page { return &Page{Lab: s, load: load} }

// presets are those of the page.
func (l *Page) presets() []presets.Preset {
	if l.load != nil {
		l.list, l.load = l.load(), nil
		for _, p := range l.list {
			l.specs = append(l.specs, p.Spec)
		}
	}
	return l.list
}

// Title implements the interface's page.
func (*Page) Title() string { return "Launch" }

// Typing implements the interface's page.
func (l *Page) Typing() bool { return l.editing }

// Busy implements the interface's page: a start may take seconds, of which data
// are read, and what is typed meanwhile was meant for what was seen.
func (l *Page) Busy() string {
	if !l.starting {
		return ""
	}
	return starting + l.total() + " …"
}

// look finds out which datasets are there.
func (l *Page) look() tea.Cmd {
	if l.Config.Guest {
		return nil
	}
	dir := l.Config.DataDir
	return func() tea.Msg {
		m := datasetsMsg{map[string]data.Entry{}}
		for _, e := range data.List(dir) {
			m.entries[e.Name] = e
		}
		return m
	}
}

// Init looks at the data folder and at the runs so far, for the estimate.
func (l *Page) Init() tea.Cmd { return tea.Batch(l.look(), lab.List(l.Source, l.Config.RunsDir)) }

// lookEvery is how often the data folder is looked at while a dataset lacks.
const lookEvery = 2 * time.Second

// Update implements the interface's page.
func (l *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case datasetsMsg:
		l.entries = msg.entries
	case lab.Listed:
		l.past = msg.Runs
		l.reckon()
	case beginMsg:
		return l.begin()
	case lab.Started:
		l.starting = false
		if msg.Err != nil {
			return l.look()
		}
	case kit.Tick:
		if e, ok := l.entries[l.spec().Dataset]; ok && !e.Available &&
			time.Time(msg).Sub(l.looked) > lookEvery {
			l.looked = time.Time(msg)
			return l.look()
		}
	case tea.KeyPressMsg:
		l.press(msg)
	case tea.PasteMsg:
		l.line.Update(msg)
		l.typed()
	case kit.Wheel:
		l.wheel(msg)
	case kit.Click:
		l.click(msg)
	}
	return nil
}

// press takes a key while a setting is typed.
func (l *Page) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		l.editing, l.problem = false, nil
	case "enter":
		l.finish()
	case "up", "shift+tab":
		l.finishAndMove(-1)
	case "down", "tab":
		l.finishAndMove(1)
	default:
		if l.line.Update(k) {
			l.typed()
		}
	}
}

// finishAndMove takes the line and, if it is valid, moves on.
func (l *Page) finishAndMove(by int) {
	if l.finish(); !l.editing {
		l.move(by)
	}
}

// request is what Enter asks for.
func (l *Page) request() runner.Request {
	return runner.Request{Preset: l.preset().Name, Specs: l.spec().Expand()}
}

// wheel moves the cursor of the pane under the mouse.
func (l *Page) wheel(msg kit.Wheel) {
	if l.editing {
		return
	}
	lay := l.layout(l.Body.W, l.Body.H)
	switch {
	case lay.presets.Contains(msg.X, msg.Y):
		l.right = false
	case lay.settings.Contains(msg.X, msg.Y):
		l.right = true
	default:
		return
	}
	l.move(msg.By())
}

// click puts the cursor where the mouse is; a click on the setting that has it
// already is the space bar.
func (l *Page) click(msg kit.Click) {
	lay := l.layout(l.Body.W, l.Body.H)
	at := func(r kit.Rect, items func(w, h int) []item) (entry int, here bool) {
		if !r.Contains(msg.X, msg.Y) { // a pane that is not shown has no room to draw in
			return 0, false
		}
		w, h := kit.Inside(kit.Boxed(l.Body.H), r.W, r.H)
		list := items(w, h)
		if i := msg.Y - r.Y - 1; i >= 0 && i < len(list) {
			return list[i].entry, list[i].entry >= 0
		}
		return 0, false
	}
	if i, ok := at(lay.presets, l.presetItems); ok && !l.editing {
		l.right, l.problem = false, nil
		l.move(i - l.at)
	}
	if i, ok := at(lay.settings, l.settingItems); ok && !l.editing {
		again := l.right && l.row == i
		l.right, l.row, l.problem = true, i, nil
		if !again {
			l.box = 0
		} else if !l.Config.Guest {
			l.space()
		}
	}
}

// beginMsg says that what was reviewed shall be started.
type beginMsg struct{}

// datasetsMsg brings what the data folder has, by name.
type datasetsMsg struct{ entries map[string]data.Entry }
