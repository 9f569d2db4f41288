package runs

import (
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// chooser is the form in which columns are chosen: the list follows at once.
type chooser struct {
	page *Page
	at   int
}

func (p *Page) chooseColumns() tea.Cmd {
	return kit.Show(&kit.Overlay{Title: "Columns", Form: &chooser{page: p}})
}

// Press implements kit.Form.
func (f *chooser) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	columns := f.page.columns
	switch key.String() {
	case "up", "k", "shift+tab":
		f.at = max(0, f.at-1)
	case "down", "j", "tab":
		f.at = min(len(columns)-1, f.at+1)
	case "space":
		c := &columns[f.at]
		f.page.chosenColumns[c.head] = !f.page.shows(c, f.page.inner())
	case "s":
		f.page.sortBy(columns[f.at].head)
	case "enter":
		return true, nil
	}
	return false, nil
}

// Hint implements kit.Form.
func (*chooser) Hint() []kit.Key {
	return []kit.Key{{Keys: kit.On("space"), Hint: "show or hide"},
		{Keys: kit.On("s"), Hint: "sort by"},
		{Keys: kit.On("enter"), Hint: "back"}}
}

// View implements kit.Form.
func (f *chooser) View(t *kit.Theme, w, h int) (lines []string) {
	columns := f.page.columns
	first := kit.First(f.at, len(columns), h)
	for i := first; i < len(columns) && len(lines) < h; i++ {
		c, box := &columns[i], t.Off
		if f.page.shows(c, f.page.inner()) {
			box = t.On
		}
		line := " " + box + " " + t.Greek(c.head)
		if i == f.page.by {
			line += " ↓"
		}
		lines = append(lines, kit.Left(t.Pointed(line, i == f.at), min(w, 40)))
	}
	return lines
}
