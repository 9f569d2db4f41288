package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMarks: the marks of all shapes and letters differ, in ASCII too, and no letter is the
// stand-in of a shape.
func TestMarks(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[rune]bool{}
		for i := range Marks {
			seen[Mark(i, ascii)] = true
		}
		for i := range Letters {
			seen[Mark(Marks*ShapeRows+i, ascii)] = true
		}
		if len(seen) != Marks+Letters {
			t.Errorf("ASCII %v: %d marks for %d series", ascii, len(seen), Marks+Letters)
		}
	}
}

// TestVariant: variants of a method have its mark, and each a number of its own up to the ninth.
func TestVariant(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		want := []rune("₂₃₄₅₆₇₈₉₊")
		if ascii {
			want = []rune("23456789+")
		}
		if got := Variant(3, ascii); got != 0 {
			t.Errorf("ASCII %v: the first variant has the number %c, want none", ascii, got)
		}
		for row := 1; row < ShapeRows; row++ {
			i := 3 + row*Marks
			if Mark(i, ascii) != Mark(3, ascii) || Variant(i, ascii) != want[row-1] {
				t.Errorf("ASCII %v: variant %d is %c%c, want %c%c", ascii, row+1, Mark(i, ascii),
					Variant(i, ascii), Mark(3, ascii), want[row-1])
			}
		}
	}
}

// signs are the signs with a meaning of their own, by it.
func signs() map[string]string {
	return map[string]string{"best": Best, "queued": Queued, "running": Running,
		"paused": Paused, "done": Done, "stopped": Stopped, "failed": Failed,
		"interrupted": Interrupted, "dropped": Dropped, "changed": Changed, "ticked": Ticked,
		"unticked": Unticked, "warning": Warning, "cursor": Cursor, "worst": Worst, "few": Few,
		"significant": Significant, "origin": Origin, "optimum": Optimum, "not finite": NotFinite,
		"place": Place, "checkpoint": Checkpoint, "evaluation": Evaluation}
}

// TestSignsDiffer: no sign has two meanings or is the mark of a method, and the stand-ins of the
// signs that stand in the same place differ.
func TestSignsDiffer(t *testing.T) {
	meaning := map[string]string{}
	for of, s := range signs() {
		if other, there := meaning[s]; there {
			t.Errorf("%s and %s have the sign %s", of, other, s)
		}
		meaning[s] = of
		if strings.Contains(marks, s) {
			t.Errorf("%s, the sign of %s, is the mark of a method", s, of)
		}
	}
	for name, place := range map[string][]string{
		"a row": {Queued, Running, Paused, Done, Stopped, Failed, Interrupted, Dropped, Cursor,
			Best, Changed, Significant, Warning, marks},
		"the bar of a replay": {Place, Checkpoint, Evaluation, Warning},
		"a chart":             {Origin, Optimum, NotFinite, Worst, Few, marks},
	} {
		seen := map[rune]string{}
		for _, r := range strings.Join(place, "") {
			in := ASCIIRune(r)
			if other, there := seen[in]; there {
				t.Errorf("%s: %c and %s have the stand-in %c", name, r, other, in)
			}
			seen[in] = string(r)
		}
	}
}

// TestSignsStandHere: no other package of the interface writes a sign or a mark as a literal, so
// that each keeps its one meaning. Of signs that have other uses in a text, such as the bars of a
// norm and "!", only literals that are the sign, or begin a text with it, count.
func TestSignsStandHere(t *testing.T) {
	anywhere := strings.Split(marks, "")
	for _, s := range signs() {
		if !slices.Contains([]string{Paused, Warning, Few, Significant, Evaluation, Place}, s) {
			anywhere = append(anywhere, s)
		}
	}
	alone := func(text string) bool {
		text = strings.Trim(text, " ")
		return text == Paused || text == Place || text == Warning ||
			strings.HasPrefix(text, Warning+" ")
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		isTest := strings.HasSuffix(path, "_test.go") || strings.Contains(path, "tuitest")
		isHome := filepath.Dir(path) == filepath.Join("..", "cell")
		if err != nil || isTest || isHome || filepath.Ext(path) != ".go" {
			return err
		}
		for at, text := range literals(t, path) {
			writes := func(sign string) bool { return strings.Contains(text, sign) }
			if slices.ContainsFunc(anywhere, writes) || alone(text) {
				t.Errorf("%s writes a sign as a literal: %q: want the name of tui/cell/marks.go",
					at, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals returns the texts and characters in a file, by their place.
func literals(t *testing.T, path string) map[string]string {
	files, list := token.NewFileSet(), map[string]string{}
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING && literal.Kind != token.CHAR {
			return true
		}
		text := ""
		if literal.Kind == token.CHAR {
			r, _, _, _ := strconv.UnquoteChar(literal.Value[1:], '\'')
			text = string(r)
		} else {
			text, _ = strconv.Unquote(literal.Value)
		}
		list[files.Position(literal.Pos()).String()] = text
		return true
	})
	return list
}
