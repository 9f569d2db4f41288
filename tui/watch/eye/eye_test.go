package eye

import (
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/lab"
)

// TestSeats: of the heaviest samples those that stay keep their places, whatever their order.
func TestSeats(t *testing.T) {
	g := &Gallery{}
	for _, c := range []struct{ heaviest, want []int }{
		{[]int{1, 2, 3, 4}, []int{1, 2, 3}},
		{[]int{3, 1, 2, 9}, []int{1, 2, 3}},
		{[]int{7, 3, 8, 1}, []int{7, 8, 3}},
		{[]int{3, 8, 7, 1}, []int{7, 8, 3}},
		{[]int{5}, []int{5}},
		{[]int{6, 5, 4}, []int{5, 6, 4}},
	} {
		var list []runner.Heavy
		for _, i := range c.heaviest {
			list = append(list, runner.Heavy{Index: i})
		}
		for range 2 { // a second look finds the same
			var got []int
			for _, h := range g.Seats(list, 3) {
				got = append(got, h.Index)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v hang as %v, want %v", c.heaviest, got, c.want)
			}
		}
	}
}

// TestGallery: the samples of an evaluation hang for a turn, whatever comes meanwhile, those of
// another run at once, and a guest's without a look at the data.
func TestGallery(t *testing.T) {
	const turn = 24 * time.Second
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Dataset, s.Samples = []dro.Algorithm{dro.ERM}, "linear", "shapes", 100
	s.Augment, s.Batch, s.Epochs = false, 16, 1
	run := &recordtest.Train(t, s).Meta
	eval := func(step int64) *runner.EvalEvent {
		e := &runner.EvalEvent{Heaviest: []runner.Heavy{{Index: int(step)}}}
		e.Step = step
		return e
	}
	for _, guest := range []bool{false, true} {
		g, now := &Gallery{Config: &lab.Config{Guest: guest}}, time.Unix(1e9, 0)
		look := func(after time.Duration, m *runner.Meta, step int64) (looked bool) {
			now = now.Add(after)
			cmd := g.Look(now, turn, m, eval(step))
			if cmd == nil {
				return false
			}
			if g.Look(now, turn, m, eval(step+1)) != nil {
				t.Error("two looks at once")
			}
			f := cmd().(Fetched)
			f.took = min(f.took, time.Millisecond)
			g.Take(now, f)
			if sample, why := g.Get(m.ID, int(step)); (sample == nil) != guest || why != "" {
				t.Errorf("guest %v: %v, %q", guest, sample, why)
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
				t.Errorf("guest %v, look %d: %v", guest, i, got)
			}
		}
		if e := g.Hung(run.ID); e == nil || e.Step != 3 {
			t.Errorf("guest %v: there hangs %+v", guest, e)
		}
		other := *run
		other.ID = "another"
		if !look(0, &other, 5) || g.Hung(run.ID) != nil {
			t.Errorf("guest %v: another run waits", guest)
		}
	}
}
