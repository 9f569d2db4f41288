package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestRegisteredDataIsListed: a data source is in lists, completions and choices as soon as it is
// registered.
func TestRegisteredDataIsListed(t *testing.T) {
	defer source.Register(data.Provider{Name: "toy", Purpose: "for a test",
		Files: &data.Files{Folder: "toy", Remote: []data.Remote{{Name: "toy.bin", Size: 2e6}}},
		Open: func(string, data.Options) (*data.Dataset, error) {
			return nil, errors.New("not here")
		}})()
	var out, problems bytes.Buffer
	env := console.Env{Stdout: cell.NewWriter(&out), Stderr: &problems, DataDir: t.TempDir(),
		RunsDir: t.TempDir(),
		SignalContext: func(ctx context.Context, _ func()) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"data list", 0,
			"toy              for a test (not on this machine; drolab data fetch toy downloads " +
				"2.0 MB)\n"},
		{"__complete data fetch t", 0, "toy\tfor a test\n"},
		{"data fetch shapes", 1,
			"choose one of cifar10, cifar100, cifar100-coarse, mnist, fashion-mnist, toy\n"},
		{"run shapes --set dataset=tyo --inline", 1, "images:DIR, toy\n"},
	} {
		out.Reset()
		problems.Reset()
		code := Main(context.Background(), env, strings.Fields(c.args))
		if code != c.code || !strings.Contains(out.String()+problems.String(), c.want) {
			t.Errorf("%s gives %d, %s%s", c.args, code, out.String(), problems.String())
		}
	}
}

// TestInternalErrors: the user sees one line about a panic, and the stack is in a file.
func TestInternalErrors(t *testing.T) {
	runs := t.TempDir()
	var errs bytes.Buffer
	code := Main(context.Background(), console.Env{RunsDir: runs, Stdin: panickingReader{},
		Stdout: io.Discard,
		Stderr: &errs}, []string{"risk", "-", "--uncertainty", "chi2", "--rho", "1"})
	if code != 1 {
		t.Errorf("exit status %d, want 1", code)
	}
	const told = "drolab: internal error: broken: please report it, with the file "
	path, found := strings.CutPrefix(errs.String(), told)
	if !found || strings.Count(path, "\n") != 1 || !strings.HasPrefix(path, runs) {
		t.Fatalf("stderr is %q, want %q, a file in %s, and no more", errs.String(), told, runs)
	}
	text, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil || !strings.Contains(string(text), "panickingReader") {
		t.Errorf("the stack does not name the place: %v\n%s", err, text)
	}
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("broken") }

// TestMistakesAreNamed: an error names the value and the remedy, in no library's words.
func TestMistakesAreNamed(t *testing.T) {
	for args, want := range map[string]string{
		"rn":                           `unknown command "rn": did you mean run?`,
		"watch":                        "did you mean attach?",
		"fork":                         "did you mean run --from RUN@STEP?",
		"pin":                          "did you mean checkpoint RUN --pin?",
		"data download":                "did you mean data fetch?",
		"data shwo":                    "did you mean data show?",
		"show last":                    "did you mean latest?",
		"run shapes --algo SFK":        "did you mean sfk?",
		"risk - --rho a":               `--rho "a": expected a number: see drolab risk --help`,
		"run shapes --seeds x":         `--seeds "x": expected a whole number`,
		"run shapes --seed 0x10":       `--seed "0x10": expected a whole number from 0: write 16: see`,
		"certify latest --rho a":       `--rho "a": expected numbers, as in .1,.5,1`,
		"share --idle x":               `--idle "x": expected a time with its unit, as in 90m, 8h or 2d`,
		"export latest --to= --out x":  `--to "": expected one of python`,
		"export latest --out x":        "no format is named: expected one of",
		"compare x --at best":          `--at "best": expected one of last, selected`,
		"certify x --split test,all":   `--split "test,all": expected some of test, val, train`,
		"share --listen foo":           "--listen foo: expected an address and a port",
		"share --listen 1.2.3.4:99999": "--listen 1.2.3.4:99999: expected an address and a port",
	} {
		var errs bytes.Buffer
		env := console.Env{Stdin: strings.NewReader(""), Stdout: cell.NewWriter(io.Discard),
			Stderr: &errs, RunsDir: t.TempDir(), DataDir: t.TempDir(), Keys: t.TempDir(),
			SignalContext: func(ctx context.Context, _ func()) (context.Context,
				context.CancelFunc) {
				return context.WithCancel(ctx)
			}}
		code := Main(t.Context(), env, strings.Fields(args))
		if code != 1 {
			t.Errorf("drolab %s: exit status %d, want 1", args, code)
		}
		got := errs.String()
		if !strings.Contains(got, want) {
			t.Errorf("drolab %s: stderr is %q, want %q in it", args, got, want)
		}
		for _, library := range []string{"strconv", "tcp"} {
			if strings.Contains(got, library) {
				t.Errorf("drolab %s: stderr is %q, want no %q in it", args, got, library)
			}
		}
	}
}

// TestEveryCommandHasAGroup: the help lists every command of the program under a heading, and a
// heading names no command that does not exist.
func TestEveryCommandHasAGroup(t *testing.T) {
	all := root(console.New(console.Env{}))
	grouped := map[string]bool{}
	for _, g := range groups {
		for name := range strings.FieldsSeq(g[1]) {
			grouped[name] = true
			if c, _, err := all.Find([]string{name}); err != nil || c == all {
				t.Errorf("the group %s has %s, which is no command", g[0], name)
			}
		}
	}
	for _, c := range all.Commands() {
		if !c.Hidden && !grouped[c.Name()] {
			t.Errorf("%s has no group: add it to groups in cli.go", c.Name())
		}
	}
}

// TestChoices: a flag that takes words of a list refuses any other, in every command, and takes
// each of its own.
func TestChoices(t *testing.T) {
	flags := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			of, words, ok := strings.Cut(f.Value.Type(), " of ")
			if !ok || of != "one" && of != "some" {
				return
			}
			flags++
			for word := range strings.SplitSeq(words, ", ") {
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%s --%s %s: %v, want no error", c.CommandPath(), f.Name, word, err)
				}
				if f.Value.Set(word+"x") == nil || f.Value.Set(word+",x") == nil {
					t.Errorf("%s --%s takes %sx, or x beside it", c.CommandPath(), f.Name, word)
				}
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	if walk(root(console.New(console.Env{}))); flags < 9 {
		t.Errorf("%d flags have choices", flags)
	}
}
