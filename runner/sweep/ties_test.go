package sweep

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
)

// rareSweep returns the file of a sweep of two step sizes on a class so rare that no network
// predicts it: the worst class is 0 in every run. Of 0.3 and 0.1, the first has the lower loss
// after an epoch, and the second at the end. more is the rest of the file.
func rareSweep(t *testing.T, rates, more string) string {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	table := "a,b,label\n"
	for i := range 900 {
		label, shift := "often", 0.
		if i%30 == 0 {
			label, shift = "rare", .5
		}
		table += fmt.Sprintf("%.4f,%.4f,%s\n", random.NormFloat64()+shift,
			random.NormFloat64()+shift, label)
	}
	path := filepath.Join(t.TempDir(), "rare.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
preset: csv
grid: {lr: %s, algo: [erm]}
set: {dataset: "csv:%s?label=label", epochs: 3, val_fraction: .3, model: linear, lr_drop_epoch: 0,
  min_group: 2}
select: val_worst
%s
`, rates, path, more)
}

// withTies writes a sweep's list with a rule for ties, as a program of that rule does, and starts
// the sweep again.
func withTies(t *testing.T, f *Folder, text string, rule runner.TieRule) *Folder {
	t.Helper()
	list := *f.List
	list.Ties = rule
	if err := f.files.Write(filepath.Join(f.Dir, listName), &list); err != nil {
		t.Fatal(err)
	}
	f, err := Make(f.Dir, []byte(text), parse(t, text).Expand())
	if err != nil {
		t.Fatal(err)
	}
	if f.List.Ties != rule {
		t.Fatalf("started again, the sweep has the rule %q, want %q", f.List.Ties, rule)
	}
	return f
}

// TestTiesOfSettings: of settings that are equal by validation a new sweep chooses the one with the
// lower validation loss, in its rungs and at its end, and a note says that all tie. A sweep that an
// earlier program started keeps to the first in the list, also if it is started again.
func TestTiesOfSettings(t *testing.T) {
	testsize.NotShort(t, "trains a sweep: TestHalving trains one, too")
	for _, c := range []struct {
		rule    runner.TieRule
		lr      string // chosen at the end, of [0.3, 0.1]
		rungsLR string // kept by the rung, of [0.1, 0.3]
		note    string
	}{
		{runner.TiesByLoss, "0.1", "0.3", "the chosen one has the lowest val_loss."},
		{runner.TiesToFirst, "0.3", "0.1", "the chosen one is the first."},
	} {
		text := rareSweep(t, "[.3, .1]", "")
		f := made(t, text)
		if f.List.Ties != runner.TiesByLoss {
			t.Errorf("a new sweep has the rule %q", f.List.Ties)
		}
		f = withTies(t, f, text, c.rule)
		work(t, f)
		table := NewProgress(f).Table()
		row := table.Rows[0]
		for i := range f.List.Runs {
			if v := NewProgress(f).State(i).Result.values[0].Float(); v != 0 {
				t.Fatalf("run %d has a worst class of %g, so that nothing is shown", i, v)
			}
		}
		if got := string(row.Values["lr"]); got != c.lr {
			t.Errorf("rule %q: lr %s is chosen, want %s", c.rule, got, c.lr)
		}
		want := "All 2 settings of erm tie by val_worst: " + c.note +
			" Another measure in select may tell them apart."
		if row.Tied != 2 {
			t.Errorf("rule %q: %d settings tie, want 2", c.rule, row.Tied)
		}
		if !slices.Contains(table.Notes, want) {
			t.Errorf("rule %q: the notes are %q, want %q among them", c.rule, table.Notes, want)
		}
		chosen := slices.IndexFunc(overview(t, f).Points, func(p Point) bool { return p.Chosen })
		if got := string(overview(t, f).Points[chosen].Values["lr"]); got != c.lr {
			t.Errorf("rule %q: the overview chooses lr %s, want %s", c.rule, got, c.lr)
		}

		text = rareSweep(t, "[.1, .3]", "halving: {epochs: [1], keep: .5}")
		f = withTies(t, made(t, text), text, c.rule)
		work(t, f)
		r, err := NewProgress(f).rung(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Kept) != 1 {
			t.Fatalf("the rung keeps the runs %v, want one", r.Kept)
		}
		if got := string(f.List.Runs[r.Kept[0]].Values["lr"]); got != c.rungsLR {
			t.Errorf("rule %q: the rung keeps lr %s, want %s", c.rule, got, c.rungsLR)
		}
	}
	f := made(t, tiny) // ERM trains the same at both radii, and SFK does not
	work(t, f)
	tied := map[dro.Algorithm]int{dro.SFK: 0, dro.ERM: 2}
	for _, row := range NewProgress(f).Table().Rows {
		if row.Tied != tied[row.Algorithm] {
			t.Errorf("%s: %d settings tie, want %d", row.Algorithm, row.Tied, tied[row.Algorithm])
		}
	}
}
