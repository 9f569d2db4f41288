package tui

import (
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// launch is the page where runs are started: presets on the left, on the right
// the settings of the one under the cursor, as they would run.
//
//	keys -> specs[at] (presets.Set, Validate) -> runner.Request -> Verbs.Start -> Watch
//
// Edits stay with their preset until the program ends; nothing is written.
type launch struct {
	*shared
	list  []presets.Preset
	specs []runner.Spec // one a preset, as edited; each of them valid
	at    int           // preset under the cursor

	right   bool // the settings have the focus, not the presets
	row     int  // setting under the cursor, over all groups
	box     int  // method or seed under the cursor, in a row of boxes
	editing bool
	line    input
	// problem is what is wrong with the line as typed, or with the last change.
	problem  error
	starting bool // asked for, and not answered yet

	entries map[string]data.Entry // datasets by name, as a look at the folder said
	past    []*record.Run
	plan    estimate
	looked  time.Time // at the data folder, by a tick
}

func newLaunchPage(s *shared) page {
	l := &launch{shared: s, list: presets.List()}
	for _, p := range l.list {
		l.specs = append(l.specs, p.Spec)
	}
	return l
}

func (*launch) title() string { return "Launch" }

func (l *launch) typing() bool { return l.editing }

// look finds out which datasets are there.
func (l *launch) look() tea.Cmd {
	dir := l.cfg.DataDir
	return func() tea.Msg {
		m := datasetsMsg{map[string]data.Entry{}}
		for _, name := range data.Names() {
			if e, err := data.Info(name, dir); err == nil {
				m.entries[name] = e
			}
		}
		return m
	}
}

// enter looks at the data folder and at the runs so far, for the estimate.
func (l *launch) enter() tea.Cmd { return tea.Batch(l.look(), list(l.source)) }

// lookEvery is how often the data folder is looked at while a dataset lacks.
const lookEvery = 2 * time.Second

func (l *launch) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case datasetsMsg:
		l.entries = msg.entries
	case listMsg:
		l.past = msg.runs
		l.reckon()
	case startMsg:
		l.starting = false
		if msg.err != nil {
			return l.look()
		}
	case tickMsg:
		if e, ok := l.entries[l.spec().Dataset]; ok && !e.Available && time.Time(msg).Sub(l.looked) > lookEvery {
			l.looked = time.Time(msg)
			return l.look()
		}
	case tea.KeyPressMsg:
		l.press(msg)
	case tea.PasteMsg:
		l.line.insert(msg.Content)
		l.typed()
	case wheelMsg:
		l.wheel(msg)
	case clickMsg:
		l.click(msg)
	}
	return nil
}

// press takes a key while a setting is typed.
func (l *launch) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		l.editing, l.problem = false, nil
	case "enter":
		l.finish()
	case "up", "shift+tab", "down", "tab":
		by := 1
		if s := k.String(); s == "up" || s == "shift+tab" {
			by = -1
		}
		if l.finish(); !l.editing {
			l.move(by)
		}
	default:
		if l.line.press(k) {
			l.typed()
		}
	}
}

// request is what Enter asks for.
func (l *launch) request() runner.Request {
	return runner.Request{Preset: l.preset().Name, Specs: l.spec().Expand()}
}

// wheel moves the cursor of the pane under the mouse.
func (l *launch) wheel(msg wheelMsg) {
	if l.editing {
		return
	}
	lay := layLaunch(l.body.w, l.body.h, l.right)
	switch {
	case lay.presets.contains(msg.x, msg.y):
		l.right = false
	case lay.settings.contains(msg.x, msg.y):
		l.right = true
	default:
		return
	}
	if msg.down {
		l.move(1)
	} else {
		l.move(-1)
	}
}

// click puts the cursor where the mouse is; a click on the setting that has it
// already is the space bar.
func (l *launch) click(msg clickMsg) {
	lay := layLaunch(l.body.w, l.body.h, l.right)
	at := func(r rect, items func(w, h int) []item) (entry int, here bool) {
		if !r.contains(msg.x, msg.y) { // a pane that is not shown has no room to draw in
			return 0, false
		}
		w, h := inside(boxed(l.body.h), r.w, r.h)
		list := items(w, h)
		if i := msg.y - r.y - 1; i >= 0 && i < len(list) {
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
		} else {
			l.space()
		}
	}
}
