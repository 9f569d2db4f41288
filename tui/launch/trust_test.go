package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/presets"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestTrust: a preset that names a program starts it only after the user has seen its path and
// checksum and said yes. The question is asked once for each version of the file, and only y means
// yes.
func TestTrust(t *testing.T) {
	path, _ := filepath.Abs("train.py")
	trust := &tuitest.Trust{Sums: map[string]string{path: "0123abcd"}}
	s := &tuitest.Starter{}
	l := tuitest.NewLab(t, tuitest.NewArchive(t), lab.Config{Verbs: s, Programs: trust}, 120, 38)
	p := New(l, tuitest.Presets)
	if err := presets.Set(p.spec(), "model=program:train.py width=2"); err != nil {
		t.Fatal(err)
	}
	r := tuitest.NewRig(l, p)
	for _, no := range []string{"enter", "esc", "q"} {
		r.Press("enter", "enter")
		if r.Overlay == nil {
			t.Fatalf("nothing is asked; started %v", s.Requests)
		}
		text := strings.Join(r.Overlay.Lines, "\n")
		if !strings.Contains(text, path) || !strings.Contains(text, "0123abcd") ||
			!strings.Contains(text, "width=2") {
			t.Errorf("asked is\n%s", text)
		}
		if r.Press(no); len(s.Requests) > 0 || len(trust.Approved) > 0 || p.Busy() != "" {
			t.Fatalf("%s started %v, approved %v, busy %q", no, s.Requests, trust.Approved,
				p.Busy())
		}
		r.Overlay = nil
	}
	r.Press("enter", "enter")
	trust.Sums[path] = "another" // between the question and the answer
	if r.Press("y"); len(s.Requests) > 0 || !strings.Contains(r.Notice.Text, "changed") {
		t.Fatalf("started %v; notice %q", s.Requests, r.Notice.Text)
	}
	r.Press("enter", "enter", "y")
	r.Press("enter", "enter") // it is known by now
	if want := []string{path + " another"}; len(s.Requests) != 2 ||
		!slices.Equal(trust.Approved, want) || r.Overlay != nil {
		t.Errorf("%d starts, approved %v, want %v", len(s.Requests), trust.Approved, want)
	}
	if got := fmt.Sprint(s.Requests[0].Specs[0].Model); got != "program:train.py width=2" {
		t.Errorf("started with %s", got)
	}
	delete(trust.Sums, path) // whoever starts runs says what is wrong
	if r.Press("enter", "enter"); len(s.Requests) != 3 || r.Overlay != nil {
		t.Errorf("%d starts of a program that is gone", len(s.Requests))
	}
}
