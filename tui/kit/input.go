package kit

import (
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// maxInput bounds a typed or pasted line, in runes.
const maxInput = 400

// Input is a line that is being typed. The zero input is empty.
type Input struct {
	Text []rune
	at   int // the cursor stands before this rune
}

func NewInput(s string) Input {
	text := []rune(Clean(s))
	return Input{text, len(text)}
}

func (in Input) String() string { return string(in.Text) }

// Press takes a key and tells whether it was one of a line's own. Keys that
// write are not taken as commands while a line is typed.
func (in *Input) Press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.Text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.Text)
	case "backspace", "ctrl+h":
		in.cut(max(0, in.at-1), in.at)
	case "delete", "ctrl+d":
		in.cut(in.at, min(len(in.Text), in.at+1))
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+k":
		in.cut(in.at, len(in.Text))
	case "ctrl+w", "alt+backspace":
		in.cut(in.wordStart(), in.at)
	default:
		if k.Text == "" || k.Mod.Contains(tea.ModCtrl) || k.Mod.Contains(tea.ModAlt) {
			return false
		}
		in.Insert(k.Text)
	}
	return true
}

// Insert puts text at the cursor: one line of it, without control characters.
func (in *Input) Insert(s string) {
	add := []rune(Clean(s))
	add = add[:min(len(add), maxInput-len(in.Text))]
	in.Text = slices.Insert(slices.Clone(in.Text), in.at, add...)
	in.at += len(add)
}

func (in *Input) cut(from, to int) {
	in.Text = slices.Delete(slices.Clone(in.Text), from, to)
	in.at = from
}

// wordStart is where the word before the cursor starts.
func (in *Input) wordStart() int {
	at := in.at
	for at > 0 && unicode.IsSpace(in.Text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(in.Text[at-1]) {
		at--
	}
	return at
}

// Window is the part of the line that fits so many cells around the cursor, and
// the cursor's place in it: at the end it stands on an appended blank.
func (in Input) Window(cells int) (before, under, after string) {
	text := append(slices.Clone(in.Text), ' ')
	from, to := in.at, in.at+1
	used := Width(string(text[in.at]))
	for {
		grew := false
		if to < len(text) && used+Width(string(text[to])) <= cells {
			used += Width(string(text[to]))
			to++
			grew = true
		}
		if from > 0 && used+Width(string(text[from-1])) <= cells {
			from--
			used += Width(string(text[from]))
			grew = true
		}
		if !grew {
			break
		}
	}
	return string(text[from:in.at]), string(text[in.at]), string(text[in.at+1 : to])
}
