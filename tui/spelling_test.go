package tui

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// american matches American spellings, which no text of the program has.
var american = regexp.MustCompile(
	`(?i)\bcolor|\bcenter|normaliz|penaliz|behavior|\blabeled|\bcanceled`)

// bothNumbers matches a noun that stands for one and for several, as a count never does: see
// spec.Plural.
var bothNumbers = regexp.MustCompile(`[a-z]\((s|es)\)`)

// code matches literals that are HTML, LaTeX or Python.
var code = regexp.MustCompile(`[<\\]|self\.`)

// TestBritishSpelling reads every string literal of three words or more of the whole program. In
// all literals a noun has the plural of its count.
func TestBritishSpelling(t *testing.T) {
	texts := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), "_") ||
			len(entry.Name()) > 2 && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (hidden || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		for place, text := range literals(t, path) {
			if word := bothNumbers.FindString(text); word != "" {
				t.Errorf("%s: %q in %q: see spec.Plural", place, word, text)
			}
			if len(strings.Fields(text)) < 3 || code.MatchString(text) {
				continue
			}
			texts++
			if word := american.FindString(text); word != "" {
				t.Errorf("%s: %q is American spelling in %q", place, word, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 1000 {
		t.Errorf("%d texts were read, want at least 1000", texts)
	}
}

// literals returns the values of the string literals of a source file, by their places.
func literals(t *testing.T, path string) map[string]string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	texts := map[string]string{}
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return texts
		}
		if kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal)
		if err != nil {
			t.Fatalf("%s: %v", files.Position(pos), err)
		}
		texts[files.Position(pos).String()] = text
	}
}
