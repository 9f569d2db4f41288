package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// forking is the form that starts a run from a checkpoint of another, with some settings changed.
// Its first row is the checkpoint, its last one takes what has no row, as key=value, and those
// between are settings: up and down go through rows, left and right through a row's values.
type forking struct {
	*lab.Lab
	run    *record.Run
	steps  []int64 // of the checkpoints, ascending
	pinned []int64
	at     int // the checkpoint that is chosen

	spec    spec.Spec         // the run's at the checkpoint, with its knobs as they stood there
	keys    []string          // of the rows of settings
	changed map[string]string // their new values
	row     int               // under the cursor: 0 is the checkpoint, len(keys)+1 the last
	typed   kit.Input         // the row's new value
	problem error             // with what is changed
}

// forkMsg brings a form whose settings are those of its checkpoint. The first one of a form opens
// it.
type forkMsg struct {
	form  *forking
	at    int // the checkpoint
	spec  spec.Spec
	err   error
	opens bool
}

// fork opens the form for a run, at the checkpoint nearest to a step, or the newest for 0.
func (p *Page) fork(run *record.Run, near int64) tea.Cmd {
	if err := run.Meta.Trained(); err != nil {
		return kit.Complain(err)
	}
	f := &forking{Lab: p.Lab, run: run, changed: map[string]string{}, row: 1,
		typed: kit.NewInput("")}
	return func() tea.Msg {
		var err error
		if f.steps, err = f.run.Checkpoints(); err != nil {
			return kit.Complain(err)()
		}
		if len(f.steps) == 0 {
			return kit.Notify(noCheckpoint)()
		}
		f.pinned, _ = f.run.Pinned()
		f.at = nearest(f.steps, near, f.run.Meta.Steps)
		m := f.look(f.at)().(forkMsg)
		m.opens = true
		return m
	}
}

// nearest is the index of the step nearest to another one, the last for 0. The end of a run is left
// out where it has another, as nothing goes on from it unless there are more epochs.
func nearest(steps []int64, near, end int64) int {
	if n := len(steps); n > 1 && steps[n-1] == end {
		steps = steps[:n-1]
	}
	best := len(steps) - 1
	for i, step := range steps {
		if near > 0 && max(step-near, near-step) < max(steps[best]-near, near-steps[best]) {
			best = i
		}
	}
	return best
}

// look reads the settings at a checkpoint.
func (f *forking) look(at int) tea.Cmd {
	run, step := f.run, f.steps[at]
	return func() tea.Msg {
		s, err := settingsAt(run, step)
		return forkMsg{form: f, at: at, spec: s, err: err}
	}
}

// settingsAt are those that a run's fork begins with.
func settingsAt(run *record.Run, step int64) (spec.Spec, error) {
	defer run.Hold()()
	past, err := run.Past(step)
	if err != nil {
		return spec.Spec{}, err
	}
	return past.Fork()
}

// took takes the settings at a checkpoint, unless another one was chosen since.
func (f *forking) took(m forkMsg) tea.Cmd {
	if m.err != nil {
		return kit.Complain(m.err)
	}
	if m.at == f.at {
		f.spec, f.keys = m.spec, m.spec.Forkable()
		f.row = min(f.row, len(f.keys)+1)
		_, f.problem = f.change()
	}
	if !m.opens {
		return nil
	}
	return kit.Show(&kit.Overlay{Title: "Fork " + f.run.Meta.ID, Form: f})
}

// key is the setting of the row under the cursor; "" for one that is none.
func (f *forking) key() string {
	if f.row < 1 || f.row > len(f.keys) {
		return ""
	}
	return f.keys[f.row-1]
}

// Press implements kit.Form.
func (f *forking) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch name := key.String(); name {
	case "up", "shift+tab":
		f.move(-1)
	case "down", "tab":
		f.move(1)
	case "left", "right":
		return false, f.side(map[string]int{"left": -1, "right": 1}[name])
	case "enter":
		if f.problem == nil {
			return true, f.start()
		}
	default:
		if f.row > 0 && f.typed.Update(key) {
			f.put(f.typed.String())
		}
	}
	return false, nil
}

// move goes to another row. What was changed stays.
func (f *forking) move(by int) {
	f.row = max(0, min(f.row+by, len(f.keys)+1))
	f.typed = kit.NewInput(f.changed[f.key()])
}

// put changes the setting under the cursor; an empty value leaves it as it was.
func (f *forking) put(text string) {
	if f.changed[f.key()] = text; strings.TrimSpace(text) == "" {
		delete(f.changed, f.key())
	}
	_, f.problem = f.change()
}

// side takes the next checkpoint or value. At a bound it stays.
func (f *forking) side(by int) tea.Cmd {
	switch key := f.key(); {
	case f.row == 0:
		at := max(0, min(f.at+by, len(f.steps)-1))
		if at == f.at {
			return nil
		}
		f.at = at
		return f.look(at)
	case key == "":
		f.typed.Update(tea.KeyPressMsg{Code: map[int]rune{-1: tea.KeyLeft, 1: tea.KeyRight}[by]})
	default:
		now, err := f.change()
		if err != nil { // what is typed is no value to go on from
			return nil
		}
		text, ok := now.Nudge(key, by)
		if !ok {
			return nil
		}
		if text == f.spec.Text(key) { // it is as it was
			text = ""
		}
		f.put(text)
		f.typed = kit.NewInput(text)
	}
	return nil
}

// change is the settings with what was changed.
func (f *forking) change() (spec.Spec, error) {
	next := f.spec
	return next, change(&next, f.assignments())
}

// assignments are what was changed, as key=value.
func (f *forking) assignments() (list []string) {
	for _, key := range slices.Sorted(maps.Keys(f.changed)) {
		if key != "" {
			list = append(list, key+"="+f.changed[key])
		}
	}
	return append(list, strings.Fields(f.changed[""])...)
}

// change applies settings.
func change(spec *spec.Spec, assignments []string) error {
	for _, assignment := range assignments {
		if err := presets.Set(spec, assignment); err != nil {
			return err
		}
	}
	return spec.Validate()
}

// start asks for the fork; what it begins with is read from the checkpoint.
func (f *forking) start() tea.Cmd {
	step, assignments := f.steps[f.at], f.assignments()
	return func() tea.Msg {
		spec, err := settingsAt(f.run, step)
		if err == nil {
			err = change(&spec, assignments)
		}
		if err != nil {
			return lab.Started{Err: err}
		}
		fork := f.Lab.Start(runner.Request{Preset: f.run.Meta.Preset, Specs: spec.Expand(),
			Parent: fmt.Sprintf("%s@%d", f.run.Meta.ID, step)})
		return f.Lab.Trusting(&spec, fork)()
	}
}

// Hint implements kit.Form.
func (f *forking) Hint() []kit.Key {
	return []kit.Key{{Keys: kit.On("down"), Hint: "next setting"},
		{Keys: kit.On("left"), Hint: "less"}, {Keys: kit.On("right"), Hint: "more"},
		{Keys: kit.On("enter"), Hint: "start the branch"},
		{Keys: kit.On("esc"), Hint: "back"}}
}

// View implements kit.Form: as many rows as there is room for, around the one under the cursor, and
// below them what the setting takes or what is wrong.
func (f *forking) View(t *kit.Theme, w, h int) []string {
	var foot []string
	if f.problem != nil {
		for _, s := range kit.Wrap(t.Greek("! "+cell.OneLine(f.problem.Error())), w) {
			foot = append(foot, t.Bad.Paint(s))
		}
	} else {
		foot = []string{t.Dim.Paint(t.Greek(cell.Cut(f.about(), w)))}
	}
	all := len(f.keys) + 2
	room := max(1, h-len(foot)-1)
	first := kit.First(f.row, all, room)
	var lines []string
	for i := max(0, first); i < all && len(lines) < room; i++ {
		lines = append(lines, f.line(t, i, w))
	}
	return kit.Fill(append(append(lines, ""), foot...), w, min(h, len(lines)+1+len(foot)))
}

// about is what the row under the cursor takes.
func (f *forking) about() string {
	switch key := f.key(); {
	case f.row == 0:
		return fmt.Sprintf(branchFrom,
			kit.Plural(len(f.steps), "checkpoint"))
	case key == "":
		return otherSettings
	case slices.Contains(f.spec.Knobs(), key):
		return key + ": " + f.spec.KnobWant(key)
	default:
		t, _ := spec.FindSetting(key)
		return key + ": " + t.Want
	}
}

// line draws a row: what it is, its value, and of the one under the cursor or changed the new one.
func (f *forking) line(t *kit.Theme, row, w int) string {
	here := row == f.row
	left, right := "◂ ", " ▸"
	if t.ASCII {
		left, right = "< ", " >"
	}
	switch {
	case row == 0:
		step := f.steps[f.at]
		text := fmt.Sprintf("step %d of %d", step, f.run.Meta.Steps)
		if slices.Contains(f.pinned, step) {
			text += ", pinned"
		}
		if here {
			text = left + text + right
		}
		return t.Pointed("  "+kit.Left("from", nameCells)+text, here)
	case row > len(f.keys):
		head := t.Pointed("  "+kit.Left("other", nameCells), here)
		if here {
			return head + f.typed.View(t.Text, w-nameCells-2)
		}
		return head + f.changed[""]
	}
	key := f.keys[row-1]
	value := kit.Left(f.value(key), valueCells)
	head := t.Pointed("  "+kit.Left(key, nameCells)+value, here)
	now, changed := f.changed[key]
	switch {
	case here && changed:
		return head + t.Accent.Paint(left) + f.typed.View(t.Text, 16) + t.Accent.Paint(right)
	case here:
		return head + t.Accent.Paint(left) + f.typed.View(t.Text, 1) + t.Accent.Paint(right)
	case changed:
		return head + t.Title.Paint("  "+now)
	}
	return head
}

// value is a setting at the checkpoint, in few digits: z is one of them.
func (f *forking) value(key string) string {
	t, _ := spec.FindSetting(key)
	if v, ok := t.Number(&f.spec); ok && t.Choices == nil && !v.IsAuto() && !v.IsNone() {
		return fmt.Sprintf("%.6g", v.Or(0))
	}
	return f.spec.Text(key)
}

// nameCells and valueCells are the widths of a row's parts.
const nameCells, valueCells = 16, 12
