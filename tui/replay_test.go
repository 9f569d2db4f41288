package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// TestReplay: a replay changes nothing, says what it is, and is redrawn often while it plays.
func TestReplay(t *testing.T) {
	s := tuitest.NewScript(t)
	r := newRig(t, s, 120, 40)
	s.Now = s.Now.Add(time.Hour)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	r.send(lab.Watch{IDs: ids, Replay: &lab.Replay{Speed: 1}})
	r.wait(6*time.Second, time.Second/13)
	r.size(80, 24)
	if h := r.header(); !strings.Contains(h, "replay ×1") {
		t.Errorf("in 80 cells the header is %q", h)
	}
	r.size(120, 40)
	if h := r.header(); !strings.Contains(h, "replay ×1 · 0:0") {
		t.Errorf("the header says %q", h)
	}
	if d := r.pace(); d != time.Second/13 {
		t.Errorf("the next look is in %v", d)
	}
	for _, key := range []string{"p", "x", "C", "t"} {
		r.press(key)
		if f := r.footer(); !strings.Contains(f, "A replay is read-only") {
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

// kept returns a Model that replays the runs that read returns, before any of its commands is run.
func kept(t *testing.T, s *tuitest.Script, read func() ([]*record.Run, error)) *rig {
	t.Helper()
	source := lab.NewFixedRuns(read)
	r := &rig{script: s, asked: &tuitest.Asked{}}
	r.Model = newModel(lab.Config{Verbs: r.asked, FixedRuns: source,
		Opening: lab.Opening{Replay: &lab.Replay{}},
		Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}}, source, tuitest.Presets)
	r.Round = 0
	r.after = never
	r.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return r
}

// TestReplayReadsLate: the first frame of a replay waits for no run and says what is being read.
func TestReplayReadsLate(t *testing.T) {
	s, reads := tuitest.NewScript(t), 0
	r := kept(t, s, func() ([]*record.Run, error) {
		reads++
		runs, problems := s.List()
		return runs, errors.Join(problems...)
	})
	init := r.Init()
	if v := r.View().Content; reads != 0 || !strings.Contains(v, "Reading the runs") {
		t.Errorf("before the runs are there, after %d reads of them, the screen is\n%s", reads, v)
	}
	r.run(init)
	if v := r.View().Content; reads != 1 || !strings.Contains(v, "sfk") || !r.watch.Replaying() {
		t.Errorf("after %d reads of the runs the screen is\n%s", reads, v)
	}
}

// TestReplayOfNothing: a replay without runs ends with the reason.
func TestReplayOfNothing(t *testing.T) {
	none := errors.New("no run nothing")
	r := kept(t, tuitest.NewScript(t), func() ([]*record.Run, error) { return nil, none })
	r.run(r.Init())
	if !r.quit || r.failed != none {
		t.Errorf("left: %v, because of %v, want of %v", r.quit, r.failed, none)
	}
}
