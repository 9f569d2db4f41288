package kit

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// TestChecklist: a key acts on the item under the cursor, and the list shows it at once.
func TestChecklist(t *testing.T) {
	on := make([]bool, 30)
	f := &Checklist{About: "Choose.", Actions: map[string]func(int){
		"space": func(at int) { on[at] = !on[at] }},
		Items: func() (list []Item) {
			for i := range on {
				list = append(list, Item{Name: string(rune('a' + i)), On: on[i]})
			}
			return list
		}}
	for _, key := range []rune{tea.KeyUp, tea.KeyDown, tea.KeySpace, tea.KeyDown, tea.KeySpace,
		tea.KeySpace, 'x'} {
		if done, _ := f.Press(tea.KeyPressMsg{Code: key}); done {
			t.Error("done too early")
		}
	}
	for range 100 {
		f.Press(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	if !on[1] {
		t.Error("the item on which Space was pressed once is not chosen")
	}
	if on[2] {
		t.Error("the item on which Space was pressed twice is chosen")
	}
	if f.Cursor != len(on)-1 {
		t.Errorf("the cursor is at %d, want the last, %d", f.Cursor, len(on)-1)
	}
	theme := NewTheme(colorprofile.ASCII, true, true)
	lines := f.View(theme, 40, 10)
	if len(lines) != 10 || !strings.Contains(lines[9], string(rune('a'+len(on)-1))) {
		t.Errorf("the item under the cursor is not in view: %q", lines)
	}
	if done, _ := f.Press(tea.KeyPressMsg{Code: tea.KeyEnter}); !done {
		t.Error("Enter does not end it")
	}
}
