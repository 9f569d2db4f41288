package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// Overlay is a text over the page or, with choices, a question, or a form.
// Without choices Esc, Enter, q, ? and i close it; with them, only a choice or
// Esc does; a form takes every key but Esc, Ctrl-C and the keys of its help.
type Overlay struct {
	Title string
	Lines []string // wrapped where the screen is narrower
	// Make returns the lines anew for so many cells; nil leaves Lines as they are.
	Make    func(t *Theme, w int) []string
	choices []Answer
	danger  bool // what it asks cannot be taken back
	Form    Form // in place of lines
	// Typed opens, at once, what takes the place of the overlay and the letters behind this one;
	// nil: letters do nothing.
	Typed func(letter string)

	helping bool // the keys of the form are shown in place of the form

	text viewport.Model // holds the lines and the choices, see Fit
}

// Form is the part of an overlay that the user fills in.
type Form interface {
	// Press takes a key and reports whether the form is done.
	Press(tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// View draws the form in lines of at most w cells, h of them if that can be.
	View(t *Theme, w, h int) []string
	// Hint says what keys do, for the footer and the help.
	Hint() []Key
}

// AnyText is a form that takes any text, a question mark, too. F1 alone shows its help.
type AnyText interface{ TakesAnyText() bool }

// helpKeys returns the keys that show the help of the form, of which the first is named.
func (o *Overlay) helpKeys() []string {
	if f, ok := o.Form.(AnyText); ok && f.TakesAnyText() {
		return []string{"f1"}
	}
	return []string{"?", "f1"}
}

// FormWidth is the width of forms, if the screen has room for it.
const FormWidth = 64

// Answer is an answer to a question: the keys that give it, its name and the command that follows.
type Answer struct {
	Keys []string
	Name string
	Then tea.Cmd
	// Act returns the command when the answer is given, in place of Then. It may ask once more.
	Act func() tea.Cmd
}

// NewQuestion returns an overlay with a question.
func NewQuestion(title string, lines []string, choices ...Answer) *Overlay {
	return &Overlay{Title: title, Lines: lines, choices: choices}
}

// NewDanger returns a question about an action that cannot be taken back, and looks so.
func NewDanger(title string, lines []string, choices ...Answer) *Overlay {
	return &Overlay{Title: title, Lines: lines, choices: choices, danger: true}
}

// Resize makes an overlay ready for a page of w by h cells. It is called before the overlay is
// shown, and again at every change of size or theme.
func (o *Overlay) Resize(t *Theme, w, h int) {
	if o.Make != nil {
		o.Lines = o.Make(t, w-4)
	}
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
	switch {
	case o.helping:
		o.helping = false
		return false, nil
	case o.Form == nil || name == "esc" || name == "ctrl+c":
	case slices.Contains(o.helpKeys(), name):
		o.helping = true
		return false, nil
	default:
		return o.Form.Press(k)
	}
	for _, c := range o.choices {
		if key.Matches(k, On(c.Keys...)) && c.Act != nil {
			return true, c.Act()
		} else if key.Matches(k, On(c.Keys...)) {
			return true, c.Then
		}
	}
	if o.Typed != nil && k.Text != "" && name != "?" && name != "space" {
		o.Typed(k.Text)
		return false, nil
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

// GoTo scrolls to a line.
func (o *Overlay) GoTo(line int) { o.text.SetYOffset(line) }

// Wheel scrolls the text.
func (o *Overlay) Wheel(msg tea.MouseWheelMsg) { o.text, _ = o.text.Update(msg) }

// View draws the overlay over the middle of a page of w by h cells.
func (o *Overlay) View(t *Theme, page []string, w, h int) []string {
	lines, note := strings.Split(o.text.View(), "\n"), ""
	switch {
	case o.helping:
		lines = o.helpLines(t, min(FormWidth, w-4))
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
	if o.danger { // the box has the colour of an alarm
		other := *t
		other.focused, other.Title, other.Accent = t.Alarm, t.Alarm, t.Alarm
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

// helpLines returns what the keys of the form do, in lines of w cells.
func (o *Overlay) helpLines(t *Theme, w int) []string {
	rows := o.Form.Hint()
	for i := range rows {
		rows[i].Help = cmp.Or(rows[i].Help, rows[i].Hint)
	}
	lines := append(t.HelpLines(rows, w), "", t.Dim.Paint("Any key goes back."))
	return Fill(lines, w, len(lines))
}

// options returns the line of choices.
func (o *Overlay) options(t *Theme) string {
	s := ""
	for _, c := range o.choices {
		name := c.Name
		if o.danger {
			name = t.Alarm.Paint(name)
		}
		s += t.Key.Paint(KeyName(c.Keys[0], t.ASCII)) + " " + name + "   "
	}
	return s + t.Key.Paint("Esc") + " back"
}

// Hints returns the rows of the footer while the overlay is open.
func (o *Overlay) Hints() (rows []Key) {
	switch {
	case o.helping:
		return []Key{{Keys: On("esc"), Hint: "back"}}
	case o.Form != nil:
		return append(o.Form.Hint(), Key{Keys: On(o.helpKeys()...), Hint: "help", Last: true})
	}
	for _, c := range o.choices {
		rows = append(rows, Key{Keys: On(c.Keys...), Hint: c.Name})
	}
	return append(rows, Key{Keys: On("esc"), Hint: "back"})
}

// RunNames returns the names of runs, a line each; of many, those of the first and the number of
// the rest.
func RunNames(ids []string) (lines []string) {
	const most = 8
	for _, id := range ids[:min(len(ids), most)] {
		lines = append(lines, "  "+id)
	}
	if len(ids) > most {
		lines = append(lines, fmt.Sprintf("  and %d more", len(ids)-most))
	}
	return lines
}

// QuestionLines returns the lines of a question about runs: a head, their names, and lines that say
// what follows.
func QuestionLines(head string, ids []string, what ...string) []string {
	return slices.Concat([]string{head, ""}, RunNames(ids), []string{""}, what)
}
