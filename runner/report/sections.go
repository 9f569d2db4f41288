package report

import (
	"fmt"
	"math"
	"strings"

	"drolab/dro"
	"drolab/runner"
)

// classBlocks are the differences to ERM, class by class.
func (p *Problem) classBlocks() []Block {
	if len(p.Classes) == 0 || len(p.Classes[0].Arms) == 0 {
		return nil
	}
	m := &p.arms[0].runs[0].Meta
	measure := m.Fit("class_accuracy")
	t := &Table{Head: append([]string{m.Part(), "n train", string(baseline)}, p.Classes[0].Arms...)}
	for i := range p.Classes {
		row := &p.Classes[i]
		cells := []string{row.Class, fmt.Sprint(row.Train), plusMinus(true, row.Base, runner.Number{})}
		for j := range row.Differences {
			cell := difference(measure, &row.Differences[j])
			if row.Differences[j].significant() {
				cell += "*"
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return []Block{Heading(fmt.Sprintf("Accuracy by %s, %s", m.Part(), p.Label)), t, Text(fmt.Sprintf(
		"%s's accuracy in %%, and how many points the others are above or below it, paired by seed; * is p < %.2g "+
			"after Holm's correction for all columns of the claims' arms together, and for each other column alone.",
		baseline, 1-level))}
}

func (p *Problem) costBlocks() []Block {
	t := &Table{Head: []string{"method", "seeds", "ms per step", "to ERM's", "training, min"}}
	for i := range p.Costs {
		c := &p.Costs[i]
		t.Rows = append(t.Rows, []string{c.Arm, fmt.Sprint(c.Seeds), milliseconds(c.Step, c.StepStd),
			ratio(&c.Ratio), fmt.Sprintf("%.1f", c.Minutes.Float())})
	}
	return []Block{Heading("Cost, " + p.Label), t, Text("Wall time on a machine that had other work at the " +
		"same time: " +
		"only the ratio to ERM says something, of runs that were made side by side in the time that both " +
		"trained (geometric mean over seeds, paired). " +
		"drolab bench measures a step alone.")}
}

func (r *Report) departureBlocks() []Block {
	if len(r.Departures) == 0 {
		return nil
	}
	list := []Block{Heading("Settings that are not the paper's, or that it does not give")}
	other := &Table{Head: []string{"setting", "here", "paper"}, Words: 2}
	silent := &Table{Head: []string{"setting", "here", "why"}, Words: 2}
	for _, d := range r.Departures {
		if d.Paper != "" {
			other.Rows = append(other.Rows, []string{d.Key, d.Value, d.Paper})
			continue
		}
		silent.Rows = append(silent.Rows, []string{d.Key, d.Value, d.Reason})
	}
	if len(other.Rows) > 0 {
		list = append(list, Text("Published, and other here:"), other)
	} else {
		list = append(list, Text("Everything that the paper publishes of its settings is as published."))
	}
	return append(list, Text("Not published, so our reading; a verdict holds for it alone:"), silent)
}

func (r *Report) variationBlocks() []Block {
	if len(r.Variations) == 0 && len(r.Wanted) == 0 {
		return nil
	}
	list := []Block{Heading("Sensitivity: one setting changed")}
	if len(r.Variations) > 0 {
		list = append(list, r.variationTable(), Text("The mean over the seeds of the change and, in brackets, its "+
			"difference to the same method with the setting as in the tables above, paired by seed. One seed shows a "+
			"direction and no more. R_ρ is of the radius of training, so not compared between radii."))
	}
	if len(r.Wanted) > 0 {
		var lines List
		for _, w := range r.Wanted {
			lines = append(lines, w.Command)
		}
		list = append(list, Text("Not there yet; each of these, and then drolab record RUN --into "+
			"presets/recorded/paper, adds a line above:"), lines)
	}
	return list
}

func (r *Report) variationTable() *Table {
	t := &Table{Head: []string{"change", "seeds"}}
	for _, e := range r.Variations[0].Effects {
		t.Head = append(t.Head, headOf(e.Measure))
	}
	for _, v := range r.Variations {
		row := []string{fmt.Sprintf("%s, %s: %s %s → %s", v.Arm, v.Problem, v.Key, v.From, v.To),
			fmt.Sprint(len(v.Effects[0].Seeds))}
		for _, e := range v.Effects {
			m, _ := runner.FindMeasure(e.Measure)
			cell := plusMinus(m.Scale == dro.Percent, e.Value, runner.Number{})
			if e.Mean.Applies() {
				cell += " (" + difference(e.Measure, &e.Difference) + ")"
			}
			row = append(row, cell)
		}
		for len(row) < len(t.Head) {
			row = append(row, "–")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func headOf(measure string) string {
	m, _ := runner.FindMeasure(measure)
	return m.Head()
}

func (r *Report) madeBlocks() []Block {
	var makers List
	for _, m := range r.Made {
		makers = append(makers, fmt.Sprintf("%d run(s): drolab %s, %s, %s, %s, kernel %s, %d "+
			"thread(s)", m.Runs, m.Version,
			m.Go, m.System, m.CPU, m.Kernel, m.Threads))
	}
	list := []Block{Heading("What made these runs"), makers}
	for _, p := range r.Problems {
		var lines List
		for _, a := range p.arms {
			var seeds []string
			for _, o := range a.runs {
				seeds = append(seeds, fmt.Sprint(o.seed()))
			}
			lines = append(lines, fmt.Sprintf("%s, %s: seeds %s", p.Label, a.label, strings.Join(seeds, ", ")))
		}
		list = append(list, lines)
	}
	if len(r.Notes) > 0 {
		list = append(list, Text("Notes:"), List(r.Notes))
	}
	return list
}

// What follows formats figures.

// plusMinus is a mean with its standard deviation, if there is one.
func plusMinus(percent bool, mean, std runner.Number) string {
	format, scale := "%.4g", 1.0
	if percent {
		format, scale = "%.1f", 100
	}
	if !mean.Applies() {
		return "–"
	}
	text := fmt.Sprintf(format, scale*mean.Float())
	if !std.Applies() {
		return text
	}
	if !percent {
		format = "%.2g"
	}
	return text + " ± " + fmt.Sprintf(format, scale*std.Float())
}

// difference is signed, with the half width of its interval if there is one.
func difference(measure string, d *Difference) string {
	m, _ := runner.FindMeasure(measure)
	format, half, scale := "%+.3g", "%.2g", 1.0
	if m.Scale == dro.Percent {
		format, half, scale = "%+.1f", "%.1f", 100
	}
	if !d.Mean.Applies() {
		return "–"
	}
	text := strings.Replace(fmt.Sprintf(format, scale*d.Mean.Float()), "-", "−", 1)
	if d.Half.Applies() {
		text += " ± " + fmt.Sprintf(half, scale*d.Half.Float())
	}
	return text
}

// ratio is of a difference of logarithms, with its interval if there is one.
func ratio(d *Difference) string {
	if !d.Mean.Applies() {
		return "–"
	}
	mean, half := d.Mean.Float(), d.Half.Float()
	text := fmt.Sprintf("×%.2f", math.Exp(mean))
	if d.Half.Applies() {
		text += fmt.Sprintf(" [%.2f, %.2f]", math.Exp(mean-half), math.Exp(mean+half))
	}
	return text
}

func milliseconds(mean, std runner.Number) string {
	text := fmt.Sprintf("%.3g", 1e3*mean.Float())
	if std.Applies() {
		text += fmt.Sprintf(" ± %.2g", 1e3*std.Float())
	}
	return text
}

func probability(p runner.Number) string {
	switch {
	case !p.Applies():
		return "–"
	case p.Float() < 1e-4:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.2g", p.Float())
}
