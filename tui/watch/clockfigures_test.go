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
	"drolab/tui/plot"
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

// look is a look at a screen, by its clock.
type look struct {
	scriptClock
	w             *Page
	screen, where string
}

// clockOf reads the clock off the screen, where figures are recomputed by it; ok is false if the
// screen has none.
func clockOf(s *tuitest.Script, screen string) (c scriptClock, ok bool) {
	head, _, _ := strings.Cut(screen, "\n")
	of := regexp.MustCompile(`epochs? ([0-9.]+)(?:–([0-9.]+))? +(?:0–100 +)?worst %`).FindStringSubmatch(head)
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

// figurePlaces are the places on Watch where figures of evaluations stand. Each function compares
// those of a look with the logs, and returns their number.
func figurePlaces() map[string]func(*testing.T, look) int {
	return map[string]func(*testing.T, look) int{
		"the columns":              checkFigures,
		"the columns of changes":   checkChanges,
		"the marks of the best":    checkBests,
		"the small curves":         checkCurves,
		"the newest values":        checkNewest,
		"the sentence":             checkSentence,
		"the run under the cursor": checkRunText,
		"the marks of Who suffers": checkSpread,
		"the matrix":               checkMatrix,
		"the bars":                 checkBars,
		"the ends of the curves":   checkEnds,
		"the ranking":              checkRanks,
	}
}

// TestOneClock looks at runs while they go on and when all are done. Every figure that stands on
// the screen is recomputed from the logs by the clock that the head of the table names, or as the
// newest value where it is called so. A run or a fork that lacks an evaluation of the clock has no
// figures. There are figures in each place, whatever the kind of runs; the ranking comes at the
// end.
func TestOneClock(t *testing.T) {
	figures := map[[2]string]int{} // by the kind of runs and the place
	var kinds []string
	beat := testsize.Pick(3*time.Second, time.Second, time.Second)
	for seed := range uint64(testsize.Pick(1, 2, 20)) {
		for name, s := range clockScripts(t, seed) {
			kinds = append(kinds, name+", live", name+", done")
			r := newDriver(t, s, 200, 60)
			for live := true; live; {
				r.Wait(beat, time.Second)
				live = r.watch.Live() || len(r.watch.Runs.Tracks) == 0
				screen := tuitest.Text(r.Shot())
				clock, ok := clockOf(s, screen)
				if !ok {
					continue
				}
				kind := name + ", live"
				if !live {
					kind = name + ", done"
				}
				where := fmt.Sprintf("seed %d, %s, epochs %g–%g", seed, kind, clock.first,
					clock.last)
				for place, check := range figurePlaces() {
					figures[[2]string{kind, place}] +=
						check(t, look{clock, r.watch, screen, where + ", " + place})
				}
			}
		}
	}
	for _, kind := range kinds {
		for place := range figurePlaces() {
			late := place == "the ranking" && strings.HasSuffix(kind, "live")
			if n := figures[[2]string{kind, place}]; (n > 0) == late {
				t.Errorf("%s: %d figures in %s, want some: %v", kind, n, place, !late)
			}
		}
	}
}

// rows calls a function for each row of the table, with its index and its runs.
func (l look) rows(each func(k int, runs []*panel.Track)) {
	for k, row := range l.w.Runs.Rows() {
		each(k, l.w.Runs.InRow(row))
	}
}

// figure returns the figure of a row in a measure, from the logs.
func (l look) figure(runs []*panel.Track, name string) float64 {
	return l.named(l.w.Runs.Counted(runs), name)
}

func checkFigures(t *testing.T, l look) (n int) {
	t.Helper()
	for _, c := range l.w.columns() {
		if c.best == nil {
			continue
		}
		l.rows(func(_ int, runs []*panel.Track) {
			v := l.figure(runs, c.best.Name)
			want := formatValue(*c.best, measure.NumIf(v == v, v))
			if got := c.Cell(runs); got != want {
				t.Errorf("%s: %s of %s is %q, want %q", l.where, c.best.Name, runs[0].Label, got,
					want)
			}
			if v == v {
				n++
			}
		})
	}
	return n
}

func checkChanges(t *testing.T, l look) (n int) {
	t.Helper()
	base := l.w.Runs.InRow(l.w.Runs.RowOf(l.w.Runs.Baseline))
	for _, c := range l.w.columns() {
		if c.change == nil {
			continue
		}
		l.rows(func(_ int, runs []*panel.Track) {
			d := l.figure(runs, c.change.Name) - l.figure(base, c.change.Name)
			want := formatChange(*c.change, d)
			if d != d || base[0] == runs[0] {
				want = ""
			}
			if got := c.Cell(runs); got != want {
				t.Errorf("%s: the change of %s in %s is %q, want %q", l.where, runs[0].Label,
					c.change.Name, got, want)
			}
			if want != "" {
				n++
			}
		})
	}
	return n
}

func checkBests(t *testing.T, l look) (n int) {
	t.Helper()
	columns := l.w.columns()
	for i, mark := range l.w.bests(columns) {
		m := columns[i].best
		if m == nil || mark < 0 {
			continue
		}
		best, row := math.NaN(), -1
		l.rows(func(k int, runs []*panel.Track) {
			v := l.figure(runs, m.Name)
			if v == v && (best != best || (v > best) == (m.Better == dro.Higher)) {
				best, row = v, k
			}
		})
		if n++; mark != row {
			t.Errorf("%s: row %d has the best %s, want row %d", l.where, mark, m.Name, row)
		}
	}
	return n
}

// newest returns the last epoch that all of some runs have evaluated by now on their own; 0 for
// none.
func (l look) newest(runs []*panel.Track) float64 {
	last := math.Inf(1)
	for _, run := range runs {
		own := 0.0
		_, fork, err := runner.ParseParent(run.Meta.Parent)
		for _, e := range l.Logs[run.ID] {
			eval, ok := e.(*runner.EvalEvent)
			if ok && !eval.Time.After(l.Now) && (err != nil || eval.Step > fork) {
				own = eval.Epoch
			}
		}
		last = min(last, own)
	}
	return last
}

// at returns the figure of some runs at one epoch, in the accuracy of the worst class.
func (l look) at(runs []*panel.Track, epoch float64) float64 {
	l.first, l.last = epoch, epoch
	return l.named(runs, "worst_class_accuracy")
}

func checkCurves(t *testing.T, l look) (n int) {
	t.Helper()
	i := slices.IndexFunc(l.w.columns(), func(c column) bool { return c.Head == lab.CurveHead })
	curve := l.w.columns()[i]
	l.rows(func(_ int, runs []*panel.Track) {
		counted, want := l.w.Runs.Counted(runs), ""
		for k := range curveCells { // as many as epochs are planned
			v := math.NaN()
			if epoch := float64(k + 1); epoch <= l.last {
				v = l.at(counted, epoch)
			}
			want += plot.Spark([]float64{v}, 1)
			if v == v {
				n++
			}
		}
		if got := curve.Cell(runs); got != want {
			t.Errorf("%s: the curve of %s is %q, want %q", l.where, runs[0].Label, got, want)
		}
	})
	return n
}

func checkNewest(t *testing.T, l look) (n int) {
	t.Helper()
	i := slices.IndexFunc(l.w.columns(), func(c column) bool { return c.Head == "newest" })
	l.rows(func(_ int, runs []*panel.Track) {
		counted := l.w.Runs.Counted(runs)
		epoch, want := l.newest(counted), ""
		if epoch > 0 && !(l.first == epoch && l.last == epoch) {
			want = fmt.Sprintf("%.1f (%g)", 100*l.at(counted, epoch), epoch)
			n++
		}
		if got := l.w.columns()[i].Cell(runs); got != want {
			t.Errorf("%s: the newest value of %s is %q, want %q", l.where, runs[0].Label, got, want)
		}
	})
	return n
}

// checkSentence compares all figures of the sentence that stand beside names.
func checkSentence(t *testing.T, l look) (n int) {
	t.Helper()
	scope := fmt.Sprintf("Mean of epochs %g–%g, ", l.first, l.last)
	if l.first == l.last {
		scope = fmt.Sprintf("Epoch %g, ", l.last)
	}
	if l.w.Story() != "" && !strings.Contains(l.screen, scope) {
		t.Errorf("%s: no sentence about %q:\n%s", l.where, scope, l.screen)
	}
	values, names := map[string]float64{}, []string{}
	l.rows(func(_ int, runs []*panel.Track) {
		values[runs[0].Short] = 100 * l.figure(runs, "worst_class_accuracy")
		names = append(names, regexp.QuoteMeta(runs[0].Short))
	})
	const number, in = `([0-9.]+)`, ` in the worst class`
	name := "(" + strings.Join(names, "|") + ")"
	for _, form := range []string{
		name + " leads " + name + " by .+" + in + ` \(` + number + " against " + number + " %",
		name + " averages " + number + " %" + in + " against " + name + "'s " + number,
		name + " and " + name + " are level" + in + ": " + number + " against " + number,
		name + " and " + name + " cannot be told apart" + in + ": " + number + " against " + number,
		"no method beats " + name + in + ` \(` + number + " %" + `\); ` + name +
			" is closest, with " + number,
	} {
		for _, of := range regexp.MustCompile(form).FindAllStringSubmatch(l.screen, -1) {
			var said []string // the names, in the order of the figures
			var figures []string
			for _, word := range of[1:] {
				if _, ok := values[word]; ok {
					said = append(said, word)
				} else {
					figures = append(figures, word)
				}
			}
			for i, text := range figures {
				n++
				_, decimals, _ := strings.Cut(text, ".")
				got, _ := strconv.ParseFloat(text, 64)
				unit := math.Pow10(-len(decimals))
				if v := values[said[i]]; math.Abs(got-v) > .5*unit+1e-9 {
					t.Errorf("%s: %s has %s, want %.3f:\n%s", l.where, said[i], text, v, of[0])
				}
			}
		}
	}
	return n
}

func checkRunText(t *testing.T, l look) (n int) {
	t.Helper()
	run := l.w.Runs.Run()
	words, alone := run.StatusText(l.w.Runs.Clock, panel.WithEpochs), []*panel.Track{run}
	worst := l.named(alone, "worst_class_accuracy")
	want := fmt.Sprintf("worst class %.1f %%, mean %.1f %%", 100*worst,
		100*l.named(alone, "test_accuracy"))
	if worst != worst {
		return 0
	}
	if !strings.HasSuffix(words, want) {
		t.Errorf("%s: %s is said to be %q, want %q", l.where, run.Label, words, want)
	}
	return 2
}

// accuracy returns the accuracy of some runs in a class, from the logs.
func (l look) accuracy(runs []*panel.Track, class string) float64 {
	at := slices.Index(runs[0].Meta.Classes, class)
	return l.mean(runs, func(e *runner.EvalEvent) measure.Number {
		return e.ByGroup.Named("class_accuracy")[at]
	})
}

// whoSuffers returns the index of the panel; false where the run under the cursor lacks an
// evaluation of the clock, so that the panel tells its own epochs, and names them.
func (l look) whoSuffers() (p int, ok bool) {
	title := func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who suffers") }
	return slices.IndexFunc(l.w.Board.Panels, title), len(l.w.Runs.Run().At(l.w.Runs.Clock)) > 0
}

func checkSpread(t *testing.T, l look) (n int) {
	t.Helper()
	who, ok := l.whoSuffers()
	if !ok {
		return 0
	}
	for _, line := range l.w.Board.Spread(who, l.w.Board.CurrentView(who), 20).Rows {
		k := 0
		l.rows(func(row int, runs []*panel.Track) {
			want := l.accuracy(l.w.Runs.Counted(runs), line.Label)
			if want != want { // it has no mark
				return
			}
			if got := line.Values[k]; !same(got, want) {
				t.Errorf("%s: %s of row %d is at %g, want %g", l.where, line.Label, row, got, want)
			}
			k++
			n++
		})
	}
	return n
}

func checkBars(t *testing.T, l look) (n int) {
	t.Helper()
	who, ok := l.whoSuffers()
	if !ok {
		return 0
	}
	run, base := l.w.Runs.Run(), l.w.Runs.Tracks[l.w.Runs.Baseline]
	view := l.w.Board.CurrentView(who)
	for _, bar := range l.w.Board.Bars(who, view.BarsMeasure(run.Meta), 20).Bars {
		n++
		if want := l.accuracy([]*panel.Track{run}, bar.Label); !same(bar.Value, want) {
			t.Errorf("%s: the bar of %s is %g, want %g", l.where, bar.Label, bar.Value, want)
		}
		want := l.accuracy([]*panel.Track{base}, bar.Label)
		if base == run {
			want = math.NaN()
		}
		if !same(bar.Base, want) {
			t.Errorf("%s: the bar of %s begins at %g, want %g", l.where, bar.Label, bar.Base, want)
		}
	}
	return n
}

// checkEnds compares the values at the ends of curves with the newest value of each run in the
// logs, of seeds with their mean. The heading must say that they are these.
func checkEnds(t *testing.T, l look) (n int) {
	t.Helper()
	chart := l.w.Board.Chart("worst_class_accuracy")
	if chart.EndsHead != "newest" {
		t.Errorf("%s: the ends are headed %q, want newest", l.where, chart.EndsHead)
	}
	ends := chart.Read()
	l.rows(func(_ int, runs []*panel.Track) {
		i := slices.IndexFunc(ends, func(e plot.End) bool {
			name, _, _ := strings.Cut(e.Name, " n")
			return name == runs[0].Short
		})
		isFork := runs[0].Meta.Parent != "" // it begins as its parent
		if i < 0 || isFork || l.newest(runs) == 0 {
			return
		}
		want := 0.0
		for _, run := range runs {
			alone := []*panel.Track{run}
			want += l.at(alone, l.newest(alone)) / float64(len(runs))
		}
		if n++; !same(ends[i].Value, want) {
			t.Errorf("%s: the curve of %s ends at %g, want %g", l.where, runs[0].Label,
				ends[i].Value, want)
		}
	})
	return n
}

func checkRanks(t *testing.T, l look) (n int) {
	t.Helper()
	of := regexp.MustCompile(`robust risk  \S+ .+? ([0-9.]+)★`).FindStringSubmatch(l.screen)
	if of == nil {
		return 0
	}
	least := math.Inf(1)
	l.rows(func(_ int, runs []*panel.Track) {
		if v := l.figure(runs, "robust_risk"); v == v {
			least = min(least, v)
		}
	})
	if want := fmt.Sprintf("%.3f", least); of[1] != want {
		t.Errorf("%s: the ranking begins with %s, want %s:\n%s", l.where, of[1], want, l.screen)
	}
	return 1
}
