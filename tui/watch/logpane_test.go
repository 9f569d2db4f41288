package watch

import (
	"strings"
	"testing"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/watch/panel"
)

// TestWarnings: a run with warnings has a badge, and a key shows the warnings in full.
func TestWarnings(t *testing.T) {
	r := watching(t, 80, 24)
	long := strings.Repeat("a long warning ", 20) + "end"
	if r.Press("W"); !strings.Contains(r.Notice.Text, "has no warnings") {
		t.Errorf("the footer says %q", r.Notice.Text)
	}
	r.watch.Runs.Run().Add([]runner.Event{&runner.WarningEvent{Message: long}})
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "!1") {
		t.Errorf("no badge:\n%s", s)
	}
	r.Press("W")
	if r.Overlay == nil || !strings.Contains(strings.Join(r.Overlay.Lines, " "), " end") {
		t.Errorf("W opens %+v, want the warning to its end", r.Overlay)
	}
}

// TestSearch: the log pane shows only lines with the words that were searched, in any case.
func TestSearch(t *testing.T) {
	r := watching(t, 120, 40)
	r.watch.Runs.Run().Notes = []panel.Note{{Step: 7, Text: "Loss is high"},
		{Step: 8, Text: "calm"}}
	r.Press("w", "/")
	r.Type("loss")
	r.Press("enter")
	screen := tuitest.Text(r.Shot())
	for _, want := range []string{"Loss is high", " with loss · "} {
		if !strings.Contains(screen, want) {
			t.Errorf("after a search for loss the screen lacks %q:\n%s", want, screen)
		}
	}
	if strings.Contains(screen, "calm") {
		t.Errorf("after a search for loss a line without it is shown:\n%s", screen)
	}
}
