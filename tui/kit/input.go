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
	styles.Focused.Text = st.Gloss()
	line.SetStyles(styles)
	at := line.Position()
	line.SetWidth(min(max(1, cells-1), max(1, cell.Width(in.String()))))
	line.CursorEnd() // what is seen follows the cursor, to the left at last
	line.SetCursor(at)
	return cell.Cut(cell.Seal(line.View()), cells)
}
