package runs

import (
	"fmt"
	"slices"
	"strings"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// forking is the form that starts a run from a checkpoint of another, with some
// settings changed.
type forking struct {
	*lab.Lab
	run      *record.Run
	steps    []int64 // of the checkpoints, ascending
	pinned   []int64
	at       int // the checkpoint that is chosen
	kit.Line     // the changes
}

// forkMsg brings the checkpoints that a run can be forked from.
type forkMsg struct{ form *forking }

// fork opens the form for a run.
func (p *Page) fork(run *record.Run) tea.Cmd {
	if err := run.Meta.Trained(); err != nil {
		return kit.Complain(err)
	}
	f := &forking{Lab: p.Lab, run: run}
	f.Line = kit.Line{Input: kit.NewInput(""), Check: func(text string) error {
		spec := f.run.Meta.Spec
		return change(&spec, text)
	}, Take: f.start}
	return func() tea.Msg {
		var err error
		if f.steps, err = f.run.Checkpoints(); err != nil {
			return kit.Complain(err)()
		}
		if len(f.steps) == 0 {
			return kit.Notify("this run has no checkpoint to go on from")()
		}
		f.pinned, _ = f.run.Pinned()
		f.at = len(f.steps) - 1
		return forkMsg{f}
	}
}

// Press implements kit.Form.
func (f *forking) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch key.String() {
	case "up", "shift+tab":
		f.at = max(0, f.at-1)
	case "down", "tab":
		f.at = min(len(f.steps)-1, f.at+1)
	default:
		return f.Line.Press(key)
	}
	return false, nil
}

// change applies settings as they are typed: key=value, with blanks between them.
func change(spec *spec.Spec, text string) error {
	for _, assignment := range strings.Fields(text) {
		if err := presets.Set(spec, assignment); err != nil {
			return err
		}
	}
	return spec.Validate()
}

// start asks for the fork; what it begins with is read from the checkpoint.
func (f *forking) start(text string) tea.Cmd {
	step := f.steps[f.at]
	return func() tea.Msg {
		defer f.run.Hold()()
		past, err := f.run.Past(step)
		if err != nil {
			return lab.Started{Err: err}
		}
		spec, err := past.Fork()
		if err == nil {
			err = change(&spec, text)
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
	return []kit.Key{{Keys: kit.On("down"), Hint: "next checkpoint"},
		{Keys: kit.On("enter"), Hint: "start"},
		{Keys: kit.On("esc"), Hint: "back"}}
}

// View implements kit.Form.
func (f *forking) View(t *kit.Theme, w, h int) []string {
	lines := []string{t.Dim.Paint("From a checkpoint on, with changes as in lr=0.001 epochs=60:"),
		f.Input.View(t.Text, w), ""}
	room := max(1, h-len(lines)-2)
	first := kit.First(f.at, len(f.steps), room)
	for i := first; i < len(f.steps) && i < first+room; i++ {
		line := fmt.Sprintf("  step %d of %d", f.steps[i], f.run.Meta.Steps)
		if slices.Contains(f.pinned, f.steps[i]) {
			line += ", pinned"
		}
		lines = append(lines, t.Pointed(line, i == f.at))
	}
	lines = append(lines, t.Problem(f.Problem)...)
	return kit.Fill(lines, w, min(h, len(lines)))
}
