package sweep

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"
)

func overview(t *testing.T, f *Folder) *Overview {
	t.Helper()
	look := NewProgress(f)
	states, err := look.States()
	if err != nil {
		t.Fatal(err)
	}
	o, err := look.Overview(states)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOverviewAgreesWithTheTable: the chosen points and their values are those of sweep table.
// Before any run is done, nothing is chosen.
func TestOverviewAgreesWithTheTable(t *testing.T) {
	f := made(t, strings.Replace(tiny, "rho: [.1, 1]", "rho: [.1, 1], lr: [.3, .003]", 1))
	before := overview(t, f)
	chosen := func(p Point) bool { return p.Chosen }
	if before.Done != 0 || before.Planned != 64 || before.By.Name != "" ||
		before.Points[0].Status != Missing ||
		before.Points[0].Value.Applies() || slices.ContainsFunc(before.Points, chosen) {
		t.Errorf("before: %+v", before)
	}
	work(t, f)
	o := overview(t, f)
	if o.Done != 64 || o.Planned != 64 || o.By.Name != "val_loss" || o.Counts[runner.Done] != 16 ||
		len(o.Points) != 8 {
		t.Errorf("after: %g of %g epochs by %q, %v", o.Done, o.Planned, o.By.Name, o.Counts)
	}
	table := NewProgress(f).Table()
	for _, row := range table.Rows {
		at := slices.IndexFunc(o.Points,
			func(p Point) bool { return p.Chosen && p.Algorithm == row.Algorithm })
		if at < 0 || o.Points[at].Seeds[0].ID != row.IDs[0] ||
			math.Abs(o.Points[at].Value.Float()-row.Validation.Mean.Float()) > 1e-12 {
			t.Errorf("%s: the table has %v with %v, the overview chooses %d",
				row.Algorithm, row.IDs, row.Validation.Mean, at)
		}
	}
}

// TestOverviewPlansRungs: the epochs of runs that rungs will drop are not planned, and at the end
// the planned epochs are done.
func TestOverviewPlansRungs(t *testing.T) {
	text := strings.Replace(tiny, "rho: [.1, 1]", "rho: [.1, 1], lr: [.3, .03, .003, .0003]", 1)
	f := made(t, text+"halving: {epochs: [1, 2], keep: .5}\n")
	// 32 runs of an epoch, 16 of one more, 8 of two more.
	if o := overview(t, f); o.Planned != 32+16+16 {
		t.Errorf("%g epochs are planned, want 64", o.Planned)
	}
	for i := range f.List.Runs {
		if err := tasked(f, i).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if o := overview(t, f); o.Planned != 64 || o.Done != 32 || o.Points[0].Status != Waiting {
		t.Errorf("at the rung %g of %g epochs are done, the first is %s", o.Done, o.Planned,
			o.Points[0].Status)
	}
	work(t, f)
	o := overview(t, f)
	if o.Planned != 64 || o.Done != 64 || o.Counts[Dropped] != 24 {
		t.Errorf("at the end %g of %g epochs are done; %v", o.Done, o.Planned, o.Counts)
	}
}

// A look that is given the catalogue's list agrees with a look that reads the runs, with rungs as
// well, and reads no finished run.
func TestLookOfTheCatalogue(t *testing.T) {
	text := strings.Replace(tiny, "rho: [.1, 1]", "rho: [.1, 1], lr: [.3, .003]", 1)
	f := made(t, text+"halving: {epochs: [1], keep: .5}\n")
	work(t, f)
	runs, problems := record.NewCatalogue(f.Dir, t.TempDir()).List()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	read, told := NewProgress(f), NewProgress(f)
	told.AddFinished(runs)
	if done := counts(t, f)[runner.Done]; done == 0 || len(told.done) != done {
		t.Errorf("%d of %d runs are known", len(told.done), done)
	}
	a, err := read.States()
	if err != nil {
		t.Fatal(err)
	}
	b, err := told.States()
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, told: %+v, %v", a, b, err)
	}
}
