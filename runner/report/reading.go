package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Reading is one way to read what a published experiment leaves open, with the results of the
// study's first arm and of the baseline, trained in that way. Accuracies are measured on the test
// split at the last iterate, from 0 to 1.
type Reading struct {
	Name string `json:"name"` // the radius and the setting that is changed
	// Alike says that the baseline was trained with that setting. Else it does not train by the
	// setting, and its runs are those of the condition.
	Alike bool           `json:"alike"`
	Runs  int            `json:"runs"`  // of each of the two, one for each seed that both have
	First measure.Number `json:"first"` // mean accuracy
	Base  measure.Number `json:"base"`
	// FromFirst and FromBase are the distances of the classes' means to the published rows.
	FromFirst measure.Number `json:"from_first"`
	FromBase  measure.Number `json:"from_base"`
	// Lead is the first arm's mean accuracy less the baseline's.
	Lead Difference `json:"lead"`
}

// rankReadings lists the readings of the published experiment: the conditions, and each of them
// with one setting or two changed. If the baseline reads the setting, it must be changed for the
// baseline too; of two settings, both.
func (r *Report) rankReadings() {
	if r.study.Published == nil || len(r.study.Arms) == 0 {
		return
	}
	for _, p := range r.Problems {
		if first, base := p.own[0], p.base(); len(first.runs) > 0 && base != nil {
			r.addReading(p, p.Label, first, base)
		}
	}
	for i := range r.Variations {
		v := &r.Variations[i]
		if v.arm.method() != r.study.Arms[0].Method() {
			continue
		}
		if base := r.baseUnder(v); base != nil {
			r.addReading(v.of, v.Problem+", "+v.name, v.arm, base)
		}
	}
	slices.SortStableFunc(r.Readings, func(a, b Reading) int {
		return cmp.Compare(a.distance(), b.distance())
	})
}

// baseUnder returns the baseline's arm under the same reading, or nil if it was not trained under
// it.
func (r *Report) baseUnder(v *Variation) *arm {
	base := v.of.base()
	if base == nil {
		return nil
	}
	i := slices.IndexFunc(r.Variations, func(o Variation) bool {
		return o.arm.method() == base.method() && o.of == v.of && o.Key == v.Key && o.To == v.To
	})
	if i >= 0 {
		return r.Variations[i].arm
	}
	t, is := spec.FindSetting(v.Key)
	if is && !t.TrainedBy(&base.runs[0].Meta.Spec) { // as ERM does not train by ρ
		return base
	}
	return nil
}

// addReading compares the runs of the seeds that both arms have.
func (r *Report) addReading(p *Problem, name string, first, base *arm) {
	d := Reading{Name: name, Alike: base != p.base() || name == p.Label}
	d.Lead = differenceOf(first, base, ofEachRun(lastOf("test_accuracy", 0)), 0)
	if d.Runs = len(d.Lead.Seeds); d.Runs == 0 {
		return
	}
	d.First, d.FromFirst = p.distanceToPublished(first.of(d.Lead.Seeds))
	d.Base, d.FromBase = p.distanceToPublished(base.of(d.Lead.Seeds))
	r.Readings = append(r.Readings, d)
}

// of returns the arm with its runs of some seeds alone.
func (a *arm) of(seeds []uint64) *arm {
	one := *a
	one.runs = slices.DeleteFunc(slices.Clone(a.runs), func(r *loggedRun) bool {
		return !slices.Contains(seeds, r.seed())
	})
	return &one
}

// distanceToPublished returns the mean accuracy and the distance of the classes' accuracies, all
// means over the seeds, to the published row of the method: the root of the mean squared
// difference.
func (p *Problem) distanceToPublished(a *arm) (mean, distance measure.Number) {
	row, sum := p.study.Published.Rows[p.arm(a.method()).name], 0.0
	for i, want := range row {
		got := 0.0
		for _, r := range a.runs {
			of := &r.Summary().Results
			got += pooledMean(of, classAccuracy, []int{i}).Float() / float64(len(a.runs))
		}
		sum += (got - want/100) * (got - want/100)
	}
	of := a.mean(lastOf("test_accuracy", 0))
	return of.Mean, measure.Num(math.Sqrt(sum / float64(len(row))))
}

// distance returns the distance from the published table over both rows together.
func (d *Reading) distance() float64 {
	return math.Hypot(d.FromFirst.Float(), d.FromBase.Float())
}

// nearBlocks answers whether the published table holds under any reading that was run.
func (r *Report) nearBlocks() []page.Block {
	if len(r.Readings) == 0 {
		return nil
	}
	first, base, of := r.study.Arms[0].Name, string(dro.Baseline()), page.Points()
	t := page.New("reading", "seeds", first, base, base+" trained", first+" − "+base,
		"from "+first+"'s row", "from "+base+"'s row")
	for _, d := range r.Readings {
		how := "unchanged"
		if d.Alike {
			how = "alike"
		}
		t.Add(d.Name, fmt.Sprint(d.Runs), of.Text(d.First), of.Text(d.Base), how,
			d.Lead.text("test_accuracy"), of.Text(d.FromFirst), of.Text(d.FromBase))
	}
	text := "A line compares the runs of the seeds that both methods have, seed by seed. Where " +
		base + " does not train by the changed setting, its runs are those without the change. A " +
		"distance is the root mean square over the ten classes, in points, between the mean over " +
		"the seeds and the printed row. The first line is the nearest to both rows. ± is half of " +
		"the 95 % t interval over the seeds; one seed has none."
	if slices.ContainsFunc(r.Variations, func(v Variation) bool { return v.Key == otherData }) {
		text += " Other data, which are named by the first digits of their checksum, are other " +
			"training images."
	}
	return []page.Block{t, page.Text(r.nearest(first, base)), page.Text(text)}
}

// nearest names the readings that come nearest to the published lead of the first arm, and to its
// published mean. A lead of one seed has the interval of one seed of the first condition.
func (r *Report) nearest(first, base string) string {
	table, of := r.study.Published, page.Points()
	printed, reached := (table.Mean(first)-table.Mean(base))/100, 0
	for _, d := range r.Readings {
		if d.Lead.Mean.Float() >= printed {
			reached++
		}
	}
	best := func(miss func(d *Reading) float64) Reading {
		return slices.MinFunc(r.Readings, func(a, b Reading) int {
			return cmp.Compare(miss(&a), miss(&b))
		})
	}
	lead := best(func(d *Reading) float64 { return -d.Lead.Mean.Float() })
	mean := best(func(d *Reading) float64 {
		return math.Abs(100*d.First.Float() - table.Mean(first))
	})
	spread, label := "", r.Problems[0].Label
	for _, d := range r.Readings {
		if half := d.Lead.Half.Float(); lead.Runs == 1 && d.Runs > 1 && d.Name == label {
			spread = fmt.Sprintf(", ± %s by the spread of the %d seeds of %s",
				of.Text(measure.Num(half*math.Sqrt(float64(d.Runs)))), d.Runs, label)
		}
	}
	return fmt.Sprintf("%s prints %s's mean accuracy %s points above %s's. ",
		table.Name, first, of.Text(measure.Num(printed)), base) +
		fmt.Sprintf("That lead is reached by %d of these %d readings. ",
			reached, len(r.Readings)) +
		fmt.Sprintf("The nearest is %s (%s): %s points%s. ", lead.Name,
			spec.Plural(lead.Runs, "seed"), lead.Lead.text("test_accuracy"), spread) +
		fmt.Sprintf("%s's mean comes nearest to the printed %.2f under %s (%s): %s, where %s "+
			"has %s.", first, table.Mean(first), mean.Name, spec.Plural(mean.Runs, "seed"),
			of.Text(mean.First), base, of.Text(mean.Base))
}
