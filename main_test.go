package main

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "drolab/dro/memtest"
	"drolab/runner/bridge/testdata/client"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this very program under the names drolab and trainee. Each process
// has a heap of a few megabytes, which the garbage collector would otherwise scan again and again.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	// Scripts mostly wait for processes, so more of them run at once than there are cores.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"drolab": main, "trainee": trainee})
}

// trainee is a program for drolab to train. It has 64 samples for training.
func trainee() {
	c, err := client.Pipes()
	if err == nil {
		err = client.Main(c, &client.Table{Samples: 64, Val: 16})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestScripts runs testdata/script/*.txtar, one test each. Besides the commands of testscript, a
// script may use
//
//	await GLOB TEXT...   wait until a file of that name holds the texts, in this order
//	same A B             the JSON in two files is equal, but for names, folders and times
//	json FILE KEYS...    the one JSON object in the file has these keys (a.b: below a,
//	                     or below every element of a)
//	lines FILE N         the file has N lines
//	sparse FILE N AT B   the file has N bytes, all 0 but the one at AT, which is B
//	arrays FILE NAME     FILE is arrays of samples, as numpy.savez writes them; NAME is that of
//	                     the groups, and without it they are called g
//	full DIR SIZE        DIR is a disk of that size; see the condition [disk]
//
// A GLOB stands for the one file that it matches or, of several, the one written last.
//
// With -short, the scripts of the pages (docs-*) do not run: their commands stand in others, too.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("testdata/script has %d scripts: %v", len(scripts), err)
	}
	if testing.Short() {
		scripts = slices.DeleteFunc(scripts, func(path string) bool {
			return strings.HasPrefix(filepath.Base(path), "docs-")
		})
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DROLAB_RUNS", filepath.Join(e.WorkDir, "runs"))
			e.Setenv("DROLAB_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"arrays": arrays,
			"await":  await, "same": same, "json": hasKeys, "lines": hasLines, "full": fullDisk,
			"sparse": sparse,
			"damage": damage,
			"aged":   aged,
		},
	})
}

// condition implements [disk], whether a script may mount a small disk, and [race], whether the
// race detector is on.
func condition(cond string) (bool, error) {
	switch cond {
	case "disk":
	case "race":
		info, _ := debug.ReadBuildInfo()
		return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}), nil
	default:
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	dir, err := os.MkdirTemp("", "drolab-disk-")
	if err != nil {
		return false, err
	}
	defer os.Remove(dir)
	if mount(dir, "64k") != nil {
		return false, nil
	}
	return true, unmount(dir)
}

func mount(dir, size string) error {
	return exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).Run()
}

func unmount(dir string) error { return exec.Command("umount", dir).Run() }

func fullDisk(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(mount(dir, args[1]))
	ts.Defer(func() { unmount(dir) })
}

// sparse writes a file of zeros with one byte changed. On most disks the zeros take no room.
func sparse(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 4)
	var numbers [3]int64
	for i := range numbers {
		var err error
		numbers[i], err = strconv.ParseInt(args[i+1], 10, 64)
		ts.Check(err)
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	ts.Check(err)
	_, err = f.WriteAt([]byte{byte(numbers[2])}, numbers[1])
	ts.Check(errors.Join(err, f.Truncate(numbers[0]), f.Close()))
}

// twoDigits matches two digits in a row; the second is not the first digit of its number.
var twoDigits = regexp.MustCompile(`[0-9][0-9]`)

// damage changes a byte of a file of the only run in a folder or, with "gone",
// removes the file.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*", args[1]))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%v has %d files", args, len(found))
	}
	if len(args) > 2 && args[2] == "gone" {
		ts.Check(os.Remove(found[0]))
		return
	}
	b, err := os.ReadFile(found[0])
	ts.Check(err)
	at := len(b) / 2 // or the next digit within a number, so that JSON stays JSON
	if i := twoDigits.FindIndex(b[at:]); i != nil {
		at += i[0] + 1
	}
	b[at] ^= 1
	ts.Check(os.WriteFile(found[0], b, 0o600))
}

// aged sets the time of a file to an hour ago.
func aged(ts *testscript.TestScript, _ bool, args []string) {
	then := time.Now().Add(-time.Hour)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), then, then))
}

// await checks the file every few milliseconds. The deadline of the test ends the wait, because
// only that deadline allows for a slow machine.
func await(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, max(2, len(args)))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if path := last(ts, args[0]); path != "" {
			if text, err := os.ReadFile(path); err == nil && inOrder(string(text), args[1:]) {
				return
			}
		}
		<-tick.C
	}
}

// inOrder reports whether the text contains the parts in this order.
func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same GLOB GLOB")
	}
	a, b := readJSON(ts, args[0]), readJSON(ts, args[1])
	if len(a) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	if equal := reflect.DeepEqual(a, b); equal == neg {
		ts.Fatalf("%s and %s are equal: %v\n%v\n%v", args[0], args[1], equal, a, b)
	}
}

// hasKeys checks that the one JSON object in a file has each of the keys, at the top level or along
// a path such as a.b.
func hasKeys(ts *testscript.TestScript, neg bool, args []string) {
	values := readJSON(ts, args[0])
	if neg || len(args) < 2 || len(values) != 1 {
		ts.Fatalf("usage: json FILE KEYS..., of a file with one object; it has %d", len(values))
	}
	for _, path := range args[1:] {
		if !holds(values[0], strings.Split(path, ".")) {
			ts.Fatalf("%s has no %s: %v", args[0], path, values[0])
		}
	}
}

// holds reports whether value has the path. A list has it if every element does.
func holds(value any, path []string) bool {
	if list, ok := value.([]any); ok {
		return len(list) > 0 &&
			!slices.ContainsFunc(list, func(v any) bool { return !holds(v, path) })
	}
	if len(path) == 0 {
		return true
	}
	object, _ := value.(map[string]any)
	below, ok := object[path[0]]
	return ok && (len(path) == 1 || holds(below, path[1:]))
}

// arrays writes an .npz file of samples with two features, a class and a group each. With a name
// for the groups, it also has a split, and 20 samples of each class and group in every part.
func arrays(ts *testscript.TestScript, neg bool, args []string) {
	n, group := 24, "g"
	if len(args) == 2 {
		n, group = 240, args[1]
		args = args[:1]
	}
	wantArgs(ts, neg, args, 1)
	x, y, g, split := make([]float32, 2*n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range n {
		y[i], g[i], split[i] = int64(i%2), int64(i/2%2), int64(3*i/n)
		x[2*i], x[2*i+1] = float32(y[i])+float32(i%5)/4, float32(g[i])
	}
	all := map[string]any{"x": x, "y": y, group: g}
	if group != "g" {
		all["split"] = split
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	z := zip.NewWriter(f)
	for name, values := range all {
		head, shape := "<i8", fmt.Sprintf("(%d,)", n)
		if name == "x" {
			head, shape = "<f4", fmt.Sprintf("(%d, 2)", n)
		}
		head = fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", head, shape)
		w, err := z.Create(name + ".npy")
		ts.Check(err)
		_, err = fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s\n", len(head)+1, head)
		ts.Check(errors.Join(err, binary.Write(w, binary.LittleEndian, values)))
	}
	ts.Check(errors.Join(z.Close(), f.Close()))
}

func hasLines(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != n {
		ts.Fatalf("%s has %d lines, want %d:\n%s", args[0], got, n, ts.ReadFile(args[0]))
	}
}

func wantArgs(ts *testscript.TestScript, neg bool, args []string, n int) {
	if neg || len(args) != n {
		ts.Fatalf("want %d arguments and no \"!\", got %v", n, args)
	}
}

// last returns the file that was written last of those that the pattern matches, or "" if it
// matches none. Names do not tell the order: runs of the same second differ only in random letters.
func last(ts *testscript.TestScript, pattern string) string {
	names, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	newest, written := "", time.Time{}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.ModTime().Before(written) {
			newest, written = name, info.ModTime()
		}
	}
	return newest
}

// perRun are the keys that differ between two runs of the same spec: names,
// places, and what depends on the clock.
var perRun = []string{"crc", "seal", "of", "made",
	"id", "dir", "time", "created", "images_per_second"}

// readJSON reads every JSON value of a file, with the keys in perRun dropped.
func readJSON(ts *testscript.TestScript, pattern string) []any {
	name := pattern
	if name != "stdout" {
		if name = last(ts, pattern); name == "" {
			ts.Fatalf("no file %s", pattern)
		}
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(name)))
	var values []any
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return values
		}
		ts.Check(err)
		if name != "stdout" {
			v = drop(v)
		}
		values = append(values, v)
	}
}

func drop(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range perRun {
			delete(v, key)
		}
		for _, below := range v {
			drop(below)
		}
	case []any:
		for _, below := range v {
			drop(below)
		}
	}
	return value
}
