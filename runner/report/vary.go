package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Departure is a setting in which the runs differ from the paper, or which the paper does not give.
type Departure struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Paper is the published value; it is empty where the paper is silent, so that
	// the value is a reading.
	Paper  string `json:"paper,omitempty"`
	Reason string `json:"reason"` // the reason that the preset gives
}

// departures lists the settings that the preset with the published settings sets and that either
// differ from the published value in the runs or are not published. There are none without a
// published table.
func (r *Report) departures() (list []Departure) {
	list = []Departure{}
	t := r.study.Published
	if t == nil || len(r.Problems) == 0 {
		return list
	}
	p := r.preset(t.Preset)
	for _, key := range p.Overrides {
		if t, ok := spec.FindSetting(key); !ok || key == "algorithms" || key == "seeds" ||
			t.Viewed() {
			continue
		}
		values, reason := r.valuesOf(key), p.Reasons[key]
		switch paper := strings.Trim(p.Spec.Text(key), "[]"); {
		case values == "":
		case strings.HasPrefix(reason, "our reading"):
			list = append(list, Departure{Key: key, Value: values, Reason: r.reasons(key)})
		case values != paper:
			list = append(list, Departure{Key: key, Value: values, Paper: paper, Reason: reason})
		}
	}
	return append(list, t.Silent...)
}

// preset returns a preset that an arm of the study names, or an empty one.
func (r *Report) preset(name string) (p runner.Preset) {
	for _, o := range r.study.Presets {
		if o.Name == name {
			p = o
		}
	}
	return p
}

// reasons returns the reasons that the runs' presets give for a setting.
func (r *Report) reasons(key string) string {
	var list []string
	for _, m := range r.examples() {
		own := r.preset(m.Preset)
		if own.Name == "" || own.Spec.Text(key) != m.Spec.Text(key) {
			continue
		}
		_, reason, _ := strings.Cut(own.Reasons[key], ": ")
		if reason != "" && !slices.Contains(list, reason) {
			list = append(list, reason)
		}
	}
	return strings.Join(list, "; ")
}

// valuesOf lists the values of a setting in the study's arms that read it.
func (r *Report) valuesOf(key string) string {
	var values []string
	for _, m := range r.examples() {
		if v := compare.Value(&m.Spec, key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return strings.Join(values, ", ")
}

// examples returns a run's Meta for each of the study's arms that has runs, problem by problem.
func (r *Report) examples() (list []*runner.Meta) {
	for _, p := range r.Problems {
		for _, a := range p.own {
			if len(a.runs) > 0 {
				list = append(list, &a.runs[0].Meta)
			}
		}
	}
	return list
}

// Variation is an arm that differs from an arm of a problem in one or two settings, or in its data
// (the key "data", with the first digits of the checksums), with the effects of that change. One
// seed shows their direction only.
type Variation struct {
	Key     string   `json:"key"` // "a and b" where two settings are changed, as in From and To
	From    string   `json:"from"`
	To      string   `json:"to"`
	Problem string   `json:"problem"`
	Arm     string   `json:"arm"`
	Effects []Effect `json:"effects"`
	name    string   // each setting with its new value
	of      *Problem // the problem that has the unchanged arm
	arm     *arm
}

// Effect is the effect of a variation on a measure.
type Effect struct {
	Measure string         `json:"measure"`
	Value   measure.Number `json:"value"` // mean over seeds of the variation
	Difference
}

// findVariations finds the variations, and the wanted variations for which there is no run.
func (r *Report) findVariations(others []*experiment) {
	main := make([]*experiment, len(r.Problems)) // that of the study's arms
	for i, p := range r.Problems {
		first := func(a *arm) *record.Run { return a.runs[0].Run }
		main[i] = experiments(spec.Map(p.arms, first))[0]
		if i == 0 {
			sortExperiments(others, main[0])
		}
		arms := slices.Clone(p.arms) // they may differ in a method's own settings
		if len(p.probes) > 0 {
			_, probes := rows(p.probes, compare.Options{})
			arms = append(arms, probes...)
		}
		for _, o := range others {
			keys := o.differingKeys(main[i])
			if few(len(keys)) && (i == 0 || !slices.Contains(keys, "rho")) {
				_, more := rows(o.runs, compare.Options{})
				arms = append(arms, more...)
			}
		}
		for _, a := range arms {
			if base := p.arm(a.method()); base != nil {
				r.varyArm(p, base, a)
			}
		}
	}
	for _, o := range others {
		near := func(e *experiment) bool { return few(len(o.differingKeys(e))) }
		if !slices.ContainsFunc(main, near) && len(main) > 0 {
			r.note("left out because they differ from the others in several settings: %d "+
				"run(s), in %s", len(o.runs), strings.Join(o.differingKeys(main[0]), ", "))
		}
	}
	r.findLacking()
}

// few reports whether so many changes make a variation.
func few(changes int) bool { return changes == 1 || changes == 2 }

// sortExperiments sorts experiments by what is varied: the data, the radius, or another setting;
// those with more methods first, then the oldest.
func sortExperiments(list []*experiment, main *experiment) {
	rank := func(e *experiment) int {
		keys := append(e.differingKeys(main), "")
		return -slices.Index([]string{"rho", otherData}, keys[0]) // 0, −1, or 1
	}
	slices.SortStableFunc(list, func(a, b *experiment) int {
		return cmp.Or(rank(a)-rank(b), b.methods()-a.methods(),
			a.runs[0].Meta.Created.Compare(b.runs[0].Meta.Created))
	})
}

// otherData is the key of a variation in the content of the data, which no setting states.
const otherData = "data"

// changes lists the keys in which two arms of a method differ.
func changes(base, a *arm) []compare.KeyDiff {
	from, to := &base.runs[0].Meta, &a.runs[0].Meta
	diffs := compare.GroupDiff([]spec.Spec{from.Spec, to.Spec})
	if from.Checksum != to.Checksum {
		short := func(m *runner.Meta) string {
			_, digits, _ := strings.Cut(m.Checksum, ":")
			return digits[:min(8, len(digits))]
		}
		values := []string{short(from), short(to)}
		diffs = append(diffs, compare.KeyDiff{Key: otherData, Values: values})
	}
	return diffs
}

// varyArm adds a variation where two arms of a method differ in one thing or two.
func (r *Report) varyArm(p *Problem, base, a *arm) {
	diffs := changes(base, a)
	if !few(len(diffs)) {
		return
	}
	var keys, from, to, names []string
	for _, d := range diffs {
		keys, from, to = append(keys, d.Key), append(from, d.Values[0]), append(to, d.Values[1])
		names = append(names, d.Key+" "+d.Values[1])
	}
	v := Variation{
		Key:     strings.Join(keys, " and "),
		From:    strings.Join(from, " and "),
		To:      strings.Join(to, " and "),
		name:    strings.Join(names, " and "),
		Problem: p.Label,
		Arm:     string(a.method()),
		Effects: []Effect{},
		of:      p,
		arm:     a,
	}
	for _, name := range []string{"test_accuracy", worstClass, "train_loss", "test_loss",
		robustRisk} {
		name = a.runs[0].Meta.MeasureFor(name)
		if name == robustRisk && slices.Contains(keys, "rho") {
			continue // another radius asks another question
		}
		value := a.mean(lastOf(name, 0)).Mean
		e := Effect{Measure: name, Value: value,
			Difference: differenceOf(a, base, ofEachRun(lastOf(name, 0)), 0)}
		v.Effects = append(v.Effects, e)
	}
	r.Variations = append(r.Variations, v)
}

// Lacking is a run that the section on sensitivity lacks.
type Lacking struct {
	Key     string        `json:"key"`
	Value   string        `json:"value"`
	Method  dro.Algorithm `json:"method"`
	Command string        `json:"command"`
}

// findLacking lists the variations that the study asks for and no run has: under its first
// condition, with one seed each.
func (r *Report) findLacking() {
	for _, w := range r.study.Sensitivity {
		for _, value := range w.Values {
			for _, at := range w.Arms {
				a := &r.study.Arms[at]
				there := func(v Variation) bool {
					return v.Key == w.Setting && v.To == value && v.arm.method() == a.Method()
				}
				if slices.ContainsFunc(r.Variations, there) {
					continue
				}
				command := fmt.Sprintf("drolab run %s --algo %s --seeds 1 --set %s=%s",
					a.Presets[0], a.Method(), w.Setting, value)
				r.Lacking = append(r.Lacking, Lacking{w.Setting, value, a.Method(), command})
			}
		}
	}
}

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
	one.runs = slices.DeleteFunc(slices.Clone(a.runs), func(r *ran) bool {
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
			got += pooled(of, classAccuracy, []int{i}).Float() / float64(len(a.runs))
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
		how := map[bool]string{true: "alike", false: "unchanged"}[d.Alike]
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
	return fmt.Sprintf("%s prints %s's mean accuracy %s points above %s's. That lead is "+
		"reached by %d of these %d readings. The nearest is %s (%s): %s points%s. %[2]s's mean "+
		"comes nearest to the printed %.2[11]f under %[12]s (%[13]s): %[14]s, where %[4]s has "+
		"%[15]s.",
		table.Name, first, of.Text(measure.Num(printed)), base, reached, len(r.Readings),
		lead.Name, spec.Plural(lead.Runs, "seed"), lead.Lead.text("test_accuracy"), spread,
		table.Mean(first), mean.Name, spec.Plural(mean.Runs, "seed"), of.Text(mean.First),
		of.Text(mean.Base))
}
