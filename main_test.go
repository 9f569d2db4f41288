package main

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this very program under the name drolab.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"drolab": main})
}

// TestScripts runs testdata/script/*.txtar, one test each. Beside what
// testscript has, a script may use
//
//	await GLOB TEXT...   wait until a file of that name holds the texts, in this order
//	same A B             the JSON in two files is equal, but for names, folders and times
//	json FILE KEYS...    the one JSON object in the file has these keys (a.b: below a,
//	                     or below every element of a)
//	lines FILE N         the file has N lines
//	sparse FILE N AT B   the file has N bytes, all 0 but the one at AT, which is B
//	arrays FILE          FILE is arrays of samples, as numpy.savez writes them
//	full DIR SIZE        DIR is a disk of that size; see the condition [disk]
//
// GLOBs name one file each, or the last of several.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("DROLAB_RUNS", filepath.Join(e.WorkDir, "runs"))
			e.Setenv("DROLAB_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"arrays": arrays,
			"await":  await, "same": same, "json": hasKeys, "lines": hasLines, "full": fullDisk, "sparse": sparse,
			"damage": damage,
			"aged":   aged,
		},
	})
}

func TestRunReturnsTheExitStatus(t *testing.T) {
	var out, errs strings.Builder
	code := run(context.Background(), []string{"version"}, strings.NewReader(""), &out, &errs)
	if code != 0 || !strings.HasPrefix(out.String(), "drolab ") {
		t.Errorf("version: exit %d, %q, %q", code, out.String(), errs.String())
	}
	code = run(context.Background(), []string{"fly"}, strings.NewReader(""), &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "fly") {
		t.Errorf("an unknown command: exit %d, %q", code, errs.String())
	}
}

func TestFolders(t *testing.T) {
	runs := func() string {
		return filepath.ToSlash(folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"))
	}
	t.Setenv("DROLAB_RUNS", "")
	t.Setenv("XDG_STATE_HOME", "/state")
	if got := runs(); got != "/state/drolab/runs" {
		t.Errorf("with XDG_STATE_HOME: %s", got)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "/home/me")
	t.Setenv("USERPROFILE", "/home/me")
	if got := runs(); got != "/home/me/.local/state/drolab/runs" {
		t.Errorf("with a relative XDG_STATE_HOME: %s", got)
	}
	t.Setenv("DROLAB_RUNS", "mine")
	if got := runs(); got != "mine" {
		t.Errorf("with DROLAB_RUNS: %s", got)
	}
}

func TestImports(t *testing.T) {
	allowed, err := parseRules(importRules)
	if err != nil {
		t.Fatal(err)
	}
	found, err := importsBelow(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 5 {
		t.Fatalf("only %d packages found", len(found))
	}
	for _, problem := range violations(allowed, found) {
		t.Error(problem)
	}
}

// TestImportRulesCanFail breaks each kind of rule.
func TestImportRulesCanFail(t *testing.T) {
	allowed, err := parseRules("NONE < a\na, CHARM < b")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		pkg, path string
		test      bool
		want      string // "" is allowed
	}{
		{"b", "drolab/a", false, ""},
		{"b", "charm.land/lipgloss/v2", false, ""},
		{"b", "fmt", false, ""},
		{"b", "drolab/b", true, ""},
		{"b", "github.com/rogpeppe/go-internal/testscript", true, ""},
		{"b", "github.com/rogpeppe/go-internal/testscript", false, "may not import"},
		{"b", "charm.land/fang/v2", false, "may not import"},
		{"a", "drolab/b", false, "may not import"},
		{"a", "charm.land/lipgloss/v2", false, "may not import"},
		{"a", "example.com/x", false, "may not import"},
		{"c", "fmt", false, "no rule"},
	}
	for _, c := range cases {
		got := strings.Join(violations(allowed, []imported{{c.pkg, c.path, c.test, "x.go"}}), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s importing %s (test %v): %q, want %q", c.pkg, c.path, c.test, got, c.want)
		}
	}
	for _, bad := range []string{"a < b < c", "a", "a < ", "X < b\n"} {
		if _, err := parseRules(bad); err == nil {
			t.Errorf("rules %q are accepted", bad)
		}
	}
}

// TestNoStrayFolders holds the tree to its top-level folders.
func TestNoStrayFolders(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tui", "runner", "dro", "presets", "docs", "testdata"}
	for _, e := range entries {
		name := e.Name()
		free := !e.IsDir() || strings.HasPrefix(name, ".") || name == "shared"
		if !free && !slices.Contains(want, name) {
			t.Errorf("top-level folder %s: want one of %s", name, strings.Join(want, ", "))
		}
	}
}

// TestFileLengths holds files to a length that can be read in one go. Tables of
// tests may be longer.
func TestFileLengths(t *testing.T) {
	const most = 400
	for _, f := range goFiles(t) {
		exempt := strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.text, "// Code generated")
		if n := strings.Count(f.text, "\n"); n > most && !exempt {
			t.Errorf("%s has %d lines, want at most %d", f.path, n, most)
		}
	}
}

// TestLineLengths holds lines to a length, in bytes, of which two stand side by
// side on a screen. What is in a raw string stays as it is shown, and a figure
// in a comment (indented by a tab) as it is drawn.
func TestLineLengths(t *testing.T) {
	const most = 110
	for _, f := range goFiles(t) {
		raw := rawLines(f.text)
		for i, line := range strings.Split(f.text, "\n") {
			if len(line) > most && !raw[i+1] && !strings.HasPrefix(line, "//\t") {
				t.Errorf("%s:%d has %d bytes, want at most %d", f.path, i+1, len(line), most)
			}
		}
	}
}

// rawLines returns the numbers of the lines that a raw string begins on, ends on
// or goes through.
func rawLines(text string) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return lines
		case tok == token.STRING && literal[0] == '`':
			for i := range strings.Count(literal, "\n") + 1 {
				lines[file.Line(pos)+i] = true
			}
		}
	}
}

type goFile struct{ path, text string }

// goFiles reads every Go file of the tree, generators included, in the order of
// their paths.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && !strings.HasPrefix(d.Name(), "_"):
			return skipFolder(path)
		case filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		files = append(files, goFile{filepath.ToSlash(path), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("walking the tree: %w", err))
	}
	return files
}
