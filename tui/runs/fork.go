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

// forkForm is the form that starts a run from a checkpoint of another, with some settings changed.
// The first row is the checkpoint, the rows below it are settings, and the last row takes any other
// setting as key=value. Up and down move between the rows, left and right change a row's value.
type forkForm struct {
	*lab.Lab
	run     *record.Run
	steps   []int64 // the steps of the checkpoints, ascending
	pinned  []int64
	at      int // the chosen checkpoint, an index of steps
	wanted  int // by how many checkpoints presses that are not answered yet go on from at
	reading int // the number of the last reading of settings

	spec    spec.Spec         // the settings at the checkpoint, with the knobs as of that step
	keys    []string          // the keys of the rows of settings
	changed map[string]string // the new values of settings, by key
	row     int               // the row under the cursor: 0 is the checkpoint, len(keys)+1 the last
	typed   kit.Input         // the row's new value
	problem error             // the error in the changes
}

// fork opens the form for a run, at the checkpoint nearest to the step near; 0 stands for the
// newest.
func (p *Page) fork(run *record.Run, near int64) tea.Cmd {
	if err := run.Meta.Trained(); err != nil {
		return kit.Complain(err)
	}
	f := &forkForm{Lab: p.Lab, run: run, changed: map[string]string{}, row: 1,
		typed: kit.NewInput("")}
	return p.Opening(f.readSettings(
		func(steps []int64) int { return nearest(steps, near, run.Meta.Steps) }))
}

// nearest returns the index of the step nearest to near, or of the last step if near is 0. The end
// of the run is left out if there is another checkpoint, because a run goes on from its end only
// with more epochs.
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

// beside returns the index of the checkpoint that is by steps of the list away from the one at
// now. Where now is not in the list any more, its neighbours are. The ends of the list hold.
func beside(steps []int64, now int64, by int) int {
	at, found := slices.BinarySearch(steps, now)
	if !found && by > 0 {
		at-- // the one before now, from which the next one is one step away
	}
	return max(0, min(at+by, len(steps)-1))
}

// readSettings reads the settings at the checkpoint that choose takes from a list. The list is read
// anew each time: a run that trains makes new checkpoints and deletes old ones.
func (f *forkForm) readSettings(choose func(steps []int64) int) tea.Cmd {
	run := f.run
	f.reading++
	m := forkMsg{form: f, reading: f.reading}
	return func() tea.Msg {
		if m.steps, m.err = run.Checkpoints(); m.err != nil {
			return m
		}
		if len(m.steps) == 0 {
			return kit.Notify("This run has no checkpoint to fork from")()
		}
		m.pinned, _ = run.Pinned()
		m.at = choose(m.steps)
		m.spec, m.err = m.form.Lab.ForkOf(run, m.steps[m.at])
		return m
	}
}

// applySettings takes in the settings at a checkpoint, unless another one has been asked for since.
func (f *forkForm) applySettings(m forkMsg) tea.Cmd {
	if m.reading != f.reading {
		return nil
	}
	f.wanted = 0
	if m.err != nil {
		return kit.Complain(m.err)
	}
	opens := f.keys == nil
	f.steps, f.pinned, f.at = m.steps, m.pinned, m.at
	f.spec, f.keys = m.spec, m.spec.Forkable()
	f.row = min(f.row, len(f.keys)+1)
	_, f.problem = f.change()
	if !opens {
		return nil
	}
	return f.Show(&kit.Overlay{Title: "Fork " + f.run.Meta.ID + f.onBox(), Form: f})
}

// onBox names the box on which the fork starts, which is that of the run; "" for this machine.
func (f *forkForm) onBox() string {
	if of := f.run.Mirrored(); of != nil {
		return " on box " + of.Box
	}
	return ""
}

// key returns the setting of the row under the cursor; "" for the first and the last row.
func (f *forkForm) key() string {
	if f.row < 1 || f.row > len(f.keys) {
		return ""
	}
	return f.keys[f.row-1]
}

// Press implements kit.Form.
func (f *forkForm) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
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
			f.setValue(f.typed.String())
		}
	}
	return false, nil
}

// move moves the cursor to another row. Changed values stay.
func (f *forkForm) move(by int) {
	f.row = max(0, min(f.row+by, len(f.keys)+1))
	f.typed = kit.NewInput(f.changed[f.key()])
}

// setValue changes the setting under the cursor. An empty value restores the setting of the
// checkpoint.
func (f *forkForm) setValue(text string) {
	f.changed[f.key()] = text
	if strings.TrimSpace(text) == "" {
		delete(f.changed, f.key())
	}
	_, f.problem = f.change()
}

// side takes the next or the previous checkpoint or value, and stays where there is no further one.
func (f *forkForm) side(by int) tea.Cmd {
	switch key := f.key(); {
	case f.row == 0:
		f.wanted += by // the answer to a press before this one may be still to come
		now, by := f.steps[f.at], f.wanted
		return f.readSettings(func(steps []int64) int { return beside(steps, now, by) })
	case key == "":
		f.typed.Update(tea.KeyPressMsg{Code: map[int]rune{-1: tea.KeyLeft, 1: tea.KeyRight}[by]})
	default:
		now, err := f.change()
		if err != nil { // there is no valid value to go on from
			return nil
		}
		text, ok := now.Nudge(key, by)
		if !ok {
			return nil
		}
		if text == f.spec.Text(key) { // the value is back at the checkpoint's
			text = ""
		}
		f.setValue(text)
		f.typed = kit.NewInput(text)
	}
	return nil
}

// change returns the settings at the checkpoint with the changes applied.
func (f *forkForm) change() (spec.Spec, error) {
	next := f.spec
	return next, change(&next, f.assignments())
}

// assignments returns the changes, each as key=value.
func (f *forkForm) assignments() (list []string) {
	for _, key := range slices.Sorted(maps.Keys(f.changed)) {
		if key != "" {
			list = append(list, key+"="+f.changed[key])
		}
	}
	return append(list, presets.Assignments(f.changed[""])...)
}

// change applies assignments to a spec and validates the result.
func change(spec *spec.Spec, assignments []string) error {
	for _, assignment := range assignments {
		if err := presets.Set(spec, assignment); err != nil {
			return err
		}
	}
	return spec.Validate()
}

// start starts the fork. It reads the settings at the checkpoint anew.
func (f *forkForm) start() tea.Cmd {
	step := f.steps[beside(f.steps, f.steps[f.at], f.wanted)]
	assignments := f.assignments()
	return f.Opening(func() tea.Msg {
		spec, err := f.Lab.ForkOf(f.run, step)
		if err == nil {
			err = change(&spec, assignments)
		}
		if err != nil {
			return lab.Started{Err: err}
		}
		fork := f.Lab.Start(runner.Request{Preset: f.run.Meta.Preset, Specs: spec.Expand(),
			Parent: fmt.Sprintf("%s@%d", f.run.Meta.ID, step)})
		if f.run.Mirrored() != nil { // a box knows itself which programs it trusts
			return fork()
		}
		return f.Lab.Trusting(&spec, fork)()
	})
}

// Hint implements kit.Form.
func (f *forkForm) Hint() []kit.Key {
	return []kit.Key{{Keys: kit.On("down", "up"), Hint: "next setting",
		Help: "the next setting, the one before"},
		{Keys: kit.On("left"), Hint: "less", Help: "a smaller value, an earlier checkpoint"},
		{Keys: kit.On("right"), Hint: "more", Help: "a greater value, a later checkpoint"},
		{Keys: kit.On("letters"), Help: "type the value of the setting; empty, it is the run's"},
		{Keys: kit.On("enter"), Hint: "start the fork",
			Help: "start a run from the checkpoint with the changed settings"},
		{Keys: kit.On("esc"), Hint: "back", Help: "start nothing"}}
}

// View implements kit.Form. It shows as many rows as there is room for, around the row under the
// cursor. Below them it says which values the setting takes, or what is wrong.
func (f *forkForm) View(t *kit.Theme, w, h int) []string {
	var foot []string
	if f.problem != nil {
		foot = t.ErrorLines(f.problem, w)
	} else {
		for _, s := range []string{f.about(), f.reads()} {
			foot = append(foot, t.Dim.Paint(t.Greek(cell.Cut(s, w))))
		}
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

// about says which values the row under the cursor takes.
func (f *forkForm) about() string {
	switch key := f.key(); {
	case f.row == 0:
		return fmt.Sprintf("The fork starts there%s. The run has %s.", f.onBox(),
			kit.Plural(len(f.steps), "checkpoint"))
	case key == "":
		return "Other settings, as in algorithms=[sfk] rho=1."
	case slices.Contains(f.spec.Knobs(), key):
		return key + ": " + f.spec.KnobWant(key)
	default:
		t, _ := spec.FindSetting(key)
		return key + ": " + t.Want
	}
}

// reads says what reads the setting under the cursor or, in the last row, the one that was typed
// last: a change that the training does not read makes no other fork.
func (f *forkForm) reads() string {
	key, now := f.key(), f.spec
	if typed := strings.Fields(f.changed[""]); f.row > len(f.keys) && len(typed) > 0 {
		key, _, _ = strings.Cut(typed[len(typed)-1], "=")
	}
	t, ok := spec.FindSetting(key)
	if !ok || change(&now, f.assignments()) != nil {
		return ""
	}
	switch method := now.Algorithm(); {
	case t.TrainedBy(&now):
		return fmt.Sprintf("The training of %s reads it.", method)
	case t.ReadIn(&now):
		return fmt.Sprintf("Only the report of %s reads it: no training step changes.", method)
	default:
		return fmt.Sprintf("%s does not read it: nothing changes.", method)
	}
}

// line draws a row: its name, its value at the checkpoint and, if it is under the cursor or
// changed, its new value.
func (f *forkForm) line(t *kit.Theme, row, w int) string {
	here := row == f.row
	const left, right = "← ", " →"
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
		return t.WithCursor("  "+kit.Left("from", nameCells)+text, here)
	case row > len(f.keys):
		head := t.WithCursor("  "+kit.Left("other", nameCells), here)
		if here {
			return head + f.typed.View(t.Text, w-nameCells-2)
		}
		return head + f.changed[""]
	}
	key := f.keys[row-1]
	value := kit.Left(f.value(key), valueCells)
	only := ""
	if s, _ := spec.FindSetting(key); !s.TrainedBy(&f.spec) {
		only = t.Dim.Paint("  report only")
	}
	head := t.WithCursor("  "+kit.Left(key, nameCells)+value, here)
	now, changed := f.changed[key]
	switch {
	case here && changed:
		return head + t.Accent.Paint(left) + f.typed.View(t.Text, 16) + t.Accent.Paint(right)
	case here:
		return head + t.Accent.Paint(left) + f.typed.View(t.Text, 1) + t.Accent.Paint(right)
	case changed:
		return head + t.Title.Paint("  "+now) + only
	}
	return head + only
}

// value returns a setting's value at the checkpoint. Numbers have six digits, because z is among
// them.
func (f *forkForm) value(key string) string {
	t, _ := spec.FindSetting(key)
	if v, ok := t.Number(&f.spec); ok && t.Choices == nil && !v.IsAuto() && !v.IsNone() {
		return fmt.Sprintf("%.6g", v.Or(0))
	}
	return f.spec.Text(key)
}

// nameCells and valueCells are the widths of a row's name and value.
const nameCells, valueCells = 16, 12
