package report

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
)

// MeanRow has the means of a measure at the last iterate, for each registered arm. They describe
// the runs; no test uses them.
type MeanRow struct {
	Rho     float64 `json:"rho"` // radius of the robust risk, and of the arms that train by one
	Measure string  `json:"measure"`
	Class   string  `json:"class,omitempty"` // without one, class_accuracy is of classes 3, 4 and 5
	Arms    []Mean  `json:"arms"`

	value of
}

// Mean is a mean over the seeds of an arm, with the standard deviation (divisor n − 1). Neither
// applies if no run has the measure.
type Mean struct {
	Arm   string         `json:"arm"`
	Seeds int            `json:"seeds"`
	Mean  measure.Number `json:"mean"`
	Std   measure.Number `json:"std"`

	algorithm dro.Algorithm
}

// means describes all arms at both radii. An arm that does not train by the radius is described
// twice; its robust risk alone differs.
func (g *Registered) means() {
	for _, rho := range []float64{.5, 1.5} {
		for _, row := range g.described(rho) {
			for _, a := range g.methods() {
				row.Arms = append(row.Arms, g.arm(a, rho).mean(row.value))
			}
			g.Means = append(g.Means, row)
		}
	}
}

// described lists the rows of a table of means, still without arms: the rows of Table 1, and the
// measures of the registered lines.
func (g *Registered) described(rho float64) (rows []MeanRow) {
	for i, class := range g.arms[0].runs[0].Meta.Classes {
		rows = append(rows, MeanRow{Measure: lowClasses, Class: class, value: part(lowClasses, i)})
	}
	rows = append(rows, MeanRow{Measure: lowClasses, value: low})
	for _, name := range []string{"worst_class_accuracy", "test_accuracy", "train_loss",
		"test_loss", "train_objective"} {
		rows = append(rows, MeanRow{Measure: name, value: last(name)})
	}
	rows = append(rows, MeanRow{Measure: "robust_risk", value: riskAt(rho)})
	for i := range rows {
		rows[i].Rho = rho
	}
	return rows
}

// methods lists the registered methods, each once.
func (g *Registered) methods() (list []dro.Algorithm) {
	for i := range g.arms {
		if a := g.arms[i].algorithm; !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

func (a *registered) mean(value of) Mean {
	var values []float64
	for _, r := range a.runs {
		if x, _, ok := finite(value)(r, r); ok {
			values = append(values, x)
		}
	}
	n := len(values)
	mean, std := compare.MeanStd(values)
	return Mean{Arm: a.label, Seeds: n, Mean: measure.NumIf(n > 0, mean),
		Std: measure.NumIf(n > 1, std), algorithm: a.algorithm}
}

func (m *Mean) text(measured string) string { return style(measured).With(m.Mean, m.Std) }

// meanTable returns a table with a column for each arm, beside the paper's column for its method.
func (g *Registered) meanTable(rho float64) *page.Table {
	t := &page.Table{Head: []string{fmt.Sprintf("ρ = %g", rho)}}
	for _, row := range g.Means {
		if row.Rho != rho {
			continue
		}
		head, cells := t.Head[:1], []string{row.title()}
		for _, m := range row.Arms {
			head, cells = append(head, m.Arm), append(cells, m.text(row.Measure))
			if p := published.of(m.algorithm); p != nil {
				head, cells = append(head, "paper"), append(cells, p.cell(row.Measure,
					slices.Index(g.arms[0].runs[0].Meta.Classes, row.Class)))
			}
		}
		t.Head, t.Rows = head, append(t.Rows, cells)
	}
	return t
}

func (r *MeanRow) title() string {
	switch {
	case r.Class != "":
		return r.Class
	case r.Measure == lowClasses:
		return "classes 3, 4, 5"
	}
	return headOf(r.Measure)
}

// short returns one table of four measures, or the state of the runs as long as some are missing.
func (g *Registered) short() string {
	if len(g.Means) == 0 {
		return page.Markdown(page.Text(g.state()))
	}
	measures := []string{"worst_class_accuracy", "test_accuracy", "test_loss", "robust_risk"}
	t := &page.Table{Head: []string{"method", "seeds"}}
	var rows []*MeanRow
	for i := range g.Means {
		if r := &g.Means[i]; slices.Contains(measures, r.Measure) {
			rows = append(rows, r)
		}
	}
	for _, r := range rows[:len(measures)] {
		t.Head = append(t.Head, r.title())
	}
	for of := range slices.Chunk(rows, len(measures)) { // a radius
		for i, arm := range of[0].Arms {
			cells := []string{fmt.Sprintf("ρ = %g: %s", of[0].Rho, arm.Arm), fmt.Sprint(arm.Seeds)}
			for _, r := range of {
				cells = append(cells, r.Arms[i].text(r.Measure))
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return page.Markdown(t)
}
