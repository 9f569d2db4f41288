package panel

import (
	"slices"

	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// settings is the form of the settings of the run under the cursor, as it trains now. First come
// the settings in which the watched runs differ, with a mark, then those that are not at their
// default, then the others that its method reads.
type settings struct{}

// Setting is a setting with its value, and whether the watched runs differ in it.
type Setting struct {
	Key, Value string
	Differs    bool
	Warns      bool // it is a warning and no setting
}

// Lists reports whether the view shows a list about the run under the cursor.
func (v *View) Lists() bool { return v.As == settings{} || v.As == machineFigures{} }

// List returns that list.
func (b *Board) List(v *View) []Setting {
	if v.As == (machineFigures{}) {
		return b.machineList()
	}
	return b.Settings()
}

func (settings) draw(b *Board, _ int, _ *View, iw, ih int) ([]string, string) {
	const least, gap, key = 27, 2, 18 // cells of a column, between two, and of a key
	list := b.Settings()
	columns := max(1, min(iw/least, (len(list)+ih-1)/max(1, ih)))
	cells, rows := iw/columns-gap, min(ih, (len(list)+columns-1)/columns)
	lines := make([]string, rows)
	for i, s := range list[:min(len(list), rows*columns)] {
		line := kit.Left(b.settingLine(s, key, cells), cells)
		if i/rows > 0 {
			line = kit.Blanks(gap) + line
		}
		lines[i%rows] += line
	}
	warning := ""
	if hidden := len(list) - rows*columns; hidden > 0 {
		warning = kit.Plural(hidden, "more line")
	}
	return lines, warning
}

// settingLine writes a setting in so many cells, with those of its key. Where it does not fit, its
// value is cut.
func (b *Board) settingLine(s Setting, key, cells int) string {
	t, mark := b.Theme, "  "
	name, value := t.Dim, t.Text
	switch {
	case s.Warns:
		mark, name = " "+t.Warn.Paint(cell.Warning), t.Text
	case s.Differs:
		mark, name, value = " "+t.Accent.Paint(t.Changed), t.Text, t.Title
	}
	text := kit.Left(s.Key, max(cell.Width(s.Key), min(key, cells/2))) + " "
	room := max(0, cells-2-1-cell.Width(text))
	return mark + " " + name.Paint(text) + value.Paint(cell.Cut(t.Greek(s.Value), room))
}

func (settings) note(b *Board, _ *View) string { return b.Runs.Run().Label }

// Settings returns the settings that the run under the cursor reads, in the order of draw.
func (b *Board) Settings() (list []Setting) {
	run, plain := b.Runs.Run(), spec.Defaults()
	var changed, alike []Setting
	for _, s := range spec.AllSettings() {
		if !s.ReadIn(&run.Spec) {
			continue
		}
		own := Setting{Key: s.Key, Value: run.Spec.Text(s.Key)}
		other := func(t *Track) bool { return t.Spec.Text(s.Key) != own.Value }
		own.Differs = slices.ContainsFunc(b.Runs.Tracks, other)
		switch {
		case own.Differs:
			list = append(list, own)
		case own.Value != plain.Text(s.Key):
			changed = append(changed, own)
		default:
			alike = append(alike, own)
		}
	}
	return slices.Concat(list, changed, alike)
}
