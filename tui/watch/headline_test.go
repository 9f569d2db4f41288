package watch

import (
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
)

// TestHeadlineSaysBounds: the headline says whether λ is at a bound, if there is room for that.
func TestHeadlineSaysBounds(t *testing.T) {
	r := watching(t, 120, 40)
	run := r.watch.Runs.Run()
	run.Status = runner.Done
	box := run.Meta.Box.Lambda
	for v, want := range map[float64]string{
		box[0]:                "at its lower bound",
		box[1]:                "at its upper bound",
		(box[0] + box[1]) / 2: "(bounds ",
	} {
		run.Last.Set("lambda", measure.Num(v))
		r.watch.touch()
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
			t.Errorf("λ %v, no %q:\n%s", v, want, s)
		}
	}
}

// TestHeadline: the outcome of a run is shown whole, or with a sign where it is cut.
func TestHeadline(t *testing.T) {
	r := watching(t, 80, 34)
	if n := r.watch.headlineRows(); n != r.watch.storyRows() {
		t.Errorf("%d lines while all goes on, want %v", n, r.watch.storyRows())
	}
	run := r.watch.Runs.Run()
	for _, c := range []struct {
		status      runner.Status
		cause, want string
		evaluated   bool
	}{
		{runner.Done, "", "✓ sfk: done after 8 epochs in 10s: worst class 11.2 %, mean 30.0 %",
			true},
		{runner.Stopped, "", "▬ sfk: stopped at epoch 4.75: worst class 11.2 %, mean 30.0 %", true},
		{runner.Failed, "the loss is NaN", "✗ sfk: failed at epoch 4.75: the loss is NaN", true},
		{runner.Failed, strings.Repeat("very ", 40), "very very…", true},
		{runner.Interrupted, "", "╍ sfk: interrupted at epoch 4.75: not evaluated", false},
	} {
		run.Status, run.Cause = c.status, c.cause
		if !c.evaluated {
			run.Eval = nil
		}
		r.Fits(t, string(c.status))
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, c.want) {
			t.Errorf("no %q:\n%s", c.want, s)
		}
	}
	run.Step++ // 191 of 40 steps an epoch
	if s, want := tuitest.Text(r.Shot()), "interrupted at epoch 4.78:"; !strings.Contains(s, want) {
		t.Errorf("no %q:\n%s", want, s)
	}
	g := watchingGroups(t, 160, 40)
	if s := tuitest.Text(g.Shot()); !strings.Contains(s,
		"40.0 % · selected epoch 3 by val_worst: worst group 30.0 %") {
		t.Errorf("no selection:\n%s", s)
	}
}
