package spec

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/numeral"
)

// ProgramPrefix is the prefix of a model that is a program: "program:PATH words...".
const ProgramPrefix = "program:"

// ProgramData is the dataset of a run of a program, which brings its own data.
const ProgramData = "program"

// ScriptModel is the model of a run whose loop is driven by a script. The script trains any
// network, and asks drolab for weights.
const ScriptModel = "script"

// Program is the program that computes losses and gradients in place of a network of
// drolab's own. Words are its arguments.
type Program struct {
	Path  string
	Words []string
}

// IsProgramName reports whether a name, given in place of a preset, names a program: a model with
// ProgramPrefix, or a Python file.
func IsProgramName(name string) bool {
	return strings.HasPrefix(name, ProgramPrefix) || filepath.Ext(name) == ".py"
}

// OfProgram returns the settings of a run of the program that IsProgramName accepts: the defaults,
// with the program as the model.
func OfProgram(name string) (Spec, error) {
	s := Defaults()
	if !strings.HasPrefix(name, ProgramPrefix) {
		name = Program{Path: name}.String()
	}
	text, err := json.Marshal(name)
	if err != nil {
		return s, err
	}
	return s, s.Assign("model", text)
}

// Program returns the program that s trains; ok is false if the model is drolab's own.
func (s *Spec) Program() (p Program, ok bool) {
	text, ok := strings.CutPrefix(s.Model, ProgramPrefix)
	if !ok {
		return p, false
	}
	words, closed := splitWords(text)
	if !closed || len(words) == 0 {
		return p, false
	}
	return Program{words[0], words[1:]}, true
}

// IsProgram reports whether a program or a script trains: the network and the data are then not
// drolab's.
func (s *Spec) IsProgram() bool {
	return strings.HasPrefix(s.Model, ProgramPrefix) || s.IsScript()
}

// IsScript reports whether a script drives the loop.
func (s *Spec) IsScript() bool { return s.Model == ScriptModel }

// MostSaved returns the number of bytes that a program or a script may save in a checkpoint.
func (s *Spec) MostSaved() int64 { return int64(1e9 * s.CheckpointGB) }

// String returns the setting model that names p.
func (p Program) String() string {
	words := append([]string{p.Path}, p.Words...)
	return ProgramPrefix + strings.Join(lists.Map(words, quoteWord), " ")
}

// Own returns the settings that the program has of its own: its arguments of the form key=value.
func (p Program) Own() map[string]string {
	own := map[string]string{}
	for _, w := range p.Words {
		if key, value, ok := strings.Cut(strings.TrimLeft(w, "-"), "="); ok && key != "" {
			own[key] = value
		}
	}
	return own
}

// mostProcs is the largest number of processes of a program.
const mostProcs = 64

// Procs returns the number of processes that the word procs= asks for; 0: there is no such word.
func (p Program) Procs() (int, error) {
	word, ok := p.Own()["procs"]
	if !ok {
		return 0, nil
	}
	n, ok := numeral.Int(word)
	if !ok || n < 1 || n > mostProcs {
		return 0, fmt.Errorf("procs=%.40s: expected the number of the program's processes, 1 to "+
			"%d%s",
			word, mostProcs, numeral.Remedy(word))
	}
	return n, nil
}

// SettleProgram makes the path of a program absolute, relative to dir (empty: this process's
// working folder), so that a record can be used from everywhere. It also resets the settings that a
// program decides itself. If the model is not a program, s stays unchanged.
func (s *Spec) SettleProgram(dir string) {
	p, ok := s.Program()
	if !ok {
		return
	}
	if whole, err := filepath.Abs(p.Path); err == nil && dir == "" {
		p.Path = whole
	} else if !filepath.IsAbs(p.Path) {
		p.Path = filepath.Join(dir, p.Path)
	}
	s.Model = p.String()
	s.takeProgram()
}

// takeProgram resets the settings that only drolab's own networks and data have, since a program
// has its own network and data.
func (s *Spec) takeProgram() {
	like := Defaults()
	for _, t := range settingRows() {
		if t.native {
			t.field(s).Set(t.field(&like))
		}
	}
	s.Augment, s.Imbalance = false, Imbalance{word: noImbalance}
	s.Dataset = ProgramData
}

// splitWords splits a line at its blanks outside of quotes, as a shell does; closed is false if a
// quote is left open.
func splitWords(line string) (words []string, closed bool) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			begun, quote = true, r
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// quoteWord returns the word with quotes, if split needs them to read it as one word.
func quoteWord(word string) string {
	switch {
	case word != "" && !strings.ContainsAny(word, " \t\"'"):
		return word
	case !strings.Contains(word, `"`):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}
