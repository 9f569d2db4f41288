package runs

import (
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
)

// TestLabels: notes and tags are typed, found by filters, and shown. An archived run is hidden
// until it is asked for.
func TestLabels(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t).Folder)
	all := len(p.shown)
	first := p.current().Meta.ID
	r.Press("n")
	r.Type("the good one")
	r.Press("enter", "#")
	r.Type("paper b")
	r.Press("enter", "#")
	r.Type("-b")
	r.Press("enter")
	if got, want := p.current().Label().String(), "the good one; tags paper"; got != want {
		t.Fatalf("the label is %q, want %q; the notice is %q", got, want, r.Notice.Text)
	}
	if got := p.current().Meta.ID; got != first {
		t.Fatalf("the cursor is on %s, want it to stay on %s", got, first)
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "the good one; tags paper") {
		t.Errorf("the details are without the label:\n%s", s)
	}
	r.Press("#")
	r.Type("a/b")
	r.Press("enter")
	if r.Overlay == nil {
		t.Fatal("a bad tag is taken")
	}
	if v := r.View(); !strings.Contains(v, "expected a word") {
		t.Errorf("the form lacks want a word:\n%s", v)
	}
	r.Press("esc", "A")
	if len(p.shown) != all-1 {
		t.Errorf("%d runs are listed, want %d without the archived one", len(p.shown), all-1)
	}
	for text, want := range map[string]int{"archived:true": 1, "tag:paper archived:true": 1,
		"good archived:true": 1, "note:good": 0, "tag:b archived:true": 0} {
		r.Press("/", "ctrl+u")
		r.Type(text)
		if r.Press("enter"); len(p.shown) != want {
			t.Errorf("%q lists %d runs, want %d", text, len(p.shown), want)
		}
	}
	r.Press("/", "ctrl+u")
	r.Type("archived:true")
	r.Press("enter", "A", "esc")
	if len(p.shown) != all {
		t.Errorf("brought back, %d runs are listed, want %d", len(p.shown), all)
	}
}
