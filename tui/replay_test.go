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
	r := newDriver(t, s, 120, 40)
	s.Now = s.Now.Add(time.Hour)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	r.Send(lab.Watch{IDs: ids, Replay: &lab.Replay{Speed: 1}})
	r.Wait(6*time.Second, time.Second/13)
	r.size(80, 24)
	if h := r.header(); !strings.Contains(h, "replay ×1") {
		t.Errorf("in 80 cells the header is %q", h)
	}
	r.size(120, 40)
	if h := r.header(); !strings.Contains(h, "replay ×1 · ") {
		t.Errorf("the header says %q", h)
	}
	if d := r.pace(); d != time.Second/13 {
		t.Errorf("the next look is in %v, want %v", d, time.Second/13)
	}
	for _, key := range []string{"p", "x", "C", "t"} {
		r.Press(key)
		if f := r.footer(); !strings.Contains(f, "A replay is read-only") {
			t.Errorf("%s: the footer says %q", key, f)
		}
	}
	r.Press("space")
	r.Wait(20*time.Second, time.Second/2)
	if d := r.pace(); d < readSeldom {
		t.Errorf("paused for long, the next look is in %v", d)
	}
	r.Press("R")
	r.Wait(time.Second, time.Second/5)
	if h := r.header(); strings.Contains(h, "replay") || !strings.Contains(h, "4 done") {
		t.Errorf("ended, the header says %q, want 4 done and no replay in it", h)
	}
}

// replayingDriver returns a Model that replays the runs that read returns, before any of its
// commands is run.
func replayingDriver(t *testing.T, s *tuitest.Script, read func() ([]*record.Run, error)) *driver {
	t.Helper()
	source := lab.NewFixedRuns(read)
	m := newModel(lab.Config{Verbs: &tuitest.Asked{}, FixedRuns: source,
		Opening: lab.Opening{Replay: &lab.Replay{}},
		Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}}, source, tuitest.Presets)
	r := drive(m, s)
	r.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return r
}

// TestReplayReadsLate: the first frame of a replay waits for no run and says what is being read.
func TestReplayReadsLate(t *testing.T) {
	s, reads := tuitest.NewScript(t), 0
	r := replayingDriver(t, s, func() ([]*record.Run, error) {
		reads++
		runs, problems := s.List()
		return runs, errors.Join(problems...)
	})
	init := r.Init()
	if reads != 0 {
		t.Errorf("the runs were read %d times before the first frame, want not once", reads)
	}
	if v := r.View().Content; !strings.Contains(v, "Reading the runs") {
		t.Errorf("before the runs are there, the screen lacks Reading the runs:\n%s", v)
	}
	r.Run(init)
	if reads != 1 {
		t.Errorf("the runs were read %d times, want once", reads)
	}
	if v := r.View().Content; !strings.Contains(v, "sfk") {
		t.Errorf("once the runs are there, the screen lacks sfk:\n%s", v)
	}
	if !r.watch.Replaying() {
		t.Error("Replaying() = false, want true")
	}
}

// TestReplayOfNothing: a replay without runs ends with the reason.
func TestReplayOfNothing(t *testing.T) {
	none := errors.New("no run nothing")
	r := replayingDriver(t, tuitest.NewScript(t),
		func() ([]*record.Run, error) { return nil, none })
	r.Run(r.Init())
	if !r.quit {
		t.Error("the replay goes on without a run")
	}
	if r.failed != none {
		t.Errorf("it ended because of %v, want %v", r.failed, none)
	}
}
