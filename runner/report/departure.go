package report

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
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
