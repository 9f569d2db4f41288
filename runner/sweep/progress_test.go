package sweep

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
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
	expectEpochs(t, "before any run", before, 0, 64)
	if got := before.By.Name; got != "" {
		t.Errorf("before any run: the points are chosen by %q, want no measure", got)
	}
	if p := before.Points[0]; p.Status != Missing || p.Value.Applies() {
		t.Errorf("before any run: the first point is %s with %v, want %s without a value", p.Status,
			p.Value, Missing)
	}
	for i, p := range before.Points {
		if p.Chosen {
			t.Errorf("before any run: point %d is chosen", i)
		}
	}
	work(t, f)
	o := overview(t, f)
	expectEpochs(t, "after all runs", o, 64, 64)
	if got := o.By.Name; got != "val_loss" {
		t.Errorf("after all runs: the points are chosen by %q, want val_loss", got)
	}
	if n := o.Counts[runner.Done]; n != 16 {
		t.Errorf("after all runs: %d are done, want 16", n)
	}
	if n := len(o.Points); n != 8 {
		t.Errorf("after all runs: %d points, want 8", n)
	}
	table := NewProgress(f).Table()
	for _, row := range table.Rows {
		at := slices.IndexFunc(o.Points,
			func(p Point) bool { return p.Chosen && p.Algorithm == row.Algorithm })
		if at < 0 {
			t.Fatalf("%s: the overview chooses no point", row.Algorithm)
		}
		p := &o.Points[at]
		if got, want := p.Seeds[0].ID, row.IDs[0]; got != want {
			t.Errorf("%s: the overview chooses %s, want %s, as the table", row.Algorithm, got, want)
		}
		if want := row.Validation.Mean; math.Abs(p.Value.Float()-want.Float()) > 1e-12 {
			t.Errorf("%s: the overview has the value %v, want %v, as the table", row.Algorithm,
				p.Value, want)
		}
	}
}

// expectEpochs expects an overview with these numbers of epochs.
func expectEpochs(t *testing.T, when string, o *Overview, done, planned float64) {
	t.Helper()
	if o.Done != done {
		t.Errorf("%s: %g epochs are done, want %g", when, o.Done, done)
	}
	if o.Planned != planned {
		t.Errorf("%s: %g epochs are planned, want %g", when, o.Planned, planned)
	}
}

// TestOverviewPlansRungs: the epochs of runs that rungs will drop are not planned, and at the end
// the planned epochs are done.
func TestOverviewPlansRungs(t *testing.T) {
	testsize.NotShort(t, "trains 32 runs, and TestHalving half of them")
	text := strings.Replace(tiny, "rho: [.1, 1]", "rho: [.1, 1], lr: [.3, .03, .003, .0003]", 1)
	f := made(t, text+"halving: {epochs: [1, 2], keep: .5}\n")
	// 32 runs of an epoch, 16 of one more, 8 of two more.
	expectEpochs(t, "before any run", overview(t, f), 0, 32+16+16)
	for i := range f.List.Runs {
		if err := tasked(f, i).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o := overview(t, f)
	expectEpochs(t, "at the rung", o, 32, 64)
	if got := o.Points[0].Status; got != Waiting {
		t.Errorf("at the rung: the first point is %s, want %s", got, Waiting)
	}
	work(t, f)
	o = overview(t, f)
	expectEpochs(t, "at the end", o, 64, 64)
	if n := o.Counts[Dropped]; n != 24 {
		t.Errorf("at the end: %d runs are dropped, want 24", n)
	}
}

// A look that is given the catalogue's list agrees with a look that reads the runs, with rungs as
// well, and reads no finished run.
func TestLookOfTheCatalogue(t *testing.T) {
	more := strings.Replace(tiny, "rho: [.1, 1]", "rho: [.1, 1], lr: [.3, .003]", 1)
	text := testsize.Pick(tiny, more, more)
	f := made(t, text+"halving: {epochs: [1], keep: .5}\n")
	work(t, f)
	runs, problems := record.NewCatalogue(f.Dir, t.TempDir()).List()
	if len(problems) > 0 {
		t.Fatalf("the catalogue has the problems %v, want none", problems)
	}
	read, told := NewProgress(f), NewProgress(f)
	told.AddFinished(runs)
	done := counts(t, f)[runner.Done]
	if done == 0 {
		t.Fatal("no run is done")
	}
	if n := len(told.done); n != done {
		t.Errorf("after AddFinished %d runs are known, want the %d that are done", n, done)
	}
	a, err := read.States()
	if err != nil {
		t.Fatal(err)
	}
	b, err := told.States()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the states are %+v by the catalogue, want %+v, as the runs have them", b, a)
	}
}
