package paper

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/report"
	"drolab/runner/spec"
)

// Departures lists the settings that the preset with the published settings sets and that either
// differ from the published value in the runs or are not published.
func (e *experiment) Departures(r *report.Report) (list []report.Departure) {
	if len(r.Problems) == 0 {
		return nil
	}
	p, runs := e.preset(e.table.Preset), e.examples(r)
	for _, key := range p.Overrides {
		if t, ok := spec.FindSetting(key); !ok || key == "algorithms" || key == "seeds" ||
			t.Viewed() {
			continue
		}
		values, reason := valuesOf(runs, key), p.Reasons[key]
		switch paper := strings.Trim(p.Spec.Text(key), "[]"); {
		case values == "":
		case strings.HasPrefix(reason, "our reading"):
			list = append(list,
				report.Departure{Key: key, Value: values, Reason: e.reasons(runs, key)})
		case values != paper:
			list = append(list,
				report.Departure{Key: key, Value: values, Paper: paper, Reason: reason})
		}
	}
	return append(list, e.table.Silent...)
}

// preset returns a preset that an arm of the study names, or an empty one.
func (e *experiment) preset(name string) (p runner.Preset) {
	for _, o := range e.study.Presets {
		if o.Name == name {
			p = o
		}
	}
	return p
}

// reasons returns the reasons that the runs' presets give for a setting.
func (e *experiment) reasons(runs []*runner.Meta, key string) string {
	var list []string
	for _, m := range runs {
		own := e.preset(m.Preset)
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

// valuesOf lists the values of a setting in the runs that read it.
func valuesOf(runs []*runner.Meta, key string) string {
	var values []string
	for _, m := range runs {
		if v := compare.Value(&m.Spec, key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return strings.Join(values, ", ")
}

// examples returns the Meta of a run of each of the study's arms, condition by condition.
func (e *experiment) examples(r *report.Report) (list []*runner.Meta) {
	for _, p := range r.Problems {
		for i := range e.study.Arms {
			if runs := p.RunsOf(i); len(runs) > 0 {
				list = append(list, &runs[0].Meta)
			}
		}
	}
	return list
}

// DepartureBlocks returns the section on the departures.
func (e *experiment) DepartureBlocks(r *report.Report) []page.Block {
	if len(r.Departures) == 0 {
		return nil
	}
	list := []page.Block{
		page.Heading("Settings that are not the paper's, or that it does not give"),
	}
	other := page.New("setting", "here", "paper").Words(1, 2)
	silent := page.New("setting", "here", "why").Words(1, 2)
	for _, d := range r.Departures {
		if d.Paper != "" {
			other.Add(d.Key, d.Value, d.Paper)
			continue
		}
		silent.Add(d.Key, d.Value, d.Reason)
	}
	if len(other.Rows) > 0 {
		list = append(list, page.Text("Published, and other here:"), other)
	} else {
		list = append(list, page.Text(
			"Everything that the paper publishes of its settings is as published."))
	}
	return append(list, page.Text("Not published, so our reading; a verdict holds for it alone:"),
		silent)
}
