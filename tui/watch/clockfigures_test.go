package watch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// swinging returns the log of a made-up run at a speed, with figures that swing by as much as 60
// points from one evaluation to the next.
func swinging(random *rand.Rand, log []runner.Event, speed float64) []runner.Event {
	for _, e := range log {
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
		eval.Set("test_accuracy", measure.Num(random.Float64()))
		eval.Set("robust_risk", measure.Num(1+random.Float64()))
	}
	return log
}

// addRun adds a run of a method and its log to a script.
func addRun(t *testing.T, s *tuitest.Script, m *runner.Meta, log []runner.Event) {
	t.Helper()
	store, err := record.Open(string(s.Folder))
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	s.Logs[m.ID] = log
}

// clockScripts returns scripts of runs of random speeds: of the methods of the paper, of folded
// seeds, of a fork beside its parent, and of a method that refits.
func clockScripts(t *testing.T, seed uint64) map[string]*tuitest.Script {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	scripts := map[string]*tuitest.Script{}
	add := func(name string, of ...*runner.Meta) {
		s := &tuitest.Script{Folder: lab.Folder(t.TempDir()),
			Logs: map[string][]runner.Event{}, Now: tuitest.Epoch0()}
		for i, m := range of {
			m.Created = tuitest.Epoch0().Add(time.Duration(i) * time.Second)
			log := tuitest.Training(m.Spec.Algorithm(), i, tuitest.Steps, tuitest.Epochs)
			addRun(t, s, m, swinging(random, log, .5+random.Float64()))
		}
		scripts[name] = s
	}
	run := func(a dro.Algorithm, change func(*runner.Meta)) *runner.Meta {
		m := tuitest.Meta(a, tuitest.Epoch0())
		change(m)
		return m
	}
	seedOf := func(n uint64) func(*runner.Meta) {
		return func(m *runner.Meta) { m.Spec.Seed = n }
	}
	plain := seedOf(1)
	add("methods", run(dro.SFK, plain), run(dro.PGD, plain), run(dro.PAN, plain),
		run(dro.ERM, plain))
	add("seeds", run(dro.SFK, seedOf(1)), run(dro.SFK, seedOf(2)), run(dro.SFK, seedOf(3)),
		run(dro.ERM, seedOf(1)), run(dro.ERM, seedOf(2)), run(dro.ERM, seedOf(3)))
	add("fork", run(dro.SFK, plain), run(dro.ERM, plain), run(dro.SFK, func(m *runner.Meta) {
		m.Spec.LR *= 2
		m.Parent = fmt.Sprintf("none@%d", 2*tuitest.Steps)
	}))
	add("refit", run(dro.SFK, plain), run("dfr", plain), run(dro.ERM, plain))
	return scripts
}

// scriptClock is the clock that a screen names in the head of its table, and the script.
type scriptClock struct {
	*tuitest.Script
	first, last float64
}

// clockOf reads the clock off the screen, where figures are recomputed by it; ok is false if the
// screen has none.
func clockOf(s *tuitest.Script, screen string) (c scriptClock, ok bool) {
	head, _, _ := strings.Cut(screen, "\n")
	of := regexp.MustCompile(`epochs? ([0-9.]+)(?:–([0-9.]+))? +worst %`).FindStringSubmatch(head)
	if of == nil {
		return c, false
	}
	c = scriptClock{Script: s}
	c.first, _ = strconv.ParseFloat(of[1], 64)
	c.last = c.first
	if of[2] != "" {
		c.last, _ = strconv.ParseFloat(of[2], 64)
	}
	return c, true
}

// mean returns a figure of runs from their logs: the mean over the evaluations of the clock, of a
// method that refits over the last one, and over the runs; NaN if a run lacks one of its own.
func (c scriptClock) mean(runs []*panel.Track, of func(*runner.EvalEvent) measure.Number) float64 {
	sum := 0.0
	for _, run := range runs {
		first, n, total := c.first, 0, 0.0
		if run.Meta.Spec.Algorithm() == dro.Algorithm("dfr") {
			first = c.last
		}
		_, fork, err := runner.ParseParent(run.Meta.Parent)
		for _, e := range c.Logs[run.ID] {
			eval, ok := e.(*runner.EvalEvent)
			own := ok && (err != nil || eval.Step > fork)
			if own && !eval.Time.After(c.Now) && eval.Epoch >= first && eval.Epoch <= c.last {
				n, total = n+1, total+of(eval).Float()
			}
		}
		if n != int(c.last-first)+1 {
			return math.NaN()
		}
		sum += total / float64(n) / float64(len(runs))
	}
	return sum
}

func (c scriptClock) named(runs []*panel.Track, name string) float64 {
	return c.mean(runs, func(e *runner.EvalEvent) measure.Number { return e.Named(name) })
}

// same reports whether two figures are the same up to rounding, or both not there.
func same(a, b float64) bool { return math.Abs(a-b) < 1e-9 || a != a && b != b }

// TestOneClock looks at runs until they end. Every figure that stands on the screen is recomputed
// from the logs by the clock that the head of the table names: in the table, its differences and
// its marks of the best, in the sentence, in the words about the run under the cursor, in the
// ranking, in Who suffers and in the bars. A run or a fork that lacks an evaluation of the clock
// has no figures.
func TestOneClock(t *testing.T) {
	looks, beat := map[string]int{}, testsize.Pick(3*time.Second, time.Second, time.Second)
	for seed := range uint64(testsize.Pick(1, 2, 20)) {
		for name, s := range clockScripts(t, seed) {
			r := newDriver(t, s, 200, 60)
			for r.watch.Live() || len(r.watch.Runs.Tracks) == 0 {
				r.Wait(beat, time.Second)
				screen := tuitest.Text(r.Shot())
				clock, ok := clockOf(s, screen)
				if !ok {
					continue
				}
				looks[name]++
				where := fmt.Sprintf("seed %d, %s, epochs %g–%g", seed, name, clock.first,
					clock.last)
				checkTable(t, where, r.watch, clock)
				checkSentence(t, where, r.watch, clock, screen)
				checkPanels(t, where, r.watch, clock)
			}
			screen := tuitest.Text(r.Shot())
			clock, _ := clockOf(s, screen)
			checkRanks(t, fmt.Sprintf("seed %d, %s at the end", seed, name), r.watch, clock, screen)
		}
	}
	for name, n := range looks {
		if n < 3 {
			t.Errorf("%s: %d looks at figures, want 3 or more", name, n)
		}
	}
	if len(looks) != 4 {
		t.Errorf("looks at %v, want at 4 scripts", looks)
	}
}

// checkTable compares the cells of the table, the differences and the marks with the logs.
func checkTable(t *testing.T, where string, w *Page, clock scriptClock) {
	t.Helper()
	marks := w.bests(w.columns())
	for i, c := range w.columns() {
		best, row := math.NaN(), -1
		for k, runs := range w.Runs.Rows() {
			list := w.Runs.InRow(runs)
			counted, got := w.Runs.Counted(list), c.Cell(list)
			switch {
			case c.change != nil:
				base := w.Runs.InRow(w.Runs.RowOf(w.Runs.Baseline))
				d := clock.named(counted, c.change.Name) -
					clock.named(w.Runs.Counted(base), c.change.Name)
				want := formatChange(*c.change, d)
				if d != d || base[0] == list[0] {
					want = ""
				}
				if got != want {
					t.Errorf("%s: the change of %s in %s is %q, want %q", where, list[0].Label,
						c.change.Name, got, want)
				}
			case c.best != nil:
				v := clock.named(counted, c.best.Name)
				if want := formatValue(*c.best, measure.NumIf(v == v, v)); got != want {
					t.Errorf("%s: %s of %s is %q, want %q", where, c.best.Name, list[0].Label, got,
						want)
				}
				if v == v && (best != best || (v > best) == (c.best.Better == dro.Higher)) {
					best, row = v, k
				}
			}
		}
		if c.best != nil && marks[i] >= 0 && marks[i] != row {
			t.Errorf("%s: row %d has the best %s, want row %d", where, marks[i], c.best.Name, row)
		}
	}
}

// checkSentence compares the figures of the sentence and those of the run under the cursor.
func checkSentence(t *testing.T, where string, w *Page, clock scriptClock, screen string) {
	t.Helper()
	scope := fmt.Sprintf("Epochs %g–%g, ", clock.first, clock.last)
	if clock.first == clock.last {
		scope = fmt.Sprintf("Epoch %g, ", clock.last)
	}
	if w.Story() != "" && !strings.Contains(screen, scope) {
		t.Errorf("%s: no sentence about %q:\n%s", where, scope, screen)
	}
	var names []string
	for _, run := range w.Runs.Tracks {
		names = append(names, regexp.QuoteMeta(run.Short))
	}
	name := "(" + strings.Join(names, "|") + ")"
	lead := regexp.MustCompile(name + " leads " + name + ` by ([0-9.]+) points in the worst \w+ ` +
		`\(([0-9.]+) against ([0-9.]+) %\)`)
	for _, of := range lead.FindAllStringSubmatch(screen, -1) {
		var values [2]float64
		for i, name := range of[1:3] {
			for _, row := range w.Runs.Rows() {
				if list := w.Runs.InRow(row); list[0].Short == name {
					values[i] = 100 * clock.named(w.Runs.Counted(list), "worst_class_accuracy")
				}
			}
		}
		for i, v := range []float64{values[0] - values[1], values[0], values[1]} {
			text := of[3+i]
			_, decimals, _ := strings.Cut(text, ".")
			got, _ := strconv.ParseFloat(text, 64)
			if unit := math.Pow10(-len(decimals)); math.Abs(got-v) > .5*unit+1e-9 {
				t.Errorf("%s: the sentence has %s, want %.3f:\n%s", where, text, v, of[0])
			}
		}
	}
	run := w.Runs.Run()
	words, alone := run.StatusText(w.Runs.Clock, true), []*panel.Track{run}
	worst := clock.named(alone, "worst_class_accuracy")
	want := fmt.Sprintf("worst class %.1f %%, mean %.1f %%", 100*worst,
		100*clock.named(alone, "test_accuracy"))
	if worst == worst && !strings.HasSuffix(words, want) {
		t.Errorf("%s: %s is said to be %q, want %q", where, run.Label, words, want)
	}
}

// checkPanels compares the marks of Who suffers and the bars with the logs.
func checkPanels(t *testing.T, where string, w *Page, clock scriptClock) {
	t.Helper()
	if run := w.Runs.Run(); len(run.At(w.Runs.Clock)) == 0 { // its own epochs are told, and named
		return
	}
	accuracy := func(runs []*panel.Track, class string) float64 {
		at := slices.Index(runs[0].Meta.Classes, class)
		return clock.mean(runs, func(e *runner.EvalEvent) measure.Number {
			return e.ByGroup.Named("class_accuracy")[at]
		})
	}
	who := slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who suffers") })
	view := w.Board.CurrentView(who)
	for _, line := range w.Board.Spread(who, view, 20).Rows {
		k := 0
		for _, row := range w.Runs.Rows() {
			want := accuracy(w.Runs.Counted(w.Runs.InRow(row)), line.Label)
			if want != want { // it has no mark
				continue
			}
			if got := line.Values[k]; !same(got, want) {
				t.Errorf("%s: %s of row %d is at %g, want %g", where, line.Label, row, got, want)
			}
			k++
		}
	}
	run, base := []*panel.Track{w.Runs.Run()}, []*panel.Track{w.Runs.Tracks[w.Runs.Baseline]}
	for _, bar := range w.Board.Bars(who, view.BarsMeasure(run[0].Meta), 20).Bars {
		if want := accuracy(run, bar.Label); !same(bar.Value, want) {
			t.Errorf("%s: the bar of %s is %g, want %g", where, bar.Label, bar.Value, want)
		}
		want := accuracy(base, bar.Label)
		if base[0] == run[0] {
			want = math.NaN()
		}
		if !same(bar.Base, want) {
			t.Errorf("%s: the bar of %s begins at %g, want %g", where, bar.Label, bar.Base, want)
		}
	}
}

// checkRanks compares the first of the ranking with the logs.
func checkRanks(t *testing.T, where string, w *Page, clock scriptClock, screen string) {
	t.Helper()
	least := math.Inf(1)
	for _, row := range w.Runs.Rows() {
		if v := clock.named(w.Runs.Counted(w.Runs.InRow(row)), "robust_risk"); v == v {
			least = min(least, v)
		}
	}
	of := regexp.MustCompile(`robust risk  \S+ .+? ([0-9.]+)★`).FindStringSubmatch(screen)
	if of == nil {
		t.Fatalf("%s: no ranking:\n%s", where, screen)
	}
	if want := fmt.Sprintf("%.3f", least); of[1] != want {
		t.Errorf("%s: the ranking begins with %s, want %s:\n%s", where, of[1], want, screen)
	}
}
