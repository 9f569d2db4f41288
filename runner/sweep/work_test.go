package sweep

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/queue"
	"drolab/runner/record"

	"github.com/google/go-cmp/cmp"
)

const tiny = `
preset: csv
grid: {rho: [.1, 1], algo: [sfk, erm]}
seeds: 2
set: {epochs: 4, val_fraction: .3, model: linear, lr_drop_epoch: 0}
select: val_loss
`

// made returns the folder of a sweep that nobody has begun.
func made(t *testing.T, text string) *Folder {
	t.Helper()
	f, err := Make(t.TempDir(), []byte(text), parse(t, text).Expand())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func queued(t *testing.T, ctx context.Context, f *Folder) *queue.Queue {
	t.Helper()
	store, err := record.Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	host := runner.Host{Kernel: nn.Kernel("fp32")}
	return queue.NewQueue(ctx, queue.Settings{Store: store, Host: host, Threads: 1,
		Parallel: 2})
}

func always() bool { return true }

// work trains the missing runs of a sweep to their end.
func work(t *testing.T, f *Folder) {
	t.Helper()
	q := queued(t, context.Background(), f)
	err := f.Work(context.Background(), q, Here{Parallel: 2, Threads: 1}, always, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
}

func states(t *testing.T, f *Folder) []State {
	t.Helper()
	list, err := NewProgress(f).States()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func counts(t *testing.T, f *Folder) map[runner.Status]int { return Count(states(t, f)) }

// logs returns the text of each run's log.
func logs(t *testing.T, f *Folder) map[string]string {
	t.Helper()
	all := map[string]string{}
	for i, r := range f.List.Runs {
		b, err := os.ReadFile(filepath.Join(f.Dir, f.List.Runs[i].ID, "events.jsonl"))
		if err == nil {
			all[r.ID] = string(b)
		}
	}
	return all
}

func TestStartingAgainDoesOnlyWhatIsMissing(t *testing.T) {
	f := made(t, tiny)
	if got := counts(t, f); got[Missing] != 8 {
		t.Fatalf("before Work the states of the runs are %v, want 8 missing", got)
	}
	work(t, f)
	if got := counts(t, f); got[runner.Done] != 8 {
		t.Fatalf("after Work the states of the runs are %v, want 8 done", got)
	}
	before := logs(t, f)
	if err := os.RemoveAll(filepath.Join(f.Dir, f.List.Runs[3].ID)); err != nil {
		t.Fatal(err)
	}
	work(t, f)
	after := logs(t, f)
	for i, r := range f.List.Runs {
		if changed := before[r.ID] != after[r.ID]; changed != (i == 3) {
			t.Errorf("run %d was done again: %v", i, changed)
		}
	}
	runs, problems := record.List(f.Dir)
	if len(runs) != 8 {
		t.Errorf("as a runs folder it has %d runs, want 8", len(runs))
	}
	if len(problems) > 0 {
		t.Errorf("as a runs folder it has the problems %v, want none", problems)
	}
}

// recent is a sweep of methods with averages over batches, and of one that fits the last layer to
// the validation split.
const recent = `
preset: csv
grid: {algo: [scent, scdro, evals]}
seeds: 2
set: {epochs: 4, val_fraction: .3, model: linear, lr_drop_epoch: 0, uncertainty: kl}
select: val_loss
`

// TestWorkGoesOnFromCheckpoints: a sweep that is stopped again and again ends with the same bits.
func TestWorkGoesOnFromCheckpoints(t *testing.T) {
	for _, text := range testsize.Few(1, tiny, recent) {
		goesOn(t, text)
	}
}

// goesOn fails unless a sweep that is stopped again and again ends as one that is not.
func goesOn(t *testing.T, text string) {
	t.Helper()
	whole, parts := made(t, text), made(t, text)
	work(t, whole)
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		q := queued(t, ctx, parts)
		looks := 0
		err := parts.Work(ctx, q, Here{Parallel: 1, Threads: 1}, func() bool {
			if looks++; looks == 3 {
				cancel()
			}
			return true
		}, t.Logf)
		q.Wait()
		cancel()
		if err == nil {
			break
		}
	}
	work(t, parts)
	sameSweeps(t, whole.Dir, parts.Dir)
}

// TestTableOfARefit: a method that fits the last layer to the validation split is done, and has
// nothing to be chosen by. The table says that, and not that it is not done.
func TestTableOfARefit(t *testing.T) {
	f := made(t, recent)
	work(t, f)
	l := NewProgress(f)
	if _, err := l.States(); err != nil {
		t.Fatal(err)
	}
	for _, row := range l.Table().Cells().Rows {
		if got, is := row[1] == "none has val_loss", row[0] == "evals"; got != is {
			t.Errorf("the row of %s is %q", row[0], row)
		}
	}
}

func TestMakeGrowsAndNeverMoves(t *testing.T) {
	f := made(t, tiny)
	more := strings.Replace(tiny, "[.1, 1]", "[.05, .1, 1]", 1)
	more = strings.Replace(more, "seeds: 2", "seeds: 3", 1)
	grown, err := Make(f.Dir, []byte(more), parse(t, more).Expand())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(grown.List.Runs), 18; got != want {
		t.Errorf("%d runs, want %d", got, want)
	}
	settings := map[string]int{}
	for i, r := range grown.List.Runs {
		if i < 8 && r.ID != f.List.Runs[i].ID {
			t.Errorf("run %d has moved", i)
		}
		label := grown.List.Label(&r)
		if at, ok := settings[label]; ok && at != r.Setting {
			t.Errorf("%s is setting %d and %d", label, at, r.Setting)
		}
		settings[label] = r.Setting
	}
	if n := len(slices.Compact(slices.Sorted(maps.Values(settings)))); n != 6 {
		t.Errorf("%d settings, want 6", n)
	}
	if _, err := Make(f.Dir, nil, parse(t, tiny).Expand()); err == nil ||
		!strings.Contains(err.Error(), "10 runs that this file lacks") {
		t.Errorf("a sweep with fewer runs: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without a sweep: %v", err)
	}
}

// TestWhatCannotBeginIsNamed: a run that cannot begin names the cause, here data without a
// validation split.
func TestWhatCannotBeginIsNamed(t *testing.T) {
	f := made(t, strings.Replace(tiny, "val_fraction: .3", "val_fraction: 0", 1))
	work(t, f)
	for i, s := range states(t, f) {
		if s.Status != runner.Failed || !strings.Contains(s.Cause, "val_fraction above 0") {
			t.Fatalf("run %d is %s: %s", i, s.Status, s.Cause)
		}
	}
}

// shuffledSplit is a split with its labels in another order.
type shuffledSplit struct {
	data.Source
	labels []int
}

func (s shuffledSplit) Label(i int) int { return s.labels[i] }

// swept trains the sweep on data with shuffled test labels, and returns its table and its folder.
func swept(t *testing.T, text string, seed uint64) (*Table, *Folder) {
	t.Helper()
	defer source.Register(data.Provider{Name: "relabelled", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) {
			d, err := source.Open("csv:example", data.Options{ValFraction: .3})
			if err != nil || seed == 0 {
				return d, err
			}
			labels := make([]int, d.Test.Len())
			for i := range labels {
				labels[i] = d.Test.Label(i)
			}
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(labels), func(i, j int) {
				labels[i], labels[j] = labels[j], labels[i]
			})
			d.Test = shuffledSplit{d.Test, labels}
			return d, nil
		}})()
	f := made(t, text)
	work(t, f)
	return NewProgress(f).Table(), f
}

// TestSelectionIsBlindToTheTestSplit: a shuffle of the test labels changes no selection, including
// those of rungs and steps, but it changes the figures of the test split.
func TestSelectionIsBlindToTheTestSplit(t *testing.T) {
	testsize.NotShort(t, "trains 32 runs, and TestHalving half of them")
	text := `
preset: csv
grid: {lr: [.3, .03, .003, .0003], algo: [sfk, erm]}
seeds: 2
set: {epochs: 4, val_fraction: 0, model: linear, dataset: relabelled}
select: val_loss
halving: {epochs: [1, 2], keep: .5}
`
	first, at := swept(t, text, 0)
	others := uint64(2)
	if testing.Short() {
		others = 1
	}
	for seed := range others {
		other, folder := swept(t, text, seed+1)
		for i := range first.Rows {
			a, b := &first.Rows[i], &other.Rows[i]
			if len(a.IDs) != 2 {
				t.Errorf("%s: the runs %v are chosen, want 2", a.Algorithm, a.IDs)
			}
			if !slices.Equal(a.IDs, b.IDs) {
				t.Errorf("%s: the runs %v are chosen with other test labels, want %v", a.Algorithm,
					b.IDs, a.IDs)
			}
			if !slices.Equal(a.Validation.Values, b.Validation.Values) {
				t.Errorf("%s: the validation figures differ", a.Algorithm)
			}
			if slices.Equal(a.Test[2].Values, b.Test[2].Values) {
				t.Errorf("%s: the test losses %v do not show that labels differ", a.Algorithm,
					a.Test[2].Values)
			}
		}
		for n := 1; n <= 2; n++ {
			a, _ := at.rung(n)
			b, _ := folder.rung(n)
			if a == nil || b == nil {
				t.Fatalf("rung %d: the decisions are %v and %v, want both", n, a, b)
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("rung %d decides by the test labels (-first +with others):\n%s", n, diff)
			}
		}
	}
}

// TestHalving: each method keeps the given share of its settings, by validation, and the kept runs
// end as if no run had been stopped.
func TestHalving(t *testing.T) {
	text := strings.Replace(tiny, "rho: [.1, 1]", "lr: [.3, .03, .003, .0003]", 1)
	full, halved := made(t, text), made(t, text+"halving: {epochs: [1, 2], keep: .5}\n")
	work(t, full)
	work(t, halved)
	// 4 settings of each method: 2 after the first rung, 1 after the second.
	want := map[runner.Status]int{runner.Done: 4, Dropped: 12}
	if got := counts(t, halved); !maps.Equal(got, want) {
		t.Fatalf("the states of the runs are %v, want %v", got, want)
	}
	look := NewProgress(halved)
	for n, want := range map[int]int{1: 8, 2: 4} {
		r, err := look.rung(n)
		if err != nil {
			t.Fatalf("rung(%d): %v", n, err)
		}
		if len(r.Kept) != want {
			t.Fatalf("rung %d keeps the runs %v, want %d of them", n, r.Kept, want)
		}
		if got := halved.List.mostKept(n); got != want {
			t.Fatalf("mostKept(%d) = %d, want %d", n, got, want)
		}
		for _, settings := range halved.List.byMethod() {
			worstKept, bestDropped := -1.0, 1e9
			for _, s := range settings {
				v, judged := r.Values[s.Setting]
				switch {
				case slices.Contains(r.Kept, s.runs[0]):
					worstKept = max(worstKept, v)
				case judged:
					bestDropped = min(bestDropped, v)
				}
			}
			if worstKept > bestDropped {
				t.Errorf("rung %d keeps a loss of %g and drops one of %g", n, worstKept,
					bestDropped)
			}
		}
	}
	for i, s := range states(t, halved) {
		if s.Status != runner.Done {
			if epochs := s.Result.Epochs; epochs != 1 && epochs != 2 {
				t.Errorf("run %d was dropped at epoch %g", i, epochs)
			}
			continue
		}
		linesA, weightsA := trace(t, full, i)
		linesB, weightsB := trace(t, halved, i)
		if diff := cmp.Diff(linesA, linesB); diff != "" {
			t.Errorf("run %d has other events (-without rungs +with rungs):\n%s", i, diff)
		}
		if string(weightsA) != string(weightsB) {
			t.Errorf("run %d has other weights than without rungs", i)
		}
	}
	a, b := look.Table(), NewProgress(full).Table()
	if a.Rows[0].Cost.Epochs >= b.Rows[0].Cost.Epochs {
		t.Errorf("rungs cost %g epochs, none %g", a.Rows[0].Cost.Epochs, b.Rows[0].Cost.Epochs)
	}
	before := logs(t, halved)
	work(t, halved)
	if !maps.Equal(before, logs(t, halved)) {
		t.Error("starting it again did something")
	}
}
