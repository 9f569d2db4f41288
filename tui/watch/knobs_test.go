package watch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/watch/panel"

	"github.com/google/go-cmp/cmp"
)

func TestKnobs(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.Runs.Run() // a run of sfk
	r.Mine[run.ID] = true
	r.Press("t")
	r.Type("-1")
	r.Press("enter")
	if len(r.asked.List) > 0 {
		t.Errorf("a learning rate below 0 is asked for: %v", r.asked.List)
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "! lr") {
		t.Errorf("the form lacks ! lr:\n%s", s)
	}
	r.Press("backspace", "backspace", "enter")
	if r.Overlay == nil {
		t.Error("Enter without a value closes the form")
	}
	r.Type("0.005")
	r.Press("enter", "t", "up")
	r.Type("70")
	r.Press("enter")
	if want := []string{"knob lr=0.005", "knob c=70"}; !slices.Equal(r.asked.List, want) ||
		r.Overlay != nil {
		t.Errorf("asked %v, want %v", r.asked.List, want)
	}
	r.Press("t")
	r.Type("7")
	r.Press("esc")
	if len(r.asked.List) != 2 {
		t.Errorf("after Esc asked is %v, want nothing more than before", r.asked.List)
	}
	if r.Overlay != nil {
		t.Error("after Esc the form is open")
	}
	r.Size(40, 12)
	r.Press("t")
	r.Type("-1")
	for _, want := range []string{"lambda_max", "! lr"} {
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
			t.Errorf("on a small screen the form lacks %q:\n%s", want, s)
		}
	}
}

// TestKnobsFollow: the settings follow the changes in the log.
func TestKnobsFollow(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.Runs.Run()
	before := run.Meta.Spec.LR
	run.Add([]runner.Event{&runner.KnobEvent{Key: "lr", Old: measure.Num(before),
		New: measure.Num(0.25)},
		&runner.KnobEvent{Key: "no such", New: measure.Num(1)}})
	if got := run.Spec.LR; got != 0.25 {
		t.Errorf("lr is %g, want 0.25", got)
	}
	if got := run.Meta.Spec.LR; got != before {
		t.Errorf("lr at the start is %g, want %g as before", got, before)
	}
}

func TestTurnable(t *testing.T) {
	for _, c := range []struct {
		algorithm dro.Algorithm
		want      []string
	}{
		{dro.SFK, []string{"lr", "lambda0", "lambda_max", "c"}},
		{dro.PGD, []string{"lr", "lr_z", "lambda0", "lambda_max"}},
		{dro.PAN, []string{"lr", "lr_z"}},
		{dro.ERM, []string{"lr"}},
	} {
		s := spec.Defaults()
		s.Algorithms = []dro.Algorithm{c.algorithm}
		if got := panel.TurnableKeys(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.algorithm, got, c.want)
		}
	}
	s := spec.Defaults()
	s.LR = -1
	if got := panel.TurnableKeys(s); len(got) > 0 {
		t.Errorf("of settings that are no good: %v", got)
	}
}

// TestKnobsRows: j and k, which occur in no value, also move between settings, and the form says
// how to move.
func TestKnobsRows(t *testing.T) {
	r := watching(t, 80, 24)
	r.Mine[r.watch.Runs.Run().ID] = true
	r.Press("t", "j", "j", "j", "k", "h", "l")
	r.Type("auto")
	r.Press("enter")
	if want := []string{"knob lambda_max=auto"}; !slices.Equal(r.asked.List, want) {
		t.Errorf("asked %v, want %v", r.asked.List, want)
	}
	r.Press("t")
	if hint := r.Theme.Footer(r.Overlay.Hints(), 80); !strings.Contains(hint, "next setting") {
		t.Errorf("the footer says %q", hint)
	}
}

// TestTakeBack: u undoes changes of settings, the last one first, and restores each value to the
// bit.
func TestTakeBack(t *testing.T) {
	r := watching(t, 80, 24)
	run := r.watch.Runs.Run()
	r.Mine[run.ID] = true
	r.Press("u")
	if len(r.asked.List) > 0 {
		t.Errorf("nothing was changed, and u asks for %v", r.asked.List)
	}
	if n := r.Notice.Text; !strings.Contains(n, "has been changed") {
		t.Errorf("the notice is %q, want has been changed in it", n)
	}
	odd := math.Nextafter(.1, 1) // a few digits do not tell it from .1
	turn := func(key string, from, to float64) {
		run.Add([]runner.Event{&runner.KnobEvent{Key: key, Old: measure.Num(from),
			New: measure.Num(to)}})
	}
	turn("lr", odd, .25)
	turn("lambda0", .125, .25)
	turn("lr", .25, .5)
	undo := func() (key string, value float64) {
		t.Helper()
		r.asked.List = nil
		if r.Press("u"); len(r.asked.List) != 1 {
			t.Fatalf("asked %v, the notice is %q", r.asked.List, r.Notice.Text)
		}
		assignment := strings.TrimPrefix(r.asked.List[0], "knob ")
		key, text, _ := strings.Cut(assignment, "=")
		s := run.Spec
		_, after, err := s.Turn(key, text)
		if err != nil {
			t.Fatal(err)
		}
		turn(key, map[string]float64{"lr": run.Spec.LR, "lambda0": run.Spec.Lambda0}[key],
			after.Or(0))
		return key, after.Or(0)
	}
	var got []float64
	var keys []string
	for range 3 {
		key, value := undo()
		keys, got = append(keys, key), append(got, value)
	}
	if diff := cmp.Diff([]string{"lr", "lambda0", "lr"}, keys); diff != "" {
		t.Errorf("the settings that were taken back differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{.25, .125, odd}, got); diff != "" {
		t.Errorf("the values that they were set back to differ (-want +got):\n%s", diff)
	}
	if math.Float64bits(run.Spec.LR) != math.Float64bits(odd) {
		t.Errorf("lr is %v, want %v to the bit", run.Spec.LR, odd)
	}
	if r.Press("u"); len(r.asked.List) != 1 {
		t.Errorf("all is taken back, and asked is %v, want nothing more", r.asked.List)
	}
}
