package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// overlay is a text over the page or, with choices, a question, or a form.
// Without choices Esc, Enter, q and ? close it; with them, only a choice or Esc
// does; a form takes every key but Esc and Ctrl-C.
type overlay struct {
	title   string
	lines   []string // as wide as they are; longer than the screen is cut
	choices []choice
	form    form // in place of lines
	first   int  // line on top
}

// form is something to fill in.
type form interface {
	// press takes a key and tells whether the form is done with.
	press(tea.KeyPressMsg) (done bool, cmd tea.Cmd)
	// view draws the form in lines of at most w cells, h of them if that can be.
	view(t *theme, w, h int) []string
}

// formWidth is that of forms, where the screen has room for it.
const formWidth = 64

// choice is an answer to a question: the key that gives it, what it is called
// and what follows.
type choice struct {
	keys []string
	name string
	then tea.Cmd
}

// question is an overlay that asks.
func question(title string, lines []string, choices ...choice) tea.Cmd {
	return send(overlayMsg{&overlay{title: title, lines: lines, choices: choices}})
}

// press takes a key and tells whether the overlay is done with.
func (o *overlay) press(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	key := k.String()
	if o.form != nil && key != "esc" && key != "ctrl+c" {
		return o.form.press(k)
	}
	return o.key(key)
}

// key is press for what is no form.
func (o *overlay) key(key string) (done bool, cmd tea.Cmd) {
	for _, c := range o.choices {
		for _, k := range c.keys {
			if k == key {
				return true, c.then
			}
		}
	}
	switch key {
	case "esc":
		return true, nil
	case "enter", "q", "?", "i", "ctrl+c":
		return len(o.choices) == 0, nil
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
		o.first = len(o.lines)
	}
	o.first = max(0, min(o.first, len(o.lines)-1))
	return false, nil
}

// draw puts the overlay over the middle of a page of w by h cells.
func (o *overlay) draw(t *theme, under []string, w, h int) []string {
	lines := o.lines
	if o.form != nil {
		cells := min(formWidth, w-4)
		lines = o.form.view(t, cells, h-2)
		lines = fill(lines, cells, len(lines))
	}
	if len(o.choices) > 0 {
		lines = append(lines[:len(lines):len(lines)], "", o.options(t))
	}
	inner := width(o.title) + 4
	for _, s := range lines {
		inner = max(inner, width(s))
	}
	bw, bh := min(w, inner+4), min(h, len(lines)+2)
	note := ""
	if room := bh - 2; len(lines) > room {
		o.first = min(o.first, len(lines)-room)
		note = keyName("down", t.ascii) + " more"
		if o.first == len(lines)-room {
			note = "end"
		}
		lines = lines[o.first : o.first+room]
	}
	body := make([]string, len(lines))
	for i, s := range lines {
		body[i] = " " + cut(s, bw-4)
	}
	box := t.panel(o.title, note, true, true, body, bw, bh)
	x, y := (w-bw)/2, (h-bh)/2
	out := append([]string(nil), under...)
	for i, s := range box {
		if y+i < len(out) {
			row := out[y+i]
			// A wide character that is cut in two leaves a blank.
			tail := ansi.TruncateLeftWc(row, x+bw, "")
			out[y+i] = left(ansi.TruncateWc(row, x, ""), x) + s + blanks(w-x-bw-width(tail)) + tail
		}
	}
	return out
}

// options is the line of choices.
func (o *overlay) options(t *theme) string {
	s := ""
	for _, c := range o.choices {
		s += t.key.paint(keyName(c.keys[0], t.ascii)) + " " + c.name + "   "
	}
	return s + t.key.paint("Esc") + " back"
}
