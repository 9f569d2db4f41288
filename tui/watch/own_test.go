package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// own adds a value of the program's own to the events of a run, from a step on. The value is the
// step.
func own(events []runner.Event, name string, from int64) {
	for _, e := range events {
		if s, ok := e.(*runner.StepEvent); ok && s.Step >= from {
			for _, v := range []*measure.Values{&s.Values, &s.Min, &s.Max} {
				*v = slices.Clone(*v)
				v.Set(name, measure.Num(float64(s.Step)))
			}
		}
	}
}

// TestOwnValues: a program's own value has a panel and a column as soon as a run has it, after the
// existing ones, and its curve has the first value.
func TestOwnValues(t *testing.T) {
	s := tuitest.NewScript(t)
	id := sfkOf(s)
	own(s.Logs[id], "user.tokens", 60)
	r := newDriver(t, s, 200, 60)
	r.Wait(2*time.Second, time.Second/5)
	before := len(r.watch.Board.Panels)
	r.Wait(time.Duration(400*tuitest.Pace*float64(time.Second)), time.Second)
	titles := func(p panel.Panel) bool { return p.Title == "user.tokens" }
	if n := len(r.watch.Board.Panels); n != before+1 || !titles(r.watch.Board.Panels[n-1]) {
		t.Fatalf("%d panels of %d before: %+v", n, before, r.watch.Board.Panels[n-1])
	}
	for _, track := range r.watch.Runs.Tracks {
		c := track.Curves["user.tokens"]
		if track.ID == id && (c.Raw.Len() < 3 || c.Raw.At(60) != 60) ||
			track.ID != id && c.Raw.Len() > 0 {
			t.Errorf("%s has %d values", track.ID, c.Raw.Len())
		}
	}
	r.Press("shift+tab", "z", "i")
	text := tuitest.Text(r.Shot()) + strings.Join(r.Overlay.Lines, " ")
	for _, want := range []string{"user.tokens ──", "user.tokens: a value of the program's own"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	r.Overlay = nil
	r.Send(lab.Watch{IDs: []string{otherThan(s, id)}}) // a run that has fewer panels
	r.Wait(2*time.Second, time.Second/5)
	r.Fits(t, "other runs")
	if slices.ContainsFunc(r.watch.Board.Panels, titles) {
		t.Error("a run has the panel of another one's program")
	}
}

func otherThan(s *tuitest.Script, id string) string {
	for other := range s.Logs {
		if other != id {
			return other
		}
	}
	panic("one run alone")
}

// TestRunOfAScript: the page promises no key that resumes the run of a script. Only the script can.
func TestRunOfAScript(t *testing.T) {
	s := tuitest.NewScript(t)
	r := newDriver(t, s, 200, 60)
	r.Wait(2*time.Second, time.Second/5)
	track := r.watch.Runs.Run()
	meta := *track.Meta
	meta.Spec.Model = spec.ScriptModel
	track.Meta = &meta
	r.watch.stop()
	got := strings.Join(r.Overlay.Lines, " ")
	if want := "only the script can resume it."; !strings.HasSuffix(got, want) {
		t.Errorf("x says %q: want %q at its end", got, want)
	}
	ended := *track
	ended.Status = runner.Stopped
	got, want := r.watch.noResume(&ended), "drolab.start(resume="
	if !strings.Contains(got, want) {
		t.Errorf("r is refused with %q: want %q", got, want)
	}
}
