package report

import (
	"fmt"
	"slices"

	"drolab/runner"
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
	value func(*ran) measure.Number
}

// Mean is a mean over the seeds of an arm, with the standard deviation (divisor n − 1). Neither
// applies if no run has the measure.
type Mean struct {
	Arm   string         `json:"arm"`
	Seeds int            `json:"seeds"`
	Mean  measure.Number `json:"mean"`
	Std   measure.Number `json:"std"`
}

// means describes all arms under each condition. An arm with the same runs under each is described
// each time; its robust risk alone differs.
func (r *Report) means() {
	for _, p := range r.at {
		for _, row := range r.described(p) {
			applies := 0
			for _, a := range p.own {
				row.Arms = append(row.Arms, a.mean(row.value))
				applies += row.Arms[len(row.Arms)-1].Seeds
			}
			if applies > 0 {
				r.Means = append(r.Means, row)
			}
		}
	}
}

// described lists the rows of a table of means, still without arms: accuracies by class, as in a
// published table, and the measures of the study.
func (r *Report) described(p *Problem) (rows []MeanRow) {
	row := func(name, class, title string, value func(*ran) measure.Number) {
		rows = append(rows, MeanRow{Problem: p.Label, Measure: name, Class: class, title: title,
			value: value})
	}
	if m := p.meta(); m != nil {
		name := m.Fit(classAccuracy)
		for i, class := range m.Names(m.Main()) {
			row(name, class, class, func(r *ran) measure.Number {
				return pooled(r, name, []int{i})
			})
		}
	}
	if t := r.study.Published; t != nil && len(t.Low) > 0 {
		row(classAccuracy, "", classes(t.Low), func(r *ran) measure.Number {
			return pooled(r, classAccuracy, t.Low)
		})
	}
	for _, name := range []string{"worst_class_accuracy", "test_accuracy", "train_loss",
		"test_loss", "train_objective"} {
		row(name, "", headOf(name), func(r *ran) measure.Number {
			return r.Summary().Of(r.Meta.Fit(name))
		})
	}
	row(robustRisk, "", headOf(robustRisk), func(r *ran) measure.Number {
		if p.of.Radius == 0 {
			return r.Summary().Of(robustRisk)
		}
		return riskAt(r, p.of.Radius)
	})
	return rows
}

const classAccuracy = "class_accuracy"

func (a *arm) mean(value func(*ran) measure.Number) Mean {
	var values []float64
	for _, r := range a.runs {
		if x := value(r); x.Applies() && finite(x.Float()) {
			values = append(values, x.Float())
		}
	}
	n := len(values)
	mean, std := compare.MeanStd(values)
	return Mean{Arm: a.label, Seeds: n, Mean: measure.NumIf(n > 0, mean),
		Std: measure.NumIf(n > 1, std)}
}

func (m *Mean) text(measured string) string { return style(measured).With(m.Mean, m.Std) }

// meanTable returns a table with a column for each arm, beside the published column for it.
func (r *Report) meanTable(p *Problem) *page.Table {
	t := page.New(p.Label)
	for _, row := range r.Means {
		if row.Problem != p.Label {
			continue
		}
		t.Columns = t.Columns[:1]
		cells := []string{row.title}
		for i, m := range row.Arms {
			cells = append(cells, m.text(row.Measure))
			t.Head(m.Arm)
			if a := p.own[i]; p.published(a) {
				cells = append(cells, p.cell(a, row.Measure, row.Class))
				t.Columns = append(t.Columns, ofPaper)
			}
		}
		t.Add(cells...)
	}
	return t
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

// published reports whether the published table has a column for the arm.
func (p *Problem) published(a *arm) bool {
	return p.study.Published != nil && p.study.Published.Rows[a.name] != nil
}

// cell formats the published value of a measure. Without a class, class_accuracy is the mean of the
// lowest classes.
func (p *Problem) cell(a *arm, measured, class string) string {
	t := p.study.Published
	row := t.Rows[a.name]
	i := slices.Index(p.meta().Classes, class)
	switch {
	case measured == classAccuracy && i >= 0 && i < len(row):
		return fmt.Sprintf("%.2f", row[i])
	case measured == classAccuracy:
		sum := 0.0
		for _, i := range t.Low {
			sum += row[i] / float64(len(t.Low))
		}
		return fmt.Sprintf("%.2f", sum)
	case measured == "worst_class_accuracy":
		return fmt.Sprintf("%.2f", slices.Min(row))
	case measured == "test_accuracy":
		return fmt.Sprintf("%.2f", t.Mean(a.name))
	}
	return page.None
}

// shortMeasures are the columns of a report in short.
func shortMeasures() []string {
	return []string{"worst_class_accuracy", "test_accuracy", "test_loss", robustRisk}
}

// inShort returns a table of those columns, still without rows.
func inShort() *page.Table {
	t := page.New("method", "seeds")
	for _, m := range shortMeasures() {
		t.Head(headOf(m))
	}
	return t
}

// shortMeans returns one table of four measures, or the state of the runs as long as some are
// missing.
func (r *Report) shortMeans() string {
	if len(r.Means) == 0 {
		return page.Markdown(page.Text(r.state()))
	}
	t := inShort()
	for _, p := range r.at {
		for i, a := range p.own {
			cells := []string{p.Label + ": " + a.label, ""}
			for _, row := range r.Means {
				if row.Problem == p.Label && slices.Contains(shortMeasures(), row.Measure) {
					cells[1] = fmt.Sprint(row.Arms[i].Seeds)
					cells = append(cells, row.Arms[i].text(row.Measure))
				}
			}
			t.Add(cells...)
		}
	}
	return page.Markdown(t)
}
