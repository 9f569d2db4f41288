package watch

import (
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// knobs is the form that changes a setting of a run while it goes on. The overlay owns it, from
// the key that opens it to enter or esc.
type knobs struct {
	*lab.Lab
	run     *track.Track // its Spec is as the run trains now, and moves on under the form
	keys    []string     // the settings that this run can change
	at      int
	line    kit.Input // the new value of keys[at]
	problem error     // with it; nil while nothing is typed
}

func (k *knobs) overlay() *kit.Overlay {
	return &kit.Overlay{Title: "Turn a setting of " + k.run.Label, Form: k}
}

// Press implements kit.Form. Letters that are no part of a number move, as in lists.
func (k *knobs) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch key.String() {
	case "up", "k", "shift+tab": // no value has an h, j, k or l
		k.move(-1)
	case "down", "j", "tab":
		k.move(1)
	case "h":
		k.line.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
	case "l":
		k.line.Update(tea.KeyPressMsg{Code: tea.KeyRight})
	case "enter":
		// The run may have changed since the last letter, so what is typed is checked again.
		if k.check(); k.problem != nil || k.line.String() == "" {
			return false, nil
		}
		return true, k.Turn(k.run.ID, k.keys[k.at], k.line.String())
	default:
		k.line.Update(key)
		k.check()
	}
	return false, nil
}

// Hint implements kit.Form.
func (k *knobs) Hint() []kit.Key {
	return append([]kit.Key{{Keys: kit.On("down"), Hint: "next setting"},
		{Keys: kit.On("up"), Hint: "setting before"}}, kit.Taking()...)
}

// move goes to another setting. What was typed is dropped: it was meant for the one before.
func (k *knobs) move(by int) {
	k.at = (k.at + by + len(k.keys)) % len(k.keys)
	k.line, k.problem = kit.NewInput(""), nil
}

// check tries what is typed on a copy of the run's settings. The rules are the runner's own, so
// that the form refuses what the run would refuse, and says it while one types.
func (k *knobs) check() {
	k.problem = nil
	if k.line.String() != "" {
		spec := k.run.Spec
		_, _, k.problem = spec.Turn(k.keys[k.at], k.line.String())
	}
}

// View implements kit.Form: a line a setting, with the new value where the cursor is. On a low
// screen the sentence above them goes first.
func (k *knobs) View(t *kit.Theme, w, h int) []string {
	var lines []string
	if h >= 10 {
		lines = append(lines,
			t.Dim.Paint("It holds from the run's next step on and stands in its log."), "")
	}
	for i, key := range k.keys {
		// The value that holds now stands beside the new one, as one rarely knows it by heart.
		line := "  " + kit.Left(key, 11) + kit.Right(k.run.Spec.Text(key), 10)
		if i != k.at {
			lines = append(lines, line)
			continue
		}
		st := t.Text
		if k.problem != nil {
			st = t.Bad
		}
		lines = append(lines,
			t.Accent.Paint(t.Cursor)+t.Title.Paint(line[1:])+t.Dim.Paint("  new ")+
				k.line.View(st, 16))
	}
	lines = append(lines, "")
	if k.problem == nil {
		return append(lines, t.Dim.Paint("a number; auto where the presets have it"))
	}
	for _, s := range kit.Wrap(t.Greek("! "+cell.OneLine(k.problem.Error())), w) {
		lines = append(lines, t.Bad.Paint(s))
	}
	return lines
}
