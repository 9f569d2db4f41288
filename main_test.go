package main

import (
	"context"
	"fmt"
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
//	json FILE KEYS...    the one JSON object in the file has these keys (a.b: below a, or below every element of a)
//	lines FILE N         the file has N lines
//	sparse FILE N AT B   the file has N bytes, all 0 but the one at AT, which is B
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
			"await": await, "same": same, "json": hasKeys, "lines": hasLines, "full": fullDisk, "sparse": sparse,
		},
	})
}

func TestRunReturnsTheExitStatus(t *testing.T) {
	var out, errs strings.Builder
	if code := run(context.Background(), []string{"version"}, strings.NewReader(""), &out, &errs); code != 0 || !strings.HasPrefix(out.String(), "drolab ") {
		t.Errorf("version: exit %d, %q, %q", code, out.String(), errs.String())
	}
	if code := run(context.Background(), []string{"fly"}, strings.NewReader(""), &out, &errs); code != 1 || !strings.Contains(errs.String(), "fly") {
		t.Errorf("an unknown command: exit %d, %q", code, errs.String())
	}
}

func TestFolders(t *testing.T) {
	t.Setenv("DROLAB_RUNS", "")
	t.Setenv("XDG_STATE_HOME", "/state")
	if got := folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"); filepath.ToSlash(got) != "/state/drolab/runs" {
		t.Errorf("with XDG_STATE_HOME: %s", got)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "/home/me")
	t.Setenv("USERPROFILE", "/home/me")
	if got := folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"); filepath.ToSlash(got) != "/home/me/.local/state/drolab/runs" {
		t.Errorf("with a relative XDG_STATE_HOME: %s", got)
	}
	t.Setenv("DROLAB_RUNS", "mine")
	if got := folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"); got != "mine" {
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
	want := []string{"tui", "runner", "dro", "presets", "testdata"}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "shared" && !slices.Contains(want, e.Name()) {
			t.Errorf("top-level folder %s: want one of %s", e.Name(), strings.Join(want, ", "))
		}
	}
}

// TestFileLengths holds files to a length that can be read in one go. Tables of
// tests may be longer.
func TestFileLengths(t *testing.T) {
	const most = 400
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipFolder(path)
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if n := strings.Count(string(text), "\n"); n > most && !strings.Contains(string(text), "// Code generated") {
			t.Errorf("%s has %d lines, want at most %d", path, n, most)
		}
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("walking the tree: %w", err))
	}
}
