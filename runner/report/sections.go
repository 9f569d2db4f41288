package report

import (
	"fmt"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// classBlocks returns the table of differences to ERM, class by class.
func (p *Problem) classBlocks() []page.Block {
	if len(p.Classes) == 0 || len(p.Classes[0].Arms) == 0 {
		return nil
	}
	m := &p.arms[0].runs[0].Meta
	measure := m.MeasureFor("class_accuracy")
	base := p.base().label
	t := page.New(m.Part(), "n train", base)
	t.Head(p.Classes[0].Arms...)
	for _, row := range p.Classes {
		class := row.Class
		if row.Few {
			class += " ?"
		}
		cells := []string{class, fmt.Sprint(row.Train), page.Points().Text(row.Base)}
		for _, d := range row.Differences {
			cell := d.Text(measure)
			if d.significant() {
				cell += "*"
			}
			cells = append(cells, cell)
		}
		t.Rank(-row.Base.Float(), cells...)
	}
	columns := " of the claims' arms together, and for each other column alone"
	if len(p.study.Families) == 0 {
		columns = ""
	}
	note := fmt.Sprintf("%s's accuracy in %%, and how many points the others are above or below "+
		"it, paired by seed; * is p < %.2g after Holm's correction for all columns%s.", base,
		1-level, columns)
	heading := join("Accuracy by "+m.Part(), p.Label)
	return []page.Block{page.Heading(heading), t, page.Text(note)}
}

// tradeoffBlocks returns what robustness costs, as points of each pair of measures in one unit.
func (p *Problem) tradeoffBlocks() (list []page.Block) {
	pictures := p.Table.Scatters()
	if len(pictures) == 0 || len(p.Table.Rows) < 2 {
		return nil
	}
	list = append(list, page.Heading(join("What it costs", p.Label)))
	for _, s := range pictures {
		list = append(list, s)
	}
	return append(list, page.Text(p.Table.FrontDefinition()))
}

func (p *Problem) costBlocks() []page.Block {
	t := page.New("method", "seeds", "ms per step", "to ERM's", "training, min")
	imported := false
	for _, c := range p.Costs {
		step := page.None
		if c.Step.Applies() {
			step = page.Digits(3).Float(1e3*c.Step.Float(), 1e3*c.StepStd.Float())
		}
		imported = imported || !c.Step.Applies()
		t.Add(c.Arm, fmt.Sprint(c.Seeds), step, ratio(&c.Ratio), page.Fixed(1).Text(c.Minutes))
	}
	note := "Wall time on a machine that had other work at the same time: only the ratio to ERM " +
		"says something, of runs that were made side by side in the time that both trained " +
		"(geometric mean over seeds, paired). drolab bench measures a step alone."
	if imported {
		note += " The minutes of imported runs are those of their logs, on other machines."
	}
	return []page.Block{page.Heading(join("Cost", p.Label)), t, page.Text(note)}
}

func (r *Report) variationBlocks() []page.Block {
	if len(r.Variations) == 0 && len(r.Lacking) == 0 {
		return nil
	}
	list := []page.Block{page.Heading("Sensitivity: one setting changed, or two")}
	if len(r.Variations) > 0 {
		note := "The mean over the seeds of the change and, in brackets, its difference to the " +
			"same method with the setting as in the tables above, paired by seed. One seed " +
			"shows a direction and no more. R_ρ is of the radius of training, so not compared " +
			"between radii."
		list = append(list, r.variationTable(), page.Text(note))
	}
	if len(r.Lacking) > 0 {
		lines := lists.Map(r.Lacking, func(l Lacking) string { return l.Command })
		list = append(list, page.Text("Not there yet; each of these, and then drolab record RUN "+
			"--into presets/recorded/paper, adds a line above:"), page.List(lines))
	}
	return list
}

func (r *Report) variationTable() *page.Table {
	t := page.New("change", "seeds")
	for _, e := range r.Variations[0].Effects {
		t.Head(headOf(e.Measure))
	}
	for _, v := range r.Variations {
		row := []string{fmt.Sprintf("%s, %s: %s %s → %s", v.Arm, v.Problem, v.Key, v.From, v.To),
			fmt.Sprint(len(v.Effects[0].Seeds))}
		for _, e := range v.Effects {
			cell := style(e.Measure).Text(e.Value)
			if e.Mean.Applies() {
				cell += " (" + e.Difference.Text(e.Measure) + ")"
			}
			row = append(row, cell)
		}
		for len(row) < len(t.Columns) {
			row = append(row, page.None)
		}
		t.Add(row...)
	}
	return t
}

func (r *Report) madeBlocks() []page.Block {
	makers := lists.Map(r.Made, func(m Made) string {
		return fmt.Sprintf("%s: drolab %s, %s, %s, %s, kernel %s, %s",
			spec.Plural(m.Runs, "run"), m.Version, m.Go, m.System, m.CPU, m.Kernel,
			spec.Plural(m.Threads, "thread"))
	})
	list := []page.Block{page.Heading("What made these runs"), page.List(makers)}
	for _, p := range r.Problems {
		list = append(list, page.List(lists.Map(p.arms, func(a *arm) string {
			seeds := lists.Map(a.runs, func(r *loggedRun) string { return fmt.Sprint(r.seed()) })
			return fmt.Sprintf("%s, %s: seeds %s", p.Label, a.label, strings.Join(seeds, ", "))
		})))
	}
	return list
}
