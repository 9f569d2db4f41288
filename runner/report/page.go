package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Page lays the report out.
func (r *Report) Page() *page.Page {
	p := &page.Page{Title: "Report on " + r.subject(), Faint: "paper", Tones: tones()}
	p.Blocks = append(p.Blocks, page.Text(r.statistics()))
	p.Blocks = append(p.Blocks, r.claimBlocks()...)
	p.Blocks = append(p.Blocks, r.laterBlocks()...)
	for _, of := range r.Problems {
		p.Blocks = append(p.Blocks, of.blocks()...)
	}
	p.Blocks = append(p.Blocks, r.departureBlocks()...)
	p.Blocks = append(p.Blocks, r.variationBlocks()...)
	if blocks := r.nearBlocks(); blocks != nil {
		p.Blocks = append(p.Blocks, page.Heading("Which reading comes closest to Table 1"))
		p.Blocks = append(p.Blocks, blocks...)
	}
	p.Blocks = append(p.Blocks, r.madeBlocks()...)
	return p
}

func tones() map[string]page.Tone {
	return map[string]page.Tone{string(Supported): page.Good, string(NotSupported): page.Bad}
}

// claimBlocks returns the claims on each problem, how they were tested, and what they depend on.
func (r *Report) claimBlocks() (list []page.Block) {
	for _, of := range r.Problems {
		list = append(list, page.Heading("The paper's claims, "+of.Label))
		if claims := of.on(r.Claims); len(claims) > 0 {
			list = append(list, claimTable("claim", claims))
		} else {
			list = append(list, page.Text("None can be tested: each compares two of the paper's "+
				"methods over common seeds."))
		}
		list = append(list, r.furtherBlocks(of)...)
		if text := of.split(); text != "" {
			list = append(list, page.Text(text))
		}
	}
	if len(r.Claims) == 0 {
		return list
	}
	list = append(list, page.Text(r.testing()))
	if text := r.windows(); text != "" {
		list = append(list, page.Text(text))
	}
	return append(list, page.Text("What the verdicts depend on:"), readings(claims(), r.Claims))
}

// subject names the data and the network of the runs.
func (r *Report) subject() string {
	m := &r.Problems[0].arms[0].runs[0].Meta
	if r.Problems[0].published {
		return "the paper's experiment: imbalanced CIFAR-10, AlexNet"
	}
	return fmt.Sprintf("%s, %s", m.Spec.Dataset, m.Spec.Model)
}

func (r *Report) statistics() string {
	m := &r.Problems[0].arms[0].runs[0].Meta
	text := fmt.Sprintf("Every figure is of the last iterate (%s, %s) on the whole test split, "+
		"unaugmented, if nothing else is said; train loss, objective, dual gap and gradient norm "+
		"are of the whole training split. Nothing was selected on the test split. In tables ± is "+
		"the standard deviation over seeds (divisor n − 1), with differences half of the %g %% t "+
		"interval of their mean.",
		spec.Plural(m.Spec.Epochs, "epoch"), spec.Plural(m.Steps, "step"), 100*level)
	if r.Problems[0].published {
		text += " Columns named paper are its Table 1, the mean of four repeats; it gives no " +
			"spread, and does not say whether its figures are of the last iterate."
	}
	return text
}

// furtherBlocks returns a table with a column for each further arm that has enough seeds for a
// test, beside the verdict on the claim's own arm. A sentence names the arms with too few seeds.
func (r *Report) furtherBlocks(p *Problem) []page.Block {
	var arms, few []string
	for _, c := range r.Further {
		switch {
		case c.Problem != p.Label || slices.Contains(arms, c.A) || slices.Contains(few, c.A):
		case c.Few != "":
			few = append(few, c.A)
		default:
			arms = append(arms, c.A)
		}
	}
	var list []page.Block
	if len(arms) > 0 {
		text := "The same claims of further arms, beside the claim's own verdict. Each arm's " +
			"tests are corrected for each other alone (Holm), and change nothing above:"
		list = append(list, page.Text(text), r.furtherTable(p, arms))
	}
	if len(few) > 0 {
		list = append(list, page.Text("Too few seeds for a verdict: "+strings.Join(few, ", ")+"."))
	}
	return list
}

func (r *Report) furtherTable(p *Problem, arms []string) *page.Table {
	t := &page.Table{Head: append([]string{"claim", "its own arm"}, arms...), Words: len(arms) + 1}
	for i, c := range r.Further {
		first := slices.IndexFunc(r.Further, c.sameClaim) == i
		if c.Problem != p.Label || !first || !slices.ContainsFunc(r.Further, func(o *Claim) bool {
			return o.sameClaim(c) && slices.Contains(arms, o.A)
		}) {
			continue
		}
		row := []string{c.relation("…"), "–"}
		if at := slices.IndexFunc(r.Claims, c.sameClaim); at >= 0 {
			row[1] = fmt.Sprintf("%s: %s", r.Claims[at].A, r.Claims[at].word())
		}
		for _, a := range arms {
			at := slices.IndexFunc(r.Further, func(o *Claim) bool {
				return o.A == a && o.sameClaim(c)
			})
			if at < 0 {
				row = append(row, "–")
				continue
			}
			row = append(row, r.Further[at].difference()+" "+r.Further[at].word())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sameClaim reports whether two claims differ in the first arm alone.
func (c *Claim) sameClaim(o *Claim) bool {
	return o.Key == c.Key && o.Problem == c.Problem && o.B == c.B
}

// split returns a sentence on the two parts of the objectives at the end: the risk, which depends
// on the network, and the dual gap, which depends on the dual variables.
func (p *Problem) split() string {
	var words []string
	for i, a := range p.arms {
		cells := p.Table.Rows[i].Cells
		gap := slices.IndexFunc(p.Table.Columns, func(c compare.Column) bool {
			return c.Name == "dual_gap"
		})
		if gap < 0 || !cells[gap].Mean.Applies() {
			continue
		}
		risk := 0.0
		for _, r := range a.runs {
			risk += r.Summary().Of("train_robust_risk").Float() / float64(len(a.runs))
		}
		words = append(words, fmt.Sprintf("%s %.4g + %.3g", a.label, risk, cells[gap].Mean.Float()))
	}
	if len(words) == 0 {
		return ""
	}
	return "The objective is the network's R_ρ of the training split plus the dual gap, which is " +
		"the error of (λ, η) alone; at the end, means over seeds: " +
		strings.Join(words, ", ") + "."
}

// short returns the claim as a relation.
func (c *Claim) short() string { return c.relation(c.A) }

func (c *Claim) relation(a string) string {
	sign, other := "<", c.B
	if c.Higher {
		sign = ">"
	}
	what := "time of a step"
	if c.Key == limited {
		return fmt.Sprintf("%s: cat (2965 images) > automobile (2715)", a)
	} else if c.Measure == lowClasses {
		what = "classes 3, 4, 5"
	} else if m, ok := measure.FindMeasure(c.Measure); ok {
		what = m.Title
		if c.Key == "train-loss-along" {
			what += ", along the run"
		}
	}
	switch margin := c.Margin.Float(); {
	case c.Measure == "" && margin != 0:
		other = "2 × " + other
	case margin != 0:
		other += fmt.Sprintf(" − %g point", -100*margin)
	}
	if c.Measure == "train_objective" {
		what = "objective, at the end"
		if c.Key == "objective" {
			what = "objective, along the run"
		}
	}
	return fmt.Sprintf("%s: %s %s %s", strings.TrimSuffix(what, " accuracy"), a, sign, other)
}

// difference formats the mean difference and its interval on the measure's own scale.
func (c *Claim) difference() string {
	if c.Measure == "" {
		return ratio(&c.Difference)
	}
	return c.Difference.text(c.Measure)
}

func (r *Report) testing() string {
	text := "A claim is of the arms that it names: each method with the settings of the preset, " +
		"SFK as printed with that C. How many runs an arm has decides nothing. "
	text += fmt.Sprintf("The difference is of the two methods, paired by seed, which decides "+
		"initialisation and batches in both; p is Student's paired t test, two-sided, after "+
		"Holm's correction for all %d different tests of this page. Supported and not supported "+
		"are claims with p < %.2g, by the side on which the difference is; undecided is "+
		"undecided at this number of seeds.", r.Tests, 1-level)
	text += " n is the number of seeds. Differences of accuracies are in points, of losses in " +
		"nats, of times ratios." +
		powerNote()
	if slices.ContainsFunc(r.Claims, func(c *Claim) bool { return len(c.Seeds) == 1 }) {
		text += " One seed has no spread, so nothing can be decided with it."
	}
	return text + r.repeats()
}

// repeats explains the mark of claims whose test was already made.
func (r *Report) repeats() string {
	if !slices.ContainsFunc(r.Claims, func(c *Claim) bool { return c.Repeats != "" }) {
		return ""
	}
	return " ¹ The same runs' figures as at the other radius: these methods do not train by it, " +
		"and the test counts once."
}

// windows says how many differences change their sign under the paper's moving average.
func (r *Report) windows() string {
	var turned []string
	n := 0
	for _, c := range r.Claims {
		if !c.Window.Applies() {
			continue
		}
		n++
		if c.Window.Float()*c.Mean.Float() < 0 {
			turned = append(turned, fmt.Sprintf("%s, %s (%s)", c.short(), c.Problem,
				(&Difference{Mean: c.Window}).text(c.Measure)))
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("With the mean of the last five evaluations in place of the last one "+
		"(the paper averages over a window of 5) %d of %d differences change their side",
		len(turned), n)
	if len(turned) > 0 {
		text += ": " + strings.Join(turned, "; ")
	}
	return text + "."
}

// readings lists what was measured, for each claim that was tested.
func readings(of []claimed, tested []*Claim) (list page.List) {
	for _, say := range of {
		if !slices.ContainsFunc(tested, func(c *Claim) bool { return c.Key == say.key }) {
			continue
		}
		var pairs []string
		for _, pair := range say.pairs {
			pairs = append(pairs, fmt.Sprintf("%s and %s", pair[0], pair[1]))
		}
		if first := say.pairs[0]; first[0] == first[1] {
			list = append(list, fmt.Sprintf("“%s %s” (%s): %s.", first[0], say.says, say.source,
				say.reading))
			continue
		}
		list = append(list, fmt.Sprintf("“%s … %s %s …” (%s; %s): %s.", say.pairs[0][0], say.says,
			say.pairs[0][1], say.source, strings.Join(pairs, ", "), say.reading))
	}
	return list
}

// blocks returns the problem's tables and figures.
func (p *Problem) blocks() []page.Block {
	list := []page.Block{page.Heading("Table 1, " + p.Label), p.table1()}
	if len(p.arms) > 1 {
		list = append(list, page.Text(p.legend()))
	}
	list = append(list, page.Heading("Figure 1, "+p.Label))
	for _, f := range []struct{ measure, caption string }{
		{"train_objective", "dual objective F(x; λ, η) of the training split"},
		{"train_loss", "train loss"},
		{"test_loss", "test loss"},
		{"robust_risk", "robust risk of the test split"},
	} {
		figure := &page.Figure{Caption: f.caption + ", " + p.Label + ", by epoch"}
		for i, a := range p.arms {
			if c := a.curve(f.measure); len(c.Points) > 0 {
				c.Mark = i + 1
				figure.Curves = append(figure.Curves, c)
			}
		}
		if len(figure.Curves) > 0 {
			list = append(list, figure)
		}
	}
	list = append(list, page.Text("Evaluations of whole splits, not smoothed (the paper's curves "+
		"are moving averages over 5); with several seeds the mean and its 95 % t interval."))
	return append(append(list, p.classBlocks()...), p.costBlocks()...)
}

// legend explains the stars of the table. It leaves out the line on ±, which is the standard
// deviation on this page.
func (p *Problem) legend() string {
	lines := p.Table.Legend()
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "±") })
	return strings.Join(lines, " ") + p.starred()
}

// table1 returns a table with a column for each arm, beside the paper's column for its method.
func (p *Problem) table1() *page.Table {
	t := &page.Table{Head: []string{"%"}}
	for _, a := range p.arms {
		t.Head = append(t.Head, fmt.Sprintf("%s (n=%d)", a.label, len(a.runs)))
		if p.paper(a) != nil {
			t.Head = append(t.Head, "paper")
		}
	}
	for c := range p.Table.Columns {
		column := &p.Table.Columns[c]
		row := []string{column.Title()}
		for i, a := range p.arms {
			cell := &p.Table.Rows[i].Cells[c]
			text := style(column.Name).With(cell.Mean, cell.Std)
			if cell.Best {
				text += "*"
			}
			row = append(row, text)
			if paper := p.paper(a); paper != nil {
				row = append(row, paper.cell(column.Name,
					slices.Index(p.arms[0].runs[0].Meta.Classes, column.Class)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// paper returns the published row of the arm's method if the arm stands for the method in claims,
// else nil.
func (p *Problem) paper(a *arm) *publishedRow {
	if !p.published || p.arm(a.algorithm) != a {
		return nil
	}
	return published.of(a.algorithm)
}
