package kit

import (
	"drolab/tui/cell"

	tea "charm.land/bubbletea/v2"
)

// Line is a form of one line that is typed. It is checked after every key, so that what is
// wrong is said while there is time to mend it, and Enter takes it when nothing is wrong.
type Line struct {
	Input
	About string             // a sentence above it
	Check func(string) error // nil takes everything
	Take  func(string) tea.Cmd

	Problem error // with what is typed
}

// Press implements Form.
func (l *Line) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	if key.String() == "enter" && l.Problem == nil {
		return true, l.Take(l.String())
	}
	l.Type(key)
	return false, nil
}

// Type takes a key as text.
func (l *Line) Type(key tea.KeyPressMsg) {
	if l.Update(key) && l.Check != nil {
		l.Problem = l.Check(l.String())
	}
}

// Hint implements Form.
func (*Line) Hint() []Key { return Taking() }

// View implements Form.
func (l *Line) View(t *Theme, w, h int) []string {
	lines := []string{t.Dim.Paint(l.About), "", l.Input.View(t.Text, w)}
	lines = append(lines, t.Problem(l.Problem)...)
	return Fill(lines, w, min(h, len(lines)))
}

// Problem says what is wrong, below a blank line; nothing where nothing is.
func (t *Theme) Problem(err error) []string {
	if err == nil {
		return nil
	}
	return []string{"", t.Bad.Paint("! " + cell.OneLine(err.Error()))}
}

// Pointed is a line that begins with a blank, with the cursor in its place where it is here.
func (t *Theme) Pointed(line string, here bool) string {
	if !here {
		return line
	}
	return t.Accent.Paint(t.Cursor) + t.Title.Paint(line[1:])
}

// First is the first of so many lines that are shown in some rows: the one under the cursor
// is about in the middle.
func First(at, lines, rows int) int { return max(0, min(at-rows/2, lines-rows)) }

// Empty is a page that has nothing to show, with lines that say why.
func (t *Theme) Empty(title string, lines []string, w, h int) []string {
	box := Boxed(h)
	iw, ih := Inside(box, w, h)
	for i, s := range lines {
		lines[i] = "  " + s
	}
	return t.Panel(title, "", true, box, Fill(append([]string{""}, lines...), iw, ih), w, h)
}

// Each paints every line of a text.
func (st Style) Each(lines []string) []string {
	list := make([]string, len(lines))
	for i, s := range lines {
		list[i] = st.Paint(s)
	}
	return list
}
