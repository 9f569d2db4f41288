package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"drolab/presets"
)

// said is a text of the program and its place in the source.
type said struct{ where, text string }

// phrases are regular expressions that no text of the program may match: phrases that read as
// translated, earlier wordings that were replaced, and American spelling.
var phrases = []string{"nothing does that", "no run is so", "say what would be started",
	"panel before", "page before", "from (the run's|its) next step on$", "came to",
	`comes? to \{`, "classified right", "enough to look at", "nobody looks",
	"no engine is running for .*, so", "curves in:", `\bthe \w+ before$`, `, defined$`,
	"the other way round", "as it is now", "bring.* to mind", `\bthat there (is|are)\b`,
	"(go|goes) on with", `\b(one|line|row|object|array|number|group) an? [a-z]+\b`,
	`\b(is|are) no (file|path|event|method|knob|whole|picture|UTF|type)`, "take.? it away",
	"put (it|them|the run) away", "see to (it|its)", "what is remembered",
	"so many (runs|samples|evaluations)", "may look", "stands? over it", "say so", "said in line",
	`(^|: )part of the`, "it is not called", "because not",
	`\bcolor`, "behavior", `\bcenter`, "normaliz", "penaliz", "labeled", "canceled"}

// code matches literals that are not text but HTML, LaTeX, Python, a regular expression or a list
// of classes.
var code = regexp.MustCompile(`[<\\]|self\.|FACTS|^'|aquarium_fish`)

// TestWords checks every text of the program: the tables of messages and the helps of the
// interface, every literal of three words or more, and the docs and reasons of the presets.
func TestWords(t *testing.T) {
	messages, helps, others := textsOf(t)
	for _, p := range presets.List() {
		others = append(others, said{p.Name, p.Doc})
		for key, reason := range p.Reasons {
			others = append(others, said{p.Name + ", " + key, reason})
		}
	}
	if len(messages) < 80 || len(helps) < 100 || len(others) < 2500 {
		t.Fatalf("%d messages, %d helps and %d others", len(messages), len(helps), len(others))
	}
	banned := make([]*regexp.Regexp, len(phrases))
	for i, p := range phrases {
		banned[i] = regexp.MustCompile("(?i)" + p)
	}
	for _, m := range slices.Concat(messages, helps, others) {
		for _, p := range banned {
			if found := p.FindString(m.text); found != "" {
				t.Errorf("%s: %q has %q", m.where, m.text, found)
			}
		}
	}
	for _, m := range slices.Concat(messages, helps) {
		if strings.Contains(m.text, "  ") || strings.TrimSpace(m.text) == "" {
			t.Errorf("%s: %q has blanks", m.where, m.text)
		}
	}
	for _, h := range helps {
		first := []rune(h.text)[0]
		if word, _, _ := strings.Cut(h.text, " "); unicode.IsUpper(first) &&
			word != strings.ToUpper(word) || strings.HasSuffix(h.text, ".") {
			t.Errorf("%s: a help is no sentence: %q", h.where, h.text)
		}
	}
}

// textsOf returns the messages and the helps of the pages, and the literals of the whole program
// that have three words or more. It is an error if a page tells its user a literal that is not in a
// table.
func textsOf(t *testing.T) (messages, helps, others []said) {
	t.Helper()
	files := token.NewFileSet()
	read := func(path string) error {
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "../"), "/")
		page := first == "tui" && !strings.HasPrefix(path, "../tui/cli/")
		ast.Inspect(file, func(n ast.Node) bool {
			where := func(n ast.Node) string { return files.Position(n.Pos()).String() }
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit, *ast.BinaryExpr:
				text, ok := textOf(n.(ast.Expr))
				if ok && len(strings.Fields(text)) > 2 && !code.MatchString(text) {
					others = append(others, said{where(n), text})
				}
				return !ok
			case *ast.ValueSpec:
				for _, v := range n.Values {
					if text, ok := textOf(v); ok && filepath.Base(path) == "messages.go" {
						messages = append(messages, said{where(v), text})
					}
				}
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				if text, ok := textOf(n.Value); ok && page && key != nil && key.Name == "Help" {
					helps = append(helps, said{where(n), text})
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && page && f.Sel.Name == "Move" {
					if text, ok := textOf(n.Args[0]); ok {
						helps = append(helps, said{where(n), text})
					}
				}
				if arg := told(n); arg != nil && page {
					if text, ok := textOf(arg); ok {
						t.Errorf("%s: %q belongs into messages.go", where(n), text)
					}
				}
			}
			return true
		})
		return nil
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && len(name) > 2 && strings.ContainsAny(name[:1], "._"),
			d.IsDir() && name == "testdata":
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return read(filepath.ToSlash(path))
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages, helps, others
}

// told returns the argument of a call that is shown to the user, or nil for other calls.
func told(call *ast.CallExpr) ast.Expr {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	if of, ok := f.X.(*ast.Ident); !ok || of.Name != "kit" {
		return nil
	}
	if f.Sel.Name == "Notify" || f.Sel.Name == "Unless" {
		return call.Args[len(call.Args)-1]
	}
	return nil
}

// textOf returns the value of a string literal, or of several that are joined. For any other
// expression, ok is false.
func textOf(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		a, ok := textOf(e.X)
		b, also := textOf(e.Y)
		return a + b, ok && also
	}
	return "", false
}
