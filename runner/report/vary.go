package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
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

// reference is the preset that has the published settings.
const reference = "paper"

// departures lists the settings that the preset of the paper's experiment sets and that either
// differ from the published value in the runs or are not published. There are none for runs on
// other data.
func departures(main []*Problem) (list []Departure) {
	list = []Departure{}
	first := main[0].arms[0].runs[0]
	p := first.by
	if p == nil || !published.fits(&first.Meta) {
		return list
	}
	for _, key := range p.Overrides {
		if t, ok := spec.FindSetting(key); !ok || key == "algorithms" || key == "seeds" ||
			t.Viewed() {
			continue
		}
		values, reason := valuesOf(main, key), p.Reasons[key]
		switch paper := strings.Trim(p.Spec.Text(key), "[]"); {
		case values == "":
		case strings.HasPrefix(reason, "our reading"):
			list = append(list, Departure{Key: key, Value: values, Reason: reasons(main, key)})
		case values != paper:
			list = append(list, Departure{Key: key, Value: values, Paper: paper, Reason: reason})
		}
	}
	for _, s := range published.silent {
		list = append(list, Departure{Key: s[0], Value: s[1], Reason: s[2]})
	}
	return list
}

// reasons returns the reasons that the runs' presets give for a setting.
func reasons(main []*Problem, key string) string {
	var list []string
	for _, p := range main {
		for _, a := range p.own() {
			first := a.runs[0]
			if first.own == nil || first.own.Spec.Text(key) != first.Meta.Spec.Text(key) {
				continue
			}
			_, reason, _ := strings.Cut(first.own.Reasons[key], ": ")
			if reason != "" && !slices.Contains(list, reason) {
				list = append(list, reason)
			}
		}
	}
	return strings.Join(list, "; ")
}

// valuesOf lists the values of a setting in the claims' arms that read it.
func valuesOf(main []*Problem, key string) string {
	var values []string
	t, _ := spec.FindSetting(key)
	for _, p := range main {
		for _, a := range p.own() {
			s := &a.runs[0].Meta.Spec
			v := strings.Trim(t.Text(s), "[]")
			if t.ReadIn(s) && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	return strings.Join(values, ", ")
}

// Variation is an arm that differs from an arm of a problem in one setting, or in its data (the key
// "data", with the first digits of the checksums), with the effects of that change. One seed shows
// their direction only.
type Variation struct {
	Key     string   `json:"key"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Problem string   `json:"problem"`
	Arm     string   `json:"arm"`
	Effects []Effect `json:"effects"`
	method  dro.Algorithm
	of      *Problem // the problem that has the unchanged arm
	arm     *arm
}

// Effect is the effect of a variation on a measure.
type Effect struct {
	Measure string         `json:"measure"`
	Value   measure.Number `json:"value"` // mean over seeds of the variation
	Difference
}

func varied() []string {
	return []string{"test_accuracy", "worst_class_accuracy", "train_loss", "test_loss",
		"robust_risk"}
}

// vary finds the variations, and the wanted variations for which there is no run.
func (r *Report) vary(main, others []*experiment) {
	for i, e := range main {
		p := r.Problems[i]
		arms := slices.Clone(p.arms) // they may differ in a method's own settings
		if len(e.probes) > 0 {
			probes := &experiment{settings: e.settings, runs: e.probes}
			arms = append(arms, newProblem(probes, Options{}).arms...)
		}
		for _, o := range others {
			keys := o.differs(e)
			if len(keys) == 1 && (keys[0] != "rho" || i == 0) {
				arms = append(arms, newProblem(o, Options{}).arms...)
			}
		}
		for _, a := range arms {
			if base := p.arm(a.algorithm); base != nil {
				r.varyArm(p, base, a)
			}
		}
	}
	for _, o := range others {
		near := func(e *experiment) bool { return len(o.differs(e)) == 1 }
		if !slices.ContainsFunc(main, near) {
			r.note("left out because they differ from the others in several settings: %d "+
				"run(s), in %s", len(o.runs), strings.Join(o.differs(main[0]), ", "))
		}
	}
	if published.fits(&main[0].runs[0].Meta) {
		r.want()
	}
}

// otherData is the key of a variation in the content of the data, which no setting states.
const otherData = "data"

// changes lists the keys in which two arms of a method differ.
func changes(base, a *arm) []compare.KeyDiff {
	from, to := &base.runs[0].Meta, &a.runs[0].Meta
	diffs := compare.Diff([]spec.Spec{from.Spec, to.Spec})
	diffs = slices.DeleteFunc(diffs, func(d compare.KeyDiff) bool {
		t, _ := spec.FindSetting(d.Key)
		return d.Key == "seed" || t.Viewed()
	})
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

// varyArm adds a variation where two arms of a method differ in one thing.
func (r *Report) varyArm(p *Problem, base, a *arm) {
	diffs := changes(base, a)
	if len(diffs) != 1 {
		return
	}
	v := Variation{
		Key:     diffs[0].Key,
		From:    diffs[0].Values[0],
		To:      diffs[0].Values[1],
		Problem: p.Label,
		Arm:     string(a.algorithm),
		Effects: []Effect{},
		method:  a.algorithm,
		of:      p,
		arm:     a,
	}
	for _, name := range varied() {
		name = a.runs[0].Meta.Fit(name)
		if name == "robust_risk" && v.Key == "rho" {
			continue // another radius asks another question
		}
		var values []float64
		for _, o := range a.runs {
			values = append(values, o.Summary().Of(name).Float())
		}
		mean, _ := compare.TInterval(values, level)
		e := Effect{Measure: name, Value: measure.Num(mean),
			Difference: differ(a, base, last(name), 0)}
		v.Effects = append(v.Effects, e)
	}
	r.Variations = append(r.Variations, v)
}

// Wanted is a run that the section on sensitivity lacks.
type Wanted struct {
	Key     string        `json:"key"`
	Value   string        `json:"value"`
	Method  dro.Algorithm `json:"method"`
	Command string        `json:"command"`
}

// want lists the variations that the section on sensitivity asks for and no run has: at the smaller
// radius, with one seed each.
func (r *Report) want() {
	both, own := []dro.Algorithm{dro.SFK, baseline}, []dro.Algorithm{dro.SFK}
	for _, w := range []struct {
		key     string
		values  []string
		methods []dro.Algorithm
	}{
		{"init", []string{"he"}, both},
		{"pad", []string{"mean"}, both},
		{"momentum", []string{"0", "0.5"}, both},
		{"rho", []string{"0.1", "1"}, own},
		{"c", []string{"100", "500", "5000"}, own},
		{"batch", []string{"64", "256"}, both},
		{"lambda0", []string{"0.01", "1"}, own},
		{"lambda_max", []string{"5", "100"}, own},
		{"lr_drop_epoch", []string{"0", "25"}, both},
	} {
		for _, value := range w.values {
			for _, method := range w.methods {
				there := func(v Variation) bool {
					return v.Key == w.key && v.To == value && v.method == method
				}
				if slices.ContainsFunc(r.Variations, there) {
					continue
				}
				command := fmt.Sprintf("drolab run paper-gentle --algo %s --seeds 1 --set %s=%s",
					method, w.key, value)
				r.Wanted = append(r.Wanted, Wanted{w.key, value, method, command})
			}
		}
	}
}
