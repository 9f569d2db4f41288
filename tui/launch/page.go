package launch

import (
	"fmt"
	"slices"
	"time"

	"drolab/presets"
	"drolab/runner/lists"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the page that starts runs: presets on the left, and on the right the settings of the
// preset under the cursor, as its runs would use them.
//
//	keys -> specs[at] (presets.Set, Validate) -> runner.Request -> Verbs.Start -> Watch
//
// Edits stay with their preset until the program ends; nothing is written.
type Page struct {
	*lab.Lab
	load  func() []presets.Preset // loads the presets; nil once it was called
	list  []presets.Preset        // the loaded presets; presets returns them
	specs []spec.Spec             // one for each preset, as edited; each is valid
	at    int                     // the preset under the cursor

	right   bool // the settings have the focus, not the presets
	row     int  // the setting under the cursor, counted over all groups
	box     int  // the method or seed under the cursor, in a row of boxes
	editing bool
	line    kit.Input
	// problem is the error in the line as typed, or in the last change.
	problem error

	asked  *kit.Overlay // the review that was opened last
	warned warnings     // what its runs would warn of

	place
}

// New returns the page for the presets that load returns. load is called when the presets are first
// needed, so that a user who attaches to runs does not wait for it.
func New(s *lab.Lab, load func() []presets.Preset) *Page {
	return &Page{Lab: s, load: load, at: 1} // the first preset, behind the film
}

// presets returns the presets of the page, and loads them at the first call.
func (l *Page) presets() []presets.Preset {
	if l.load != nil {
		l.list, l.load = append([]presets.Preset{filmEntry()}, l.load()...), nil
		l.specs = lists.Map(l.list, func(p presets.Preset) spec.Spec { return p.Spec })
	}
	return l.list
}

// Title implements the interface's page.
func (*Page) Title() string { return "Launch" }

// Typing implements the interface's page.
func (l *Page) Typing() bool { return l.editing }

// Init looks at the datasets, and lists the runs so far for the estimate.
func (l *Page) Init() tea.Cmd {
	return tea.Batch(l.findDatasets(), l.List())
}

// Update implements the interface's page.
func (l *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case datasetsMsg:
		l.showDatasets(msg)
	case lab.Listed:
		l.listed = msg.Runs
		l.updatePlace()
	case lab.Prepare:
		named := func(p presets.Preset) bool { return p.Name == msg.Preset }
		l.at, l.right, l.problem = max(1, slices.IndexFunc(l.presets(), named)), false, nil
		l.updatePlan()
		return l.review()
	case warningsMsg:
		l.showWarnings(msg)
	case beginMsg:
		return l.begin()
	case lab.Started:
		if msg.Err != nil {
			return l.findDatasets()
		}
	case kit.Tick:
		return l.lookForData(time.Time(msg))
	case tea.KeyPressMsg:
		l.press(msg)
	case tea.PasteMsg:
		l.line.Update(msg)
		l.checkTyped()
	case kit.Wheel:
		l.wheel(msg)
	case kit.Click:
		l.click(msg)
	}
	return nil
}

// press handles a key while a setting is typed.
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
			l.checkTyped()
		}
	}
}

// finishAndMove takes the typed line and, if it is valid, moves the cursor.
func (l *Page) finishAndMove(by int) {
	l.finish()
	if !l.editing {
		l.move(by)
	}
}

// wheel moves the cursor of the pane under the mouse.
func (l *Page) wheel(msg kit.Wheel) {
	if l.editing {
		return
	}
	lay := l.layout(l.Body.W, l.Body.H)
	if right := lay.settings.Contains(msg.X, msg.Y); right || lay.presets.Contains(msg.X, msg.Y) {
		l.right = right
		l.move(msg.By())
	}
}

// click puts the cursor where the mouse is. A click on the setting under the cursor acts as the
// space bar.
func (l *Page) click(msg kit.Click) {
	lay := l.layout(l.Body.W, l.Body.H)
	at := func(r kit.Rect, items func(w, h int) []item) (entry int, here bool) {
		if !r.Contains(msg.X, msg.Y) { // a hidden pane has no area
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
		} else if !l.Config.Shared {
			l.space()
		}
	}
}

// Keys implements the interface's page.
func (l *Page) Keys() []kit.Key {
	const page = 10
	end := len(l.settings())
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "review", Group: kit.ToStart, Why: l.noStart, Act: l.review,
			HintIn: l.enterHint, Help: "review, then start; on the film, play it", Alters: true},
		{Keys: kit.On("space"), Hint: "change",
			Help: "choose a method or seed, take the next value, or type one",
			Why:  l.noSetting, Act: kit.Just(l.space), Local: true},
		{Keys: kit.On("e"), Hint: "type", Help: "type the value of a setting", Why: l.noSetting,
			Act: kit.Just(l.edit), Local: true},
		{Keys: kit.On("u"), Hint: "undo", Help: "reset a setting to the value of the preset",
			Why: l.noUndo, Act: kit.Just(l.undo), Local: true},
		kit.Move("up", l.noAbove, l.move, -1, "up", "k"),
		kit.Move("down", l.noBelow, l.move, 1, "down", "j"),
		{Keys: kit.On("left", "h"), Hint: "previous", Help: "the box or the value before",
			Why: l.noSide, Act: kit.By(l.side, -1), Moves: true, Local: true},
		{Keys: kit.On("right", "l"), Hint: "next", Help: "the next box or value",
			Why: l.noSide, Act: kit.By(l.side, 1), Moves: true, Local: true},
		kit.Back("go back", func() []kit.State {
			return []kit.State{{Is: l.right || l.problem != nil,
				Undo: kit.Just(func() { l.right, l.problem = false, nil })}}
		}),
		kit.Move("first", nil, l.move, -end, "home", "g"),
		kit.Move("last", nil, l.move, end, "end", "G"),
		kit.Move("a page up", nil, l.move, -page, "pgup"),
		kit.Move("a page down", nil, l.move, page, "pgdown"),
		{Keys: kit.On("tab"), Hint: "panel", Help: "next panel", Act: kit.Just(l.flip)},
		{Keys: kit.On("shift+tab"), Help: "previous panel", Act: kit.Just(l.flip)},
	}
}

// enterHint returns the footer's word for Enter.
func (l *Page) enterHint(int) string {
	if l.at == 0 {
		return "play"
	}
	return "review"
}

// cursor returns the row under the cursor in the focused panel, and the number of rows.
func (l *Page) cursor() (at, of int) {
	if l.right {
		return l.row, len(l.settings())
	}
	return l.at, len(l.presets())
}

func (l *Page) noAbove() string {
	at, _ := l.cursor()
	return kit.Unless(at > 0, "This is the first one")
}

func (l *Page) noBelow() string {
	at, of := l.cursor()
	return kit.Unless(at < of-1, "This is the last one")
}

// filmEntry is the first entry of the list. It has the settings of the runs that the film shows.
func filmEntry() presets.Preset {
	const filmed = "shapes" // the preset of the runs that the film shows
	p, err := presets.Load(filmed)
	if err != nil {
		panic("launch: the preset of the film is broken")
	}
	p.Name = "a film of 60 seconds"
	p.Doc = "watch how it works: recorded runs of shapes, with captions"
	return p
}

// noStart says why the runs cannot be started.
func (l *Page) noStart() string {
	if err := l.preset().Problem; err != nil {
		return cell.OneLine(err.Error())
	}
	if why := l.notThere(); why != "" {
		return why
	}
	if e, ok := l.entries[l.spec().Dataset]; ok && !e.Available {
		return l.missingText(e)
	}
	return ""
}

func (l *Page) noSetting() string {
	return kit.Unless(l.right, "Press Tab to go to the settings first")
}

// noSide says why there is no box or value beside.
func (l *Page) noSide() string {
	if why := l.noSetting(); why != "" {
		return why
	}
	return kit.Unless(l.boxesOf(l.key()) != nil || l.choices() != nil, "e types another value")
}

// noUndo says why there is nothing to undo.
func (l *Page) noUndo() string {
	if why := l.noSetting(); why != "" {
		return why
	}
	key := l.key()
	if key == whereKey {
		return kit.Unless(l.where != "", "The runs start here already")
	}
	return kit.Unless(l.edited(key), fmt.Sprintf("%s already has the value of the preset", key))
}

// flip goes from the presets to the settings, or back.
func (l *Page) flip() { l.right, l.problem = !l.right, nil }
