package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

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
	// Changed has each setting with its new value, and Runs the runs.
	Changed string        `json:"-"`
	Runs    []*record.Run `json:"-"`
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
		main[i] = experiments(lists.Map(p.arms, first))[0]
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
			if isFew(len(keys)) && (i == 0 || !slices.Contains(keys, "rho")) {
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
		near := func(e *experiment) bool { return isFew(len(o.differingKeys(e))) }
		if !slices.ContainsFunc(main, near) && len(main) > 0 {
			r.note("left out because they differ from the others in several settings: %s, in %s",
				spec.Plural(len(o.runs), "run"), strings.Join(o.differingKeys(main[0]), ", "))
		}
	}
	r.findLacking()
}

// isFew reports whether so many changes make a variation.
func isFew(changes int) bool { return changes == 1 || changes == 2 }

// sortExperiments sorts experiments by what is varied: the data, the radius, or another setting;
// those with more methods first, then the oldest.
func sortExperiments(list []*experiment, main *experiment) {
	rank := func(e *experiment) int {
		keys := e.differingKeys(main)
		switch {
		case len(keys) > 0 && keys[0] == OtherData:
			return 0
		case len(keys) > 0 && keys[0] == "rho":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *experiment) int {
		return cmp.Or(rank(a)-rank(b), b.methods()-a.methods(),
			a.runs[0].Meta.Created.Compare(b.runs[0].Meta.Created))
	})
}

// OtherData is the key of a variation in the content of the data, which no setting states.
const OtherData = "data"

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
		diffs = append(diffs, compare.KeyDiff{Key: OtherData, Values: values})
	}
	return diffs
}

// varyArm adds a variation where two arms of a method differ in one thing or two.
func (r *Report) varyArm(p *Problem, base, a *arm) {
	diffs := changes(base, a)
	if !isFew(len(diffs)) {
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
		Problem: p.Label,
		Arm:     string(a.method()),
		Effects: []Effect{},
		Changed: strings.Join(names, " and "),
		Runs:    a.recorded(),
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
					return v.Key == w.Setting && v.To == value && v.Arm == string(a.Method())
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
