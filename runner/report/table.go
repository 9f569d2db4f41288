package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/study"
)

// This file puts runs that are none of the study's arms beside them: further arms of a condition,
// and variations of one setting.

// experiment is a set of runs that differ in nothing but the method, the settings that only some
// methods read, and the seed.
type experiment struct {
	settings []string // the data's checksum and the values of the shared settings
	runs     []*record.Run
}

// shared lists the settings that every method reads and that decide what a run computes.
func shared() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments sorts runs into experiments.
func experiments(runs []*record.Run) (list []*experiment) {
	settings := shared()
	last := func(a, b *record.Run) int { return cmp.Compare(imported(a), imported(b)) }
	for _, r := range slices.SortedStableFunc(slices.Values(runs), last) {
		values := []string{r.Meta.Checksum}
		for _, t := range settings {
			values = append(values, t.Text(&r.Meta.Spec))
		}
		same := func(e *experiment) bool { // an imported run has no settings of training
			for i, v := range values {
				if v != e.settings[i] && (i == 0 || settings[i-1].ReadIn(&r.Meta.Spec)) {
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

// imported returns 1 if the run was not trained here, else 0.
func imported(r *record.Run) int {
	if r.Meta.Imported != nil {
		return 1
	}
	return 0
}

// differs lists the keys in which two experiments differ; otherData stands for the content of the
// data.
func (e *experiment) differs(o *experiment) (keys []string) {
	for i, t := range append([]spec.Setting{{Key: otherData}}, shared()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// has reports whether an arm of the study under the condition is a part of the experiment. Without
// arms every run is described.
func (p *Problem) has(e *experiment) bool {
	return len(p.own) == 0 || slices.ContainsFunc(p.own, func(a *arm) bool {
		return len(a.runs) > 0 && slices.Contains(e.runs, a.runs[0].Run)
	})
}

// tabulate makes the tables of the conditions that have runs, with further arms, and returns the
// experiments that belong to no condition.
func (r *Report) tabulate(g *study.Gathered, o Options) (others []*experiment, err error) {
	done := slices.DeleteFunc(slices.Concat(g.Rest, g.OtherData), func(r *record.Run) bool {
		return r.Status() != runner.Done
	})
	for _, slot := range g.Slots {
		done = append(done, slot.Runs...)
	}
	r.Made = made(done)
	list := experiments(done)
	for _, p := range r.at {
		var runs []*record.Run
		for _, e := range list {
			if p.has(e) {
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
		return slices.ContainsFunc(r.at, func(p *Problem) bool { return p.has(e) })
	}), nil
}

// tabulate makes the table of some runs. The row of an arm of the study has its label.
func (p *Problem) tabulate(runs []*record.Run, o Options) (err error) {
	of := compare.Options{Level: level, At: compare.Last,
		Family: cmp.Or(o.Family, compare.AllMeasures)}
	p.Table, p.arms = rows(runs, of)
	p.Label = cmp.Or(p.Label, p.Table.Rows[0].Problem)
	for i, a := range p.arms {
		if own := p.ownOf(a); own != nil {
			row := &p.Table.Rows[i]
			row.Label = cmp.Or(own.label, ownSettings(&a.runs[0].Meta.Spec, row.Label))
			own.label = row.Title()
			p.arms[i] = own
			continue
		}
		p.Table.Rows[i].Label = ownSettings(&a.runs[0].Meta.Spec, p.Table.Rows[i].Label)
		a.label = p.Table.Rows[i].Title()
		for j := range a.runs {
			if a.runs[j], err = readLog(a.runs[j].Run); err != nil {
				return fmt.Errorf("run %s: %w", a.runs[j].Meta.ID, err)
			}
		}
	}
	p.star(runs, of)
	p.costs()
	p.classes()
	return nil
}

// ownSettings adds those settings to a label that the method has of its own and that may be
// automatic: C tells sfk from sfk-auto.
func ownSettings(s *spec.Spec, label string) string {
	method, err := dro.Find(s.Algorithm())
	if err != nil {
		return label
	}
	for _, t := range method.Settings {
		if word := " " + t.Key + "="; t.AutoIs != "" && !strings.Contains(label, word) {
			label += word + s.Text(t.Key)
		}
	}
	return label
}

// rows makes a table of runs, and the arms that are its rows, without their logs.
func rows(runs []*record.Run, of compare.Options) (*compare.Table, []*arm) {
	t, arms := compare.Runs(runs, of), []*arm{}
	for i := range t.Rows {
		a := &arm{label: t.Rows[i].Title()}
		for _, id := range t.Rows[i].Runs {
			at := slices.IndexFunc(runs, func(r *record.Run) bool { return r.Meta.ID == id })
			a.runs = append(a.runs, &ran{Run: runs[at]})
		}
		arms = append(arms, a)
	}
	return t, arms
}

// ownOf returns the arm of the study that has a row's runs, or nil.
func (p *Problem) ownOf(row *arm) *arm {
	i := slices.IndexFunc(p.own, func(a *arm) bool {
		return len(a.runs) > 0 && slices.ContainsFunc(row.runs, func(r *ran) bool {
			return r.Run == a.runs[0].Run
		})
	})
	if i < 0 {
		return nil
	}
	return p.own[i]
}

// arm returns the arm of the study with that method that has runs, or nil.
func (p *Problem) arm(method dro.Algorithm) *arm {
	i := slices.IndexFunc(p.own, func(a *arm) bool {
		return len(a.runs) > 0 && a.method() == method
	})
	if i < 0 {
		return nil
	}
	return p.own[i]
}

func (a *arm) method() dro.Algorithm { return a.runs[0].Meta.Spec.Algorithm() }

// base returns the arm with which the others are compared, that of the baseline's method, or nil.
func (p *Problem) base() *arm {
	if len(p.own) > 0 {
		return p.arm(dro.Baseline())
	}
	i := slices.IndexFunc(p.arms, func(a *arm) bool { return a.method() == dro.Baseline() })
	if i < 0 {
		return nil
	}
	return p.arms[i]
}

// star limits the tests for stars to the arms of the study, if there are several, so that runs of
// further arms change no star.
func (p *Problem) star(runs []*record.Run, of compare.Options) {
	n := 0
	for _, a := range p.arms {
		if a.name != "" {
			n++
		}
	}
	if n < 2 {
		return
	}
	p.stars = n
	of.Tested = func(m *runner.Meta) bool {
		return slices.ContainsFunc(p.own, func(a *arm) bool {
			return slices.ContainsFunc(a.runs, func(r *ran) bool { return r.Meta.ID == m.ID })
		})
	}
	tested := compare.Runs(runs, of)
	p.Table.Columns = tested.Columns
	for i := range p.Table.Rows {
		p.Table.Rows[i].Cells = tested.Rows[i].Cells
	}
}

// starred returns a sentence that names the arms that are tested for stars, or "" if all are.
func (p *Problem) starred() string {
	if p.stars == 0 || p.stars == len(p.arms) {
		return ""
	}
	var names []string
	for _, a := range p.arms {
		if a.name != "" {
			names = append(names, a.label)
		}
	}
	return " Stars are between the arms of the claims alone: " + strings.Join(names, ", ") + "."
}

// particular lists the settings that the method reads and that not every method reads.
func particular(a dro.Algorithm) []spec.Setting {
	m, err := dro.Find(a)
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || !dro.ReadBySome(t.Key) || err != nil || !t.ReadBy(m)
	})
}

// setProbesApart takes single runs with changed settings out of the experiment of a published
// table: runs of the method of an arm that has runs, alone with their values. One seed shows a
// direction, which belongs to the sensitivity and not into a column of that table.
func (p *Problem) setProbesApart(runs []*record.Run) (rest []*record.Run) {
	values := func(r *record.Run) string {
		a := r.Meta.Spec.Algorithm()
		texts := []string{string(a)}
		for _, t := range particular(a) {
			texts = append(texts, t.Text(&r.Meta.Spec))
		}
		return strings.Join(texts, "\n")
	}
	like := map[string]int{}
	for _, r := range runs {
		like[values(r)]++
	}
	for _, r := range runs {
		own := p.ownOf(&arm{runs: []*ran{{Run: r}}}) != nil || like[values(r)] > 1
		if p.study.Published != nil && !own && p.arm(r.Meta.Spec.Algorithm()) != nil {
			p.probes = append(p.probes, r)
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

// describe returns a study without arms and claims, for runs that belong to none.
func describe(runs []*record.Run) (*study.Study, error) {
	i := slices.IndexFunc(runs, func(r *record.Run) bool { return r.Status() == runner.Done })
	if i < 0 {
		return nil, fmt.Errorf("none of the %d run(s) is done: a report is of finished ones",
			len(runs))
	}
	of := &runs[i].Meta.Spec
	return &study.Study{Title: fmt.Sprintf("Report on %s, %s", of.Dataset, of.Model),
		Conditions: []study.Condition{{}}}, nil
}

// methods counts the methods of an experiment.
func (e *experiment) methods() int {
	seen := map[dro.Algorithm]bool{}
	for _, r := range e.runs {
		seen[r.Meta.Spec.Algorithm()] = true
	}
	return len(seen)
}
