package watch

import (
	"fmt"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// turn asks for a setting and its value. The form has the run as it is now; if it ends meanwhile,
// the verb is refused where it arrives.
func (w *Page) turn() tea.Cmd {
	t := w.Runs.Run()
	return w.Show(&kit.Overlay{Title: "Change a setting of " + t.Label,
		Form: newForm(w.Lab, t)})
}

// noTurn goes by Turns, which is found out once: every frame's footer asks for each key's reason.
func (w *Page) noTurn(t *panel.Track) string {
	if !t.HasKnobs {
		return fmt.Sprintf("%s has settings that this version cannot read", t.Label)
	}
	return w.noVerb("change")(t)
}

// undoSetting asks the run to give a setting the exact value that it had before its last turn.
// Pressed again, the key takes back the turn before that one.
func (w *Page) undoSetting() tea.Cmd {
	t := w.Runs.Run()
	key, value, _ := t.Back()
	return w.TurnBack(t.ID, key, value)
}

func (w *Page) noUndoSetting(t *panel.Track) string {
	if w.logs.clock != nil { // the key has another meaning there
		return "A replay changes nothing"
	}
	if why := w.noVerb("undo")(t); why != "" {
		return why
	}
	_, _, ok := t.Back()
	return kit.Unless(ok, fmt.Sprintf("No setting of %s has been changed", t.Label))
}

// knobForm is the form that changes a setting of a run while it goes on. It shows the settings that
// can be changed with their values, the new value as it is typed, and what is wrong with it. The
// run's own rule, spec.Spec.Turn, decides what may be typed; the form changes nothing by itself.
// The overlay owns it, from the key that opens it to enter or esc.
type knobForm struct {
	*lab.Lab
	run          *panel.Track // its Spec is the present one, and may change while the form is open
	keys         []string     // the settings that this run can change
	row          int
	kit.LineForm // the new value of keys[at]
}

// newForm returns the form for a run.
func newForm(l *lab.Lab, run *panel.Track) *knobForm {
	f := &knobForm{Lab: l, run: run, keys: panel.TurnableKeys(run.Spec)}
	f.move(0)
	return f
}

// Press implements kit.Form. Letters that are no part of a number move, as in lists.
func (k *knobForm) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch key.String() {
	case "up", "k", "shift+tab": // no value has an h, j, k or l
		k.move(-1)
	case "down", "j", "tab":
		k.move(1)
	case "h":
		k.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
	case "l":
		k.Update(tea.KeyPressMsg{Code: tea.KeyRight})
	case "enter":
		// The run may have changed since the last letter, so what is typed is checked again.
		k.Problem = k.check(k.String())
		if k.Problem != nil || k.String() == "" {
			return false, nil
		}
		return true, k.Turn(k.run.ID, k.keys[k.row], k.String())
	default:
		k.Type(key)
	}
	return false, nil
}

// Hint implements kit.Form.
func (k *knobForm) Hint() []kit.Key {
	return append([]kit.Key{{Keys: kit.On("down"), Hint: "next setting"},
		{Keys: kit.On("up"), Hint: "previous setting"}}, kit.TypingKeys()...)
}

// move goes to another setting. What was typed is dropped: it was meant for the one before.
func (k *knobForm) move(by int) {
	k.row = (k.row + by + len(k.keys)) % len(k.keys)
	k.LineForm = kit.LineForm{Input: kit.NewInput(""), Check: k.check}
}

// check tries what is typed on a copy of the run's settings. The rules are the runner's own, so
// that the form refuses what the run would refuse, and says it while one types.
func (k *knobForm) check(text string) error {
	if text == "" {
		return nil
	}
	spec := k.run.Spec
	_, _, err := spec.Turn(k.keys[k.row], text)
	return err
}

// View implements kit.Form: one line for each setting, with the new value where the cursor is. On a
// low screen the sentence above them is left out first.
func (k *knobForm) View(t *kit.Theme, w, h int) []string {
	var lines []string
	if h >= 10 {
		lines = append(lines, t.Dim.Paint("Takes effect at the next step and is logged."), "")
	}
	for i, key := range k.keys {
		// The value that holds now stands beside the new one, as one rarely knows it by heart.
		line := "  " + kit.Left(key, 11) + kit.Right(k.run.Spec.Text(key), 10)
		if i != k.row {
			lines = append(lines, line)
			continue
		}
		st := t.Text
		if k.Problem != nil {
			st = t.Alarm
		}
		lines = append(lines, t.WithCursor(line, true)+t.Dim.Paint("  new ")+k.Input.View(st, 16))
	}
	lines = append(lines, "")
	if k.Problem == nil {
		want := k.keys[k.row] + ": " + k.run.Spec.KnobWant(k.keys[k.row])
		return append(lines, t.Dim.Paint(t.Greek(cell.Cut(want, w))))
	}
	return append(lines, t.ErrorLines(k.Problem, w)...)
}
