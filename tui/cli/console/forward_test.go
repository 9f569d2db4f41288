package console

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/runner/box"
	"drolab/tui/cell"

	"github.com/spf13/cobra"
)

// requestOf returns what is sent for a command line, and whether its command is forwarded at all.
func requestOf(t *testing.T, args ...string) (req *box.Request, forwarded bool) {
	t.Helper()
	con := New(Env{BoxEnv: BoxEnv{Boxes: "gpu9"}})
	con.Args = args
	run := func(c *cobra.Command, _ []string) (err error) {
		forwarded = con.IsForwarded(c)
		req, err = con.request(c)
		return err
	}
	root := &cobra.Command{Use: "drolab", RunE: run}
	con.ForwardFlag(root)
	of := &cobra.Command{Use: "label RUN...", RunE: run}
	of.Flags().StringArray("set", nil, "")
	of.Flags().StringSlice("tag", nil, "")
	of.Flags().String("note", "", "")
	of.Flags().String("out", "", "")
	of.Flags().BoolP("yes", "y", false, "")
	WritesFiles(of, "out")
	runs := &cobra.Command{Use: "runs", RunE: run}
	con.BoxFlag(runs)
	above := &cobra.Command{Use: "sweep"}
	above.AddCommand(&cobra.Command{Use: "status DIR", RunE: run})
	root.AddCommand(of, runs, above)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return req, forwarded
}

// TestForwardedLine: a command arrives with its flags as they were given, in their order, without
// --box.
func TestForwardedLine(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"label", "a", "--box", "gpu1", "-y", "b"},
			[]string{"label", "--yes=true", "--", "a", "b"}},
		{[]string{"--box=gpu1", "label", "--note", "--box", "--tag=-x,y", "--tag", "z"},
			[]string{"label", "--note=--box", "--tag=-x,y", "--tag=z", "--"}},
		{[]string{"label", "--set", "a=[1,2]", "--set", "", "--box", "gpu1", "--", "--box", "-y"},
			[]string{"label", "--set=a=[1,2]", "--set=", "--", "--box", "-y"}},
		{[]string{"sweep", "status", "--box", "gpu1", "my dir"},
			[]string{"sweep", "status", "--", "my dir"}},
	} {
		req, forwarded := requestOf(t, c.args...)
		var got []string
		for _, arg := range req.Args {
			got = append(got, string(arg))
		}
		if !forwarded || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, sent as %q, want %q", c.args, forwarded, got, c.want)
		}
	}
}

// TestNotForwarded: without the flag, or where a command reads several boxes itself, it runs here.
func TestNotForwarded(t *testing.T) {
	for _, args := range []string{"label a", "runs --box gpu1", "--box gpu1", "--box gpu1 runs"} {
		if _, forwarded := requestOf(t, strings.Fields(args)...); forwarded {
			t.Errorf("%s is forwarded, want that it runs here", args)
		}
	}
}

// TestForwardedOutput: a file that a command writes is named by its path here.
func TestForwardedOutput(t *testing.T) {
	req, _ := requestOf(t, "label", "--box", "gpu1", "--out", "x.csv", "a")
	path, err := filepath.Abs("x.csv")
	want := []box.PassedFile{{Arg: 1, Before: "--out=", Path: path, Typed: "x.csv",
		Writes: true}}
	if err != nil || !reflect.DeepEqual(req.Files, want) {
		t.Errorf("%+v, %v, want %+v", req.Files, err, want)
	}
}

// TestWholeText: text of a box is cleaned the same, however it is cut into pieces.
func TestWholeText(t *testing.T) {
	const text = "λ \x1b[1;32mgreen\x1b[0m \x1b]0;title\a \x1b[2J 世界 \xff end\x1b[3"
	var whole bytes.Buffer
	clean := func(to *bytes.Buffer, pieces ...string) {
		out := cell.NewWriter(to)
		w := &wholeText{to: out, over: out.Over}
		for _, piece := range pieces {
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("%d of %d bytes, %v", n, len(piece), err)
			}
		}
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
	}
	clean(&whole, text)
	for at := range len(text) {
		var cut bytes.Buffer
		clean(&cut, text[:at], text[at:])
		if cut.String() != whole.String() {
			t.Errorf("cut at %d: %q, want %q", at, cut.String(), whole.String())
		}
	}
	if strings.ContainsAny(whole.String(), "\x1b\a") {
		t.Errorf("%q steers a terminal", whole.String())
	}
}

// TestTextOver: a meter of a box is redrawn here, however its text is cut into pieces. It writes
// over its own lines only.
func TestTextOver(t *testing.T) {
	var far bytes.Buffer
	out := cell.NewWriter(&far)
	fmt.Fprint(out, "one\ntwo\n")
	out.Over(2, "three\n")
	out.Over(9999, "four\n")
	out.Over(0, "fi")
	out.Over(0, "five")
	const want = "one\ntwo\n\x1b[2A\r\x1b[Jthree\n\x1b[1A\r\x1b[Jfour\n" +
		"\r\x1b[Jfi\r\x1b[Jfive"
	text := far.Bytes()
	for at := range text {
		var here bytes.Buffer
		out := cell.NewWriter(&here)
		w := &wholeText{to: out, over: out.Over}
		_, err := w.Write(text[:at])
		if err == nil {
			_, err = w.Write(text[at:])
		}
		if err = errors.Join(err, w.flush()); err != nil || here.String() != want {
			t.Fatalf("cut at %d: %q, %v, want %q", at, here.String(), err, want)
		}
	}
}

// TestForwardedMeter: where the terminal is elsewhere, a meter draws for it.
func TestForwardedMeter(t *testing.T) {
	for rows, want := range map[int]string{0: "sending: 5 of 10\n", 24: "\r\x1b[Jsending  "} {
		var stderr bytes.Buffer
		con := New(Env{Stdout: &bytes.Buffer{}, Stderr: &stderr,
			Forwarded: box.Forwarded{Columns: box.Columns{Stderr: 60}, Rows: rows}})
		con.NewMeter("sending", plainCount).Show(5, 10, 0)
		if !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("a terminal of %d rows elsewhere: %q, want %q", rows, stderr.String(), want)
		}
	}
}

// TestForwardedPath: the path of a file that a command has written on a box is that on the box.
func TestForwardedPath(t *testing.T) {
	con := New(Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	if got := con.PathHere("a.tar.gz"); got != "a.tar.gz" {
		t.Errorf("here: %q, want the path as it is", got)
	}
	whole, err := filepath.Abs("a.tar.gz")
	con.Forwarded.Box = "gpu1"
	if got, want := con.PathHere("a.tar.gz"), whole+" on box gpu1"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestSentPresets: a file goes to a box with the preset files beside it that it names.
func TestSentPresets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sweep.yaml": "preset: base.yaml\nset: {lr: [1, 2]}\n",
		"study.yaml": "conditions:\n  a: {preset: base.yaml}\n  b: {preset: below/b.yml}\n" +
			"  c: {preset: shapes}\n  d: {preset: ../up.yaml}\n  e: {preset: none.yaml}\n",
		"base.yaml":     "dataset: shapes\n",
		"below/b.yml":   "dataset: groups\n",
		"../up.yaml":    "dataset: shapes\n",
		"unnamed.yaml":  "dataset: shapes\n",
		"train.py":      "print()\n",
		"program.yaml":  "model: program:train.py\n",
		"no-yaml.yaml":  "{",
		"refuses.yaml":  "preset: large.yaml\n",
		"large.yaml":    strings.Repeat("#\n", 40<<10),
		"below/ignored": "",
	} {
		path := filepath.Join(dir, "in", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]string{
		"sweep.yaml": {"base.yaml"}, "study.yaml": {"base.yaml", "below/b.yml"},
		"program.yaml": {}, "no-yaml.yaml": {},
	} {
		path := filepath.Join(dir, "in", name)
		f, err := readPresetFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Sorted(maps.Keys(f.Beside))
		if !slices.Equal(got, want) || f.Path != name || f.Typed != path {
			t.Errorf("%s is sent as %s with %q, want %q", name, f.Path, got, want)
		}
	}
	if _, err := readPresetFile(filepath.Join(dir, "in", "refuses.yaml")); err == nil {
		t.Error("a file that is too large is not refused")
	}
}

// TestExitStatus: each kind of error has its exit status, alone and as the only one of a list.
func TestExitStatus(t *testing.T) {
	plain := errors.New("broken")
	link := &box.LinkError{Box: "gpu1", Err: plain}
	for _, c := range []struct {
		err   error
		want  int
		print bool
	}{
		{nil, 0, false}, {plain, 1, true}, {&StatusError{Status: 7}, 7, false},
		{link, NoLinkStatus, true}, {fmt.Errorf("x: %w", link), NoLinkStatus, true},
		{Failures{&StatusError{NoLinkStatus, plain}}, NoLinkStatus, true},
		{Failures{&StatusError{NoLinkStatus, plain}, plain}, 1, true},
	} {
		status, said := ExitStatus(c.err)
		if status != c.want || (said != nil) != c.print {
			t.Errorf("%v: exit status %d, prints %v, want %d", c.err, status, said, c.want)
		}
	}
}

// TestForwardedWidth: text for a terminal elsewhere has its width and its colours. Each stream has
// its own terminal, or none.
func TestForwardedWidth(t *testing.T) {
	far := box.Forwarded{Columns: box.Columns{Stdout: 100}}
	con := New(Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Forwarded: far,
		Environ: []string{"TERM=xterm-256color"}})
	if con.Width() != 100 || con.Stdout.Width != 100 || con.Stderr.Width != 0 {
		t.Errorf("widths %d, %d and %d, want 100, 100 and 0", con.Width(), con.Stdout.Width,
			con.Stderr.Width)
	}
	const text = "better"
	out, errs := con.Theme(con.Stdout).Better.Paint(text), con.Theme(con.Stderr).Better.Paint(text)
	if out == text || errs != text {
		t.Errorf("%q and %q, want colours in the first alone", out, errs)
	}
}
