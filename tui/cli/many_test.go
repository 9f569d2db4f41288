package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
)

// TestManyClasses: no command prints a line, a column or a word for each class of very many, unless
// it is asked for all. The worst classes come first.
func TestManyClasses(t *testing.T) {
	classes := testsize.Pick(300, 3000, 3000)
	m := runner.Meta{Preset: "many", Steps: 100, StepsPerEpoch: 100, Spec: spec.Defaults()}
	e := &runner.EvalEvent{Head: runner.Head{Step: 100}}
	e.Set("test_accuracy", measure.Num(.5))
	e.Set("test_loss", measure.Num(1))
	accuracies := make([]measure.Number, classes)
	for i := range classes {
		m.Classes = append(m.Classes, fmt.Sprint("c", i))
		m.ClassCounts.Train = append(m.ClassCounts.Train, 1)
		m.ClassCounts.Test = append(m.ClassCounts.Test, 1+i%30)
		accuracies[i] = measure.Num(float64((i*7)%classes) / float64(classes))
	}
	accuracies[5] = measure.Num(0) // the next is of class 0
	e.ByGroup.Set("class_accuracy", accuracies)
	dir := t.TempDir()
	store, err := record.Open(dir)
	check(t, err)
	var runs []*record.Run
	for _, algorithm := range []dro.Algorithm{dro.ERM, dro.SFK} {
		m := m
		m.ID, m.Spec.Algorithms = "many-"+string(algorithm), []dro.Algorithm{algorithm}
		r, err := store.Create(&m, nil)
		check(t, err)
		check(t, r.Append(e))
		check(t, r.Append(&runner.StatusEvent{Head: e.Head, Status: runner.Done}))
		check(t, r.Finish(runner.Summarize(&m, runner.Done, 100, e, nil)))
		check(t, r.Close())
		run, err := record.Find(dir, m.ID)
		check(t, err)
		runs = append(runs, run)
	}
	var out, problems bytes.Buffer
	env := console.Env{Stdout: cell.NewWriter(&out), Stderr: &problems, RunsDir: dir}
	for _, args := range []string{"show many-erm", "show many-erm --explain", "compare many",
		"report many", "runs", "results"} {
		for _, all := range []bool{false, true} {
			out.Reset()
			line := strings.Fields(args)
			if all {
				line = append(line, "--all")
			}
			if args == "results" { // of drolab run
				con := console.New(env)
				con.Stdout.All = all
				check(t, look.Results(con, runs))
			} else if code := Main(context.Background(), env, line); code != 0 {
				t.Fatalf("%v: exit %d: %s", line, code, problems.String())
			}
			lines, longest := strings.Split(out.String(), "\n"), 0
			for _, l := range lines {
				longest = max(longest, len(l))
			}
			switch {
			case all && args != "runs" && len(lines) < classes:
				t.Errorf("%v: %d lines", line, len(lines))
			case !all && (len(lines) > 150 || longest > 1000):
				t.Errorf("%v: %d lines, the longest has %d bytes", line, len(lines), longest)
			case !all && args == "show many-erm" && (!strings.Contains(out.String(), "\nc0 ") ||
				strings.Index(out.String(), "\nc5 ") < strings.Index(out.String(), "\nc0 ")):
				t.Errorf("the worst do not come first:\n%s", out.String())
			}
		}
	}
}
