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

// Reading is one way to read what the paper leaves open, with the results of SFK and ERM trained in
// that way. Accuracies are measured on the test split at the last iterate, from 0 to 1.
type Reading struct {
	Name    string         `json:"name"` // the radius and the setting that is changed
	Runs    int            `json:"runs"` // runs of SFK, one for each seed
	SFK     measure.Number `json:"sfk"`  // mean accuracy
	ERM     measure.Number `json:"erm"`
	FromSFK measure.Number `json:"from_sfk"` // distance of the classes' means to Table 1's row
	FromERM measure.Number `json:"from_erm"`
	// Lead is SFK's mean accuracy less ERM's; Table 1 has it at +.005.
	Lead Difference `json:"lead"`
}

// near lists the readings of the paper's experiment: the presets, and each of them with one setting
// changed. If ERM reads the setting, it must be changed for ERM too.
func (r *Report) near() {
	for _, p := range r.Problems {
		if sfk, erm := p.arm(dro.SFK), p.arm(baseline); p.published && sfk != nil && erm != nil {
			r.Readings = append(r.Readings, readAs(p.Label, sfk, erm))
		}
	}
	for i := range r.Variations {
		v := &r.Variations[i]
		if v.method != dro.SFK || !v.of.published {
			continue
		}
		if erm := r.beside(v); erm != nil {
			name := fmt.Sprintf("%s, %s %s", v.Problem, v.Key, v.To)
			r.Readings = append(r.Readings, readAs(name, v.arm, erm))
		}
	}
	slices.SortStableFunc(r.Readings, func(a, b Reading) int {
		return cmp.Compare(a.distance(), b.distance())
	})
}

// beside returns the arm of ERM under the same reading, or nil if ERM was not trained under it.
func (r *Report) beside(v *Variation) *arm {
	i := slices.IndexFunc(r.Variations, func(o Variation) bool {
		return o.method == baseline && o.of == v.of && o.Key == v.Key && o.To == v.To
	})
	if i >= 0 {
		return r.Variations[i].arm
	}
	erm := v.of.arm(baseline)
	if erm == nil {
		return nil
	}
	t, is := spec.FindSetting(v.Key)
	if is && !t.TrainedBy(&erm.runs[0].Meta.Spec) { // as ERM does not train by ρ
		return erm
	}
	return nil
}

func readAs(name string, sfk, erm *arm) Reading {
	d := Reading{Name: name, Runs: len(sfk.runs)}
	d.SFK, d.FromSFK = sfk.against()
	d.ERM, d.FromERM = erm.against()
	d.Lead = differ(sfk, erm, last("test_accuracy"), 0)
	return d
}

// against returns the mean accuracy and the distance of the classes' accuracies, all means over
// the seeds, to the published row: the root of the mean squared difference.
func (a *arm) against() (mean, distance measure.Number) {
	row, sum := published.of(a.algorithm), 0.0
	for i, want := range row.classes {
		got := 0.0
		for _, r := range a.runs {
			x, _, _ := part(lowClasses, i)(r, r)
			got += x / float64(len(a.runs))
		}
		sum += (got - want/100) * (got - want/100)
	}
	var values []float64
	for _, r := range a.runs {
		values = append(values, r.Summary().Of("test_accuracy").Float())
	}
	of, _ := compare.TInterval(values, level)
	return measure.Num(of), measure.Num(math.Sqrt(sum / float64(len(row.classes))))
}

// distance returns the distance from Table 1 over the rows of SFK and ERM together.
func (d *Reading) distance() float64 { return math.Hypot(d.FromSFK.Float(), d.FromERM.Float()) }

// nearBlocks answers whether Table 1 holds under any reading that was run.
func (r *Report) nearBlocks() []page.Block {
	if len(r.Readings) == 0 {
		return nil
	}
	printed := (published.of(dro.SFK).mean() - published.of(baseline).mean()) / 100
	of := page.Points()
	t := &page.Table{Head: []string{"reading", "seeds", "sfk", "erm", "sfk − erm",
		"from sfk's row", "from erm's row"}}
	for i := range r.Readings {
		d := &r.Readings[i]
		t.Rows = append(t.Rows, []string{d.Name, fmt.Sprint(d.Runs), of.Text(d.SFK), of.Text(d.ERM),
			d.Lead.text("test_accuracy"), of.Text(d.FromSFK), of.Text(d.FromERM)})
	}
	best := slices.MaxFunc(r.Readings, func(a, b Reading) int {
		return cmp.Compare(a.Lead.Mean.Float(), b.Lead.Mean.Float())
	})
	text := fmt.Sprintf("Table 1 prints sfk's mean accuracy %s points above erm's. Under %d of "+
		"these %d readings sfk is above erm; the largest lead is %s points (%s). ",
		of.Text(measure.Num(printed)), r.ahead(), len(r.Readings),
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

// ahead counts the readings under which SFK's mean accuracy is above ERM's.
func (r *Report) ahead() (n int) {
	for i := range r.Readings {
		if r.Readings[i].Lead.Mean.Float() > 0 {
			n++
		}
	}
	return n
}

// laterBlocks returns the claims that were first tested after the runs had been seen, and the
// comparison with Table 1's means.
func (r *Report) laterBlocks() (list []page.Block) {
	if len(r.Later) > 0 {
		text := fmt.Sprintf("Further claims, first tested when these runs had been seen, so "+
			"exploratory. They are a family of %d tests, and change nothing above:", r.LaterTests)
		list = append(list, page.Text(text))
		list = append(list, byRadius(r.Later)...)
		list = append(list, readings(later(), r.Later))
	}
	if len(r.Reproduction) > 0 {
		text := "Mean accuracies against Table 1's, by one-sample t tests, a family too. The " +
			"paper gives no spread, so its figure counts as exact:"
		list = append(list, page.Text(text), reproductions(r.Reproduction))
	}
	return list
}
