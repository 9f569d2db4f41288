package report

import (
	"fmt"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
)

// MeanRow has the means of a measure at the last iterate, for each arm of the study. They describe
// the runs; no test uses them.
type MeanRow struct {
	Problem string `json:"problem"`
	Measure string `json:"measure"`
	Class   string `json:"class,omitempty"` // without one, class_accuracy is of the lowest classes
	Arms    []Mean `json:"arms"`

	title string
	value func(*loggedRun) measure.Number
}

// Mean is a mean over the seeds of an arm, with the standard deviation (divisor n − 1). Neither
// applies if no run has the measure.
type Mean struct {
	Arm   string         `json:"arm"`
	Seeds int            `json:"seeds"`
	Mean  measure.Number `json:"mean"`
	Std   measure.Number `json:"std"`
}

// meansOf describes all arms under each condition. An arm with the same runs under each is
// described each time; its robust risk alone differs.
func (r *Report) meansOf(rows func(*Problem) []MeanRow) (list []MeanRow) {
	for _, p := range r.conditions {
		for _, row := range rows(p) {
			applies := 0
			for _, a := range p.own {
				row.Arms = append(row.Arms, a.mean(row.value))
				applies += row.Arms[len(row.Arms)-1].Seeds
			}
			if applies > 0 {
				list = append(list, row)
			}
		}
	}
	return list
}

// meanRows lists the rows of a table of means, still without arms: accuracies by class, as in a
// published table, and the measures of the study.
func (r *Report) meanRows(p *Problem) (rows []MeanRow) {
	row := func(name, class, title string, value func(*loggedRun) measure.Number) {
		rows = append(rows, MeanRow{Problem: p.Label, Measure: name, Class: class, title: title,
			value: value})
	}
	if m := p.meta(); m != nil {
		name := m.MeasureFor(classAccuracy)
		for i, class := range m.Names(m.Main()) {
			row(name, class, class, func(r *loggedRun) measure.Number {
				return pooledMean(&r.Summary().Results, name, []int{i})
			})
		}
	}
	if t := r.study.Published; t != nil && len(t.Low) > 0 {
		row(classAccuracy, "", classList(t.Low), func(r *loggedRun) measure.Number {
			return pooledMean(&r.Summary().Results, classAccuracy, t.Low)
		})
	}
	return append(rows, lastRows(p, worstClass, worstGroup, "test_accuracy", "train_loss",
		"test_loss", "train_objective", robustRisk)...)
}

// lastRows lists a row for each of some measures.
func lastRows(p *Problem, names ...string) (rows []MeanRow) {
	for _, name := range names {
		rows = append(rows, MeanRow{Problem: p.Label, Measure: name, title: headOf(name),
			value: lastOf(name, p.condition.Radius)})
	}
	return rows
}

// mean returns the mean of the finite values of the arm's runs.
func (a *arm) mean(value func(*loggedRun) measure.Number) Mean {
	var values []measure.Number
	for _, r := range a.runs {
		if x := value(r); x.Finite() {
			values = append(values, x)
		}
	}
	m := Mean{Arm: a.label}
	m.Seeds, m.Mean, m.Std, _ = compare.Describe(values, level)
	return m
}

func (m *Mean) text(measured string) string { return style(measured).With(m.Mean, m.Std) }

// meanTables returns, for each condition, a table with a column for each arm, beside the published
// column for it if accuracies are among the rows.
func (r *Report) meanTables(rows []MeanRow) (list []page.Block) {
	accuracies := slices.ContainsFunc(rows, func(r MeanRow) bool { return r.Class != "" })
	for _, p := range r.conditions {
		t := page.New(p.Label)
		for _, row := range rows {
			if row.Problem != p.Label {
				continue
			}
			t.Columns = t.Columns[:1]
			cells := []string{row.title}
			for i, m := range row.Arms {
				cells = append(cells, m.text(row.Measure))
				t.Head(m.Arm)
				if text, ok := p.printed(p.own[i], row.Measure, row.Class); ok && accuracies {
					cells = append(cells, text)
					t.Columns = append(t.Columns, printedColumn)
				}
			}
			t.Add(cells...)
		}
		list = append(list, t)
	}
	return list
}

// shortTable returns one table of four measures, and of the worst group where the data have groups,
// or the state of registered runs as long as some are missing. In a study that is not registered,
// an arm with a single seed, which has no spread, is left out.
func (r *Report) shortTable() string {
	if r.registered() && len(r.Means) == 0 {
		return page.Markdown(page.Text(r.state()))
	}
	measures := []string{worstClass, "test_accuracy", "test_loss", robustRisk}
	if slices.ContainsFunc(r.conditions, (*Problem).hasGroups) {
		measures = slices.Insert(measures, 1, worstGroup)
	}
	t := page.New("method", "seeds")
	for _, name := range measures {
		t.Head(headOf(name))
	}
	for _, p := range r.conditions {
		arms := p.own
		if !r.registered() {
			single := func(a *arm) bool { return len(a.runs) < 2 }
			arms = slices.DeleteFunc(slices.Clone(p.arms), single)
		}
		for _, a := range arms {
			row := []string{p.Label + ": " + a.label, fmt.Sprint(len(a.runs))}
			for _, name := range measures {
				of := statisticOf(name, p.condition.Radius)
				m := a.mean(func(r *loggedRun) measure.Number {
					return of.at(&r.Meta, r.results(), 0)
				})
				row = append(row, m.text(name))
			}
			t.Add(row...)
		}
	}
	return page.Markdown(t)
}
