package tui

import (
	"testing"
	"time"

	"drolab/runner/box"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/charmbracelet/colorprofile"
)

// TestBoxesInHeader: a box without a link is named before how many runs are live elsewhere, and
// what has no room is left out.
func TestBoxesInHeader(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	states := []struct {
		name  string
		state box.State
		want  string
	}{
		{"gpu1", box.State{Linked: true, Live: 2}, "gpu1 2 live"},
		{"gpu2", box.State{Word: "down", Since: now.Add(-43 * time.Second)}, "gpu2 no link 40s"},
		{"gpu3", box.State{}, "gpu3 connects"},
		{"gpu4", box.State{Word: "lock is held", Elsewhere: true}, "gpu4"},
		{"gpu5", box.State{Linked: true}, "gpu5"},
	}
	m := &Model{Lab: &lab.Lab{Theme: kit.NewTheme(colorprofile.TrueColor, true, false)}}
	for _, s := range states {
		note := noteOf(s.name, s.state, now)
		if note.text != s.want {
			t.Errorf("box %s: %q, want %q", s.name, note.text, s.want)
		}
		m.boxes.notes = append(m.boxes.notes, note)
	}
	for cells, want := range map[int]string{
		80: "gpu1 2 live · gpu4 · gpu5 · gpu2 no link 40s · gpu3 connects · 4 running",
		50: "gpu2 no link 40s · gpu3 connects · 4 running",
		30: "gpu3 connects · 4 running",
		10: "4 running",
	} {
		if got := m.withBoxes("4 running", cells); got != want {
			t.Errorf("%d cells: %q, want %q", cells, got, want)
		}
	}
}
