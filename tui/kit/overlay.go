package kit

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Overlay is a text over the page or, with choices, a question, or a form.
// Without choices Esc, Enter, q and ? close it; with them, only a choice or Esc
// does; a form takes every key but Esc and Ctrl-C.
type Overlay struct {
	Title   string
	Lines   []string // as wide as they are; longer than the screen is cut
	Choices []Choice
	Form    form // in place of lines
	first   int  // line on top
}

// form is something to fill in.
type form interface {
	// Press takes a key and tells whether the form is done with.
	Press(tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// View draws the form in lines of at most w cells, h of them if that can be.
	View(t *Theme, w, h int) []string
}

// FormWidth is that of forms, where the screen has room for it.
const FormWidth = 64

// Choice is an answer to a question: the key that gives it, what it is called
// and what follows.
type Choice struct {
	Keys []string
	Name string
	Then tea.Cmd
}

// Question is an overlay that asks.
func Question(title string, lines []string, choices ...Choice) tea.Cmd {
	return Send(Open{&Overlay{Title: title, Lines: lines, Choices: choices}})
}

// Press takes a key and tells whether the overlay is done with.
func (o *Overlay) Press(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	key := k.String()
	if o.Form != nil && key != "esc" && key != "ctrl+c" {
		return o.Form.Press(k)
	}
	return o.key(key)
}

// key is press for what is no form.
func (o *Overlay) key(key string) (done bool, cmd tea.Cmd) {
	for _, c := range o.Choices {
		for _, k := range c.Keys {
			if k == key {
				return true, c.Then
			}
		}
	}
	switch key {
	case "esc":
		return true, nil
	case "enter", "q", "?", "i", "ctrl+c":
		return len(o.Choices) == 0, nil
	case "down", "j":
		o.first++
	case "up", "k":
		o.first--
	case "pgdown", "space":
		o.first += 10
	case "pgup":
		o.first -= 10
	case "home", "g":
		o.first = 0
	case "end", "G":
		o.first = len(o.Lines)
	}
	o.first = max(0, min(o.first, len(o.Lines)-1))
	return false, nil
}

// Draw puts the overlay over the middle of a page of w by h cells.
func (o *Overlay) Draw(t *Theme, under []string, w, h int) []string {
	lines := o.Lines
	if o.Form != nil {
		cells := min(FormWidth, w-4)
		lines = o.Form.View(t, cells, h-2)
		lines = Fill(lines, cells, len(lines))
	}
	if len(o.Choices) > 0 {
		lines = append(lines[:len(lines):len(lines)], "", o.Options(t))
	}
	inner := Width(o.Title) + 4
	for _, s := range lines {
		inner = max(inner, Width(s))
	}
	bw, bh := min(w, inner+4), min(h, len(lines)+2)
	note := ""
	if room := bh - 2; len(lines) > room {
		o.first = min(o.first, len(lines)-room)
		note = KeyName("down", t.ASCII) + " more"
		if o.first == len(lines)-room {
			note = "end"
		}
		lines = lines[o.first : o.first+room]
	}
	body := make([]string, len(lines))
	for i, s := range lines {
		body[i] = " " + Cut(s, bw-4)
	}
	box := t.Panel(o.Title, note, true, true, body, bw, bh)
	x, y := (w-bw)/2, (h-bh)/2
	out := append([]string(nil), under...)
	for i, s := range box {
		if y+i < len(out) {
			row := out[y+i]
			// A wide character that is cut in two leaves a blank.
			tail := ansi.TruncateLeftWc(row, x+bw, "")
			out[y+i] = Left(ansi.TruncateWc(row, x, ""), x) + s + Blanks(w-x-bw-Width(tail)) + tail
		}
	}
	return out
}

// Options is the line of choices.
func (o *Overlay) Options(t *Theme) string {
	s := ""
	for _, c := range o.Choices {
		s += t.Key.Paint(KeyName(c.Keys[0], t.ASCII)) + " " + c.Name + "   "
	}
	return s + t.Key.Paint("Esc") + " back"
}

// Wheel scrolls the text.
func (o *Overlay) Wheel(b tea.MouseButton) {
	switch b {
	case tea.MouseWheelDown:
		o.key("down")
	case tea.MouseWheelUp:
		o.key("up")
	}
}
