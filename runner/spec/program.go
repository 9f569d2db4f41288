package spec

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// ProgramPrefix begins a model that is a program: "program:PATH words...".
const ProgramPrefix = "program:"

// ProgramData is the dataset of such a run, which is the program's own.
const ProgramData = "program"

// ScriptModel is the model of a run whose loop is a script's: it trains what it likes, and asks
// drolab for weights.
const ScriptModel = "script"

// Program is the program that computes losses and gradients in place of a network of
// drolab's own. Words are its arguments.
type Program struct {
	Path  string
	Words []string
}

// IsProgramName tells whether a name, where a preset may stand, is a program: a model that
// is one, or a file of Python.
func IsProgramName(name string) bool {
	return strings.HasPrefix(name, ProgramPrefix) || filepath.Ext(name) == ".py"
}

// OfProgram returns the settings of a program by such a name: the defaults, with it as the
// model.
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

// Program returns the program that s trains; false where the model is drolab's own.
func (s *Spec) Program() (p Program, ok bool) {
	text, ok := strings.CutPrefix(s.Model, ProgramPrefix)
	if !ok {
		return p, false
	}
	words, closed := split(text)
	if !closed || len(words) == 0 {
		return p, false
	}
	return Program{words[0], words[1:]}, true
}

// IsProgram tells whether s trains a program, or a script does: the network and the data are
// not drolab's.
func (s *Spec) IsProgram() bool {
	return strings.HasPrefix(s.Model, ProgramPrefix) || s.IsScript()
}

// IsScript tells whether the loop is a script's.
func (s *Spec) IsScript() bool { return s.Model == ScriptModel }

// String is the model that names p.
func (p Program) String() string {
	words := []string{quoted(p.Path)}
	for _, w := range p.Words {
		words = append(words, quoted(w))
	}
	return ProgramPrefix + strings.Join(words, " ")
}

// Own returns the program's settings of its own: its words of the form key=value.
func (p Program) Own() map[string]string {
	own := map[string]string{}
	for _, w := range p.Words {
		if key, value, ok := strings.Cut(strings.TrimLeft(w, "-"), "="); ok && key != "" {
			own[key] = value
		}
	}
	return own
}

// SettleProgram makes the path of a program absolute, as seen from a folder (empty: this
// process's), so that a record is of use from everywhere, and states nothing that the
// program has of its own. Where the model is another one, s stays as it is.
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

// takeProgram resets what only drolab's own networks and data have, since a run of a
// program has its own.
func (s *Spec) takeProgram() {
	like := Defaults()
	for _, t := range settingRows() {
		if t.native {
			t.field(s).Set(t.field(&like))
		}
	}
	s.Augment, s.Imbalance = false, Imbalance{word: "none"}
	s.Dataset = ProgramData
}

// split takes a line apart at its blanks, but for those between quotes, as a shell
// does; closed is false where a quote is left open.
func split(line string) (words []string, closed bool) {
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

// quoted is a word as split takes it for one.
func quoted(word string) string {
	switch {
	case word != "" && !strings.ContainsAny(word, " \t\"'"):
		return word
	case !strings.Contains(word, `"`):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}
