package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/presets"
	"drolab/runner/bridge"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestTrust: a preset that names a program starts it only after the user has seen its path and
// checksum and said yes. The question is asked once for each version of the file, and only y means
// yes.
func TestTrust(t *testing.T) {
	t.Chdir(t.TempDir())
	path, _ := filepath.Abs("train.py")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	sum, err := bridge.Checksum(path)
	if err != nil {
		t.Fatal(err)
	}
	trust, s := bridge.Approvals(t.TempDir()), &tuitest.Starter{}
	approved := func() bool {
		_, err := trust.Check(path)
		return err == nil
	}
	l := tuitest.NewLab(t, tuitest.NewArchive(t), lab.Config{Verbs: s, Programs: trust}, 120, 38)
	p := New(l, tuitest.Presets)
	if err := presets.Set(p.spec(), "model=program:train.py width=2"); err != nil {
		t.Fatal(err)
	}
	r := tuitest.NewDriver(l, p)
	for _, no := range []string{"enter", "esc", "q"} {
		r.Press("enter", "enter")
		if r.Overlay == nil {
			t.Fatalf("nothing is asked; started %v", s.Requests)
		}
		text := strings.Join(r.Overlay.Lines, "\n")
		for _, want := range []string{path, sum, "width=2"} {
			if !strings.Contains(text, want) {
				t.Errorf("the question lacks %q:\n%s", want, text)
			}
		}
		r.Press(no)
		if len(s.Requests) > 0 {
			t.Fatalf("%s started %v", no, s.Requests)
		}
		if approved() {
			t.Fatalf("%s approved the program", no)
		}
		if p.Starting != "" {
			t.Fatalf("after %s the page says %q", no, p.Starting)
		}
		r.Overlay = nil
	}
	r.Press("enter", "enter")
	write("another") // between the question and the answer
	r.Press("y")
	if len(s.Requests) > 0 {
		t.Fatalf("a program that changed after the question was started: %v", s.Requests)
	}
	if !strings.Contains(r.Notice.Text, "changed") {
		t.Fatalf("the notice is %q, want changed in it", r.Notice.Text)
	}
	r.Press("enter", "enter", "y")
	r.Press("enter", "enter") // it is known by now
	if len(s.Requests) != 2 {
		t.Errorf("%d starts, want 2", len(s.Requests))
	}
	if !approved() {
		t.Error("the program is not approved")
	}
	if r.Overlay != nil {
		t.Errorf("a known program is asked about: %q", r.Overlay.Title)
	}
	if write("one"); approved() {
		t.Error("the version before the change was approved")
	}
	if got := fmt.Sprint(s.Requests[0].Specs[0].Model); got != "program:train.py width=2" {
		t.Errorf("the run has the model %q, want program:train.py width=2", got)
	}
	os.Remove(path) // whoever starts runs says what is wrong
	r.Press("enter", "enter")
	if len(s.Requests) != 3 {
		t.Errorf("%d starts, want the third, of a program that is gone", len(s.Requests))
	}
	if r.Overlay != nil {
		t.Errorf("a program that is gone is asked about: %q", r.Overlay.Title)
	}
}
