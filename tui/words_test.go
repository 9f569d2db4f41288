package tui

import (
	"cmp"
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
)

// said is a text of the interface, and where it stands.
type said struct{ where, text string }

// phrases are what no text of the interface has: what reads as translated, what was said in another
// way before, and American spelling.
var phrases = []string{"nothing does that", "no run is so", "say what would be started",
	"panel before", "page before", "from the run's next step on", "came to", "classified right",
	"enough to look at", "nobody looks", "no engine is running for .*, so", "curves in:",
	`\bthe \w+ before$`, `, defined$`, "the other way round", "as it is now", "bring.* to mind",
	`\bcolor`, "behavior", `\bcenter`, "normaliz", "penaliz", "labeled", "canceled"}

// TestWords reads every text that the tables of messages have, and every help.
func TestWords(t *testing.T) {
	messages, helps := textsOf(t)
	if len(messages) < 80 || len(helps) < 100 {
		t.Fatalf("%d messages and %d helps were found", len(messages), len(helps))
	}
	banned := make([]*regexp.Regexp, len(phrases))
	for i, p := range phrases {
		banned[i] = regexp.MustCompile("(?i)" + p)
	}
	for _, m := range slices.Concat(messages, helps) {
		for _, p := range banned {
			if p.MatchString(m.text) {
				t.Errorf("%s: %q has %q", m.where, m.text, p)
			}
		}
		for sentence := range strings.SplitSeq(strings.ReplaceAll(m.text, "\n", " "), ". ") {
			if n := len(strings.Fields(sentence)); n > 35 {
				t.Errorf("%s: %q has %d words", m.where, sentence, n)
			}
		}
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

// textsOf are the messages and the helps of the interface's pages. What a page tells its user
// without a table is an error.
func textsOf(t *testing.T) (messages, helps []said) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "cli" || d.Name() == "internal") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			where := func(n ast.Node) string { return files.Position(n.Pos()).String() }
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, v := range n.Values {
					if text, ok := textOf(v); ok && d.Name() == "messages.go" {
						messages = append(messages, said{where(v), text})
					}
				}
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				if text, ok := textOf(n.Value); ok && key != nil && key.Name == "Help" {
					helps = append(helps, said{where(n), text})
				}
			case *ast.CallExpr:
				if arg := told(n); arg != nil {
					if text, ok := textOf(arg); ok {
						t.Errorf("%s: %q belongs into messages.go", where(n), text)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages, helps
}

// told is the text that a call tells the user; nil of other calls.
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

// textOf is the value of a literal, or of several that are joined; ok is false of all else.
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
