package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Reading is one way to read what a published experiment leaves open, with the results of the
// study's first arm and of the baseline, trained in that way. Accuracies are measured on the test
// split at the last iterate, from 0 to 1.
type Reading struct {
	Name  string         `json:"name"`  // the radius and the setting that is changed
	Runs  int            `json:"runs"`  // of the first arm, one for each seed
	First measure.Number `json:"first"` // mean accuracy
	Base  measure.Number `json:"base"`
	// FromFirst and FromBase are the distances of the classes' means to the published rows.
	FromFirst measure.Number `json:"from_first"`
	FromBase  measure.Number `json:"from_base"`
	// Lead is the first arm's mean accuracy less the baseline's.
	Lead Difference `json:"lead"`
}

// near lists the readings of the published experiment: the conditions, and each of them with one
// setting changed. If the baseline reads the setting, it must be changed for the baseline too.
func (r *Report) near() {
	if r.study.Published == nil || len(r.study.Arms) == 0 {
		return
	}
	for _, p := range r.Problems {
		if first, base := p.own[0], p.base(); len(first.runs) > 0 && base != nil {
			r.Readings = append(r.Readings, p.readAs(p.Label, first, base))
		}
	}
	for i := range r.Variations {
		v := &r.Variations[i]
		if v.method != r.study.Arms[0].Method() {
			continue
		}
		if base := r.beside(v); base != nil {
			name := fmt.Sprintf("%s, %s %s", v.Problem, v.Key, v.To)
			r.Readings = append(r.Readings, v.of.readAs(name, v.arm, base))
		}
	}
	slices.SortStableFunc(r.Readings, func(a, b Reading) int {
		return cmp.Compare(a.distance(), b.distance())
	})
}

// beside returns the baseline's arm under the same reading, or nil if it was not trained under it.
func (r *Report) beside(v *Variation) *arm {
	base := v.of.base()
	if base == nil {
		return nil
	}
	i := slices.IndexFunc(r.Variations, func(o Variation) bool {
		return o.method == base.method() && o.of == v.of && o.Key == v.Key && o.To == v.To
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

func (p *Problem) readAs(name string, first, base *arm) Reading {
	d := Reading{Name: name, Runs: len(first.runs)}
	d.First, d.FromFirst = p.against(first)
	d.Base, d.FromBase = p.against(base)
	d.Lead = differ(first, base, last("test_accuracy"), 0)
	return d
}

// against returns the mean accuracy and the distance of the classes' accuracies, all means over
// the seeds, to the published row of the method: the root of the mean squared difference.
func (p *Problem) against(a *arm) (mean, distance measure.Number) {
	row, sum := p.study.Published.Rows[p.arm(a.method()).name], 0.0
	for i, want := range row {
		got := 0.0
		for _, r := range a.runs {
			got += pooled(r, classAccuracy, []int{i}).Float() / float64(len(a.runs))
		}
		sum += (got - want/100) * (got - want/100)
	}
	var values []float64
	for _, r := range a.runs {
		values = append(values, r.Summary().Of("test_accuracy").Float())
	}
	of, _ := compare.TInterval(values, level)
	return measure.Num(of), measure.Num(math.Sqrt(sum / float64(len(row))))
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
	first, base := r.study.Arms[0].Name, string(dro.Baseline())
	table, of := r.study.Published, page.Points()
	printed := (table.Mean(first) - table.Mean(base)) / 100
	t := page.New("reading", "seeds", first, base, first+" − "+base, "from "+first+"'s row",
		"from "+base+"'s row")
	for i := range r.Readings {
		d := &r.Readings[i]
		t.Add(d.Name, fmt.Sprint(d.Runs), of.Text(d.First), of.Text(d.Base),
			d.Lead.text("test_accuracy"), of.Text(d.FromFirst), of.Text(d.FromBase))
	}
	best := slices.MaxFunc(r.Readings, func(a, b Reading) int {
		return cmp.Compare(a.Lead.Mean.Float(), b.Lead.Mean.Float())
	})
	text := fmt.Sprintf("%s prints %s's mean accuracy %s points above %s's. Under %d of these %d "+
		"readings %[2]s is above %[4]s; the largest lead is %[7]s points (%[8]s). ",
		table.Name, first, of.Text(measure.Num(printed)), base, r.ahead(), len(r.Readings),
		best.Lead.text("test_accuracy"), best.Name)
	text += "A distance is the root mean square over the ten classes, in points, between the " +
		"mean over the seeds and the printed row. The first line is the nearest to both rows. " +
		"One seed shows a direction and no more."
	if slices.ContainsFunc(r.Variations, func(v Variation) bool { return v.Key == otherData }) {
		text += " Other data, which are named by the first digits of their checksum, are other " +
			"training images."
	}
	return []page.Block{t, page.Text(text)}
}

// ahead counts the readings under which the first arm's mean accuracy is above the baseline's.
func (r *Report) ahead() (n int) {
	for i := range r.Readings {
		if r.Readings[i].Lead.Mean.Float() > 0 {
			n++
		}
	}
	return n
}
