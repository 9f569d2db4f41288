package tui

import (
	"fmt"

	"drolab/runner"

	tea "charm.land/bubbletea/v2"
)

// knobs is the form that changes a setting of a run while it goes on.
type knobs struct {
	*shared
	run     *track
	keys    []string // the settings that this run can change
	at      int
	line    input // the new value of keys[at]
	problem error // with it; nil while nothing is typed
}

// turnable are the settings that can be changed of a run with that spec: those
// that could be set to what they are.
func turnable(s runner.Spec) (keys []string) {
	for _, key := range runner.Knobs() {
		if _, _, err := s.Turn(key, settingText(&s, key)); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

func (k *knobs) overlay() *overlay {
	return &overlay{title: "Turn a setting of " + k.run.label, form: k}
}

// press implements form.
func (k *knobs) press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch key.String() {
	case "up", "shift+tab":
		k.move(-1)
	case "down", "tab":
		k.move(1)
	case "enter":
		if k.check(); k.problem != nil || len(k.line.text) == 0 {
			return false, nil
		}
		return true, k.turn(k.run.id, k.keys[k.at], k.line.String())
	default:
		k.line.press(key)
		k.check()
	}
	return false, nil
}

func (k *knobs) move(by int) {
	k.at = (k.at + by + len(k.keys)) % len(k.keys)
	k.line, k.problem = input{}, nil
}

// check tries what is typed on a copy of the run's settings.
func (k *knobs) check() {
	k.problem = nil
	if len(k.line.text) > 0 {
		spec := k.run.Spec
		_, _, k.problem = spec.Turn(k.keys[k.at], k.line.String())
	}
}

// view implements form.
func (k *knobs) view(t *theme, w, h int) []string {
	var lines []string
	if h >= 10 {
		lines = append(lines, t.dim.paint("It holds from the run's next step on and stands in its log."), "")
	}
	for i, key := range k.keys {
		line := "  " + left(key, 11) + right(settingText(&k.run.Spec, key), 10)
		if i != k.at {
			lines = append(lines, line)
			continue
		}
		before, under, after := k.line.window(16)
		st := t.text
		if k.problem != nil {
			st = t.bad
		}
		lines = append(lines, t.accent.paint(t.cursor)+t.title.paint(line[1:])+t.dim.paint("  new ")+
			st.paint(before)+t.caret.paint(under)+st.paint(after))
	}
	lines = append(lines, "")
	if k.problem == nil {
		return append(lines, t.dim.paint("a number; auto where the presets have it"))
	}
	for _, s := range wrap(t.greek("! "+OneLine(k.problem.Error())), w) {
		lines = append(lines, t.bad.paint(s))
	}
	return lines
}

// turn asks for another value of a setting; the answer is a verbMsg.
func (s *shared) turn(id, key, value string) tea.Cmd {
	v := s.cfg.Verbs
	return func() tea.Msg {
		return verbMsg{fmt.Sprintf("turn %s to %s", key, value), id, v.Knob(id, key, value)}
	}
}
