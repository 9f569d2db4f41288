package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// TestFalseStarsOfRunsOnDisk compares, by the command, runs on disk of two methods that differ only
// by chance, so that every star is false. Corrected over the whole table, at most 5 % of the tables
// have a star; corrected for each measure, more of them do. Package compare tests 400 such tables
// without the disk.
func TestFalseStarsOfRunsOnDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics, which one goroutine computes")
	}
	const tables, most = 40, 5 // 5 % of the tables plus two standard deviations
	random := rand.New(rand.NewPCG(3, 5))
	starred := map[string]int{}
	for range tables {
		dir := t.TempDir()
		writeNullRuns(t, dir, random)
		for _, family := range []string{compare.OneMeasure, compare.AllMeasures} {
			if slices.ContainsFunc(compared(t, dir, family).Columns, func(c compare.Column) bool {
				return len(c.Tests) == 1 && c.Tests[0].Best
			}) {
				starred[family]++
			}
		}
	}
	t.Logf("false stars in %d tables: %v", tables, starred)
	if starred[compare.AllMeasures] > most || starred[compare.OneMeasure] <= most {
		t.Errorf("false stars in %d tables: %v, want at most %d when corrected over the table",
			tables, starred, most)
	}
}

// writeNullRuns writes four seeds of each method, with five measures.
func writeNullRuns(t *testing.T, dir string, random *rand.Rand) {
	t.Helper()
	store, err := record.Open(dir)
	check(t, err)
	for _, algorithm := range dro.PaperMethods()[:2] {
		for seed := range uint64(4) {
			m := &runner.Meta{ID: fmt.Sprintf("null-%s-s%d", algorithm, seed), Steps: 100,
				Spec: spec.Defaults(), Parts: measure.Parts{Classes: []string{"a", "b"}}}
			m.Spec.Algorithms, m.Spec.Seed = []dro.Algorithm{algorithm}, seed
			e := &runner.EvalEvent{Head: runner.Head{Step: 100}}
			for _, name := range []string{"test_accuracy", "worst_class_accuracy", "test_loss",
				"train_loss", "robust_risk"} {
				e.Set(name, measure.Num(.5+.01*random.NormFloat64()))
			}
			r, err := store.Create(m, nil)
			check(t, err)
			check(t, r.Append(e))
			check(t, r.Append(&runner.StatusEvent{Head: runner.Head{Step: 100},
				Status: runner.Done}))
			check(t, r.Finish(runner.Summarize(m, runner.Done, 100, e, nil)))
			check(t, r.Close())
		}
	}
}

// compared returns the table that the command prints of all runs of a folder.
func compared(t *testing.T, dir, family string) (table compare.Table) {
	t.Helper()
	var out, problems bytes.Buffer
	env := console.Env{Stdout: cell.NewWriter(&out), Stderr: &problems, RunsDir: dir}
	args := []string{"compare", "null", "--family", family, "--json"}
	if code := Main(context.Background(), env, args); code != 0 {
		t.Fatalf("exit %d: %s", code, problems.String())
	}
	check(t, json.Unmarshal(out.Bytes(), &table))
	if len(table.Rows) != 2 {
		t.Fatalf("the table has %d rows, want 2: %+v", len(table.Rows), table.Rows)
	}
	if seeds := table.Rows[0].Seeds; len(seeds) != 4 {
		t.Fatalf("the first row has the seeds %v, want 4", seeds)
	}
	if len(table.Columns) != 5 {
		t.Fatalf("the table has %d columns, want 5: %+v", len(table.Columns), table.Columns)
	}
	return table
}
