package watch

import (
	"strconv"
	"time"

	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/sheet"

	tea "charm.land/bubbletea/v2"
)

// exportDir returns the folder of exports: beside the runs or, in a read-only view, the working
// folder. A read-only view leaves nothing in a folder that may be somebody else's.
func (w *Page) exportDir() string {
	if w.Config.ReadOnly {
		return "." // the working folder of this process
	}
	return w.Config.RunsDir
}

// exportPlace is exportDir in words, for the help.
func (w *Page) exportPlace() string {
	if w.Config.ReadOnly {
		return "into the working folder"
	}
	return "beside the runs"
}

// export writes what the focused panel shows to exportDir, and says where.
func (w *Page) export() tea.Cmd { return w.exportAs(page.Formats()[0]) }

// exportAs writes the sheet in a format. The sheet is made here, of copies, and the command that
// writes it may take as long as the disk does while the tracks grow.
func (w *Page) exportAs(f page.Format) tea.Cmd {
	s, rows := sheet.Of(w.Board, w.focus)
	dir, cells := w.exportDir(), min(kit.FormWidth, w.Body.W-4)
	return func() tea.Msg {
		path, err := f.WriteFile(dir, s, time.Now())
		if err != nil {
			return kit.Notice{Text: "export: " + cell.OneLine(err.Error()), Bad: true}
		}
		lines := append([]string{kit.Plural(rows, "row") + ", one observation each, in", ""},
			kit.Wrap(path, cells)...)
		return kit.Open{Overlay: &kit.Overlay{Title: "Exported", Lines: lines}}
	}
}

// chooseExport asks for the format. The first of them is what e writes without a question.
func (w *Page) chooseExport() tea.Cmd {
	var lines []string
	var choices []kit.Choice
	for i, f := range page.Formats() {
		key := strconv.Itoa(i + 1)
		lines = append(lines, key+"  "+f.Name+": "+f.Doc)
		choice := kit.Choice{Keys: []string{key}, Name: f.Name, Then: w.exportAs(f)}
		choices = append(choices, choice)
	}
	return kit.Question("Export as", lines, choices...)
}
