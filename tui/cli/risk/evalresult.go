package risk

import (
	"fmt"
	"io"

	"drolab/runner"
	"drolab/runner/inspect"
	"drolab/tui/cli/console"
)

// evalResult is what eval --json prints.
type evalResult struct {
	Run     string   `json:"run"`
	Step    int64    `json:"step"`
	Dataset string   `json:"dataset"`
	Split   string   `json:"split"`
	Samples int      `json:"samples"`
	Notes   []string `json:"notes,omitempty"`

	inspect.Totals
	Classes []string `json:"classes"`
	Groups  []string `json:"groups,omitempty"`

	Risks []riskAt       `json:"risks,omitempty"`
	Top   []pickedSample `json:"top,omitempty"`
}

// riskAt is the exact worst case at a radius.
type riskAt struct {
	Rho  float64       `json:"rho"`
	Risk runner.Number `json:"robust_risk"`
}

type pickedSample struct {
	Row        int           `json:"row"`
	Label      string        `json:"label"`
	Group      string        `json:"group"`
	Prediction string        `json:"prediction"`
	Loss       runner.Number `json:"loss"`
	Ratio      runner.Number `json:"ratio"`
}

func (l *looked) result(f *evalFlags) *evalResult {
	d := l.Data
	out := &evalResult{Run: l.Run.Meta.ID, Step: l.Step, Dataset: d.Name, Split: l.Split, Samples: len(l.Rows),
		Notes: d.Notes, Totals: l.Totals(), Classes: d.Classes}
	if out.ByGroup != nil {
		out.Groups = d.Groups
	}
	for k, w := range l.worst {
		out.Risks = append(out.Risks, riskAt{l.radii[k], runner.Num(w.Risk)})
	}
	for _, i := range l.picked(f.top) {
		out.Top = append(out.Top, pickedSample{l.Rows[i], d.Classes[l.Labels[i]], d.Groups[l.Groups[i]],
			d.Classes[l.Predictions[i]], runner.Num(l.Losses[i]), runner.Num(l.ratios[0][i])})
	}
	return out
}

// print says what the figures come to.
func (l *looked) print(w io.Writer) {
	r := l.result(&evalFlags{})
	fmt.Fprintf(w, "%s@%d on %d samples of %s\n", r.Run, r.Step, r.Samples, console.Clean(r.Dataset))
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", console.OneLine(note))
	}
	if !l.Labelled() {
		counts := make([]int, len(r.Classes))
		for _, p := range l.Predictions {
			counts[p]++
		}
		rows := [][]string{{"predicted", "n"}}
		for i, c := range r.Classes {
			rows = append(rows, []string{console.Clean(c), fmt.Sprint(counts[i])})
		}
		console.Grid(w, rows)
		return
	}
	part, names, counts, accuracy := "class", r.Classes, r.ClassCounts, r.ByClass
	if l.Data.Grouped {
		part, names, counts, accuracy = "group", r.Groups, r.GroupCounts, r.ByGroup
	}
	fmt.Fprintf(w, "loss %s, accuracy %s, worst %s %s\n", console.Short(r.Loss),
		console.Percent(r.Accuracy), part, console.Percent(r.Worst))
	for k, at := range r.Risks {
		if l.Set.HasRadius() {
			fmt.Fprintf(w, "robust risk at ρ = %g: %s\n", at.Rho, console.Short(at.Risk))
		} else {
			fmt.Fprintf(w, "robust risk (%s): %s\n", console.Clean(l.Set.Label()),
				console.Short(r.Risks[k].Risk))
		}
	}
	rows := [][]string{{part, "n", "accuracy"}}
	for i, name := range names {
		interval := runner.Wilson(accuracy[i], counts[i])
		rows = append(rows, []string{console.Clean(name), fmt.Sprint(counts[i]),
			console.Percent(accuracy[i]) + console.Between([]runner.Interval{interval}, 0)})
	}
	console.Grid(w, rows)
}
