package report

import (
	"fmt"

	"drolab/runner/page"
)

const trainRisk = "train_robust_risk"

// Parts are the parts of an arm's dual objective on the training split, means over the seeds: the
// objective is the network's robust risk plus the dual gap, which is the error of z alone. They are
// exploratory, since no claim names them.
type Parts struct {
	Problem   string `json:"problem"`
	Objective Mean   `json:"train_objective"`
	Risk      Mean   `json:"train_robust_risk"`
	Gap       Mean   `json:"dual_gap"`
	// Above is the robust risk less that of the study's first arm. It has no seeds where runs do
	// not train by the radius, so that their robust risk of the training split is another one.
	Above Difference `json:"above_first"`
}

// addParts describes all arms under each condition.
func (r *Report) addParts() {
	for _, p := range r.conditions {
		for _, a := range p.own {
			at := func(name string) Mean { return a.mean(lastOf(name, p.condition.Radius)) }
			one := Parts{Problem: p.Label, Objective: at("train_objective"), Risk: at(trainRisk),
				Gap: at("dual_gap"), Above: emptyDifference()}
			if a != p.own[0] {
				value := ofEachRun(lastOf(trainRisk, p.condition.Radius))
				one.Above = differenceOf(a, p.own[0], value, 0)
			}
			r.Parts = append(r.Parts, one)
		}
	}
}

// partsTable lists the arms whose robust risk of the training split was measured.
func (r *Report) partsTable() string {
	first, risk := r.study.Arms[0].Label, headOf(trainRisk)
	t := page.New("method", "seeds", headOf("train_objective"), headOf("dual_gap"), risk,
		fmt.Sprintf("%s less %s's", risk, first))
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Risk.Seeds > 0 {
			t.Add(p.Problem+": "+p.Risk.Arm, fmt.Sprint(p.Risk.Seeds),
				p.Objective.text("train_objective"), p.Gap.text("dual_gap"),
				p.Risk.text(trainRisk), p.Above.text(trainRisk))
		}
	}
	return page.Markdown(t, page.Text(fmt.Sprintf("± is the standard deviation over the seeds, and "+
		"in the last column half of the %g %% t interval. A method that does not train by ρ is "+
		"listed at the radius of its preset alone.", 100*level)))
}
