package report

import (
	"cmp"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// tabulate makes the table of some runs. The row of an arm of the study has its label. Beside the
// arms of a study the table is of the last iterate, of which the claims are. Other runs are at the
// step that drolab compare chooses.
func (p *Problem) tabulate(runs []*record.Run, o Options) (err error) {
	of := compare.Options{Level: level, Tested: p.starCondition(),
		Family: cmp.Or(o.Family, compare.AllMeasures)}
	if len(p.own) > 0 {
		of.At = compare.Last
	}
	p.Table, p.arms = rows(runs, of)
	p.Label = cmp.Or(p.Label, p.Table.Rows[0].Problem)
	for i, a := range p.arms {
		own := p.ownOf(lists.Map(a.runs, func(r *loggedRun) *record.Run { return r.Run }))
		if own != nil {
			a = own
		} else {
			for j := range a.runs {
				if a.runs[j], err = readLog(a.runs[j].Run); err != nil {
					return err
				}
			}
		}
		row := &p.Table.Rows[i]
		for _, r := range a.runs {
			r.selected = p.Table.At == compare.Selected && row.At == ""
		}
		row.Label = cmp.Or(a.label, withC(&a.runs[0].Meta.Spec, row.Label))
		a.label, p.arms[i] = row.Title(), a
	}
	p.costs()
	p.classes()
	return nil
}

// withC adds C to the label of sfk: the paper's algorithm is another one with every C.
func withC(s *spec.Spec, label string) string {
	if s.Algorithm() == dro.SFK && !strings.Contains(label, " c=") {
		label += " c=" + s.Text("c")
	}
	return label
}

// rows makes a table of runs, and the arms that are its rows, without their labels and logs.
func rows(runs []*record.Run, of compare.Options) (*compare.Table, []*arm) {
	t, arms := compare.Runs(runs, of), []*arm{}
	for _, row := range t.Rows {
		a := new(arm)
		for _, id := range row.Runs {
			r := first(runs, func(r *record.Run) bool { return r.Meta.ID == id })
			a.runs = append(a.runs, &loggedRun{Run: r})
		}
		arms = append(arms, a)
	}
	return t, arms
}

// ownOf returns the arm of the study that has some of the runs, or nil.
func (p *Problem) ownOf(runs []*record.Run) *arm {
	return first(p.own, func(a *arm) bool {
		return len(a.runs) > 0 && slices.Contains(runs, a.runs[0].Run)
	})
}

// arm returns the arm of the study with that method that has runs, or nil.
func (p *Problem) arm(method dro.Algorithm) *arm {
	return first(p.own, func(a *arm) bool { return len(a.runs) > 0 && a.method() == method })
}

func (a *arm) method() dro.Algorithm { return a.runs[0].Meta.Spec.Algorithm() }

// base returns the arm with which the others are compared, that of the baseline's method, or nil.
func (p *Problem) base() *arm {
	if len(p.own) > 0 {
		return p.arm(dro.Baseline())
	}
	return first(p.arms, func(a *arm) bool { return a.method() == dro.Baseline() })
}

// starCondition returns the condition for runs that are tested for stars: that they are of the arms
// of the study, if it has several, so that runs of further arms change no star. It is nil if all
// are tested.
func (p *Problem) starCondition() func(*runner.Meta) bool {
	var ids []string
	arms := 0
	for _, a := range p.own {
		if slices.ContainsFunc(a.runs,
			func(r *loggedRun) bool { return r.Status() == runner.Done }) {
			arms++
		}
		for _, r := range a.runs {
			ids = append(ids, r.Meta.ID)
		}
	}
	if arms < 2 {
		return nil
	}
	return func(m *runner.Meta) bool { return slices.Contains(ids, m.ID) }
}

// starsText returns a sentence that names the arms that are tested for stars, or "" if all are.
func (p *Problem) starsText() string {
	var names []string
	for _, a := range p.arms {
		if a.name != "" {
			names = append(names, a.label)
		}
	}
	if len(names) < 2 || len(names) == len(p.arms) {
		return ""
	}
	return " Stars are between the arms of the claims alone: " + strings.Join(names, ", ") + "."
}

// meta returns a run's settings and classes, or nil without a run.
func (p *Problem) meta() *runner.Meta {
	for _, a := range slices.Concat(p.own, p.arms) {
		if len(a.runs) > 0 {
			return &a.runs[0].Meta
		}
	}
	return nil
}

// hasGroups reports whether the data have groups.
func (p *Problem) hasGroups() bool {
	m := p.meta()
	return m != nil && len(m.Groups) > 0
}
