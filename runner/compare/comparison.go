package compare

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
)

// comparison holds the arms and seeds that count, and the epochs at which they are compared.
type comparison struct {
	arms    []*arm // configurations, in the order of the runs; each has every one of the seeds
	base    *arm   // the baseline, which is the first of arms; nil without one
	seeds   []uint64
	asked   int      // number of seeds that were to be trained
	n       int      // the number of evaluations that are known, from the first on
	window  int      // the number of the latest of them, whose mean is spoken of
	done    bool     // whether all runs are done
	planned int      // the number of epochs that were planned
	out     []string // clauses on the runs that are left out, and why
	waits   string   // what is waited for; if set, there are no facts yet
}

// arm is a configuration: runs that differ in seed alone.
type arm struct {
	name string
	key  string              // runner.Meta.Configuration
	runs map[uint64]StoryRun // once they have met, with the evaluations of the common epochs alone
}

// epoch returns the epoch that is spoken of, or 0 without one.
func (c *comparison) epoch() float64 {
	if c.n == 0 {
		return 0
	}
	return c.arms[0].runs[c.seeds[0]].Evals[c.n-1].Epoch
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
	runs = withoutSharedEvals(runs)
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
		c.out = append(c.out, joinNames(few)+" left out with fewer seeds")
	}
	switch {
	case len(c.arms) == 0 && len(waiting) == 0:
		c.waits = "No run has an evaluation to compare"
	case c.base == nil && baseline >= 0 && slices.Contains(waiting, first.Name):
		c.waits = "Waiting for the first evaluation of " + first.Name
	case len(c.arms) == 0 || len(waiting) > 0 && len(c.arms) == 1:
		c.waits = "Waiting for the first evaluation of " + joinNames(waiting)
	case len(waiting) > 0:
		c.out = append(c.out, "no evaluation yet of "+joinNames(waiting))
	}
	if len(c.arms) > 0 {
		c.findCommonEpochs()
	}
	return c
}

// withoutSharedEvals returns the runs without the evaluations of a fork up to the step at which it
// left another of the runs: until then the fork is that run.
func withoutSharedEvals(runs []StoryRun) []StoryRun {
	runs = slices.Clone(runs)
	for i, r := range runs {
		parent, step, err := runner.ParseParent(r.Meta.Parent)
		among := func(o StoryRun) bool { return o.Meta.ID == parent }
		if err != nil || !slices.ContainsFunc(runs, among) {
			continue
		}
		before := func(e *runner.EvalEvent) bool { return e.Step <= step }
		runs[i].Evals = slices.DeleteFunc(slices.Clone(r.Evals), before)
	}
	return runs
}

// exclusion is a reason to leave out a run.
type exclusion struct {
	words string // with %s for the names of the runs
	holds func(StoryRun) bool
}

// exclusions returns the reasons to leave out runs, in the order of the sentence; the first that
// holds for a run counts. The reference has the data that all runs should have, and furthest is the
// last epoch of all runs.
func exclusions(reference *runner.Meta, furthest float64) []exclusion {
	data := Question(dro.OfNetwork, reference)
	return []exclusion{
		{"%s failed", func(r StoryRun) bool { return r.Status == runner.Failed }},
		{"%s left out with a damaged log", func(r StoryRun) bool { return r.Lossy }},
		{"%s left out as imported, without epochs",
			func(r StoryRun) bool { return r.Meta.Imported != nil }},
		{"%s left out with other data",
			func(r StoryRun) bool { return Question(dro.OfNetwork, r.Meta) != data }},
		// A run that has ended before half of the epoch of the furthest would hold all others back.
		{"%s ended early", func(r StoryRun) bool {
			return r.Status.Ended() && r.Status != runner.Done && 2*r.epoch() < furthest
		}},
		{"%s ended without an evaluation",
			func(r StoryRun) bool { return len(r.Evals) == 0 && r.Status.Ended() }},
		{"%s diverged", StoryRun.diverged},
	}
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
	list := exclusions(reference, slices.Max(lists.Map(runs, StoryRun.epoch)))
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
			out = append(out, fmt.Sprintf(reason.words, joinNames(names)))
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
		a := arms[r.Key]
		if a == nil {
			a = &arm{name: r.Name, key: r.Key, runs: map[uint64]StoryRun{}}
			arms[r.Key], c.arms = a, append(c.arms, a)
		}
		old, there := a.runs[r.Meta.Spec.Seed]
		if !there || r.Meta.Created.After(old.Meta.Created) {
			a.runs[r.Meta.Spec.Seed] = r
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
