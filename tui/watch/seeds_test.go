package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// watchingSeeds returns a driver over two methods with three seeds each.
func watchingSeeds(t *testing.T) *driver {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range []dro.Algorithm{dro.SFK, dro.ERM} {
		for seed := range 3 {
			m := tuitest.Meta(a, tuitest.Epoch0().Add(time.Duration(i*3+seed)*time.Second))
			m.Spec.Seed = uint64(seed + 1)
			rec, err := store.Create(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range tuitest.Training(a, 2*i+seed, 40, 4) {
				if err := rec.Append(e); err != nil {
					t.Fatal(err)
				}
			}
			rec.Close()
		}
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriverOf(t, s.Folder, s, 120, 40)
	r.Wait(3*time.Second, time.Second)
	return r
}

// TestSeeds: seeds are one row and one band, whose values do not depend on the other runs that are
// shown. A key takes the seeds apart.
func TestSeeds(t *testing.T) {
	r := watchingSeeds(t)
	w := r.watch
	if rows := w.Runs.Rows(); len(rows) != 2 || len(w.Runs.Tracks) != 6 {
		t.Fatalf("%d runs have the rows %v, want 6 in 2 rows", len(w.Runs.Tracks), rows)
	}
	if first, second := w.Runs.Tracks[0].Number, w.Runs.Tracks[1].Number; first != second {
		t.Errorf("two seeds have the colours %d and %d, want one", first, second)
	}
	bands := func() []plot.Line {
		return slices.DeleteFunc(w.Board.Chart("test_loss").Lines,
			func(l plot.Line) bool { return len(l.Seeds) < 2 })
	}
	points := func() []plot.BandPoint {
		for _, b := range bands() {
			if b.Number == w.Runs.Tracks[0].Number {
				return slices.Clone(b.Points(w.Board.Span(), 40))
			}
		}
		return nil
	}
	before := points()
	if before == nil {
		t.Fatal("the first row has no band")
	}
	if p := before[20]; p.N != 3 || !(p.Lo < p.Hi) {
		t.Fatalf("the band has %+v in column 20, want an interval over 3 seeds", p)
	}
	r.Press("down", "space", "up")
	if !slices.EqualFunc(before, points(), func(a, b plot.BandPoint) bool {
		return a == b || math.IsNaN(a.Mean) && math.IsNaN(b.Mean)
	}) {
		t.Error("the band changed when other runs were hidden")
	}
	if n := len(bands()); n != 1 {
		t.Errorf("%d bands, one hidden, want 1", n)
	}
	s := tuitest.Text(r.Shot())
	for _, want := range []string{" sfk n=3 ", "● sfk n=3 "} {
		if !strings.Contains(s, want) {
			t.Errorf("the screen of three seeds lacks %q:\n%s", want, s)
		}
	}
	for _, track := range w.Runs.Tracks {
		track.Status = runner.Done
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "✓ sfk s1: done after") {
		t.Errorf("of which seed the headline is:\n%s", s)
	}
	r.Press("o")
	if rows := w.Runs.Rows(); len(rows) != 6 {
		t.Errorf("apart: the rows are %v, want 6", rows)
	}
	if n := len(bands()); n != 0 {
		t.Errorf("apart: %d bands, want none", n)
	}
	if c := w.Board.Chart("test_loss"); len(c.Lines) != 3 {
		t.Errorf("apart: %d lines, want 3", len(c.Lines))
	}
	names := map[string]bool{}
	for _, l := range w.Board.Chart("test_loss").Lines {
		names[l.Name] = true
	}
	if !names["sfk s1"] || len(names) != 3 {
		t.Errorf("apart: the lines are named %v, want three names, sfk s1 among them", names)
	}
	if r := watching(t, 120, 40); r.watch.noSeeds(nil) == "" {
		t.Error("seeds can be taken apart where there are none")
	}
}

// TestSeedsAreOneRow: of folded seeds, p asks all that train or, if none does, all that are paused.
// State, progress, epoch and the time that is left are those of the slowest seed that goes on.
func TestSeedsAreOneRow(t *testing.T) {
	r := watchingSeeds(t)
	w := r.watch
	seeds := w.Runs.InRow(w.Runs.Rows()[0])
	for i, c := range []struct {
		states [3]runner.Status
		steps  [3]int64
		asked  []string
		state  runner.Status
		epoch  string
	}{
		{[3]runner.Status{runner.Running, runner.Running, runner.Queued}, [3]int64{80, 40, 0},
			[]string{"pause", "pause"}, runner.Queued, "0/8"},
		{[3]runner.Status{runner.Done, runner.Running, runner.Running}, [3]int64{320, 120, 160},
			[]string{"pause", "pause"}, runner.Running, "3/8"},
		{[3]runner.Status{runner.Paused, runner.Paused, runner.Failed}, [3]int64{80, 120, 10},
			[]string{"resume", "resume"}, runner.Paused, "2/8"},
		{[3]runner.Status{runner.Done, runner.Failed, runner.Done}, [3]int64{320, 40, 320}, nil,
			runner.Failed, "1/8"},
	} {
		for k, seed := range seeds {
			seed.Status, seed.Step, r.Mine[seed.ID] = c.states[k], c.steps[k], true
		}
		r.asked.List = nil
		if r.Press("p"); !slices.Equal(r.asked.List, c.asked) {
			t.Errorf("%d: p asks %v, want %v", i, r.asked.List, c.asked)
		}
		if got := panel.Slowest(seeds).Status; got != c.state {
			t.Errorf("%d: the row is %s, want %s", i, got, c.state)
		}
		for _, col := range w.columns() {
			if got := col.Cell(seeds); col.Head == "epoch" && got != c.epoch {
				t.Errorf("%d: the row is at epoch %s, want %s", i, got, c.epoch)
			}
		}
	}
}

// TestSeedsAlone: a fork, a run with another setting, or a second run of the same seed is not
// grouped with the seeds. A run that is saved more often is.
func TestSeedsAlone(t *testing.T) {
	of := func(change func(*runner.Meta)) *panel.Track {
		m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
		change(m)
		return &panel.Track{Meta: m}
	}
	groups := panel.SeedGroups([]*panel.Track{of(func(*runner.Meta) {}),
		of(func(m *runner.Meta) { m.Spec.Seed = 7; m.Spec.CheckpointEvery = 43 }),
		of(func(m *runner.Meta) { m.Spec.Seed = 8; m.Spec.Rho *= 2 }),
		of(func(m *runner.Meta) { m.Spec.Seed = 9; m.Parent = "x@1" }),
		of(func(*runner.Meta) {})})
	if len(groups) != 4 || !slices.Equal(groups[0], []int{0, 1}) {
		t.Errorf("the groups are %v, want 4, the first of runs 0 and 1", groups)
	}
}

// TestRepeatedSeed: of two runs with one configuration and seed the newest is in the row of seeds.
// So the row shows the mean that the sentence speaks of, and the other run has no mark.
func TestRepeatedSeed(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, seed := range []uint64{1, 1, 2} {
		m := tuitest.Meta(dro.ERM, tuitest.Epoch0().Add(time.Duration(i)*time.Second))
		m.Spec.Seed = seed
		rec, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tuitest.Training(dro.ERM, 3*i, 40, 4) {
			if err := rec.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		rec.Close()
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriverOf(t, s.Folder, s, 120, 40)
	r.Wait(3*time.Second, time.Second)
	w := r.watch
	rows := w.Runs.Rows()
	if len(rows) != 2 || len(rows[0]) != 1 || len(rows[1]) != 2 {
		t.Fatalf("the rows are %v, want the older run, and two seeds", rows)
	}
	loss, seeds := w.clockFigure("test_loss"), w.Runs.InRow(rows[1])
	a, b := loss(seeds[:1]).Float(), loss(seeds[1:]).Float()
	if got := loss(seeds).Float(); a == b || math.Abs(got-(a+b)/2) > 1e-9 {
		t.Errorf("the row has the loss %g, want the mean of %g and %g, which differ", got, a, b)
	}
	worst := lab.Named("worst_class_accuracy")
	said := formatValue(worst, w.clockFigure(worst.Name)(seeds))
	want := w.Runs.Tracks[rows[1][0]].Short + ", the only configuration to compare, is at " + said
	if story := w.Story(); !strings.Contains(story, want) {
		t.Errorf("the sentence is %q, want %q in it", story, want)
	}
	for _, run := range seeds {
		if !w.Runs.Clock.Counts(run.Meta) {
			t.Errorf("%s is in the row of seeds and does not count in the sentence", run.Label)
		}
	}
}
