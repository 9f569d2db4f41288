package compare

import (
	"math"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// result is what a run of a story has come to. Its accuracies are in percent, one an epoch.
type result struct {
	method dro.Algorithm
	seed   uint64 // 0 stands for 1
	worst  []float64
	mean   float64       // at every epoch
	status runner.Status // "" stands for done
	epochs int           // that were planned; 0 stands for as many as were evaluated
	change func(*StoryRun)
}

// changed returns the result with a change of its run.
func (r result) changed(change func(*StoryRun)) result {
	r.change = change
	return r
}

// at returns the result with other accuracies of the worst class.
func (r result) at(worst ...float64) result {
	r.worst = worst
	return r
}

// by returns the result as that of another method.
func (r result) by(method dro.Algorithm) result {
	r.method = method
	return r
}

// until returns the result of a run of 8 epochs after the first of them.
func (r result) until(epochs int, status runner.Status) result {
	r.worst, r.status, r.epochs = r.worst[:epochs], status, 8
	return r
}

// of returns the result of a run of so many epochs.
func (r result) of(epochs int) result {
	r.epochs = epochs
	return r
}

// storyRun makes the run of a result.
func (r result) storyRun(created int) StoryRun {
	s := spec.Defaults()
	s.Algorithms, s.Seed = []dro.Algorithm{r.method}, max(1, r.seed)
	if s.Epochs = r.epochs; s.Epochs == 0 {
		s.Epochs = len(r.worst)
	}
	m := &runner.Meta{Spec: s, Created: time.Unix(int64(created), 0), Checksum: "one"}
	run := StoryRun{Meta: m, Status: r.status}
	if run.Status == "" {
		run.Status = runner.Done
	}
	for i, worst := range r.worst {
		e := &runner.EvalEvent{Head: runner.Head{Step: 10 * int64(i+1)}, Epoch: float64(i + 1)}
		e.Set("worst_class_accuracy", measure.Num(worst/100))
		e.Set("test_accuracy", measure.Num(r.mean/100))
		e.Set("test_loss", measure.Num(1))
		e.Set("robust_risk", measure.Num(2-worst/100))
		run.Evals = append(run.Evals, e)
	}
	if r.change != nil {
		r.change(&run)
	}
	return run
}

// storyRuns makes the runs of results.
func storyRuns(results ...result) (runs []StoryRun) {
	for i, r := range results {
		runs = append(runs, r.storyRun(i))
	}
	return runs
}

// steady returns an accuracy at so many epochs.
func steady(epochs int, accuracy float64) []float64 {
	return slices.Repeat([]float64{accuracy}, epochs)
}

// seeds makes results of a method, one a seed, from the accuracies of the worst class.
func seeds(method dro.Algorithm, worst ...float64) (list []result) {
	for i, w := range worst {
		list = append(list, result{method, uint64(i + 1), steady(8, w), 70, "", 0, nil})
	}
	return list
}

// withoutClasses takes the accuracies from a run, which leaves its robust risk.
func withoutClasses(r *StoryRun) {
	for _, e := range r.Evals {
		e.Set("worst_class_accuracy", measure.Number{})
		e.Set("test_accuracy", measure.Number{})
	}
}

// withoutEarlyClasses takes the worst class from the first two evaluations, so that means of five
// have one from the seventh on.
func withoutEarlyClasses(r *StoryRun) {
	for _, e := range r.Evals[:2] {
		e.Set("worst_class_accuracy", measure.Number{})
	}
}

func withoutMeasures(r *StoryRun) {
	withoutClasses(r)
	for _, e := range r.Evals {
		e.Set("robust_risk", measure.Number{})
	}
}

func withGroups(r *StoryRun) {
	r.Meta.Groups = []string{"land", "water"}
	for _, e := range r.Evals {
		e.Set("worst_group_accuracy", e.Named("worst_class_accuracy"))
	}
}

func withEmptyGroups(r *StoryRun) {
	withoutMeasures(r)
	withGroups(r)
}

func diverged(r *StoryRun) {
	r.Evals[len(r.Evals)-1].Set("test_loss", measure.Num(math.NaN()))
}

func damaged(r *StoryRun)  { r.Lossy = true }
func imported(r *StoryRun) { r.Meta.Imported = &runner.Imported{} }

func importedLog(r *StoryRun) { r.Meta.Imported = &runner.Imported{Kind: "csv"} }
func otherData(r *StoryRun) {
	r.Meta.Spec.Dataset, r.Meta.Checksum = "rings", "two"
}
func otherRate(r *StoryRun) { r.Meta.Spec.LR = .2 }

// inFirstClass puts all test samples into the first class.
func inFirstClass(r *StoryRun) {
	for _, e := range r.Evals {
		e.ByGroup.Set("class_accuracy", []measure.Number{measure.Num(1), measure.Num(0)})
	}
}

// inTwoClasses is right on all samples of one class, and on half of another.
func inTwoClasses(r *StoryRun) {
	for _, e := range r.Evals {
		e.ByGroup.Set("class_accuracy",
			[]measure.Number{measure.Num(1), measure.Num(.5), measure.Num(0)})
	}
}

// inFirstClassOf also gives the run a dataset.
func inFirstClassOf(dataset string) func(*StoryRun) {
	return func(r *StoryRun) {
		inFirstClass(r)
		r.Meta.Spec.Dataset = dataset
	}
}

// The results that the cases below begin with, of eight epochs.
func ermResult() result { return result{method: dro.ERM, worst: steady(8, 50), mean: 70} }
func sfkResult() result { return result{method: dro.SFK, worst: steady(8, 60), mean: 68} }
func pgdResult() result { return result{method: dro.PGD, worst: steady(8, 55), mean: 71} }

// sfkLeads is the sentence about ermResult and sfkResult, without its full stop.
const sfkLeads = "Mean of epochs 4–8, one seed: sfk leads erm by 10.0 points in the worst class " +
	"(60 against 50 %), since epoch 1, at a price of 2.0 points of mean accuracy"

// storyCase is a story and its sentence.
type storyCase struct {
	name    string
	results []result
	want    string
}

// check compares the sentence about the results with the one that is wanted.
func (c storyCase) check(t *testing.T) {
	t.Helper()
	runs := storyRuns(c.results...)
	if got := NewStory(runs, DefaultBaseline(runs)).String(); got != c.want {
		t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
	}
}

// TestWhoLeads: the sentence says who leads in the worst class, by how much, since when, and what
// that costs.
func TestWhoLeads(t *testing.T) {
	erm, sfk, pgd := ermResult(), sfkResult(), pgdResult()
	for _, c := range []storyCase{
		{"a leader", []result{erm, sfk}, sfkLeads + "."},
		{"a leader before another rival", []result{erm, pgd, sfk}, sfkLeads + "."},
		{"a leader from the fourth epoch on", []result{erm, sfk.at(40, 40, 40, 90, 60, 60, 60, 60)},
			"Mean of epochs 4–8, one seed: sfk leads erm by 16.0 points in the worst class " +
				"(66 against 50 %), since epoch 4, at a price of 2.0 points of mean accuracy."},
		{"a leader that has overtaken another",
			[]result{erm, pgd, sfk.at(52, 52, 52, 52, 52, 60, 70, 80)},
			"Mean of epochs 4–8, one seed: sfk leads erm by 12.8 points in the worst class " +
				"(63 against 50 %), since epoch 7, at a price of 2.0 points of mean accuracy."},
		{"a rival whose worst class is known from the third epoch on",
			[]result{erm, sfk.at(steady(8, 40)...).changed(withoutEarlyClasses)},
			"Mean of epochs 4–8, one seed: erm leads sfk by 10.0 points in the worst class " +
				"(50 against 40 %), since epoch 7, and its mean accuracy is 2.0 points higher."},
		{"a leader with a higher mean", []result{erm, pgd},
			"Mean of epochs 4–8, one seed: pgd leads erm by 5.0 points in the worst class " +
				"(55 against 50 %), since epoch 1, and its mean accuracy is 1.0 points higher."},
		{"a leader with the same mean", append(seeds(dro.ERM, 50), seeds(dro.SFK, 60)...),
			"Mean of epochs 4–8, one seed: sfk leads erm by 10.0 points in the worst class " +
				"(60 against 50 %), since epoch 1."},
		{"a baseline that leads", []result{erm, sfk.at(steady(8, 40)...),
			pgd.at(steady(8, 45)...)},
			"Mean of epochs 4–8, one seed: no method beats erm in the worst class " +
				"(50 %); pgd is closest, with 45 %."},
		{"nobody by a point", []result{erm, sfk.at(steady(8, 50.4)...)},
			"Mean of epochs 4–8, one seed: sfk and erm are level in the worst class: " +
				"50.4 against 50.0 %."},
		{"a last evaluation that contradicts the mean", []result{erm.at(0, 20, 20, 20, 90),
			sfk.at(60, 60, 60, 60, 50), pgd.at(50, 50, 50, 50, 50)},
			"Mean of epochs 1–5, one seed: sfk averages 58 % in the worst class against erm's 30 " +
				"%, but it has 50 against 90 % at epoch 5."},
		{"a class at 0 in the end", []result{erm.at(steady(8, 0)...), sfk},
			"Mean of epochs 4–8, one seed: sfk leads erm by 60.0 points in the worst class " +
				"(60 against 0 %), since epoch 1, at a price of 2.0 points of mean accuracy."},
		{"groups", []result{erm.changed(withGroups), sfk.changed(withGroups)},
			"Mean of epochs 4–8, one seed: sfk leads erm by 10.0 points in the worst group " +
				"(60 against 50 %), since epoch 1, at a price of 2.0 points of mean accuracy."},
		{"groups without figures", []result{erm.changed(withEmptyGroups),
			sfk.changed(withEmptyGroups)},
			"Mean of epochs 4–8, one seed: the runs have no worst group to compare."},
		{"the baseline's method at another rate, which is no rival",
			[]result{erm, erm.at(steady(8, 90)...).changed(otherRate), sfk},
			"Mean of epochs 4–8, one seed: sfk leads erm lr .01 by 10.0 points in the worst " +
				"class " +
				"(60 against 50 %), since epoch 1, at a price of 2.0 points of mean accuracy."},
		{"the baseline's method alone, at two rates",
			[]result{erm, erm.at(steady(8, 90)...).changed(otherRate)},
			"Mean of epochs 4–8, one seed: lr .2 leads lr .01 by 40.0 points in the worst class " +
				"(90 against 50 %), since epoch 1."},
		{"one run of two in a single class", []result{erm.changed(inFirstClass), sfk},
			sfkLeads + "."},
		{"a class between all and none",
			[]result{erm.changed(inTwoClasses), sfk.changed(inTwoClasses)}, sfkLeads + "."},
		{"no baseline", []result{sfk, pgd}, "Mean of epochs 4–8, one seed: without a baseline, " +
			"the worst class ranges from pgd's 55 to sfk's 60 %."},
		{"a run alone", []result{erm}, "Mean of epochs 4–8, one seed: erm, the only run to " +
			"compare, is at 50.0 % in the worst class, with a mean accuracy of 70.0 %."},
	} {
		c.check(t)
	}
}

// TestRobustRisk: where a run has no worst class, the sentence is about the robust risk, which is 2
// less the worst accuracy.
func TestRobustRisk(t *testing.T) {
	erm, sfk := ermResult().changed(withoutClasses), sfkResult().changed(withoutClasses)
	pgd := pgdResult().changed(withoutClasses)
	for _, c := range []storyCase{
		{"a leader", []result{erm, sfk}, "Mean of epochs 4–8, one seed: sfk leads erm by 0.100 " +
			"nats in robust risk (1.400 against 1.500), since epoch 1."},
		{"a class in one run alone", []result{erm, sfkResult()}, "Mean of epochs 4–8, one seed: " +
			"sfk leads erm by 0.100 nats in robust risk (1.400 against 1.500), since epoch 1."},
		{"the same risk", []result{erm, sfk.at(steady(8, 50)...)},
			"Mean of epochs 4–8, one seed: sfk and erm are level in robust risk: 1.500 against " +
				"1.500."},
		{"no baseline", []result{pgd, sfk}, "Mean of epochs 4–8, one seed: without a baseline, " +
			"robust risk ranges from pgd's 1.450 to sfk's 1.400."},
		{"a run alone", []result{erm},
			"Mean of epochs 4–8, one seed: erm, the only run to compare, is at 1.500 in robust " +
				"risk."},
		{"no risk either", []result{erm.changed(withoutMeasures), sfk},
			"Mean of epochs 4–8, one seed: the runs have no worst class to compare."},
	} {
		c.check(t)
	}
}

// TestSeedsOfStory: from four seeds on a difference has its interval, which is corrected for the
// number of rivals. The differences of sfk are 10, 12, 13 and 9, so their standard error is .9129;
// t is 3.182 for one rival and 4.177 for two.
func TestSeedsOfStory(t *testing.T) {
	erm, sfk := seeds(dro.ERM, 50, 52, 50, 52), seeds(dro.SFK, 60, 64, 63, 61)
	two := slices.Concat(seeds(dro.ERM, 50, 52), seeds(dro.SFK, 60)) // and a second seed of sfk
	late := seeds(dro.SFK, 60, 60)[1]
	again := []result{erm[0].at(steady(8, 50)...), erm[0].at(steady(8, 54)...),
		erm[1].at(steady(8, 60)...)}
	for _, c := range []storyCase{
		{"a seed twice, of which the newest counts", again, "Mean of epochs 4–8, 2 seeds: erm, " +
			"the only configuration to compare, is at 57.0 % in the worst class, with a mean " +
			"accuracy of 70.0 %."},
		{"two seeds", append(seeds(dro.ERM, 50, 52), seeds(dro.SFK, 60, 66)...),
			"Mean of epochs 4–8, 2 seeds: sfk leads erm by 12.0 points in the worst class " +
				"(63 against 51 %), since epoch 1."},
		{"four seeds", slices.Concat(erm, sfk), "Mean of epochs 4–8, 4 seeds: sfk leads erm by " +
			"11.0 ± 3.0 points in the worst class (62 against 51 %), since epoch 1."},
		{"four seeds of two rivals", slices.Concat(erm, seeds(dro.PGD, 50, 50, 50, 50), sfk),
			"Mean of epochs 4–8, 4 seeds: sfk leads erm by 11.0 ± 3.9 points in the worst class " +
				"(62 against 51 %), since epoch 1."},
		{"four seeds that differ too much", slices.Concat(erm, seeds(dro.SFK, 40, 70, 60, 50)),
			"Mean of epochs 4–8, 4 seeds: sfk and erm cannot be told apart in the worst class: " +
				"55 against 51 % (4.0 ± 19.8 points apart)."},
		{"four seeds of a baseline that leads",
			slices.Concat(erm, seeds(dro.SFK, 40, 44, 43, 41)),
			"Mean of epochs 4–8, 4 seeds: erm leads sfk by 9.0 ± 3.0 points in the worst class " +
				"(51 against 42 %), since epoch 1."},
		{"four seeds of two rivals that do not lead", slices.Concat(erm,
			seeds(dro.PGD, 20, 22, 20, 22), seeds(dro.SFK, 40, 44, 43, 41)),
			"Mean of epochs 4–8, 4 seeds: no method beats erm in the worst class (51 %); sfk is " +
				"closest, with 42 % (9.0 ± 3.9 points apart)."},
		{"a seed that is far behind", append(two, late.until(1, runner.Running)),
			"Mean of epochs 4–8, 1 of 2 seeds: sfk leads erm by 10.0 points in the worst class " +
				"(60 against 50 %), since epoch 1."},
		{"a seed that failed", append(two, late.until(6, runner.Failed)),
			"Mean of epochs 4–8, 1 of 2 seeds: sfk leads erm by 10.0 points in the worst class " +
				"(60 against 50 %), since epoch 1; sfk s2 failed."},
	} {
		c.check(t)
	}
}

// TestNothingToSay: the sentence says what it waits for, or why it says nothing.
func TestNothingToSay(t *testing.T) {
	erm, sfk := ermResult(), sfkResult()
	const oneClass = "Mean of epochs 4–8, one seed: there is nothing to compare, because every " +
		"run puts all test samples into one class: try another lr"
	inOneClass := func(dataset string) []result {
		change := inFirstClassOf(dataset)
		return []result{erm.changed(change), sfk.changed(change)}
	}
	for _, c := range []storyCase{
		{"no runs", nil, "Waiting for runs."},
		{"no evaluation", []result{erm.until(0, runner.Queued), sfk.until(0, runner.Queued)},
			"Waiting for the first evaluation of erm."},
		{"no evaluation of the baseline", []result{erm.until(0, runner.Running), sfk},
			"Waiting for the first evaluation of erm."},
		{"no evaluation of the rival", []result{erm, sfk.until(0, runner.Running)},
			"Waiting for the first evaluation of sfk."},
		{"no evaluation, and none to come", []result{erm.until(0, runner.Done)},
			"No run has an evaluation to compare; erm ended without an evaluation."},
		{"logs that may never evaluate", []result{erm.until(0, runner.Running).changed(importedLog),
			sfk.until(0, runner.Running).changed(importedLog)},
			"No run has an evaluation to compare; erm and sfk are left out for a log without " +
				"evaluations."},
		{"too early", []result{erm.until(2, runner.Running).of(11),
			sfk.until(2, runner.Running).of(11)},
			"Mean of epochs 1–2, one seed: it is too early to compare before a fifth of the run."},
		{"a fifth of the run", []result{erm.until(2, runner.Running).of(10),
			sfk.until(2, runner.Running).of(10)},
			"Mean of epochs 1–2, one seed: sfk leads erm by 10.0 points in the worst class " +
				"(60 against 50 %), since epoch 1, at a price of 2.0 points of mean accuracy."},
		{"early, but the end", []result{erm.until(1, runner.Done), sfk.until(1, runner.Done)},
			"Epoch 1, one seed: sfk leads erm by 10.0 points in the worst class " +
				"(60 against 50 %), since epoch 1, at a price of 2.0 points of mean accuracy."},
		{"a class at 0", []result{erm.at(steady(8, 0)...).until(4, runner.Running),
			sfk.until(4, runner.Running)},
			"Mean of epochs 1–4, one seed: it is too early to compare while a class of erm is at " +
				"0 %."},
		{"one class of drawings", inOneClass("shapes"), oneClass + "."},
		{"one class of a table", inOneClass("csv:x.csv?label=y"), oneClass + "."},
		{"one class of arrays", inOneClass("npz:x.npz?y=y"),
			oneClass + ", or add scale=standard to the dataset."},
		{"one class of scaled arrays", inOneClass("npz:x.npz?scale=standard"), oneClass + "."},
	} {
		c.check(t)
	}
}

// TestLeftOut: a run that does not count is named with the reason.
func TestLeftOut(t *testing.T) {
	sfk, pgd, erm3 := sfkResult(), pgdResult(), seeds(dro.ERM, 50, 52, 51)
	failed := sfk.until(6, runner.Failed)
	for _, c := range []struct {
		name    string
		results []result
		want    string // behind sfkLeads
	}{
		{"not evaluated yet", []result{pgd.until(0, runner.Running)}, "pgd has no evaluation yet"},
		{"never evaluated", []result{pgd.until(0, runner.Done)}, "pgd ended without an evaluation"},
		{"failed", []result{pgd.until(6, runner.Failed)}, "pgd failed"},
		{"diverged", []result{pgd.changed(diverged)}, "pgd diverged"},
		{"damaged", []result{pgd.changed(damaged)}, "pgd is left out for a damaged log"},
		{"imported", []result{pgd.changed(imported)},
			"pgd is left out, as imported predictions have no epochs"},
		{"of other data", []result{pgd.changed(otherData)}, "pgd is left out for other data"},
		{"stopped early", []result{pgd.until(3, runner.Stopped)}, "pgd ended early"},
		{"two of other data", []result{pgd.changed(otherData),
			sfk.by(dro.PAN).changed(otherData)}, "pgd and pan are left out for other data"},
		{"for several reasons", []result{pgd.changed(diverged), failed.by(dro.PAN)},
			"pan failed; pgd diverged"},
		{"many for one", []result{failed.by(dro.PAN), failed.by("dfr"), failed.by("afr"),
			failed.by(dro.PGD)}, "pan, dfr and 2 more failed"},
	} {
		results := append([]result{ermResult(), sfk}, c.results...)
		storyCase{c.name, results, sfkLeads + "; " + c.want + "."}.check(t)
	}
	storyCase{"of fewer seeds", slices.Concat(erm3, seeds(dro.SFK, 60, 61, 62), []result{pgd}),
		"Mean of epochs 4–8, 3 seeds: sfk leads erm by 10.0 points in the worst class " +
			"(61 against 51 %), since epoch 1; pgd is left out, with fewer seeds."}.check(t)
}

// TestLongest: a shorter form drops the clause that says since when, then the runs that are left
// out, and last the price of the lead.
func TestLongest(t *testing.T) {
	runs := storyRuns(ermResult(), sfkResult(), pgdResult().changed(diverged))
	story := NewStory(runs, 0)
	const (
		lead = "Mean of epochs 4–8, one seed: sfk leads erm by 10.0 points in the worst class " +
			"(60 against 50 %)"
		since, price = ", since epoch 1", ", at a price of 2.0 points of mean accuracy"
		out          = "; pgd diverged."
	)
	for _, c := range []struct {
		most int // bytes
		want string
	}{
		{500, lead + since + price + out},
		{len(lead + since + price + out), lead + since + price + out},
		{len(lead+since+price+out) - 1, lead + price + out},
		{len(lead+price+out) - 1, lead + price + "."},
		{len(lead+price+".") - 1, lead + "."},
		{0, lead + "."},
	} {
		got := story.Longest(func(text string) bool { return len(text) <= c.most })
		if got != c.want {
			t.Errorf("Longest of %d bytes = %q, want %q", c.most, got, c.want)
		}
	}
}

// A fork is compared with its parent at the evaluations that the fork made itself, once these are
// as many as are averaged: until then it does not change what is said of the others.
func TestForkInStory(t *testing.T) {
	fork := func(r *StoryRun) {
		otherRate(r)
		r.Meta.Parent = "parent@20"
	}
	const alone = "pgd, the only run to compare, is at 55.0 % in the worst class, with a mean " +
		"accuracy of 71.0 %; fork lr .2 is left out until "
	const level = "Mean of epochs 4–8, one seed: fork lr .2 and pgd are level in the worst " +
		"class: 55.0 against 55.0 %."
	for _, c := range []struct {
		parent, fork int // evaluations, of which two are from before the fork
		want         string
	}{
		{2, 4, "Mean of epochs 1–2, one seed: " + alone +
			"the others have reached its epochs."},
		{3, 4, "Mean of epochs 1–3, one seed: " + alone +
			"there are 3 evaluations since the fork."},
		{8, 3, "Mean of epochs 4–8, one seed: " + alone +
			"there are 5 evaluations since the fork."},
		{3, 8, "Mean of epochs 1–3, one seed: " + alone +
			"the others have reached its epochs."},
		{8, 8, level},
	} {
		parent := pgdResult().until(c.parent, runner.Running)
		runs := storyRuns(parent, pgdResult().until(c.fork, runner.Running).changed(fork))
		runs[0].Meta.ID = "parent"
		got := NewStory(runs, 0).String()
		if got != c.want {
			t.Errorf("%d evaluations of the parent, %d of the fork:\n got %q\nwant %q", c.parent,
				c.fork, got, c.want)
		}
	}
}

// TestFigures: whole halves are rounded up, and tenths are those of tables.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		a, b         float64
		textA, textB string
	}{
		{14.5, 30, "15", "30"},
		{15.5, 12.5, "16", "13"},
		{14.25, 15, "14.2", "15.0"},
		{0, .5, "0.0", "0.5"},
	} {
		if a, b := figures(c.a, c.b); a != c.textA || b != c.textB {
			t.Errorf("figures(%v, %v) = %s, %s, want %s, %s", c.a, c.b, a, b, c.textA, c.textB)
		}
	}
}
