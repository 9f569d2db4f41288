package runner

import (
	"slices"
	"strings"
	"unicode"
)

// Place is where runs are, as far as a command has to say so. The zero Place is the folder of this
// machine that the program uses unless it is told another.
type Place struct {
	RunsDir string // "" is that folder
	Box     string // "" is this machine
}

// ReadSeveral are the commands that read runs of several machines. Their --runs is a folder of this
// machine also where --box is given.
var ReadSeveral = []string{"alerts", "attach", "box", "compare", "replay", "report", "runs"}

// Command completes a command that the program advises: typed in any terminal of this machine, it
// finds the runs of the place. A command that shows no other folder of a box is one for a terminal
// of the box.
func (p Place) Command(line string) string {
	words := strings.Fields(line)
	if p.RunsDir != "" && p.Box != "" && len(words) > 1 && slices.Contains(ReadSeveral, words[1]) {
		return "on box " + p.Box + ": " + Place{RunsDir: p.RunsDir}.Command(line)
	}
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
