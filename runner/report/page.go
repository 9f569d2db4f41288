package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Page lays the report out.
func (r *Report) Page() *page.Page {
	p := &page.Page{Title: r.study.Title}
	if r.registered() || len(r.Missing) > 0 {
		p.Blocks = append(p.Blocks, r.stateBlocks()...)
	}
	p.Blocks = append(p.Blocks, r.differingBlocks()...)
	switch {
	case r.registered():
		p.Blocks = append(p.Blocks, r.testBlocks()...)
	case len(r.Problems) == 0:
		p.Blocks = slices.Concat(p.Blocks, r.claimBlocks(), r.laterBlocks())
	default:
		readings := r.readingBlocks()
		if readings != nil {
			heading := "Which reading comes closest to " + r.study.Published.Name
			readings = slices.Insert(readings, 0, page.Block(page.Heading(heading)))
		}
		p.Blocks = slices.Concat(p.Blocks, []page.Block{page.Text(r.statistics())},
			r.claimBlocks(), r.laterBlocks(),
			slices.Concat(lists.Map(r.Problems, (*Problem).blocks)...),
			r.departureBlocks(), r.variationBlocks(), readings, r.madeBlocks())
	}
	if len(r.Notes) > 0 {
		p.Blocks = append(p.Blocks, page.Heading("Notes"), page.List(r.Notes))
	}
	return p
}

// state says how many runs have ended.
func (r *Report) state() string {
	text := fmt.Sprintf("%d of %d runs have ended.", r.Done, r.Wanted)
	if r.study.Doc != "" {
		text = r.study.Doc + " " + text
	}
	lack := "1 is missing"
	if n := r.Wanted - r.Done; n != 1 {
		lack = fmt.Sprintf("%d are missing", n)
	}
	switch until := r.study.WaitUntil; {
	case len(r.Missing) == 0:
	case len(r.Families) > 0 && r.Interim:
		text += fmt.Sprintf(" %s, so what follows is interim and decides nothing.", lack)
	case until.IsZero():
		text += fmt.Sprintf(" %s. Nothing is tested before all have ended.", lack)
	default:
		text += fmt.Sprintf(" %s. Nothing is tested before all have ended, or %s.", lack,
			until.Format("2 January 2006"))
	}
	return text
}

func (r *Report) stateBlocks() []page.Block {
	list := []page.Block{page.Text(r.state())}
	if len(r.Missing) > 0 && r.study.Word != "" {
		list = append(list, page.Text("Missing:"), page.List(r.Missing), page.Text(fmt.Sprintf(
			"drolab run %s makes the missing runs and resumes the stopped runs.",
			r.study.Word)))
	}
	return list
}

// testBlocks returns the tests of a registered study, and means, once there are tests.
func (r *Report) testBlocks() []page.Block {
	if len(r.Families) == 0 {
		return nil
	}
	first, reproduction, families := r.Families[0], []page.Block{}, r.Families
	if len(r.Reproduction) > 0 {
		families = append(slices.Clone(families), &TestedFamily{Correction: Holm,
			Claims: r.Reproduction})
		heading := "Reproduction of published values"
		if t := r.study.Published; t != nil {
			heading = "Reproduction of " + t.Name + "'s means"
		}
		heading = fmt.Sprintf("%s: a family of %d", heading, len(r.Reproduction))
		reproduction = append(reproduction, page.Heading(heading), reproductions(r.Reproduction))
	}
	over := " over a family"
	if !first.usesHolm() {
		over = " each"
	}
	list := []page.Block{page.Text(fmt.Sprintf("Tests are Student's paired t, two-sided, over "+
		"%s, %s%s. Half of the %g %% t interval follows ±. n is the number of seeds. Differences "+
		"of accuracies are in points, of losses in nats.", seedsText(r.Seeds),
		first.correctionClause(), over, 100*level) + powerNote(families...) +
		untestedNote(families...))}
	for i, f := range r.Families {
		if r.study.Families[i].Secondary {
			list, reproduction = append(list, reproduction...), nil
		}
		list = append(list, f.heading(first))
		if i == 0 {
			list = append(list, page.Text(counts(f.Claims)))
		}
		list = append(list, f.tables()...)
	}
	list = append(list, reproduction...)
	text := "Mean ± standard deviation over the seeds, at the last iterate; accuracies are in %."
	if r.publication != nil {
		text += " A column named paper is " + r.study.Published.Name + "."
	}
	list = append(list, page.Heading("Means, which no test uses"),
		page.Text(text+" Everything that is not tested above is exploratory."))
	return append(list, r.meanTables(r.Means)...)
}

// claimBlocks returns the claims of the first family under each condition, how they were tested,
// and what they depend on.
func (r *Report) claimBlocks() (list []page.Block) {
	if len(r.Families) == 0 {
		return nil
	}
	f := r.Families[0]
	for _, of := range r.conditions {
		claims := of.findingsOf(f.Claims)
		if len(claims) == 0 && !slices.Contains(r.Problems, of) {
			continue
		}
		list = append(list, page.Heading(join(f.title, of.Label)))
		switch {
		case len(claims) == 0:
			list = append(list, page.Text("The study makes no claim here."))
		case !slices.ContainsFunc(claims, (*Finding).tested):
			list = append(list, page.Text("None can be tested: each compares two of the study's "+
				"arms over common seeds."), f.table("claim", claims))
		default:
			list = append(list, f.table("claim", claims))
		}
		list = append(list, r.furtherBlocks(of)...)
		if text := of.splitText(); text != "" {
			list = append(list, page.Text(text))
		}
	}
	if !slices.ContainsFunc(f.Claims, (*Finding).tested) {
		return list
	}
	list = append(list, page.Text(r.testing()))
	if text := r.windows(); text != "" {
		list = append(list, page.Text(text))
	}
	if how := r.readings(0); len(how) > 0 {
		list = append(list, page.Text("What the verdicts depend on:"), how)
	}
	return list
}

// laterBlocks returns the other families, and the comparison with published means.
func (r *Report) laterBlocks() (list []page.Block) {
	for i, f := range r.Families {
		if i == 0 {
			continue
		}
		how := ""
		if first := r.Families[0]; !f.usesHolm() || f.Level != first.Level ||
			f.Correction != first.Correction {
			how = ", " + f.correctionClause()
		}
		text := fmt.Sprintf("%s. They are a family of %s%s, and change nothing above:", f.title,
			spec.Plural(f.Tests, "test"), how)
		list = append(list, page.Text(text))
		list = append(list, f.tables()...)
		if how := r.readings(i); len(how) > 0 {
			list = append(list, how)
		}
	}
	if len(r.Reproduction) > 0 {
		means := "Means"
		if !slices.ContainsFunc(r.Reproduction, func(c *Finding) bool {
			return c.Measure != "test_accuracy"
		}) {
			means = "Mean accuracies"
		}
		text := fmt.Sprintf("%s against %s's, by one-sample t tests, a family too. "+
			"The paper gives no spread, so its figure counts as exact:", means,
			r.Reproduction[0].B)
		list = append(list, page.Text(text), reproductions(r.Reproduction))
	}
	return list
}

// join returns a heading with the label of a condition, if there is one.
func join(heading, label string) string {
	if label == "" {
		return heading
	}
	return heading + ", " + label
}

func (r *Report) statistics() string {
	m := r.Problems[0].meta()
	length := spec.Plural(m.Steps, "step")
	if m.Spec.Epochs > 0 { // a log of another program may not plan any
		length = spec.Plural(m.Spec.Epochs, "epoch") + ", " + length
	}
	step := fmt.Sprintf("the last iterate (%s)", length)
	if r.Problems[0].Table.At == compare.Selected {
		step = fmt.Sprintf("the step that the head of the table names, in runs of %s,", length)
	}
	text := fmt.Sprintf("Every figure is of %s on the whole test split, unaugmented, if nothing "+
		"else is said; train loss, objective, dual gap and gradient norm are of the whole "+
		"training split. Nothing was selected on the test split. In tables ± is the standard "+
		"deviation over seeds (divisor n − 1), with differences half of the %g %% t interval of "+
		"their mean.", step, 100*level)
	if slices.ContainsFunc(r.Problems, (*Problem).hasLogs) {
		text += " Figures of imported logs are those of the programs that wrote them."
	}
	if r.publication != nil {
		text += " " + r.publication.ColumnsNote()
	}
	return text
}

// hasLogs reports whether some run is the log of another program.
func (p *Problem) hasLogs() bool {
	return slices.ContainsFunc(slices.Concat(p.own, p.arms), func(a *arm) bool {
		return slices.ContainsFunc(a.runs, func(r *loggedRun) bool {
			return r.Meta.Imported != nil && !r.Meta.Predicted()
		})
	})
}

// furtherBlocks returns a table with a column for each further arm that has enough seeds for a
// test, beside the verdict on the claim's own arm. A sentence names the arms with too few seeds.
func (r *Report) furtherBlocks(p *Problem) []page.Block {
	var arms, few []string
	for _, c := range r.Further {
		switch {
		case c.condition != p || slices.Contains(arms, c.A) || slices.Contains(few, c.A):
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
	t := page.New("claim")
	for _, head := range append([]string{"its own arm"}, arms...) {
		t.Columns = append(t.Columns, verdicts(head))
	}
	for _, c := range r.Further {
		shown := func(o *Finding) bool { return o.sameClaim(c) && slices.Contains(arms, o.A) }
		if c.condition != p || first(r.Further, c.sameClaim) != c ||
			!slices.ContainsFunc(r.Further, shown) {
			continue
		}
		row := []string{c.relation("…"), "–"}
		if own := first(r.claims(), c.sameClaim); own != nil {
			row[1] = fmt.Sprintf("%s: %s", own.A, own.verdictText())
		}
		for _, a := range arms {
			cell := "–"
			if o := first(r.Further, func(o *Finding) bool {
				return o.A == a && o.sameClaim(c)
			}); o != nil {
				cell = o.difference() + " " + o.verdictText()
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return t
}

// sameClaim reports whether two claims differ in the first arm alone.
func (c *Finding) sameClaim(o *Finding) bool {
	return o.Key == c.Key && o.condition == c.condition && o.B == c.B
}

// difference formats the mean difference and its interval on the measure's own scale.
func (c *Finding) difference() string {
	if c.Measure == "" {
		return ratio(&c.Difference)
	}
	return c.Difference.Text(c.Measure)
}

func (r *Report) testing() string {
	f := r.Families[0]
	how := fmt.Sprintf(", after Holm's correction for all %d different tests of this page", f.Tests)
	switch {
	case !f.usesHolm():
		how = ", not corrected for the other tests of this page"
	case f.Tests == 1:
		how = ""
	}
	text := r.study.Doc
	text += fmt.Sprintf(" The difference is of the two methods, paired by seed, which decides "+
		"initialisation and batches in both; p is Student's paired t test, two-sided%s. "+
		"Supported and not supported are claims with p < %.2g, by the side on which the "+
		"difference is; undecided is undecided at this number of seeds.", how, 1-f.Level)
	if slices.ContainsFunc(f.Claims, (*Finding).testedForEquivalence) {
		text += " " + equivalenceNote
	}
	text += " n is the number of seeds. Differences of accuracies are in points, of losses in " +
		"nats, of times ratios." + powerNote(r.Families...) + untestedNote(r.Families...)
	if slices.ContainsFunc(f.Claims, func(c *Finding) bool { return len(c.Seeds) == 1 }) {
		text += " One seed has no spread, so nothing can be decided with it."
	}
	return strings.TrimSpace(text + r.repeats())
}

// untestedNote says how claims count that were not tested, if there are any.
func untestedNote(families ...*TestedFamily) string {
	for _, f := range families {
		untested := func(c *Finding) bool { return !c.tested() }
		if f.usesHolm() && slices.ContainsFunc(f.Claims, untested) {
			return " A claim that is not tested counts in Holm's correction as a test with p = 1."
		}
	}
	return ""
}

// repeats explains the marks of claims whose test was already made.
func (r *Report) repeats() (text string) {
	marks := map[string]bool{}
	for _, f := range r.Families {
		for _, c := range f.Claims {
			marks[c.repeatMark()] = true
		}
	}
	if marks[" ¹"] {
		text += r.otherCondition()
	}
	if marks[" ²"] {
		text += " ² The same arms, measure and margin as in another claim: one two-sided test " +
			"answers both, and counts once."
	}
	return text
}

// otherCondition explains a test that was already made under another condition.
func (r *Report) otherCondition() string {
	radii := map[float64]bool{}
	for _, s := range r.study.Arms[0].Specs {
		radii[s.Rho] = true
	}
	switch {
	case len(radii) < len(r.conditions):
		return " ¹ The same runs' figures as under another condition, on which these methods do " +
			"not depend: the test counts once."
	case len(radii) > 2:
		return " ¹ The same runs' figures as at another radius: these methods do not train by " +
			"it, and the test counts once."
	}
	return " ¹ The same runs' figures as at the other radius: these methods do not train by it, " +
		"and the test counts once."
}

// windows says how many differences change their sign under the paper's moving average.
func (r *Report) windows() string {
	var turned []string
	n := 0
	for _, c := range r.claims() {
		if !c.Window.Applies() {
			continue
		}
		n++
		if c.Window.Float()*c.Mean.Float() < 0 {
			turned = append(turned, fmt.Sprintf("%s, %s (%s)", c.text(), c.Problem,
				(&Difference{Mean: c.Window}).Text(c.Measure)))
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("With the mean of the last %s evaluations in place of the last one "+
		"(the paper averages over a window of %d) %d of %d differences change their side",
		strings.Fields("- one two three four five six seven eight nine")[r.study.Window],
		r.study.Window, len(turned), n)
	if len(turned) > 0 {
		text += ": " + strings.Join(turned, "; ")
	}
	return text + "."
}

// readings lists what was measured, for each claim of a family that was tested.
func (r *Report) readings(family int) (list page.List) {
	f := &r.study.Families[family]
	name := func(arm int) string { return r.study.Arms[arm].Name }
	for i := range f.Claims {
		say := &f.Claims[i]
		if !slices.ContainsFunc(r.Families[family].Claims, func(c *Finding) bool {
			return c.claim == say && c.tested()
		}) {
			continue
		}
		pairs := lists.Map(say.Pairs, func(pair [2]int) string {
			return fmt.Sprintf("%s and %s", name(pair[0]), name(pair[1]))
		})
		first, of := say.Pairs[0], strings.Join(pairs, ", ")
		if first[0] == first[1] {
			list = append(list, fmt.Sprintf("“%s %s” (%s): %s.", name(first[0]), say.Says,
				say.Source, say.Reading))
			continue
		}
		if say.Source != "" {
			of = say.Source + "; " + of
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintf("“%s … %s %s …” (%s): %s.",
			name(first[0]), say.Says, name(first[1]), of, say.Reading), ": ."))
	}
	return list
}

// splitText returns a sentence on the two parts of the objectives at the end: the risk, which
// depends on the network, and the dual gap, which depends on the dual variables.
func (p *Problem) splitText() string {
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
			risk += r.Summary().Named("train_robust_risk").Float() / float64(len(a.runs))
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

// blocks returns the problem's tables and figures.
func (p *Problem) blocks() []page.Block {
	table, figure := "Table", "Figures"
	if t := p.study.Published; t != nil {
		table, figure = t.Name, t.Figure
	}
	list := []page.Block{page.Heading(join(table, p.Label))}
	if head := p.Table.Head(); head != "" {
		list = append(list, page.Text(head))
	}
	list = append(list, p.table1())
	if len(p.arms) > 1 {
		list = append(list, page.Text(p.legend()))
	}
	list = append(list, p.tradeoffBlocks()...)
	list = append(list, page.Heading(join(figure, p.Label)))
	for _, f := range []struct{ measure, caption string }{
		{"train_objective", "dual objective F(x; λ, η) of the training split"},
		{"train_loss", "train loss"},
		{"test_loss", "test loss"},
		{"robust_risk", "robust risk of the test split"},
	} {
		figure := &page.Figure{Caption: join(f.caption, p.Label) + ", by epoch"}
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
	smooth := "not smoothed"
	if n := p.study.Window; n > 0 {
		smooth += fmt.Sprintf(" (the paper's curves are moving averages over %d)", n)
	}
	list = append(list, page.Text("Evaluations of whole splits, "+smooth+"; with several seeds "+
		"the mean and its 95 % t interval."))
	return append(append(list, p.classBlocks()...), p.costBlocks()...)
}

// legend explains the stars of the table. It leaves out the line on ±, which is the standard
// deviation on this page.
func (p *Problem) legend() string {
	lines := p.Table.Legend()
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "±") })
	return strings.Join(lines, " ") + p.starsText()
}

// table1 returns a table with a column for each arm, beside the published one for it.
func (p *Problem) table1() *page.Table {
	t := page.New("%")
	for _, a := range p.arms {
		t.Head(fmt.Sprintf("%s (%s)", a.label, page.N(len(a.runs))))
		if _, ok := p.printed(a, "", ""); ok {
			t.Columns = append(t.Columns, printedColumn)
		}
	}
	for c, column := range p.Table.Columns {
		row := []string{column.Title()}
		for i, a := range p.arms {
			cell := &p.Table.Rows[i].Cells[c]
			text := style(column.Name).With(cell.Mean, cell.Std)
			if p.Table.HasStar(&p.Table.Rows[i], c) {
				text += "*"
			}
			row = append(row, text)
			if text, ok := p.printed(a, column.Name, column.Class); ok {
				row = append(row, text)
			}
		}
		if column.Class == "" {
			t.Add(row...)
		} else {
			t.Rank(-p.Table.Rows[0].Cells[c].Mean.Float(), row...)
		}
	}
	return t
}
