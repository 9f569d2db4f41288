package compare

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
)

// comparison holds the arms and seeds that count, and the epochs at which they are compared.
type comparison struct {
	arms  []*arm // configurations, in the order of the runs; each has every one of the seeds
	base  *arm   // the baseline, which is the first of arms; nil without one
	seeds []uint64
	asked int // number of seeds that were to be trained
	// evaluated is the number of runs with an evaluation, of which some may not count.
	evaluated int
	n         int      // the number of evaluations that are known, from the first on
	window    int      // the number of the latest of them, whose mean is spoken of
	done      bool     // whether all runs are done
	planned   int      // the number of epochs that were planned
	out       []string // clauses on the runs that are left out, and why
	waits     string   // what is waited for; if set, there are no facts yet
}

// arm is a configuration: runs that differ in seed alone.
type arm struct {
	name string
	key  string              // runner.Meta.Configuration
	runs map[uint64]StoryRun // once they have met, with the evaluations of the common epochs alone
}

// clock returns the evaluations that are spoken of, and the runs that count.
func (c *comparison) clock() (of Clock) {
	if c.n == 0 {
		return of
	}
	window := 1 // unless a method trains on
	for _, a := range c.arms {
		for _, seed := range c.seeds {
			window = max(window, len(c.latest(a, seed)))
			of.Runs = append(of.Runs, a.runs[seed].Meta.ID)
		}
	}
	for _, e := range c.arms[0].runs[c.seeds[0]].Evals[c.n-window : c.n] {
		of.Epochs = append(of.Epochs, e.Epoch)
	}
	return of
}

// epoch returns the last epoch that is spoken of, or 0 without one.
func (c *comparison) epoch() float64 {
	if c.n == 0 {
		return 0
	}
	return c.arms[0].runs[c.seeds[0]].Evals[c.n-1].Epoch
}

// epochless reports whether the run is a log of another program that says no epochs.
func (r StoryRun) epochless() bool {
	return r.Meta.Imported != nil && len(r.Evals) > 0 && r.epoch() == 0
}

// epoch returns the epoch of the last evaluation, or 0 before the first.
func (r StoryRun) epoch() float64 {
	if len(r.Evals) == 0 {
		return 0
	}
	return r.Evals[len(r.Evals)-1].Epoch
}

// newComparison decides which runs count. It leaves out runs one by one, with a word about each.
// The remaining runs have an epoch in common or are waited for.
func newComparison(runs []StoryRun, baseline int) *comparison {
	runs = ownEvaluations(runs)
	c := &comparison{window: runner.AverageWindow, done: true}
	first := runs[max(0, baseline)] // the baseline, if there is one
	kept, out := exclude(runs, first.Meta)
	c.out = out
	waiting := c.addArms(kept)
	isBase := func(a *arm) bool { return baseline >= 0 && a.key == first.Key }
	if i := slices.IndexFunc(c.arms, isBase); i >= 0 {
		c.base = c.arms[i]
		c.arms = slices.Insert(slices.Delete(c.arms, i, i+1), 0, c.base)
	}
	if few := c.leaveFew(); len(few) > 0 {
		c.out = append(c.out, about(few, "is left out, with fewer seeds"))
	}
	switch {
	case len(c.arms) == 0 && len(waiting) == 0:
		c.waits = "No run has an evaluation to compare"
	case c.base == nil && baseline >= 0 && slices.Contains(waiting, first.Name):
		c.waits = "Waiting for the first evaluation of " + first.Name
	case len(c.arms) == 0 || len(waiting) > 0 && len(c.arms) == 1:
		c.waits = "Waiting for the first evaluation of " + joinNames(waiting)
	case len(waiting) > 0:
		c.out = append(c.out, about(waiting, "has no evaluation yet"))
	}
	if len(c.arms) > 0 {
		c.findCommonEpochs()
	}
	return c
}

// ownEvaluations returns the runs with the evaluations that are their own.
func ownEvaluations(runs []StoryRun) []StoryRun {
	runs = slices.Clone(runs)
	for i, r := range runs {
		runs[i].Evals = r.Meta.OwnEvaluations(r.Evals)
	}
	return runs
}

// exclusion is a reason to leave out a run.
type exclusion struct {
	words string // about the run, which follow its name
	holds func(StoryRun) bool
}

// exclusions returns the reasons to leave out runs, in the order of the sentence; the first that
// holds for a run counts. The reference has the data that all runs should have.
func exclusions(reference *runner.Meta, runs []StoryRun) []exclusion {
	furthest := slices.Max(lists.Map(runs, StoryRun.epoch))
	window, slowest := withoutForks(runs)
	// fork reports whether a run is a fork with fewer evaluations than the mean is of.
	fork := func(r StoryRun, evaluations int) bool {
		return r.Meta.Parent != "" && len(r.Evals) > 0 && evaluations < window
	}
	inCommon := func(r StoryRun) int {
		after := func(e *runner.EvalEvent) bool { return e.Epoch > slowest }
		return len(slices.DeleteFunc(slices.Clone(r.Evals), after))
	}
	data := Question(dro.OfNetwork, reference)
	return []exclusion{
		{"failed", func(r StoryRun) bool { return r.Status == runner.Failed }},
		{"is left out for a damaged log", func(r StoryRun) bool { return r.Lossy }},
		{"is left out, as imported predictions have no epochs",
			func(r StoryRun) bool { return r.Meta.Predicted() }},
		{"is left out for a log without epochs", StoryRun.epochless},
		{"is left out for a log without evaluations",
			func(r StoryRun) bool { return r.Meta.Imported != nil && len(r.Evals) == 0 }},
		{"is left out for other data",
			func(r StoryRun) bool { return Question(dro.OfNetwork, r.Meta) != data }},
		// A run that has ended before half of the epoch of the furthest would hold all others back.
		{"ended early", func(r StoryRun) bool {
			return r.Status.Ended() && r.Status != runner.Done && 2*r.epoch() < furthest
		}},
		{"ended without an evaluation",
			func(r StoryRun) bool { return len(r.Evals) == 0 && r.Status.Ended() }},
		{"diverged", StoryRun.diverged},
		// A fork that has just begun would leave all others a single evaluation to be judged by.
		{fmt.Sprintf("is left out until there are %d evaluations since the fork", window),
			func(r StoryRun) bool { return fork(r, len(r.Evals)) }},
		{"is left out until the others have reached its epochs",
			func(r StoryRun) bool { return fork(r, inCommon(r)) }},
	}
}

// withoutForks returns over how many evaluations the runs that are no forks can be averaged, and
// the last epoch of the slowest of them.
func withoutForks(runs []StoryRun) (window int, slowest float64) {
	slowest = math.Inf(1)
	for _, r := range runs {
		goesOn := !r.Status.Ended() || r.Status == runner.Done
		if r.Meta.Parent == "" && len(r.Evals) > 0 && goesOn {
			window = max(window, min(runner.AverageWindow, len(r.Evals)))
			slowest = min(slowest, r.epoch())
		}
	}
	return window, slowest
}

// diverged reports whether the test loss of the last evaluation is not finite.
func (r StoryRun) diverged() bool {
	if len(r.Evals) == 0 {
		return false
	}
	loss := r.Evals[len(r.Evals)-1].Named("test_loss")
	return loss.Applies() && !loss.Finite()
}

// exclude returns the runs that may count, and a clause for each reason for which others are left
// out.
func exclude(runs []StoryRun, reference *runner.Meta) (kept []StoryRun, out []string) {
	list := exclusions(reference, runs)
	// The reason of each run is an index into the list, or -1 if the run may count.
	reasons := lists.Map(runs, func(r StoryRun) int {
		return slices.IndexFunc(list, func(e exclusion) bool { return e.holds(r) })
	})
	for i, reason := range list {
		var names []string
		for k, r := range runs {
			if reasons[k] != i {
				continue
			}
			name := r.Name
			if otherReason(runs, reasons, k) { // the name alone would stand for all seeds
				name = fmt.Sprintf("%s s%d", name, r.Meta.Spec.Seed)
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			out = append(out, about(names, reason.words))
		}
	}
	for k, r := range runs {
		if reasons[k] < 0 {
			kept = append(kept, r)
		}
	}
	return kept, out
}

// otherReason reports whether another seed of run k has another reason, or none.
func otherReason(runs []StoryRun, reasons []int, k int) bool {
	for i, r := range runs {
		if r.Key == runs[k].Key && reasons[i] != reasons[k] {
			return true
		}
	}
	return false
}

// addArms makes arms from the evaluated runs, and names the configurations that have no evaluation
// yet. Runs with the same configuration and seed are the same, so the newest counts.
func (c *comparison) addArms(runs []StoryRun) (waiting []string) {
	arms, seeds := map[string]*arm{}, map[uint64]bool{}
	for _, r := range runs {
		seeds[r.Meta.Spec.Seed] = true
		if r.epoch() <= 0 {
			continue
		}
		c.evaluated++
		a := arms[r.Key]
		if a == nil {
			a = &arm{name: r.Name, key: r.Key, runs: map[uint64]StoryRun{}}
			arms[r.Key], c.arms = a, append(c.arms, a)
		}
		old, there := a.runs[r.Meta.Spec.Seed]
		if !there || NewestFirst(r.Meta, old.Meta) < 0 {
			a.runs[r.Meta.Spec.Seed] = r
		}
		if there {
			a.name = a.runs[r.Meta.Spec.Seed].Name // a run that does not count may have another
		}
	}
	c.asked = len(seeds)
	for _, r := range runs {
		if arms[r.Key] == nil && !slices.Contains(waiting, r.Name) {
			waiting = append(waiting, r.Name)
		}
	}
	return waiting
}

// leaveFew leaves out the arms that have ended with less than half as many seeds as the first, and
// returns their names. All arms must have the same seeds, so such an arm would cost the others
// theirs.
func (c *comparison) leaveFew() (names []string) {
	if len(c.arms) == 0 {
		return nil
	}
	first := len(c.arms[0].runs)
	c.arms = slices.DeleteFunc(c.arms, func(a *arm) bool {
		few := 2*len(a.runs) < first
		for _, r := range a.runs {
			few = few && r.Status.Ended()
		}
		if few {
			names = append(names, a.name)
		}
		return few
	})
	return names
}

// findCommonEpochs finds the seeds that all arms have, and the epochs that all of their runs have
// evaluated. A seed that is not half as far as the furthest does not hold it back, and counts as
// missing.
func (c *comparison) findCommonEpochs() {
	last, furthest := map[uint64]float64{}, 0.0
	for seed := range c.arms[0].runs {
		if all := c.common([]uint64{seed})[0]; len(all) > 0 {
			last[seed] = all[len(all)-1].Epoch
			furthest = max(furthest, last[seed])
		}
	}
	for seed, e := range last {
		if 2*e >= furthest {
			c.seeds = append(c.seeds, seed)
		}
	}
	slices.Sort(c.seeds)
	all := c.common(c.seeds)
	switch {
	case len(all) > 0 && len(all[0]) > 0:
		c.n = len(all[0])
		for i, evals := range all {
			a, seed := c.arms[i/len(c.seeds)], c.seeds[i%len(c.seeds)]
			r := a.runs[seed]
			r.Evals, c.planned = evals, max(c.planned, r.Meta.Spec.Epochs)
			c.done = c.done && r.Status == runner.Done
			a.runs[seed] = r
		}
	case c.leaveOne():
		c.seeds = nil
		c.findCommonEpochs()
	case c.waits == "":
		c.waits = "Waiting for an epoch that all runs have evaluated"
	}
}

// common returns the evaluations of each arm and seed at the epochs that all of them have
// evaluated.
func (c *comparison) common(seeds []uint64) [][]*runner.EvalEvent {
	var runs [][]*runner.EvalEvent
	for _, a := range c.arms {
		for _, s := range seeds {
			runs = append(runs, a.runs[s].Evals)
		}
	}
	return commonEvals(runs)
}

// leaveOne leaves out an arm that shares no seed and epoch with the first arm, which is the
// baseline if there is one. Without such an arm it leaves out the last one if two remain. It
// reports whether it has left out an arm.
func (c *comparison) leaveOne() bool {
	apart := func(a *arm) bool {
		pair, shares := &comparison{arms: []*arm{c.arms[0], a}}, false
		for seed := range c.arms[0].runs {
			shares = shares || len(pair.common([]uint64{seed})[0]) > 0
		}
		return !shares
	}
	i, others := slices.IndexFunc(c.arms, apart), c.arms[0].name
	if n := len(c.arms); i < 0 && n > 2 {
		i, others = n-1, "the others"
	}
	if i < 0 {
		return false
	}
	c.out = append(c.out, c.arms[i].name+" shares no evaluated epoch with "+others)
	c.arms = slices.Delete(c.arms, i, i+1)
	return true
}
