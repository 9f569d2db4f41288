package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// experiment is a set of runs that differ in nothing but the method, the settings that only some
// methods read, and the seed.
type experiment struct {
	settings []string // the data's checksum and the values of the shared settings
	runs     []*record.Run
}

// sharedSettings lists the settings that every method reads and that decide what a run computes.
func sharedSettings() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments sorts runs into experiments.
func experiments(runs []*record.Run) (list []*experiment) {
	settings := sharedSettings()
	trained := func(r *record.Run) bool { return r.Meta.Imported == nil }
	imported := func(r *record.Run) bool { return r.Meta.Imported != nil }
	for _, r := range slices.Concat(slices.DeleteFunc(slices.Clone(runs), imported),
		slices.DeleteFunc(slices.Clone(runs), trained)) {
		values := []string{r.Meta.Checksum}
		for _, t := range settings {
			values = append(values, t.Text(&r.Meta.Spec))
		}
		same := func(e *experiment) bool { // an imported run has no settings of training
			for i, v := range values {
				counts := i == 0 || settings[i-1].ReadIn(&r.Meta.Spec) &&
					(r.Meta.Imported == nil || settings[i-1].Judges())
				if v != e.settings[i] && counts {
					return false
				}
			}
			return true
		}
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, &experiment{settings: values})
		}
		list[i].runs = append(list[i].runs, r)
	}
	return list
}

// differingKeys lists the keys in which two experiments differ; OtherData stands for the content of
// the data.
func (e *experiment) differingKeys(o *experiment) (keys []string) {
	for i, t := range append([]spec.Setting{{Key: OtherData}}, sharedSettings()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// holdsArmOf reports whether an arm of the study under the condition is a part of the experiment.
// Without arms every run is described.
func (p *Problem) holdsArmOf(e *experiment) bool {
	return len(p.own) == 0 || p.ownOf(e.runs) != nil
}

// tabulate makes the tables of the conditions that have runs, with further arms, and returns the
// experiments that belong to no condition.
func (r *Report) tabulate(g *Gathered, o Options) (others []*experiment, err error) {
	done := slices.DeleteFunc(slices.Concat(g.Rest, g.OtherData, g.endedRuns()),
		func(r *record.Run) bool { return r.Status() != runner.Done })
	r.Made = countMakers(done)
	list := experiments(done)
	for _, p := range r.conditions {
		var runs []*record.Run
		for _, e := range list {
			if p.holdsArmOf(e) {
				runs = append(runs, e.runs...)
			}
		}
		if len(runs) == 0 {
			continue
		}
		if err := p.tabulate(p.setProbesApart(runs), o); err != nil {
			return nil, err
		}
		r.Problems = append(r.Problems, p)
		for _, n := range p.Table.Notes {
			if n.Kind != compare.Seen && n.Kind != compare.Problem {
				r.note("%s: %s", p.Label, n.Text)
			}
		}
	}
	return slices.DeleteFunc(list, func(e *experiment) bool {
		return slices.ContainsFunc(r.conditions, func(p *Problem) bool { return p.holdsArmOf(e) })
	}), nil
}

// ownSettings lists the settings that the method reads and that not every method reads.
func ownSettings(a dro.Algorithm) []spec.Setting {
	m, err := dro.Find(a)
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || !dro.ReadBySome(t.Key) || err != nil || !t.ReadBy(m)
	})
}

// setProbesApart takes runs with changed settings out of the experiment of a published table: runs
// of the method of an arm that has runs, with fewer seeds than the study. Few seeds show a
// direction, which belongs to the sensitivity and not into a column of that table.
func (p *Problem) setProbesApart(runs []*record.Run) (rest []*record.Run) {
	values := func(r *record.Run) string {
		a := r.Meta.Spec.Algorithm()
		texts := []string{string(a)}
		for _, t := range ownSettings(a) {
			texts = append(texts, t.Text(&r.Meta.Spec))
		}
		return strings.Join(texts, "\n")
	}
	like := map[string]int{}
	for _, r := range runs {
		like[values(r)]++
	}
	enough := max(2, len(p.study.Seeds))
	for _, r := range runs {
		own := p.ownOf([]*record.Run{r}) != nil || like[values(r)] >= enough
		if p.study.Published != nil && !own && p.arm(r.Meta.Spec.Algorithm()) != nil {
			p.probes = append(p.probes, r)
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

// describe returns a study without arms and claims, for runs that belong to none.
func describe(runs []*record.Run) (*Study, error) {
	done := first(runs, func(r *record.Run) bool { return r.Status() == runner.Done })
	if done == nil {
		return nil, fmt.Errorf("%s, and none is done: a report is of finished runs",
			spec.Plural(len(runs), "run"))
	}
	of := &done.Meta.Spec
	return &Study{Title: strings.TrimSuffix("Report on "+of.Dataset+", "+of.Model, ", "),
		Conditions: []Condition{{}}}, nil
}

// methods counts the methods of an experiment.
func (e *experiment) methods() int {
	seen := map[dro.Algorithm]bool{}
	for _, r := range e.runs {
		seen[r.Meta.Spec.Algorithm()] = true
	}
	return len(seen)
}
