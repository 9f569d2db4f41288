package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestPrinted: the log pane shows the end of the output of the run's program, follows it, and
// contains nothing that controls a terminal. For a run without a program, the pane opens and closes
// as usual.
func TestPrinted(t *testing.T) {
	r := watching(t, 120, 40)
	run := r.watch.Runs.Run()
	run.Meta.Program = &runner.Program{}
	path := filepath.Join(run.Run.Dir, runner.ProgramLogName)
	show := func() string {
		r.Wait(2*lookInterval, lookInterval)
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
	s = show()
	if !strings.Contains(s, "10 more below") {
		t.Errorf("scrolled, the pane lacks 10 more below:\n%s", s)
	}
	if strings.Contains(s, "another") {
		t.Errorf("scrolled, the pane shows its last line:\n%s", s)
	}
	r.Press("pgdown", "pgdown")
	r.Send(lab.Watch{IDs: r.watch.Runs.IDs(), Replay: &lab.Replay{}})
	r.Wait(time.Second, time.Second/5)
	r.watch.Runs.Run().Meta.Program = &runner.Program{}
	if s := show(); !strings.Contains(s, "red and bare") {
		t.Errorf("in a replay:\n%s", s)
	}
	r.watch.Runs.Run().Meta.Program = nil
	if s := show(); !strings.Contains(s, "trains no program") {
		t.Errorf("another run:\n%s", s)
	}
	r.Press("w", "w", "w")
	if r.watch.screen.logPane != noPane {
		t.Errorf("pane %d after three presses, want %v", r.watch.screen.logPane, noPane)
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
