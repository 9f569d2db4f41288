package tui

import (
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
)

// TestEveryDialogHelps: in every dialog with a form the footer names a key for help. It shows what
// the keys of the dialog do, is not typed, and any key leads back to the dialog as it was.
func TestEveryDialogHelps(t *testing.T) {
	a := tuitest.NewArchive(t)
	onRuns := func(t *testing.T) *driver {
		t.Helper()
		return browsing(t, a, "3", 120, 40)
	}
	onWatch := func(t *testing.T) *driver {
		t.Helper()
		r := watching(t, 120, 40)
		for _, run := range r.watch.Runs.Tracks {
			r.Mine[run.ID] = true
		}
		return r
	}
	for i, c := range []struct {
		name string
		open func(*testing.T) *driver
		keys []string
	}{
		{"find", onRuns, []string{":"}},
		{"keys", onRuns, []string{"?", "w"}},
		{"note", onRuns, []string{"n"}},
		{"tags", onRuns, []string{"#"}},
		{"values", onRuns, []string{"v"}},
		{"columns", onRuns, []string{"C"}},
		{"fold", onRuns, []string{"O"}},
		{"setting", onWatch, []string{"t"}},
		{"search the log", onWatch, []string{"w", "/"}},
	} {
		if testing.Short() && i%4 > 0 {
			continue
		}
		r := c.open(t)
		r.Press(c.keys...)
		if r.overlay == nil || r.overlay.Form == nil {
			t.Fatalf("%s: %v opens no form:\n%s", c.name, c.keys, tuitest.Text(r.shot(t)))
		}
		before := tuitest.Text(r.shot(t))
		keys := []string{"?", "f1"}
		if strings.Contains(before, "F1 help") { // the form takes any text
			keys = keys[1:]
		} else if !strings.Contains(before, "? help") {
			t.Errorf("%s: the footer names no key for help:\n%s", c.name, before)
		}
		for _, key := range keys {
			r.Press(key)
			help := tuitest.Text(r.shot(t))
			for _, row := range r.overlay.Form.Hint() {
				if name := kit.KeyName(row.Keys.Keys()[0], false); !strings.Contains(help, name) {
					t.Errorf("%s: the help of %s lacks %s:\n%s", c.name, key, name, help)
				}
			}
			if !strings.Contains(help, "Any key goes back.") {
				t.Errorf("%s: %s shows no help:\n%s", c.name, key, help)
			}
			r.fits(t, c.name)
			r.Press("x")
			if after := tuitest.Text(r.shot(t)); after != before {
				t.Errorf("%s: after the help of %s the dialog is another:\n%s", c.name, key, after)
			}
		}
	}
}
