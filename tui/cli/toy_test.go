package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// TestToyCommand adds a command to those of the families, beside five methods and three measures.
// It is listed and completed, its arguments and flags are refused in our words, and its output is
// clean. The methods and measures are known where a command takes their names.
func TestToyCommand(t *testing.T) {
	for i := range 5 {
		t.Cleanup(dro.Register(dro.Method{Name: dro.Algorithm(fmt.Sprint("toy", i)), Doc: "a toy",
			New: func(dro.Task) (dro.Trainer, error) { return nil, nil }}))
	}
	for i := range 3 {
		t.Cleanup(measure.RegisterMeasure(measure.Measure{
			Measure: dro.Measure{Name: fmt.Sprint("hits", i), Doc: "a toy"},
			Value:   func(*measure.Evaluation) measure.Number { return measure.Num(1) }}))
	}
	toy := func(con *console.Console) *cobra.Command {
		return &cobra.Command{Use: "toy RUN", Short: "A toy",
			Args:              console.One("a run", "drolab toy latest"),
			ValidArgsFunction: con.CompleteRuns,
			RunE: func(_ *cobra.Command, args []string) error {
				con.PrintLine("a toy of %s", args[0])
				return nil
			}}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--help", 0, "A toy"},
		{"__complete to", 0, "toy\tA toy"},
		{"__complete run csv --algo toy", 0, "toy4"},
		{"runs --filter hits2>0 --json", 0, "[]"},
		{"__complete toy la", 0, "latest"},
		{"toy x\x1b[2J", 0, "a toy of x\\x1b[2J\n"},
		{"toy", 1, "drolab: give a run, and only one: drolab toy latest\n"},
		{"toy --loud", 1, "drolab: unknown flag: --loud: see drolab toy --help\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			var out bytes.Buffer
			env := console.Env{Stdout: &out, Stderr: &out, RunsDir: t.TempDir()}
			code := Main(context.Background(), env, strings.Fields(c.args), toy)
			if code != c.code || !strings.Contains(out.String(), c.want) {
				t.Errorf("gives %d, %q, want %d, %q", code, out.String(), c.code, c.want)
			}
		})
	}
}
