package sweep

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestPace(t *testing.T) {
	var p Pace
	now := time.Unix(0, 0)
	if _, ok := p.Left(10); ok {
		t.Error("nothing was seen, and the rest is known")
	}
	for range 2 {
		p.Add(now, 1)
		now = now.Add(time.Minute)
	}
	if _, ok := p.Left(10); ok {
		t.Error("nothing has come on, and the rest is known")
	}
	p.Add(now, 5) // 4 in two minutes
	if left, ok := p.Left(15); !ok || left != 5*time.Minute {
		t.Errorf("%v, %v: want 5 minutes", left, ok)
	}
	for i := range 1000 { // the past is forgotten: one a minute
		now = now.Add(time.Minute)
		p.Add(now, 6+float64(i))
	}
	if left, ok := p.Left(1015); !ok || left != 10*time.Minute {
		t.Errorf("%v, %v: want 10 minutes", left, ok)
	}
	if left, _ := p.Left(0); left != 0 {
		t.Errorf("%v are left of nothing", left)
	}
}

func TestUnder(t *testing.T) {
	dir := t.TempDir()
	if got := FindUnder(dir); got != nil {
		t.Errorf("in an empty folder: %v", got)
	}
	var want []string
	for i, name := range []string{"old", "[new]"} {
		at := filepath.Join(dir, name)
		if _, err := Make(at, []byte(tiny), parse(t, tiny).Expand()); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(at, listName), when, when); err != nil {
			t.Fatal(err)
		}
		want = slices.Insert(want, 0, at)
	}
	if got := FindUnder(dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := FindUnder(want[0]); !slices.Equal(got, want[:1]) {
		t.Errorf("of a sweep's own folder: %v", got)
	}
}

// TestAListStaysInItsFolder: a list in somebody else's folder cannot point to a folder of ours.
func TestAListStaysInItsFolder(t *testing.T) {
	f := made(t, tiny)
	for _, id := range []string{"../../x", "/etc", "", ".sweep", `..\x`} {
		f.List.Runs[3].ID = id
		if err := f.files.Write(filepath.Join(f.Dir, listName), f.List); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(f.Dir); err == nil || !strings.Contains(err.Error(), "run 3:") {
			t.Errorf("%q: %v", id, err)
		}
	}
	f = made(t, tiny+"halving: {epochs: [1], keep: .5}\n")
	if err := f.files.Write(f.rungPath(1), rung{Kept: []int{1, 8}}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewProgress(f).States(); err == nil ||
		!strings.Contains(err.Error(), "the list has not") {
		t.Errorf("a rung that keeps run 8 of 8: %v", err)
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
