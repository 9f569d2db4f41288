package tui

import (
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestReplay wants a replay to change nothing, to say what it is, and to be shown
// often while it plays.
func TestReplay(t *testing.T) {
	s := tuitest.NewScript(t)
	r := newRig(t, s, 120, 40)
	s.Now = s.Now.Add(time.Hour)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	r.send(lab.Watch{IDs: ids, Replay: &lab.Replay{Speed: 1}})
	r.wait(6*time.Second, time.Second/14)
	r.size(80, 24)
	if h := r.header(); !strings.Contains(h, "replay ×1") {
		t.Errorf("in 80 cells the header is %q", h)
	}
	r.size(120, 40)
	if h := r.header(); !strings.Contains(h, "replay ×1 · 0:0") {
		t.Errorf("the header says %q", h)
	}
	if d := r.pace(); d != time.Second/14 {
		t.Errorf("the next look is in %v", d)
	}
	for _, key := range []string{"p", "x", "c", "t"} {
		r.press(key)
		if f := r.footer(); !strings.Contains(f, "a replay changes nothing") {
			t.Errorf("%s: the footer says %q", key, f)
		}
	}
	r.press("space")
	r.wait(20*time.Second, time.Second/2)
	if d := r.pace(); d < readSeldom {
		t.Errorf("paused for long, the next look is in %v", d)
	}
	r.press("R")
	r.wait(time.Second, time.Second/5)
	if h := r.header(); strings.Contains(h, "replay") || !strings.Contains(h, "4 done") {
		t.Errorf("ended, the header says %q", h)
	}
}
