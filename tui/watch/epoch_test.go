package watch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/watch/panel"
)

// hurried returns a script of runs of random speeds, with figures that differ at every evaluation
// and swing by as much as 60 points.
func hurried(t *testing.T, random *rand.Rand) *tuitest.Script {
	t.Helper()
	s := tuitest.NewScript(t)
	runs, _ := s.List()
	for _, r := range runs {
		speed := .5 + random.Float64()
		for _, e := range s.Logs[r.Meta.ID] {
			h := e.Header()
			since := float64(h.Time.Sub(tuitest.Epoch0()))
			h.Time = tuitest.Epoch0().Add(time.Duration(since / speed))
			eval, ok := e.(*runner.EvalEvent)
			if !ok {
				continue
			}
			var classes []measure.Number
			for range 10 {
				classes = append(classes, measure.Num(.1+.6*random.Float64()))
			}
			eval.ByGroup.Set("class_accuracy", classes)
			eval.Set("worst_class_accuracy", measure.Least(classes))
			eval.Set("robust_risk", measure.Num(1+random.Float64()))
		}
	}
	return s
}

// TestOneEpoch looks at runs of different speed until they end. The sentence, the heads and cells
// of the table, the marks of the best, Who suffers, the bars and the ranking refer to the last
// epoch that all runs have, and say so. A run that is further has its newest figure and no
// difference.
func TestOneEpoch(t *testing.T) {
	apart, differences := 0, 0
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		r := newDriver(t, hurried(t, rand.New(rand.NewPCG(seed, 1))), 200, 60)
		w := r.watch
		for w.Live() || len(w.Runs.Tracks) == 0 {
			r.Wait(time.Second/2, time.Second/2)
			newest, common := map[*panel.Track]float64{}, 1e9
			for _, run := range w.Runs.Tracks {
				if run.Eval != nil {
					newest[run] = run.Eval.Epoch
				}
				common = min(common, newest[run])
			}
			screen := tuitest.Text(r.Shot())
			if common == 0 { // one is not evaluated yet
				continue
			}
			where := fmt.Sprintf("seed %d, epoch %g", seed, common)
			base := w.Runs.Tracks[w.Runs.Baseline]
			of := func(run *panel.Track, name string) float64 {
				return panel.EvalFigureAt(name, common)(run).Float()
			}
			for _, want := range []string{fmt.Sprintf("%g, in this seed: ", common),
				fmt.Sprintf("vs erm@%g ", common), fmt.Sprintf("epoch %g ─╮", common)} {
				if !strings.Contains(screen, want) {
					t.Fatalf("%s: no %q:\n%s", where, want, screen)
				}
			}
			marks := w.bests(w.columns())
			for i, c := range w.columns() {
				for row, run := range w.Runs.Tracks {
					switch {
					case c.best != nil && marks[i] == row && slices.ContainsFunc(w.Runs.Tracks,
						func(o *panel.Track) bool {
							d := of(o, c.best.Name) - of(run, c.best.Name)
							return d > 0 && c.best.Name == "worst_class_accuracy" ||
								d < 0 && c.best.Name == "robust_risk"
						}):
						t.Errorf("%s: %s is not the best by %s", where, run.Label, c.best.Name)
					case c.change == nil:
					case run == base, newest[run] > common:
						apart++
						if text := c.Cell([]*panel.Track{run}); text != "" {
							t.Errorf("%s: %s at %g has the difference %q", where, run.Label,
								newest[run], text)
						}
					default:
						differences++
						d := of(run, c.change.Name) - of(base, c.change.Name)
						if text := c.Cell([]*panel.Track{run}); text != formatChange(*c.change, d) {
							t.Errorf("%s: %s has %q, want %g", where, run.Label, text, d)
						}
					}
				}
			}
			who := slices.IndexFunc(w.Board.Panels,
				func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who suffers") })
			spread := w.Board.Spread(who, w.Board.CurrentView(who), 20)
			for _, line := range spread.Rows {
				class := slices.Index(w.Runs.Run().Meta.Classes, line.Label)
				for k, run := range w.Runs.Tracks { // one row each, in the order of the table
					want := run.EvalAt(common).ByGroup.Named("class_accuracy")[class].Float()
					if line.Values[k] != want {
						t.Errorf("%s: %s of %s is at %g, want %g", where, line.Label, run.Label,
							line.Values[k], want)
					}
				}
			}
			of1 := w.Board.CurrentView(who).BarsMeasure(w.Runs.Run().Meta)
			last := newest[w.Runs.Run()]
			if compared := w.Runs.ComparedRun(of1) != nil; compared != (last == common) {
				t.Errorf("%s: bars at epoch %g are compared: %v, want %v", where, last, compared,
					last == common)
			}
		}
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, "robust risk@8 ") {
			t.Errorf("seed %d: no ranking:\n%s", seed, s)
		}
	}
	if apart == 0 {
		t.Error("no cell is of a run that is further than the common epoch")
	}
	if differences == 0 {
		t.Error("no cell has a difference")
	}
}
