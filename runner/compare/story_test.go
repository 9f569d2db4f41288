package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// TestSentences reads the sentence of every preset in every shape, and computes each clause anew.
func TestSentences(t *testing.T) {
	said := map[string]int{}
	for _, p := range presets.List() {
		if len(p.Spec.Algorithms) < 2 { // it compares nothing
			continue
		}
		for n, of := range shapes() {
			random := rand.New(rand.NewPCG(7, uint64(n)))
			l := &lot{}
			base := p.Spec
			base.Seeds = of.seeds
			for i, s := range base.Expand() {
				status, epochs, lift := runner.Done, 8, 0.0
				if of.change(i, &s, &status, &epochs, &lift) {
					l.add(random, s, status, epochs, lift)
				}
			}
			if len(l.runs) == 0 {
				continue
			}
			at := DefaultBaseline(l.runs)
			got := NewStory(l.runs, at)
			where := fmt.Sprintf("%s, %s: %q", p.Name, of.name, got.String())
			l.check(t, where, at, got, said)
			if short := got.Longest(func(string) bool { return false }); len(got.Said) > 0 &&
				!strings.Contains(short, got.Said[0]) {
				t.Errorf("%s: in short %q", where, short)
			}
		}
	}
	for _, want := range readings() {
		if !want.rare && said[want.pattern.String()] == 0 {
			t.Errorf("nothing says %s", want.pattern)
		}
	}
}

// seen holds the runs, seeds and epoch that a sentence is about, found independently of the story.
type seen struct {
	*lot
	base    string // name of the baseline; "" without one that counts
	seeds   []uint64
	epoch   float64
	window  float64  // the number of evaluations whose mean is told
	counted []string // names of the configurations
}

// mean returns the mean of a quantity over the seeds.
func (s *seen) mean(name string, of func(figure) float64) float64 {
	values := s.values(name, of)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// values returns a quantity for each of the seeds.
func (s *seen) values(name string, of func(figure) float64) (list []float64) {
	for _, seed := range s.seeds {
		for i, r := range s.runs {
			if s.names[i] == name && r.Meta.Spec.Seed == seed {
				mean, latest := 0.0, s.latest(i)
				for _, f := range latest {
					mean += of(f) / float64(len(latest))
				}
				list = append(list, mean)
			}
		}
	}
	return list
}

// latest returns the figures of a run whose mean is told: all evaluate at every epoch.
func (s *seen) latest(run int) (list []figure) {
	for e := max(1, s.epoch-s.window+1); e <= s.epoch; e++ {
		list = append(list, s.figures[run][e])
	}
	return list
}

// early reports whether the epoch is before a fifth of the run. end says that it is the last so
// far, after which nothing comes if all are done.
func (s *seen) early(end bool) bool {
	done, epochs := end, 0
	for i, r := range s.runs {
		if slices.Contains(s.counted, s.names[i]) && slices.Contains(s.seeds, r.Meta.Spec.Seed) {
			done, epochs = done && r.Status == runner.Done, max(epochs, r.Meta.Spec.Epochs)
		}
	}
	return !done && s.epoch < float64(epochs)/5
}

// interval returns the mean and the half-width of the interval of the difference between two
// configurations.
func (s *seen) interval(a, b string, of func(figure) float64) (mean, half float64) {
	x, y, d := s.values(a, of), s.values(b, of), []float64(nil)
	for i := range x {
		d = append(d, x[i]-y[i])
	}
	return TInterval(d, 1-.05/float64(len(s.counted)-1))
}

func worstOf(f figure) float64 { return f.worst }
func meanOf(f figure) float64  { return f.mean }

// best returns the configuration with the highest worst class, other than the baseline.
func (s *seen) best() (name string) {
	for _, o := range s.counted {
		if o != s.base && (name == "" || s.mean(o, worstOf) > s.mean(name, worstOf)) {
			name = o
		}
	}
	return name
}

// lead returns the configuration that the sentence is about: the first that was the best and, from
// then on, each that was the best at three epochs in turn.
func (s *seen) lead() (lead string) {
	last, turns, at := "", 0, *s
	for at.epoch = 1; at.epoch <= s.epoch; at.epoch++ {
		if at.early(at.epoch == s.epoch) {
			continue
		}
		if turns++; at.best() != last {
			last, turns = at.best(), 1
		}
		if lead == "" || turns >= 3 {
			lead = last
		}
	}
	return lead
}

// split returns the names in a list such as "a, b and c".
func split(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, " and ", ", "),
		func(r rune) bool { return r == ',' || r == ' ' })
}

// check fails unless every clause of a story can be read and is true.
func (l *lot) check(t *testing.T, where string, at int, got Story, said map[string]int) {
	t.Helper()
	text := got.String()
	if strings.Contains(text, "nothing") ||
		strings.ContainsAny(text, "{}") || strings.Contains(text, "NaN") {
		t.Errorf("%s", where)
	}
	s := l.see(t, where, at, got)
	if s == nil {
		return
	}
	for _, clause := range got.Said {
		read := false
		for _, r := range readings() {
			m := r.pattern.FindStringSubmatch(clause)
			if m == nil || read {
				continue
			}
			read = true
			if said[r.pattern.String()]++; !r.holds(s, m) {
				t.Errorf("%s: %q is not so", where, clause)
			}
		}
		if !read {
			t.Errorf("%s: %q cannot be read", where, clause)
		}
	}
}

// see finds out what a sentence is about, from its scope and from the runs, and checks the scope.
// It returns nil where the story waits for something.
func (l *lot) see(t *testing.T, where string, at int, got Story) *seen {
	t.Helper()
	s := &seen{lot: l, window: 5}
	out := strings.Join(got.Out, "; ")
	seeds := map[uint64]bool{}
	for i, r := range l.runs {
		loses := r.Status == runner.Failed || r.Status == runner.Stopped ||
			len(r.Evals) > 0 && math.IsNaN(r.Evals[0].Named("test_loss").Float())
		if loses && got.Scope != "" && !strings.Contains(out, l.names[i]) {
			t.Errorf("%s does not name %s", where, l.names[i])
		}
		if seeds[r.Meta.Spec.Seed] = true; loses || len(r.Evals) == 0 {
			continue
		}
		if !slices.Contains(s.counted, l.names[i]) {
			s.counted = append(s.counted, l.names[i])
		}
	}
	if got.Scope == "" {
		if len(s.counted) > 1 && at >= 0 && slices.Contains(s.counted, l.names[at]) {
			t.Errorf("%s waits for nothing", where)
		}
		return nil
	}
	if at >= 0 && slices.Contains(s.counted, l.names[at]) {
		s.base = l.names[at]
	}
	s.epoch = got.Epoch
	for seed := range seeds {
		all := true
		for _, name := range s.counted {
			all = all && slices.ContainsFunc(l.runs, func(r StoryRun) bool {
				i := slices.IndexFunc(l.runs, func(o StoryRun) bool { return o.Meta == r.Meta })
				return l.names[i] == name && r.Meta.Spec.Seed == seed &&
					r.Status != runner.Failed && len(l.figures[i]) >= int(s.epoch)
			})
		}
		if all {
			s.seeds = append(s.seeds, seed)
		}
	}
	slices.Sort(s.seeds)
	if next := s.furthest(); next != s.epoch {
		t.Errorf("%s: all have epoch %g", where, next)
	}
	want := fmt.Sprintf("averaged over %d seeds", len(s.seeds))
	if len(s.seeds) == 1 {
		want = "in this seed"
	} else if len(s.seeds) >= 4 {
		want = fmt.Sprintf("over %d seeds", len(s.seeds))
	}
	if n := len(seeds); len(s.seeds) < n {
		want = fmt.Sprintf("in %d of %d seeds", len(s.seeds), n)
	}
	epochs := fmt.Sprintf("Epoch %g, ", s.epoch)
	if s.epoch > 1 && !strings.Contains(got.Said[0], "too early") {
		epochs = fmt.Sprintf("Epochs %g–%g, ", max(1, s.epoch-4), s.epoch)
	}
	if want = epochs + want; got.Scope != want || got.Epoch != s.epoch {
		t.Errorf("%s: %q at %g, want %q", where, got.Scope, got.Epoch, want)
	}
	return s
}

// furthest returns the last epoch that all counted runs of the seeds have reached.
func (s *seen) furthest() float64 {
	least := math.Inf(1)
	for i, r := range s.runs {
		if slices.Contains(s.counted, s.names[i]) && slices.Contains(s.seeds, r.Meta.Spec.Seed) {
			least = min(least, r.epoch())
		}
	}
	return least
}

// TestOverfit: the test loss has to stay above its least for three evaluations, by a twentieth, and
// the train loss has to go on falling.
func TestOverfit(t *testing.T) {
	for _, c := range []struct {
		test, train []float64
		want        bool
	}{
		{[]float64{2, 1, 1.1, 1.2, 1.3}, []float64{2, 1, .9, .8, .7}, true},
		{[]float64{2, 1, 1.1, 1.2}, []float64{2, 1, .9, .8}, false},
		{[]float64{2, 1, 1.04, 1.2, 1.3}, []float64{2, 1, .9, .8, .7}, false},
		{[]float64{2, 1, 1.1, 1.2, 1.3}, []float64{2, 1, 1.1, 1.2, 1.3}, false},
		{[]float64{2, 1, 1.1, 1.2, 1.3, .9}, []float64{2, 1, .9, .8, .7, .6}, false},
	} {
		l := &lot{}
		s := spec.Defaults()
		s.Algorithms = []dro.Algorithm{dro.ERM}
		l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Done, len(c.test), 0)
		for i, e := range l.runs[0].Evals {
			e.Set("test_loss", measure.Num(c.test[i]))
			e.Set("train_loss", measure.Num(c.train[i]))
		}
		got := strings.Contains(NewStory(l.runs, 0).String(), "erm has begun to overfit")
		if got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestTurned: a mean that the last evaluation alone contradicts is told by its figures. No clause
// calls it a change, for the run in the sentence or for others, and none continues it.
func TestTurned(t *testing.T) {
	for _, seeds := range []int{1, 4} {
		s, l := spec.Defaults(), &lot{}
		s.Algorithms = []dro.Algorithm{dro.ERM, dro.PGD, dro.PAN}
		s.Seeds, s.Epochs = seeds, 5
		for _, s := range s.Expand() {
			l.add(rand.New(rand.NewPCG(s.Seed, 1)), s, runner.Done, 5, 0)
			for i, e := range l.runs[len(l.runs)-1].Evals {
				worst := .2 // for four evaluations, and for the last .9
				if i == 4 {
					worst = .9
				}
				if s.Algorithm() != dro.ERM { // .6, and for the last .5
					worst = .6 - .1*float64(i/4)
				}
				e.Set("worst_class_accuracy", measure.Num(worst))
			}
		}
		const want = "pgd averages 58 % in the worst class against erm's 34 %, " +
			"but 50 against 90 % now"
		got := NewStory(l.runs, DefaultBaseline(l.runs))
		if len(got.Said) != 1 || got.Said[0] != want {
			t.Errorf("%d seeds: %q, want %q", seeds, got.Said, want)
		}
	}
}

// Without classes the sentence is about the robust risk.
func TestWithoutClasses(t *testing.T) {
	s, l := spec.Defaults(), &lot{}
	s.Algorithms = []dro.Algorithm{dro.SFK, dro.ERM}
	for i, s := range s.Expand() {
		l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Done, 1, 0)
		e := l.runs[i].Evals[0]
		e.Set("worst_class_accuracy", measure.Number{})
		e.Set("robust_risk", measure.Num(1.5+float64(i)))
	}
	const want = "Epoch 1, in this seed: sfk lowers the robust risk of erm from 2.500 to 1.500."
	if got := NewStory(l.runs, 1).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A branch is compared with its parent at the evaluations that the branch made itself.
func TestBranch(t *testing.T) {
	s, l := spec.Defaults(), &lot{}
	s.Algorithms = []dro.Algorithm{dro.PGD}
	for i, lr := range []float64{.1, .2} {
		s.LR = lr
		l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Running, 3+i, 0)
		for k, e := range l.runs[i].Evals {
			e.Step = int64(k+1) * 10
		}
	}
	l.runs[0].Meta.ID, l.runs[1].Meta.Parent = "parent", "parent@20"
	for _, c := range []struct {
		parent int // evaluations
		want   string
	}{{2, "fork lr .2 shares no evaluated epoch with pgd"}, {3, "Epoch 3, in this seed: "}} {
		runs := slices.Clone(l.runs)
		runs[0].Evals = runs[0].Evals[:c.parent]
		got := NewStory(runs, 0).String()
		if !strings.Contains(got, c.want) || strings.Contains(got, "Epoch 2") &&
			strings.Contains(got, "lr .2 is") {
			t.Errorf("%d evaluations of the parent: %q, want %q", c.parent, got, c.want)
		}
	}
}

// Runs that put all test samples into one class are not compared.
func TestBlind(t *testing.T) {
	const blind = "there is nothing to compare, because every run puts all test samples into " +
		"one class: try another lr"
	for _, c := range []struct {
		want, dataset string
		accuracies    [][]float64
	}{
		{blind, "shapes", [][]float64{{1, 0}, {0, 1}}},
		{blind, "csv:x.csv?label=y", [][]float64{{1, 0}, {0, 1}}},
		{blind, "npz:x.npz?scale=standard", [][]float64{{1, 0}, {0, 1}}},
		{blind + ", or add scale=standard to the dataset", "npz:x.npz?y=y",
			[][]float64{{1, 0}, {0, 1}}},
		{"", "shapes", [][]float64{{1, 0}, {.9, .1}}},
	} {
		want, accuracies := c.want, c.accuracies
		s, l := spec.Defaults(), &lot{}
		s.Dataset = c.dataset
		s.Algorithms = []dro.Algorithm{dro.ERM, dro.PGD}
		for i, s := range s.Expand() {
			l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Done, 1, 0)
			e, values := l.runs[i].Evals[0], []measure.Number{}
			for _, v := range accuracies[i] {
				values = append(values, measure.Num(v))
			}
			e.ByGroup.Set("class_accuracy", append(values, measure.Number{}))
			e.Set("worst_class_accuracy", measure.Num(slices.Min(accuracies[i])))
		}
		got := NewStory(l.runs, 0)
		if blind := len(got.Said) == 1 && got.Said[0] == want; blind != (want != "") {
			t.Errorf("%v: %q, want %q", accuracies, got.Said, want)
		}
	}
}

// TestUnevaluated: a run that has ended without an evaluation is named, and never waited for.
func TestUnevaluated(t *testing.T) {
	s := spec.Defaults()
	for _, c := range []struct {
		others []int // the evaluations of other runs, which are done
		want   string
	}{
		{nil, "No run has an evaluation to compare; erm ended without an evaluation."},
		{[]int{8, 8}, "erm ended without an evaluation."},
	} {
		l := &lot{}
		s.Algorithms = []dro.Algorithm{dro.ERM}
		l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Done, 0, 0)
		for i, n := range c.others {
			s.Algorithms = []dro.Algorithm{[]dro.Algorithm{dro.SFK, dro.PGD}[i]}
			l.add(rand.New(rand.NewPCG(1, 1)), s, runner.Done, n, 0)
		}
		got := NewStory(l.runs, 0).String()
		if !strings.HasSuffix(got, c.want) || strings.Contains(got, "Waiting") {
			t.Errorf("%d others: %q, want %q", len(c.others), got, c.want)
		}
	}
}

// TestFigures: whole halves are rounded up, and tenths are those of tables.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{{14.5, 30, "15 30"}, {15.5, 12.5, "16 13"}, {14.25, 15, "14.2 15.0"}, {0, .5, "0.0 0.5"}} {
		if a, b := figures(c.a, c.b); a+" "+b != c.want {
			t.Errorf("%v and %v are %s and %s, want %s", c.a, c.b, a, b, c.want)
		}
	}
}
