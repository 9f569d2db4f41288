package kit

import (
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// Overlay is a text over the page or, with choices, a question, or a form.
// Without choices Esc, Enter, q, ? and i close it; with them, only a choice or
// Esc does; a form takes every key but Esc and Ctrl-C.
type Overlay struct {
	Title   string
	Lines   []string // wrapped where the screen is narrower
	choices []Choice
	danger  bool // what it asks cannot be taken back
	Form    Form // in place of lines

	text viewport.Model // holds the lines and the choices, see Fit
}

// Form is the part of an overlay that the user fills in.
type Form interface {
	// Press takes a key and reports whether the form is done.
	Press(tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// View draws the form in lines of at most w cells, h of them if that can be.
	View(t *Theme, w, h int) []string
	// Hint says what keys do, for the footer.
	Hint() []Key
}

// FormWidth is the width of forms, if the screen has room for it.
const FormWidth = 64

// Choice is an answer to a question: the keys that give it, its name and the command that follows.
type Choice struct {
	Keys []string
	Name string
	Then tea.Cmd
}

// Question returns a command that opens an overlay with a question.
func Question(title string, lines []string, choices ...Choice) tea.Cmd {
	return Show(&Overlay{Title: title, Lines: lines, choices: choices})
}

// Danger is a Question about an action that cannot be taken back, and looks so.
func Danger(title string, lines []string, choices ...Choice) tea.Cmd {
	return Show(&Overlay{Title: title, Lines: lines, choices: choices, danger: true})
}

// Resize makes an overlay ready for a page of w by h cells. It is called before the overlay is
// shown, and again at every change of size or theme.
func (o *Overlay) Resize(t *Theme, w, h int) {
	all := append([]string(nil), o.Lines...)
	if len(o.choices) > 0 {
		all = append(all, "", o.options(t))
	}
	var lines []string
	cells := cell.Width(o.Title) + 4
	for _, s := range all {
		lines, cells = append(lines, Wrap(s, w-4)...), max(cells, cell.Width(s))
	}
	top := o.text.YOffset()
	o.text = viewport.New(viewport.WithWidth(min(w-4, cells)),
		viewport.WithHeight(max(1, min(h-2, len(lines)))))
	o.text.KeyMap = viewport.KeyMap{Up: On("up", "k"), Down: On("down", "j"), PageUp: On("pgup"),
		PageDown: On("pgdown", "space")}
	o.text.MouseWheelDelta = 1
	o.text.SetContentLines(lines)
	o.text.SetYOffset(top)
}

// Press takes a key and reports whether the overlay is done.
func (o *Overlay) Press(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	name := k.String()
	if o.Form != nil && name != "esc" && name != "ctrl+c" {
		return o.Form.Press(k)
	}
	for _, c := range o.choices {
		if key.Matches(k, On(c.Keys...)) {
			return true, c.Then
		}
	}
	switch name {
	case "esc":
		return true, nil
	case "enter", "q", "?", "i", "ctrl+c":
		return len(o.choices) == 0, nil
	case "home", "g":
		o.text.GotoTop()
	case "end", "G":
		o.text.GotoBottom()
	default:
		o.text, _ = o.text.Update(k)
	}
	return false, nil
}

// Wheel scrolls the text.
func (o *Overlay) Wheel(msg tea.MouseWheelMsg) { o.text, _ = o.text.Update(msg) }

// View draws the overlay over the middle of a page of w by h cells.
func (o *Overlay) View(t *Theme, page []string, w, h int) []string {
	lines, note := strings.Split(o.text.View(), "\n"), ""
	switch {
	case o.Form != nil:
		cells := min(FormWidth, w-4)
		lines = o.Form.View(t, cells, h-2)
		lines = Fill(lines, max(cells, cell.Width(o.Title)+4), len(lines))
	case o.text.AtTop() && o.text.AtBottom():
	case o.text.AtBottom():
		note = "end"
	default:
		note = KeyName("down", t.ASCII) + " more"
	}
	bw, bh := min(w, cell.Width(lines[0])+4), min(h, len(lines)+2)
	for i, s := range lines {
		lines[i] = " " + cell.Cut(s, bw-4)
	}
	if o.danger { // the box has the colour of Bad
		other := *t
		other.focused, other.Title, other.Accent = t.Bad, t.Bad, t.Bad
		t = &other
	}
	box := t.Panel(o.Title, note, true, true, lines, bw, bh)
	x, y := (w-bw)/2, (h-bh)/2
	out := Fill(page, w, h)
	for i, line := range box {
		behind := out[y+i]
		out[y+i] = Left(cell.First(behind, x), x) + line + Right(cell.Last(behind, w-x-bw), w-x-bw)
	}
	return out
}

// options returns the line of choices.
func (o *Overlay) options(t *Theme) string {
	s := ""
	for _, c := range o.choices {
		name := c.Name
		if o.danger {
			name = t.Bad.Paint(name)
		}
		s += t.Key.Paint(KeyName(c.Keys[0], t.ASCII)) + " " + name + "   "
	}
	return s + t.Key.Paint("Esc") + " back"
}

// Hint returns the footer while the overlay is open, in w cells.
func (o *Overlay) Hint(t *Theme, w int) string {
	switch {
	case o.Form != nil:
		return t.Footer(o.Form.Hint(), w)
	case len(o.choices) > 0:
		return Left(" "+o.options(t), w)
	}
	return t.Footer([]Key{{Keys: On("esc"), Hint: "back"}}, w)
}

// TypingKeys returns the hints while the user types into a form or a line.
func TypingKeys() []Key {
	return []Key{{Keys: On("enter"), Hint: "take"}, {Keys: On("esc"), Hint: "cancel"}}
}

// maxInput bounds a typed or pasted line, in runes.
const maxInput = 400

// Input is a line that is being typed. The cursor begins at its end. It is Bubbles' text input
// without a prompt, without blinking, which is traffic over SSH, and without the clipboard of the
// machine that it runs on.
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
	in.line, _ = in.line.Update(msg)
	return in.String() != before
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

// Line is a form with one line to type. Check runs after every key, so that the user learns of a
// problem while there is time to mend it. Enter takes the line if it has no problem.
type Line struct {
	Input
	About  string             // a sentence above it
	Check  func(string) error // nil takes everything
	Accept func(string) tea.Cmd

	Problem error // of the typed text; nil for none
}

// Press implements Form.
func (l *Line) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	if key.String() == "enter" && l.Problem == nil {
		return true, l.Accept(l.String())
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
func (*Line) Hint() []Key { return TypingKeys() }

// View implements Form.
func (l *Line) View(t *Theme, w, h int) []string {
	lines := []string{t.Dim.Paint(l.About), "", l.Input.View(t.Text, w)}
	if l.Problem != nil {
		lines = append(append(lines, ""), t.Wrong(l.Problem, w)...)
	}
	return Fill(lines, w, min(h, len(lines)))
}

// Wrong returns the lines that say what is wrong, wrapped at w cells.
func (t *Theme) Wrong(err error, w int) []string {
	return t.Bad.PaintAll(Wrap(t.Greek("! "+cell.OneLine(err.Error())), w))
}

// Pointed returns a line that begins with a blank. If here is set, the cursor replaces the blank.
func (t *Theme) Pointed(line string, here bool) string {
	if !here {
		return line
	}
	return t.Accent.Paint(t.Cursor) + t.Title.Paint(line[1:])
}

// First returns the first line to show if some rows show a part of so many lines, with the line
// under the cursor about in the middle.
func First(at, lines, rows int) int { return max(0, min(at-rows/2, lines-rows)) }

// Empty draws a page that has nothing to show, with lines that say why.
func (t *Theme) Empty(title string, lines []string, w, h int) []string {
	box := Boxed(h)
	iw, ih := Inside(box, w, h)
	for i, s := range lines {
		lines[i] = "  " + s
	}
	return t.Panel(title, "", true, box, Fill(append([]string{""}, lines...), iw, ih), w, h)
}

// PaintAll paints every line of a text.
func (st Style) PaintAll(lines []string) []string {
	return Map(lines, st.Paint)
}
