package kit

import (
	"drolab/tui/cell"

	tea "charm.land/bubbletea/v2"
)

// Checklist is a form in which the user goes through a list and chooses some of it. What a key does
// takes effect at once.
type Checklist struct {
	About   string // a sentence above the list; "" for none
	Items   func() []Item
	Actions map[string]func(at int) // by key
	Keys    []Key                   // the hints of these keys
	Cursor  int                     // an index of the items
}

// Item is a line of a Checklist.
type Item struct {
	Name string
	On   bool
}

// Press implements Form.
func (f *Checklist) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch name := key.String(); name {
	case "up", "k", "shift+tab":
		f.Cursor = max(0, f.Cursor-1)
	case "down", "j", "tab":
		f.Cursor = min(len(f.Items())-1, f.Cursor+1)
	case "enter":
		return true, nil
	default:
		if do := f.Actions[name]; do != nil {
			do(f.Cursor)
		}
	}
	return false, nil
}

// Hint implements Form.
func (f *Checklist) Hint() []Key {
	return append(f.Keys[:len(f.Keys):len(f.Keys)], Key{Keys: On("enter"), Hint: "back"})
}

// View implements Form.
func (f *Checklist) View(t *Theme, w, h int) (lines []string) {
	if f.About != "" {
		lines = append(t.Dim.PaintAll(Wrap(t.Greek(f.About), w)), "")
	}
	items, room := f.Items(), max(1, h-len(lines))
	first := First(f.Cursor, len(items), room)
	for i := first; i < min(len(items), first+room); i++ {
		box := cell.Unticked
		if items[i].On {
			box = cell.Ticked
		}
		line := t.WithCursor(" "+box+" "+t.Greek(items[i].Name), i == f.Cursor)
		lines = append(lines, Left(line, min(w, FormWidth)))
	}
	return lines
}
