package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/runner/spec"
)

// Readings lists the readings of the published experiment, the nearest to its table first: the
// conditions, and each of them with one setting or two changed. If the baseline reads the setting,
// it must be changed for the baseline too; of two settings, both.
func (e *experiment) Readings(r *report.Report) (list []report.Reading) {
	if len(e.study.Arms) == 0 {
		return nil
	}
	for _, p := range r.Problems {
		_, base := p.FirstOf(dro.Baseline())
		list = e.addReading(list, p, report.Reading{Name: p.Label, Alike: true}, p.RunsOf(0), base)
	}
	for i := range r.Variations {
		v := &r.Variations[i]
		if v.Arm != string(e.study.Arms[0].Method()) {
			continue
		}
		p := problemOf(r, v)
		base, alike := baselineUnder(r, p, v)
		d := report.Reading{Name: v.Problem + ", " + v.Changed, Alike: alike}
		list = e.addReading(list, p, d, v.Runs, base)
	}
	slices.SortStableFunc(list, func(a, b report.Reading) int {
		return cmp.Compare(distance(&a), distance(&b))
	})
	return list
}

// problemOf returns the problem of which a variation changes an arm.
func problemOf(r *report.Report, v *report.Variation) *report.Problem {
	return r.Problems[slices.IndexFunc(r.Problems, func(p *report.Problem) bool {
		return p.Label == v.Problem
	})]
}

// baselineUnder returns the runs of the baseline under the same reading, none if it was not trained
// under it. It reports whether they have the changed setting.
func baselineUnder(
	r *report.Report, p *report.Problem, v *report.Variation,
) (runs []*record.Run, alike bool) {
	_, base := p.FirstOf(dro.Baseline())
	if len(base) == 0 {
		return nil, false
	}
	for _, o := range r.Variations {
		if o.Arm == string(dro.Baseline()) && o.Problem == v.Problem && o.Key == v.Key &&
			o.To == v.To {
			return o.Runs, true
		}
	}
	t, is := spec.FindSetting(v.Key)
	if is && !t.TrainedBy(&base[0].Meta.Spec) { // as ERM does not train by ρ
		return base, false
	}
	return nil, false
}

// addReading compares the runs of the seeds that the first arm and the baseline both have. It adds
// nothing where they have none.
func (e *experiment) addReading(
	list []report.Reading, p *report.Problem, d report.Reading, first, base []*record.Run,
) []report.Reading {
	d.Lead = report.Paired(first, base, "test_accuracy")
	if d.Runs = len(d.Lead.Seeds); d.Runs == 0 {
		return list
	}
	first, base = ofSeeds(first, d.Lead.Seeds), ofSeeds(base, d.Lead.Seeds)
	d.First, d.FromFirst = meanAccuracy(first), e.fromTable(p, first)
	d.Base, d.FromBase = meanAccuracy(base), e.fromTable(p, base)
	return append(list, d)
}

// ofSeeds returns the runs of some seeds.
func ofSeeds(runs []*record.Run, seeds []uint64) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		return !slices.Contains(seeds, r.Meta.Spec.Seed)
	})
}

// meanAccuracy returns the mean of the test accuracy at the last iterate.
func meanAccuracy(runs []*record.Run) measure.Number {
	var values []measure.Number
	for _, r := range runs {
		if x := r.Summary().Named("test_accuracy"); x.Finite() {
			values = append(values, x)
		}
	}
	_, mean, _, _ := compare.Describe(values, .95)
	return mean
}

// fromTable returns the distance of the classes' accuracies, means over the seeds, to the published
// row of the runs' method: the root of the mean squared difference.
func (e *experiment) fromTable(p *report.Problem, runs []*record.Run) measure.Number {
	name, _ := p.FirstOf(runs[0].Meta.Spec.Algorithm())
	row, sum := e.table.Rows[name], 0.0
	for i, want := range row {
		got := 0.0
		for _, r := range runs {
			got += classAccuracy(r, i).Float() / float64(len(runs))
		}
		sum += (got - want/100) * (got - want/100)
	}
	return measure.Num(math.Sqrt(sum / float64(len(row))))
}

// classAccuracy returns the test accuracy of a class at the last iterate, if the run has it.
func classAccuracy(r *record.Run, class int) measure.Number {
	values := r.Summary().ByGroup.Named("class_accuracy")
	if class >= len(values) {
		return measure.Number{}
	}
	return values[class]
}

// distance returns the distance from the published table over both rows together.
func distance(d *report.Reading) float64 {
	return math.Hypot(d.FromFirst.Float(), d.FromBase.Float())
}

// ReadingBlocks answers whether the published table holds under any reading that was run.
func (e *experiment) ReadingBlocks(r *report.Report) []page.Block {
	if len(r.Readings) == 0 {
		return nil
	}
	first, base, of := e.study.Arms[0].Name, string(dro.Baseline()), page.Points()
	t := page.New("reading", "seeds", first, base, base+" trained", first+" − "+base,
		"from "+first+"'s row", "from "+base+"'s row")
	for _, d := range r.Readings {
		how := "unchanged"
		if d.Alike {
			how = "alike"
		}
		t.Add(d.Name, fmt.Sprint(d.Runs), of.Text(d.First), of.Text(d.Base), how,
			d.Lead.Text("test_accuracy"), of.Text(d.FromFirst), of.Text(d.FromBase))
	}
	text := "A line compares the runs of the seeds that both methods have, seed by seed. Where " +
		base + " does not train by the changed setting, its runs are those without the change. A " +
		"distance is the root mean square over the ten classes, in points, between the mean over " +
		"the seeds and the printed row. The first line is the nearest to both rows. ± is half of " +
		"the 95 % t interval over the seeds; one seed has none."
	if slices.ContainsFunc(r.Variations, func(v report.Variation) bool {
		return v.Key == report.OtherData
	}) {
		text += " Other data, which are named by the first digits of their checksum, are other " +
			"training images."
	}
	return []page.Block{t, page.Text(e.nearest(r, first, base)), page.Text(text)}
}

// nearest names the readings that come nearest to the published lead of the first arm, and to its
// published mean. A lead of one seed has the interval of one seed of the first condition.
func (e *experiment) nearest(r *report.Report, first, base string) string {
	table, of := e.table, page.Points()
	printed, reached := (table.Mean(first)-table.Mean(base))/100, 0
	for _, d := range r.Readings {
		if d.Lead.Mean.Float() >= printed {
			reached++
		}
	}
	best := func(miss func(d *report.Reading) float64) report.Reading {
		return slices.MinFunc(r.Readings, func(a, b report.Reading) int {
			return cmp.Compare(miss(&a), miss(&b))
		})
	}
	lead := best(func(d *report.Reading) float64 { return -d.Lead.Mean.Float() })
	mean := best(func(d *report.Reading) float64 {
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
			spec.Plural(lead.Runs, "seed"), lead.Lead.Text("test_accuracy"), spread) +
		fmt.Sprintf("%s's mean comes nearest to the printed %.2f under %s (%s): %s, where %s "+
			"has %s.", first, table.Mean(first), mean.Name, spec.Plural(mean.Runs, "seed"),
			of.Text(mean.First), base, of.Text(mean.Base))
}
