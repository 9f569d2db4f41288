package kit

import (
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// maxInput bounds a typed or pasted line, in runes.
const maxInput = 400

// Input is a line that is being typed, with the cursor at its end to begin
// with: Bubbles' text input without a prompt, without blinking, which over SSH
// is traffic, and without the clipboard of the machine that it runs on.
type Input struct{ line textinput.Model }

// NewInput returns a line that begins with s.
func NewInput(s string) Input {
	line := textinput.New()
	line.Prompt, line.CharLimit = "", maxInput
	line.KeyMap.Paste = key.NewBinding()
	line.Focus()
	in := Input{line}
	in.line.SetValue(oneLine(s))
	in.line.CursorEnd()
	return in
}

// String is the line as typed.
func (in Input) String() string { return in.line.Value() }

// Update takes a key or a paste, and tells whether that changed the text. What
// is no text of its own, as Enter, it leaves alone.
func (in *Input) Update(msg tea.Msg) (changed bool) {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		if m.Mod.Contains(tea.ModCtrl) || m.Mod.Contains(tea.ModAlt) {
			m.Text = "" // a command
		}
		m.Text = oneLine(m.Text)
		msg = m
	case tea.PasteMsg:
		m.Content = oneLine(m.Content)
		msg = m
	}
	before := in.String()
	in.line, _ = in.line.Update(msg)
	return in.String() != before
}

// oneLine is text that can stand in a line: breaks are blanks. What cannot be shown is
// left out, since nobody meant to type it.
func oneLine(s string) string {
	blanks := strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")
	s = blanks.Replace(strings.ToValidUTF8(s, "?"))
	return strings.Map(func(r rune) rune {
		if cell.Steers(r) {
			return -1
		}
		return r
	}, s)
}

// View draws what so many cells around the cursor have room for, in a style.
func (in Input) View(st Style, cells int) string {
	line := in.line
	styles := line.Styles()
	styles.Cursor.Blink, styles.Cursor.Color = false, nil
	styles.Focused.Text = st.library()
	line.SetStyles(styles)
	at := line.Position()
	line.SetWidth(min(max(1, cells-1), max(1, cell.Width(in.String()))))
	line.CursorEnd() // what is seen follows the cursor, to the left at last
	line.SetCursor(at)
	return cell.Cut(cell.Seal(line.View()), cells)
}

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
