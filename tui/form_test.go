package tui

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
)

// typed presses the keys of a text.
func (r *rig) typed(s string) {
	for _, c := range s {
		r.press(string(c))
	}
}

func TestKnobs(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.run() // of sfk
	r.mine[run.id] = true
	r.press("t")
	r.typed("-1")
	if r.press("enter"); len(r.asked.list) > 0 || !strings.Contains(text(r.shot(t)), "! lr") {
		t.Errorf("a learning rate below 0: asked %v\n%s", r.asked.list, text(r.shot(t)))
	}
	golden(t, "knobs-80x24", text(r.shot(t)))
	r.press("backspace", "backspace", "enter")
	if r.overlay == nil {
		t.Error("Enter without a value closes the form")
	}
	r.typed("0.005")
	r.press("enter", "t", "down")
	r.typed("auto")
	r.press("enter")
	if want := []string{"knob lr=0.005", "knob c=auto"}; !slices.Equal(r.asked.list, want) || r.overlay != nil {
		t.Errorf("asked %v, want %v", r.asked.list, want)
	}
	if !strings.Contains(r.footer(), "asked to turn c to auto: shapes-") {
		t.Errorf("the footer says %q", r.footer())
	}
	r.press("t")
	r.typed("7")
	r.press("esc")
	if len(r.asked.list) != 2 || r.overlay != nil {
		t.Errorf("Esc: asked %v", r.asked.list)
	}
	r.size(40, 12)
	r.press("t")
	r.typed("-1")
	if s := text(r.shot(t)); !strings.Contains(s, "lambda_max") || !strings.Contains(s, "! lr") {
		t.Errorf("on a small screen:\n%s", s)
	}
}

// TestKnobsFollow shows the settings as they are after what the log says.
func TestKnobsFollow(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.run()
	before := run.meta.Spec.LR
	run.add([]runner.Event{&runner.KnobEvent{Key: "lr", Old: runner.Num(before), New: runner.Num(0.25)},
		&runner.KnobEvent{Key: "c", New: runner.Number{}}, &runner.KnobEvent{Key: "no such", New: runner.Num(1)}})
	if run.Spec.LR != 0.25 || !run.Spec.C.IsAuto() || run.meta.Spec.LR != before {
		t.Errorf("lr %g, c %v; at the start %g", run.Spec.LR, run.Spec.C, run.meta.Spec.LR)
	}
}

func TestTurnable(t *testing.T) {
	for _, c := range []struct {
		algorithm dro.Algorithm
		want      []string
	}{{dro.SFK, runner.Knobs()}, {dro.PGD, []string{"lr", "lambda0", "lambda_max"}}, {dro.PAN, []string{"lr"}}, {dro.ERM, []string{"lr"}}} {
		s := runner.Defaults()
		s.Algorithms = []dro.Algorithm{c.algorithm}
		if got := turnable(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.algorithm, got, c.want)
		}
	}
	s := runner.Defaults()
	s.LR = -1
	if got := turnable(s); len(got) > 0 {
		t.Errorf("of settings that are no good: %v", got)
	}
}

func TestPalette(t *testing.T) {
	r := watching(t, 80, 24)
	r.press(":")
	golden(t, "palette-80x24", text(r.shot(t)))
	r.typed("log pane")
	if s := text(r.shot(t)); strings.Contains(s, "smoothing") {
		t.Errorf("what was not asked for:\n%s", s)
	}
	r.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
	r.typed("warnings")
	if r.press("enter"); !r.watch.logPane || r.overlay != nil {
		t.Error("the log pane is not open")
	}
	r.press(":")
	r.typed("zzz")
	if r.press("enter"); r.overlay == nil || !strings.Contains(text(r.shot(t)), "nothing does that") {
		t.Error("nothing was found, and something done")
	}
	r.press("esc", ":", "down", "down", "down", "up")
	r.size(40, 12)
	r.fits(t, "palette on a small screen")
	r.press("esc", "3", ":")
	r.typed("filter")
	if r.press("enter"); !r.pages[runsPage].typing() {
		t.Error("no filter is typed")
	}
}
