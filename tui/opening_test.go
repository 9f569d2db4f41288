package tui

import (
	"testing"

	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// TestKeysBelongToTheDialog: of every key of every page that opens a dialog, the key that is typed
// at once after it, before any command has run, reaches the dialog and not the page.
func TestKeysBelongToTheDialog(t *testing.T) {
	dialogs := 0
	r := watching(t, 80, 24)
	r.Send(lab.Started{IDs: r.watch.Runs.IDs()})
	for page := range r.pages {
		for i := range r.keys[page] {
			r.Press("esc", "esc", string(rune('1'+page)))
			row := &r.keys[page][i]
			if r.pages[page].Typing() || r.blockReason(row, row.Blocked()) != "" {
				continue
			}
			cmd := r.Model.press(kit.Press(row.Keys.Keys()[0]))
			waits := r.overlay != nil || r.keepsKeys()
			if r.Run(cmd); r.overlay == nil {
				continue
			}
			dialogs++
			if !waits {
				t.Errorf("page %d: a key after %s reaches the page before %q is open", page+1,
					row.Name(true), r.overlay.Title)
			}
		}
	}
	const least = 20
	if dialogs < least {
		t.Errorf("%d dialogs have opened, want at least %d", dialogs, least)
	}
}

// TestKeptKeysReachTheDialog: keys that are typed while the form of a fork is read are typed into
// the form. Where no dialog opens, they do nothing.
func TestKeptKeysReachTheDialog(t *testing.T) {
	r := watching(t, 80, 24)
	r.Send(lab.Started{IDs: r.watch.Runs.IDs()})
	axis := r.watch.Board.Axis
	cmd := r.Model.press(kit.Press("X"))
	r.Model.press(kit.Press("a")) // would change the axis
	if r.Run(cmd); r.overlay == nil || r.watch.Board.Axis != axis {
		t.Fatalf("the dialog is open: %v, and the axis %s, want %s", r.overlay != nil,
			r.watch.Board.Axis, axis)
	}
	r.Press("esc")
	cmd = r.Model.press(kit.Press("X"))
	r.Model.press(kit.Press("y")) // answers, as soon as there is a question
	if r.Run(cmd); len(r.asked.List) != 4 {
		t.Errorf("X and y at once have asked for %v, want four stops", r.asked.List)
	}
	r.Run(r.Opening(func() tea.Msg { return kit.Notice{Text: "no dialog"} }))
	cmd = r.Opening(func() tea.Msg { return kit.Notice{Text: "no dialog"} })
	r.Model.press(kit.Press("a"))
	if r.Run(cmd); r.watch.Board.Axis != axis || r.keepsKeys() {
		t.Errorf("without a dialog the axis is %s, want %s, and keys are kept: %v",
			r.watch.Board.Axis, axis, r.keepsKeys())
	}
}
