package tui

import (
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// maxInput bounds a typed or pasted line, in runes.
const maxInput = 400

// input is a line that is being typed. The zero input is empty.
type input struct {
	text []rune
	at   int // the cursor stands before this rune
}

func newInput(s string) input {
	text := []rune(Clean(s))
	return input{text, len(text)}
}

func (in input) String() string { return string(in.text) }

// press takes a key and tells whether it was one of a line's own. Keys that
// write are not taken as commands while a line is typed.
func (in *input) press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		in.cut(max(0, in.at-1), in.at)
	case "delete", "ctrl+d":
		in.cut(in.at, min(len(in.text), in.at+1))
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+k":
		in.cut(in.at, len(in.text))
	case "ctrl+w", "alt+backspace":
		in.cut(in.wordStart(), in.at)
	default:
		if k.Text == "" || k.Mod.Contains(tea.ModCtrl) || k.Mod.Contains(tea.ModAlt) {
			return false
		}
		in.insert(k.Text)
	}
	return true
}

// insert puts text at the cursor: one line of it, without control characters.
func (in *input) insert(s string) {
	add := []rune(Clean(s))
	add = add[:min(len(add), maxInput-len(in.text))]
	in.text = slices.Insert(slices.Clone(in.text), in.at, add...)
	in.at += len(add)
}

func (in *input) cut(from, to int) {
	in.text = slices.Delete(slices.Clone(in.text), from, to)
	in.at = from
}

// wordStart is where the word before the cursor starts.
func (in *input) wordStart() int {
	at := in.at
	for at > 0 && unicode.IsSpace(in.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(in.text[at-1]) {
		at--
	}
	return at
}

// window is the part of the line that fits so many cells around the cursor, and
// the cursor's place in it: at the end it stands on an appended blank.
func (in input) window(cells int) (before, under, after string) {
	text := append(slices.Clone(in.text), ' ')
	from, to := in.at, in.at+1
	used := width(string(text[in.at]))
	for {
		grew := false
		if to < len(text) && used+width(string(text[to])) <= cells {
			used += width(string(text[to]))
			to++
			grew = true
		}
		if from > 0 && used+width(string(text[from-1])) <= cells {
			from--
			used += width(string(text[from]))
			grew = true
		}
		if !grew {
			break
		}
	}
	return string(text[from:in.at]), string(text[in.at]), string(text[in.at+1 : to])
}
