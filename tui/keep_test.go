package tui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// keepingDriver returns a driver that keeps its view in the folder views and has read it from
// there.
func keepingDriver(t *testing.T, a lab.Source, views string) *driver {
	t.Helper()
	r := browsing(t, a, "1", 120, 40)
	r.Config.Views = views
	r.Run(r.recall())
	return r
}

// chooses returns, by page, the keys that change every choice of the page.
func chooses() map[string][]string {
	return map[string][]string{
		"2": {"d", "a", "s", "l", "f", "tab", "v", "B", "o", "w"},
		"3": {"s", "s", "S", "o", "C", "down", "down", "space",
			"esc", "O", "down", "space", "enter"},
		"4": {"a", "v", "v", "m"},
	}
}

// TestViewIsKept: the choices made by keys are restored at the next start, and 0 resets them.
func TestViewIsKept(t *testing.T) {
	a, in := tuitest.NewArchive(t), filepath.Join(t.TempDir(), "views")
	r := keepingDriver(t, a, in)
	for page, keys := range chooses() {
		r.Press(page)
		r.Press(keys...)
	}
	want := r.view()
	for _, p := range r.pages {
		c, ok := p.(chooser)
		for _, choice := range func() lab.Choices {
			if !ok {
				return nil
			}
			return c.Choices()
		}() {
			if choice.Name != "pane" && len(choice.Get()) == 0 {
				t.Errorf("%s: no key has changed %s", p.Title(), choice.Name)
			}
		}
	}
	r.keepLast()
	again := keepingDriver(t, a, in)
	if got := again.view(); !got.Same(want) {
		t.Errorf("kept are\n%v, want\n%v", got, want)
	}
	for _, page := range []string{"2", "3", "4"} {
		r.Press(page, "home") // the cursor is no choice
		again.Press(page, "home")
		if page == "3" && tuitest.Text(r.shot(t)) != tuitest.Text(again.shot(t)) {
			t.Errorf("page %s looks different:\n%s", page, tuitest.Text(again.shot(t)))
		}
		again.fits(t, "page "+page)
		again.Press("0")
	}
	if got := again.view(); len(got) > 0 {
		t.Errorf("after a reset there are %v", got)
	}
	again.keepLast()
	if third := keepingDriver(t, a, in); len(third.view()) > 0 {
		t.Errorf("a reset is not kept: %v", third.view())
	}
	other := keepingDriver(t, a, in)
	other.Config.RunsDir = "/other"
	if other.Run(other.recall()); len(other.view()) > 0 {
		t.Errorf("another folder has %v", other.view())
	}
}

// TestFilterIsNotKept: a filter hides no run in another interface, at the same time or later.
func TestFilterIsNotKept(t *testing.T) {
	a, in := tuitest.NewArchive(t), filepath.Join(t.TempDir(), "views")
	r := keepingDriver(t, a, in)
	r.Press("3", "s", "/")
	r.Type("nothing")
	r.Press("enter")
	r.keepLast()
	again := keepingDriver(t, a, in)
	again.Press("3")
	if text := tuitest.Text(again.shot(t)); strings.Contains(text, "/nothing") {
		t.Errorf("another interface begins with the filter of the first:\n%s", text)
	}
	if v := again.view(); len(v["Runs"]["sort"]) == 0 {
		t.Errorf("the view is %v, want the sort of Runs in it", v)
	}
}

// TestViewIsWrittenOnce: a view is written when it changes, and never by a viewer or without a
// folder for views.
func TestViewIsWrittenOnce(t *testing.T) {
	a, in := tuitest.NewArchive(t), filepath.Join(t.TempDir(), "views")
	written := func() int {
		list, _ := os.ReadDir(in)
		return len(list)
	}
	r := keepingDriver(t, a, in)
	r.Press("3")
	if r.Run(r.keepView()); written() != 0 {
		t.Error("a view was written that is the default")
	}
	r.Press("s")
	if r.Run(r.keepView()); written() != 1 {
		t.Error("a view was not written")
	}
	os.RemoveAll(in)
	if r.Run(r.keepView()); written() != 0 {
		t.Error("a view was written that is written")
	}
	r.keep.views = nil
	r.Run(r.keepView()) // for the viewers below
	list, _ := os.ReadDir(in)
	path := filepath.Join(in, list[0].Name())
	before, _ := os.ReadFile(path)
	for _, folder := range []string{"", in} {
		viewer := browsing(t, a, "1", 120, 40)
		viewer.Config.Views, viewer.Config.ReadOnly = folder, true
		viewer.Run(viewer.recall())
		if len(viewer.view()) > 0 {
			t.Errorf("a viewer has the view %v", viewer.view())
		}
		viewer.Press("3", "s", "s")
		viewer.Wait(time.Second, time.Second/5)
		viewer.keepLast()
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Error("a viewer has written a view")
		}
	}
}

// TestDamagedViews: a damaged or forged file of views does no harm. The interface reports once a
// file that does not hold views, and ignores values that nobody can choose.
func TestDamagedViews(t *testing.T) {
	a := tuitest.NewArchive(t)
	long := strings.Repeat("x\x1b]0;owned\x07", 400)
	for name, c := range map[string]struct {
		text string // if empty, the views in of are written
		of   lab.Views
		told bool
	}{
		"noise":    {text: "\x00\xff\x1b[2J noise", told: true},
		"empty":    {text: " ", told: true},
		"too long": {text: strings.Repeat(" ", 1<<20), told: true},
		"other":    {text: `["a", 1]`, told: true},
		"nothing":  {of: lab.Views{}},
		"unknown": {of: lab.Views{"Watch": {"no such": {"x"}, "style": {"x", "y"}, "axis": {""},
			"scales": {"loss"}, "views": {"Loss", "99", "Gap", "-7", "Gap", "x"},
			"layout": {"5"}, "panel": {long}, "pane": {}}, "No page": {"x": {"y"}}}},
		"hostile": {of: lab.Views{"Runs": {"filter": {long}, "sort": {long, "reversed"},
			"columns": {long, "", "+", "-\x1b[2J"}, "fold": {long, "", "\x1b[2J"}},
			"Compare": {"measure": {long}, "panel": {"\x1b"}}}},
	} {
		if testing.Short() && name != "noise" && name != "hostile" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in := t.TempDir()
			if c.of != nil {
				if err := lab.WriteViews(in, "/runs", c.of); err != nil {
					t.Fatal(err)
				}
			} else {
				lab.WriteViews(in, "/runs", lab.Views{"Runs": {"filter": {"done"}}})
				list, _ := os.ReadDir(in)
				path := filepath.Join(in, list[0].Name())
				if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := keepingDriver(t, a, in)
			if told := strings.Contains(r.notice.Text, "damaged"); told != c.told {
				t.Errorf("the notice is %q; says that the view is damaged: %v, want %v",
					r.notice.Text, told, c.told)
			}
			for _, page := range []string{"2", "3", "C", "esc", "O", "esc", "4", "2"} {
				r.Press(page)
				r.fits(t, fmt.Sprintf("after %s", page))
			}
			r.Press("3", "s")
			r.keepLast()
			v, err := lab.ReadViews(in, "/runs")
			if err != nil {
				t.Fatalf("the views that are written next: %v", err)
			}
			if len(v["Runs"]["sort"]) == 0 {
				t.Errorf("the views that are written next are %v, want the sort of Runs in them", v)
			}
		})
	}
	in := t.TempDir()
	lab.WriteViews(in, "/runs", lab.Views{})
	list, _ := os.ReadDir(in)
	path := filepath.Join(in, list[0].Name())
	os.Remove(path)
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	if _, err := lab.ReadViews(in, "/runs"); err == nil {
		t.Error("a link is followed")
	}
}
