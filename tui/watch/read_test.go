package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// longRuns returns a script of runs of several seeds whose logs are complete, and the number of
// events in each log.
func longRuns(t *testing.T, runs int) (s *tuitest.Script, events int) {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s = &tuitest.Script{Folder: lab.Folder(store.Dir()), Logs: map[string][]runner.Event{},
		Now: tuitest.Epoch0().Add(24 * time.Hour)}
	for i := range runs {
		m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
		m.Spec.Seed = uint64(i + 1)
		r, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		s.Logs[m.ID] = tuitest.Training(dro.SFK, i, 4000, 8)
		events = len(s.Logs[m.ID])
	}
	return s, events
}

// TestWhatIsNotDrawnIsNotHeld watches a dozen long runs: no look reads more than one log at a time,
// all logs are read in the end, and the size of all that is kept of them is bounded.
func TestWhatIsNotDrawnIsNotHeld(t *testing.T) {
	const runs = 12
	s, each := longRuns(t, runs)
	r := newRig(t, s, 120, 40)
	r.Wait(2*time.Second, time.Second)
	all := 0
	for _, m := range r.Sent {
		if m, ok := m.(readMsg); ok {
			n := 0
			for _, p := range m.parts {
				n += len(p.events)
			}
			if all += n; n >= mostRead+each {
				t.Errorf("a look brings %d events", n)
			}
		}
	}
	if all != runs*each {
		t.Errorf("%d events of %d came", all, runs*each)
	}
	for _, tr := range r.watch.Tracks {
		for name, c := range tr.Curves {
			if n := len(c.Raw.Buckets()); n > panel.Buckets(runs) {
				t.Errorf("%s of %s has %d buckets", name, tr.Label, n)
			}
		}
		if got := tr.Curves["loss"].Raw; got.Len() != each-10 {
			t.Errorf("%s: %d losses of %d", tr.Label, got.Len(), each-10)
		}
	}
}

// TestBuckets: the curves of up to as many runs as there are methods of the paper are kept as
// finely as those of one run.
func TestBuckets(t *testing.T) {
	for runs, want := range map[int]int{1: 8192, 4: 8192, 5: 4096, 12: 2048, 48: 512} {
		if got := panel.Buckets(runs); got != want {
			t.Errorf("%d runs: %d buckets, want %d", runs, got, want)
		}
	}
}

// TestPrinted: the log pane shows the end of the output of the run's program, follows it, and
// contains nothing that controls a terminal. For a run without a program, the pane opens and closes
// as usual.
func TestPrinted(t *testing.T) {
	r := watching(t, 120, 40)
	run := r.watch.Run()
	run.Meta.Program = &runner.Program{}
	path := filepath.Join(run.Run.Dir, runner.ProgramLogName)
	show := func() string {
		r.Wait(2*lookAgain, lookAgain)
		r.Fits(t, "what a program printed")
		return tuitest.Text(r.Shot())
	}
	r.Press("w")
	if s := show(); !strings.Contains(s, "Log by step") {
		t.Errorf("what happened:\n%s", s)
	}
	r.Press("w")
	if s := show(); !strings.Contains(s, "no output was kept") {
		t.Errorf("nothing printed:\n%s", s)
	}
	text := strings.Repeat("an early line\n", 9000) + "  5%|▌ |\r 90%|█|\r100%|██|\n" +
		"\x1b[31mred\x1b[0m \x1b]0;title\aand \x1b[2Jbare\u202e\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := show()
	for _, want := range []string{"Program of " + run.Label, " 100%|██|", "red and bare",
		"1000 lines"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	if strings.Contains(s, "5%|") || strings.Contains(s, "31m") {
		t.Errorf("more than the last form:\n%s", s)
	}
	if err := os.WriteFile(path, []byte(text+"another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := show(); !strings.Contains(s, "another") {
		t.Errorf("it does not follow:\n%s", s)
	}
	r.Press("pgup", "pgup")
	if s := show(); !strings.Contains(s, "10 more below") || strings.Contains(s, "another") {
		t.Errorf("scrolled:\n%s", s)
	}
	r.Press("pgdown", "pgdown")
	r.Send(lab.Watch{IDs: r.watch.IDs(), Replay: &lab.Replay{}})
	r.Wait(time.Second, time.Second/5)
	r.watch.Run().Meta.Program = &runner.Program{}
	if s := show(); !strings.Contains(s, "red and bare") {
		t.Errorf("in a replay:\n%s", s)
	}
	r.watch.Run().Meta.Program = nil
	if s := show(); !strings.Contains(s, "trains no program") {
		t.Errorf("another run:\n%s", s)
	}
	r.Press("w", "w", "w")
	if r.watch.logPane != noPane {
		t.Errorf("pane %d after three presses", r.watch.logPane)
	}
}

// TestLinesOf: the first line of a cut text is dropped, and of many lines the last remain.
func TestLinesOf(t *testing.T) {
	for _, c := range []struct {
		text  string
		whole bool
		want  string
	}{
		{"a\nb\r\n\tc", true, `["a" "b" "    c"]`},
		{"a\nb\n", false, `["b"]`},
		{"", true, `[]`},
		{"no end", false, `[]`},
	} {
		if got := fmt.Sprintf("%q", linesOf([]byte(c.text), c.whole)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
