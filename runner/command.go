package runner

import (
	"strings"
	"unicode"
)

// Place is where runs are, as far as a command has to say so. The zero Place is the folder of this
// machine that the program uses unless it is told another.
type Place struct {
	RunsDir string // "" is that folder
	Box     string // "" is this machine
}

// Command completes a command that the program advises: typed in any terminal of this machine, it
// finds the runs of the place.
func (p Place) Command(line string) string {
	if p.RunsDir != "" {
		line += " --runs " + ShellWord(p.RunsDir)
	}
	if p.Box != "" {
		line += " --box " + ShellWord(p.Box)
	}
	return line
}

// ShellWord returns a word as a shell takes it.
func ShellWord(word string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
