package kit

import (
	"slices"
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// maxInput bounds a typed or pasted line, in runes.
const maxInput = 400

// Input is a line that is being typed. The cursor begins at its end. It is Bubbles' text input
// without a prompt, without blinking, which is traffic over SSH, and without the clipboard of the
// machine that it runs on.
type Input struct {
	line     textinput.Model
	selected bool // all of it is selected: what is typed next replaces it
}

// NewInput returns a line that begins with s.
func NewInput(s string) Input {
	line := textinput.New()
	line.Prompt, line.CharLimit = "", maxInput
	line.KeyMap.Paste = key.NewBinding()
	line.Focus()
	in := Input{line: line}
	in.line.SetValue(oneLine(s))
	in.line.CursorEnd()
	return in
}

// NewSelected returns a line that begins with s, selected: the first letter or paste replaces it, a
// deletion empties it, and a key that moves the cursor keeps it.
func NewSelected(s string) Input {
	in := NewInput(s)
	in.selected = s != ""
	return in
}

// String returns the line as typed.
func (in Input) String() string { return in.line.Value() }

// Update takes a key or a paste and reports whether that changed the text. It ignores keys that
// neither type nor edit, such as Enter.
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
	if in.selected && in.replaces(msg) {
		in.line.SetValue("")
	}
	at := in.line.Position()
	in.line, _ = in.line.Update(msg)
	if in.String() != before || in.line.Position() != at || moves(msg) {
		in.selected = false
	}
	return in.String() != before
}

// replaces reports whether a key or a paste takes the place of a selected text: it would add to
// the text, or shorten it.
func (in Input) replaces(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return true
	}
	after, _ := in.line.Update(k)
	return k.Text != "" || after.Value() != in.String()
}

// moves reports whether a key moves the cursor, even where it stands at that end already.
func moves(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	return ok && key.Matches(k, On("left", "right", "home", "end", "ctrl+a", "ctrl+e"))
}

// oneLine returns s as text for one line: breaks and tabs become blanks. Characters that cannot be
// shown are left out, since nobody meant to type them.
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

// View draws the part of the line around the cursor that fits in so many cells, in a style.
func (in Input) View(st Style, cells int) string {
	if in.selected {
		return styleOf(st.library().Reverse(true)).Paint(cell.Cut(in.String(), cells))
	}
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

// LineForm is a form with one line to type. Check runs after every key, so that the user learns of
// a problem while there is time to mend it. Enter takes the line if it has no problem.
type LineForm struct {
	Input
	Of     []string           // what it is about, a line each
	About  string             // a sentence above it
	Check  func(string) error // nil takes everything
	Accept func(string) tea.Cmd
	Any    bool // any text is meant, a question mark, too

	Problem error // of the typed text; nil for none
}

// Press implements Form.
func (l *LineForm) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	if key.String() == "enter" && l.Problem == nil {
		return true, l.Accept(l.String())
	}
	l.Type(key)
	return false, nil
}

// Type takes a key as text.
func (l *LineForm) Type(key tea.KeyPressMsg) {
	if l.Update(key) && l.Check != nil {
		l.Problem = l.Check(l.String())
	}
}

// TakesAnyText implements AnyText.
func (l *LineForm) TakesAnyText() bool { return l.Any }

// Hint implements Form.
func (*LineForm) Hint() []Key { return TypingKeys() }

// View implements Form.
func (l *LineForm) View(t *Theme, w, h int) []string {
	lines := []string{t.Dim.Paint(l.About), "", l.Input.View(t.Text, w)}
	if l.Problem != nil {
		lines = append(append(lines, ""), t.ErrorLines(l.Problem, w)...)
	}
	if room := h - len(lines) - 1; len(l.Of) > 0 && room > 0 {
		of := l.Of[:min(len(l.Of), room)]
		lines = slices.Concat(of, []string{""}, lines)
	}
	return Fill(lines, w, min(h, len(lines)))
}

// ErrorLines returns the lines that say what is wrong, wrapped at w cells.
func (t *Theme) ErrorLines(err error, w int) []string {
	return t.Alarm.PaintAll(Wrap(t.Greek(cell.Warning+" "+cell.OneLine(err.Error())), w))
}

// TypingKeys returns the hints while the user types into a form or a line.
func TypingKeys() []Key {
	return []Key{{Keys: On("enter"), Hint: "take", Help: "take what is typed"},
		{Keys: On("esc"), Hint: "cancel", Help: "leave everything as it was"}}
}
