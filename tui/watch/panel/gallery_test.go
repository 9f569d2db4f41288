package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/lab"
)

// TestSlots: the heaviest samples that stay from one evaluation to the next keep their places,
// whatever their order.
func TestSlots(t *testing.T) {
	g := &Gallery{}
	for _, c := range []struct{ heaviest, want []int }{
		{[]int{1, 2, 3, 4}, []int{1, 2, 3}},
		{[]int{3, 1, 2, 9}, []int{1, 2, 3}},
		{[]int{7, 3, 8, 1}, []int{7, 8, 3}},
		{[]int{3, 8, 7, 1}, []int{7, 8, 3}},
		{[]int{5}, []int{5}},
		{[]int{6, 5, 4}, []int{5, 6, 4}},
		{[]int{4, 4, 4}, []int{4, 4, 4}}, // a log may come from anybody
	} {
		var list []runner.Heavy
		for _, i := range c.heaviest {
			list = append(list, runner.Heavy{Index: i})
		}
		for range 2 { // a second look finds the same
			var got []int
			for _, h := range g.fillSlots(list, 3, true) {
				got = append(got, h.Index)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v are shown as %v, want %v", c.heaviest, got, c.want)
			}
		}
	}
}

// TestSlotsInTurn: of the slots with new pictures, those side by side change at once. The caller
// learns that more changes are due until the slots agree with the evaluation. Only changed pictures
// count, not changed ratios.
func TestSlotsInTurn(t *testing.T) {
	g := &Gallery{}
	heavy := func(ratio float64, indices ...int) (list []runner.Heavy) {
		for _, i := range indices {
			list = append(list, runner.Heavy{Index: i, Ratio: ratio})
		}
		return list
	}
	g.fillSlots(heavy(2, 1, 2, 3, 4, 5), 5, false)
	if g.due || g.Changed() != 0 {
		t.Fatalf("the first are not shown at once: %+v", g)
	}
	old, next := heavy(2, 1, 2, 3, 4, 5), heavy(4, 6, 7, 3, 8, 5)
	for k, fresh := range []int{2, 3, 4, 5, 5} { // the number of slots that have their new picture
		got := g.fillSlots(next, 5, false)
		for i, want := range append(slices.Clone(next[:fresh]), old[fresh:]...) {
			if got[i].Heavy != want {
				t.Errorf("after %d %v are shown", k+1, got)
				break
			}
		}
		if g.due != (fresh < 5) {
			t.Errorf("after %d there is more: %v", k+1, g.due)
		}
	}
	if g.Changed() != 3 {
		t.Errorf("%d pictures changed, want 3", g.Changed())
	}
}

// trainedRun returns the Meta of a trained run on pictures.
func trainedRun(t *testing.T) *runner.Meta {
	t.Helper()
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Dataset, s.Samples = []dro.Algorithm{dro.ERM}, "linear", "shapes", 100
	s.Augment, s.Batch, s.Epochs = false, 16, 1
	return &recordtest.Train(t, s).Meta
}

// TestGallery: the samples of an evaluation stay for a turn, whatever arrives meanwhile. Samples of
// another run are shown at once, and those for a shared view without opening the data.
func TestGallery(t *testing.T) {
	const turn = 24 * time.Second
	run := trainedRun(t)
	d, err := run.Glance(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	eval := func(step int64) *runner.EvalEvent {
		e := &runner.EvalEvent{Heaviest: []runner.Heavy{{Index: int(step),
			Label: d.Train.Label(int(step))}}}
		e.Step = step
		return e
	}
	for _, shared := range []bool{false, true} {
		g, now := &Gallery{Config: &lab.Config{Shared: shared}}, time.Unix(1e9, 0)
		look := func(after time.Duration, m *runner.Meta, step int64) (looked bool) {
			now = now.Add(after)
			cmd := g.Fetch(now, turn, m, eval(step))
			if cmd == nil {
				return false
			}
			if g.Fetch(now, turn, m, eval(step+1)) != nil {
				t.Error("two looks at once")
			}
			f := cmd().(Fetched)
			f.duration = min(f.duration, time.Millisecond)
			g.Show(now, f)
			sample, why := g.Sample(m.ID, int(step))
			if (sample == nil) != shared {
				t.Errorf("shared %v: the sample is %v", shared, sample)
			}
			if why != "" {
				t.Errorf("shared %v: the reason is %q, want none", shared, why)
			}
			return true
		}
		for i, c := range []struct {
			after time.Duration
			step  int64
			want  bool
		}{{0, 1, true}, {turn - time.Second, 2, false}, {time.Second, 2, true},
			{2 * turn, 2, false}, {0, 3, true}, {time.Second, 4, false}} {
			if got := look(c.after, run, c.step); got != c.want {
				t.Errorf("shared %v, look %d: %v, want %v", shared, i, got, c.want)
			}
		}
		if e := g.Evaluation(run.ID); e == nil || e.Step != 3 {
			t.Errorf("shared %v: the evaluation %+v is shown, want that of step 3", shared, e)
		}
		other := *run
		other.ID = "another"
		if !look(0, &other, 5) {
			t.Errorf("shared %v: another run has to wait", shared)
		}
		if e := g.Evaluation(run.ID); e != nil {
			t.Errorf("shared %v: the evaluation %+v of the run before is kept", shared, e)
		}
	}
}

// TestOtherData: a sample whose class differs from the class in the log is not a sample of the
// run's data.
func TestOtherData(t *testing.T) {
	g, m := &Gallery{Config: &lab.Config{}}, trainedRun(t)
	e := &runner.EvalEvent{Heaviest: []runner.Heavy{{Index: 0, Label: 1}}}
	g.Show(time.Time{}, g.Fetch(time.Time{}, 0, m, e)().(Fetched))
	s, why := g.Sample(m.ID, 0)
	if s != nil {
		t.Errorf("Sample(%q, 0) = %+v, want none", m.ID, s)
	}
	if !strings.Contains(why, "another class") {
		t.Errorf("the reason is %q, want another class in it", why)
	}
}
