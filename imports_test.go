package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// importRules says which package may import what, in the manner of
// go/build/deps_test.go. "a, b < c, d" means that c and d may import a, b and
// every package of ours that those may import; the standard library is free to
// all. Words in capitals stand for modules (see modules) and count for direct
// imports only. What is not listed is forbidden.
const importRules = `
NONE < dro, dro/peertest, dro/memtest, dro/testsize, runner/lists
ANSI < tui/cell
X/SYS < dro/internal/kern
NONE < runner/numeral
X/SYS < runner/internal/atomicfile
runner/internal/atomicfile < runner/internal/atomicfile/atomicfiletest
NONE < runner/internal/cgroup
X/SYS, runner/internal/cgroup < runner/internal/memory
X/SYS, runner/internal/memory, runner/internal/atomicfile, runner/numeral, runner/lists < runner/data
runner/data, PARQUET, UNPACK, X/TEXT < runner/data/table
runner/data/table, X/IMAGE < runner/data/picture
runner/data < runner/data/array, runner/data/synthetic, runner/data/loader
X/SYS < runner/data/source
runner/data/picture, runner/data/array, runner/data/synthetic < runner/data/source
dro, dro/internal/kern, GORGONIA < dro/nn
dro, runner/data < runner/measure
dro/nn, runner/measure, runner/data/source, runner/data/loader < runner/spec
GOPSUTIL, X/SYS, runner/internal/cgroup < runner/machine
runner/spec, runner/machine, runner/internal/atomicfile < runner
runner < runner/alert
dro/nn, runner/alert, runner/internal/memory < runner/train
dro, runner/internal/atomicfile < runner/page
tui/cell, runner/page, ASCIIGRAPH < tui/plot
runner, X/SYS, runner/internal/atomicfile < runner/disk
runner/train, runner/disk < runner/bridge
runner/bridge < runner/queue
runner, YAML < presets
runner, runner/disk < runner/eventlog
runner/eventlog, runner/alert, runner/internal/memory, X/SYS < runner/record
runner/record, runner/queue, dro/memtest < runner/record/recordtest
runner < runner/record/recordtest/eventtest
runner/record/recordtest/eventtest < runner/record/recordtest
runner/record, runner/page, GONUM < runner/compare
runner/record, runner/bridge < runner/certificate
runner/record, presets, PROTOBUF < runner/foreign
runner/compare, presets, GONUM < runner/report
runner/report < runner/report/paper
runner/record, runner/report < presets/recorded
runner/queue, runner/record, presets, X/SYS < runner/engine
runner/compare, runner/page, runner/record < runner/publish
runner/record, runner/disk, runner/eventlog, runner/train < runner/box
runner/train, runner/publish < runner/bridge/pythontest/asnative
runner/bridge, dro/peertest < runner/bridge/pythontest
runner/bridge/pythontest/asnative < runner/bridge/pythontest
runner/queue, runner/record, runner/page, runner/compare, runner/engine, presets < runner/sweep
ANSI, TEA, CHARM < tui/pixels
tui/plot, ANSI, TEA, CHARM < tui/kit
runner, runner/record, runner/page, runner/compare, runner/bridge, runner/box < tui/lab
tui/kit, TEA < tui/lab
tui/lab, runner/train, runner/data, dro, dro/nn, presets, TEA < tui/launch
tui/lab, runner/certificate, dro, TEA < tui/watch/panel
tui/watch/panel, TEA < tui/watch
tui/lab, presets, TEA < tui/runs
tui/lab, TEA < tui/compare
tui/lab, runner/sweep, TEA < tui/sweep
tui/lab, runner/certificate, TEA < tui/samples
tui/lab, runner/certificate, presets/recorded, TEA < tui/film
tui/launch, tui/watch, tui/runs, tui/compare, tui/sweep, tui/samples, tui/film < tui
runner/box, tui/pixels, ANSI, TEA, CHARM < tui
tui, TEA, CHARM, WISH < tui/share
tui/lab, dro, presets, runner/sweep, runner/certificate, ANSI, TEA, CHARM < tui/internal/tuitest
ANSI, CHARM < tui/internal/render
tui/internal/render, runner/record/recordtest < tui/internal/tuitest
tui/kit, runner/record, runner/page, runner/train, runner/box < tui/cli/console
presets, presets/recorded, CHARM, COBRA < tui/cli/console
tui/cli/console, tui/lab, runner/certificate, runner/publish, runner/sweep, COBRA, CHARM < tui/cli/look
runner/foreign < tui/cli/look
runner/report/paper < tui/cli/look
tui/cli/look, runner/engine, tui, tui/share, ANSI, CHARM, COBRA < tui/cli/run
tui/cli/run, runner/box, COBRA, FANG < tui/cli
tui/cli < docs, .
`

// testModules may be imported by tests of any package.
const testModules = "TESTSCRIPT, VT, PTY, GOCMP, X/TEXT"

// testPackages are the packages of this module that the tests of tui and of the packages below it
// may import. Tests of other packages need an entry in testPairs.
const testPackages = "tui/internal/render, tui/internal/tuitest, runner/record/recordtest"

// anyTests are the packages of this module that the tests of any package may import: the programs
// with which they compare, and folders in memory.
const anyTests = "dro/peertest, dro/memtest, dro/testsize"

// testPairs maps a package of this module to the further packages that its tests may import. A test
// may need a trained run, a disk that fails, the crash points of runner/page beside those of
// runner/record, or the report that judges the recorded runs.
var testPairs = map[string]string{
	"runner/record": "runner/queue, runner/train, runner/page, " +
		"runner/internal/atomicfile/atomicfiletest, runner/record/recordtest/eventtest",
	"runner/eventlog":       "runner/record/recordtest/eventtest",
	"runner/page":           "runner/measure",
	"runner/measure":        "runner/data/source",
	"runner/data/synthetic": "runner/data/source",
	"runner/data/loader":    "runner/data/source, runner/data/synthetic, runner/data/array",
	"runner/sweep":          "runner/internal/atomicfile/atomicfiletest, runner/record/recordtest",
	".":                     "runner/bridge/testdata/client",
	"runner/compare":        "presets, presets/recorded, runner/record/recordtest",
	"runner/engine":         "runner/bridge/testdata/client, runner/bridge/testdata/zygote",
	"runner/certificate":    "runner/record/recordtest, presets",
	"runner/publish":        "runner/record/recordtest, runner/certificate",
	"runner/queue":          "runner/certificate",
	"runner/box":            "runner/record/recordtest/eventtest",
	"runner/bridge": "runner/queue, runner/record, runner/certificate, " +
		"runner/bridge/testdata/client, runner/bridge/testdata/zygote, " +
		"runner/bridge/pythontest/asnative",
	"runner/bridge/pythontest": "runner/bridge/testdata/zygote",
	"tui/runs":                 "runner/queue",
	"tui/cli/run":              "runner/record/recordtest/eventtest",
	"presets/recorded":         "presets, runner/report/paper",
	"runner/report":            "presets, runner/record/recordtest",
	"runner/report/paper":      "presets, runner/record/recordtest",
	"docs":                     "presets, presets/recorded, runner/report, runner/report/paper",
}

// modules maps the words of the rules to import paths. If several of the paths begin an import, the
// longest decides.
var modules = map[string][]string{
	"X/SYS":   {"golang.org/x/sys"},
	"X/IMAGE": {"golang.org/x/image"},
	"X/TEXT":  {"golang.org/x/text"},
	"PARQUET": {"github.com/parquet-go/parquet-go"},
	"UNPACK": {"github.com/pierrec/lz4", "github.com/andybalholm/brotli",
		"github.com/klauspost/compress"},
	"GORGONIA":   {"gorgonia.org/gorgonia", "gorgonia.org/tensor", "github.com/chewxy/hm"},
	"GONUM":      {"gonum.org/v1/gonum"},
	"GOPSUTIL":   {"github.com/shirou/gopsutil"},
	"YAML":       {"github.com/goccy/go-yaml"},
	"PROTOBUF":   {"google.golang.org/protobuf"},
	"ASCIIGRAPH": {"github.com/guptarohit/asciigraph"},
	"ANSI":       {"github.com/charmbracelet/x/ansi"},
	"TEA":        {"charm.land/bubbletea"},
	"CHARM":      {"charm.land", "github.com/charmbracelet"},
	"WISH":       {"charm.land/wish", "github.com/charmbracelet/ssh", "golang.org/x/crypto/ssh"},
	"FANG":       {"charm.land/fang"},
	"COBRA":      {"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"TESTSCRIPT": {"github.com/rogpeppe/go-internal/testscript"},
	// vt10x shares no code with Bubble Tea. x/vt does, so versions of Bubble Tea break it.
	"VT":    {"github.com/hinshun/vt10x"},
	"GOCMP": {"github.com/google/go-cmp"},
	"PTY":   {"github.com/creack/pty", "github.com/charmbracelet/x/xpty"},
}

const module = "drolab"

// parseRules returns, for each package, what it may import: packages of this module, closed under
// the rules, and module words.
func parseRules(text string) (map[string]map[string]bool, error) {
	allowed := map[string]map[string]bool{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		below, above, ok := strings.Cut(line, "<")
		if !ok || strings.Contains(above, "<") || strings.TrimSpace(above) == "" {
			return nil, fmt.Errorf("rule %d: %q: expected \"a, b < c\"", n+1, line)
		}
		for _, pkg := range words(above) {
			if allowed[pkg] == nil {
				allowed[pkg] = map[string]bool{}
			}
			for _, what := range words(below) {
				if what == "NONE" {
					continue
				}
				if modules[what] == nil && allowed[what] == nil {
					return nil, fmt.Errorf("rule %d: %q is neither a module nor a package "+
						"with a rule above", n+1, what)
				}
				allowed[pkg][what] = true
				for further := range allowed[what] {
					if modules[further] == nil {
						allowed[pkg][further] = true
					}
				}
			}
		}
	}
	return allowed, nil
}

func words(list string) []string {
	fields := strings.Split(list, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// imported is one import of one file.
type imported struct {
	pkg  string // the importer's folder, "." for the root
	path string
	test bool // the file is a test
	file string
}

// violations lists the imports that the rules do not allow.
func violations(allowed map[string]map[string]bool, list []imported) []string {
	var problems []string
	for _, i := range list {
		rule, ok := allowed[i.pkg]
		if !ok {
			problems = append(problems,
				fmt.Sprintf("package %s has no rule: add one to importRules", i.pkg))
			continue
		}
		if what := category(i.path); what != "" && !rule[what] &&
			!(i.test && testMay(i.pkg, what)) {
			problems = append(problems,
				fmt.Sprintf("%s: package %s may not import %s", i.file, i.pkg, i.path))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// testMay reports whether the tests of a package may import what, beyond the imports of the package
// itself.
func testMay(pkg, what string) bool {
	ours := pkg == "tui" || strings.HasPrefix(pkg, "tui/")
	return what == pkg || slices.Contains(words(anyTests+", "+testPairs[pkg]), what) ||
		slices.Contains(words(testModules), what) ||
		ours && slices.Contains(words(testPackages), what)
}

// category returns the name of an import in the rules: the folder of a package of this module, the
// word of another module, or "" for the standard library. Any other path is returned as it is, and
// no rule allows it.
func category(path string) string {
	if rest, ours := strings.CutPrefix(path, module+"/"); ours {
		return rest
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return ""
	}
	best, length := path, 0
	for _, word := range slices.Sorted(maps.Keys(modules)) {
		for _, prefix := range modules[word] {
			if (path == prefix || strings.HasPrefix(path, prefix+"/")) && len(prefix) > length {
				best, length = word, len(prefix)
			}
		}
	}
	return best
}

// importsBelow reads the imports of every Go file below root, whatever system the file is for.
func importsBelow(root string) ([]imported, error) {
	var list []imported
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipFolder(path)
		case filepath.Ext(path) != ".go":
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, imported{filepath.ToSlash(filepath.Dir(path)), p,
				strings.HasSuffix(path, "_test.go"), path})
		}
		return nil
	})
	return list, err
}

// skipFolder returns fs.SkipDir for a folder that holds no packages of this module.
func skipFolder(path string) error {
	name := filepath.Base(path)
	hidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
	if path != "." && (hidden || name == "testdata" || name == "shared") {
		return filepath.SkipDir
	}
	return nil
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

// TestImportRulesCanFail checks that a violation of each kind of rule is found.
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

// TestNoStrayFolders fails on a top-level folder that is not on its list.
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

// TestFunctionLengths holds functions to a length that fits on a screen. The rows of a table in a
// function do not count, and tests, which tell a story, may be longer.
func TestFunctionLengths(t *testing.T) {
	const most = 75
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.path, "/_asm/") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		lines := func(n ast.Node) int {
			return files.Position(n.End()).Line - files.Position(n.Pos()).Line
		}
		for _, d := range file.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := lines(function) + 1
			ast.Inspect(function, func(part ast.Node) bool {
				table, ok := part.(*ast.CompositeLit)
				if ok {
					n -= lines(table)
				}
				return !ok
			})
			if n > most {
				t.Errorf("%s: %s has %d lines, want at most %d",
					files.Position(function.Pos()), function.Name.Name, n, most)
			}
		}
	}
}

// TestLineLengths holds lines to a width at which two files fit side by side on a screen; a tab
// counts as four columns. Raw strings may be wider, and so may figures in comments (lines indented
// by a tab).
func TestLineLengths(t *testing.T) {
	const most, tab = 100, "    "
	for _, f := range goFiles(t) {
		if strings.Contains(f.path, "/_asm/") {
			continue // instructions that belong together stand in one line
		}
		raw := rawLines(f.text)
		for i, line := range strings.Split(f.text, "\n") {
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab))
			if width > most && !raw[i+1] && !strings.HasPrefix(line, "//\t") {
				t.Errorf("%s:%d has %d columns, want at most %d", f.path, i+1, width, most)
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
