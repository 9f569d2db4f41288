package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
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
			cell := d.text(measure)
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

func (p *Problem) costBlocks() []page.Block {
	t := page.New("method", "seeds", "ms per step", "to ERM's", "training, min")
	for _, c := range p.Costs {
		t.Add(c.Arm, fmt.Sprint(c.Seeds),
			page.Digits(3).Float(1e3*c.Step.Float(), 1e3*c.StepStd.Float()), ratio(&c.Ratio),
			page.Fixed(1).Text(c.Minutes))
	}
	note := "Wall time on a machine that had other work at the same time: only the ratio to ERM " +
		"says something, of runs that were made side by side in the time that both trained " +
		"(geometric mean over seeds, paired). drolab bench measures a step alone."
	return []page.Block{page.Heading(join("Cost", p.Label)), t, page.Text(note)}
}

func (r *Report) departureBlocks() []page.Block {
	if len(r.Departures) == 0 {
		return nil
	}
	list := []page.Block{
		page.Heading("Settings that are not the paper's, or that it does not give"),
	}
	other := page.New("setting", "here", "paper").Words(1, 2)
	silent := page.New("setting", "here", "why").Words(1, 2)
	for _, d := range r.Departures {
		if d.Paper != "" {
			other.Add(d.Key, d.Value, d.Paper)
			continue
		}
		silent.Add(d.Key, d.Value, d.Reason)
	}
	if len(other.Rows) > 0 {
		list = append(list, page.Text("Published, and other here:"), other)
	} else {
		list = append(list, page.Text(
			"Everything that the paper publishes of its settings is as published."))
	}
	return append(list, page.Text("Not published, so our reading; a verdict holds for it alone:"),
		silent)
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
		lines := spec.Map(r.Lacking, func(l Lacking) string { return l.Command })
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
				cell += " (" + e.Difference.text(e.Measure) + ")"
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

func headOf(measured string) string {
	m, _ := measure.FindMeasure(measured)
	return m.Head()
}

func (r *Report) madeBlocks() []page.Block {
	makers := spec.Map(r.Made, func(m Made) string {
		return fmt.Sprintf("%d run(s): drolab %s, %s, %s, %s, kernel %s, %d thread(s)", m.Runs,
			m.Version, m.Go, m.System, m.CPU, m.Kernel, m.Threads)
	})
	list := []page.Block{page.Heading("What made these runs"), page.List(makers)}
	for _, p := range r.Problems {
		list = append(list, page.List(spec.Map(p.arms, func(a *arm) string {
			seeds := spec.Map(a.runs, func(r *ran) string { return fmt.Sprint(r.seed()) })
			return fmt.Sprintf("%s, %s: seeds %s", p.Label, a.label, strings.Join(seeds, ", "))
		})))
	}
	return list
}

// What follows formats figures.

// style returns the style in which values of a measure are written.
func style(measured string) page.Style {
	m, _ := measure.FindMeasure(measured)
	return page.TableStyle(m.Scale)
}

// text formats the mean difference with its sign and, if there is one, half of its interval.
func (d *Difference) text(measured string) string {
	m, _ := measure.FindMeasure(measured)
	of := page.Digits(3)
	if m.Scale == dro.Percent {
		of = page.Points()
	}
	return of.Signed().With(d.Mean, d.Half)
}

// ratio formats a difference of logarithms as a ratio, with its interval if there is one.
func ratio(d *Difference) string {
	if !d.Mean.Applies() {
		return page.None
	}
	mean, half := d.Mean.Float(), d.Half.Float()
	text := fmt.Sprintf("×%.2f", math.Exp(mean))
	if d.Half.Applies() {
		text += fmt.Sprintf(" [%.2f, %.2f]", math.Exp(mean-half), math.Exp(mean+half))
	}
	return text
}

func probability(p measure.Number) string {
	switch {
	case !p.Applies():
		return page.None
	case p.Float() < 1e-4:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.2g", p.Float())
}

// detectable formats the least difference that the test finds, on the measure's own scale.
func (c *Finding) detectable() string {
	m, _ := measure.FindMeasure(c.Measure)
	switch x := c.Detectable; {
	case !x.Applies():
		return page.None
	case c.Measure == "":
		return fmt.Sprintf("×%.2f", math.Exp(x.Float()))
	case m.Scale == dro.Percent:
		return page.Points().Text(x)
	default:
		return page.Digits(2).Text(x)
	}
}

// powerNote explains the column of detectable differences.
func powerNote() string {
	return fmt.Sprintf(" Detectable is the least true distance from the claimed margin that the "+
		"test finds with %g %% power, at the first step of Holm's correction and with the "+
		"standard deviation of these seeds.", 100*power)
}

// This file lays out tables of tests.

// heading names a family. A level or a correction that is not that of the first family is told.
func (f *TestedFamily) heading(first *TestedFamily) page.Heading {
	text := fmt.Sprintf("%s: a family of %d", f.title, f.Tests)
	if f == first {
		text = fmt.Sprintf("%s, one family of %d tests", f.title, f.Tests)
	}
	if !f.usesHolm() || f.Level != first.Level {
		text += fmt.Sprintf(", %s at %.2g", f.correctionClause(), 1-f.Level)
	}
	return page.Heading(text)
}

func (f *TestedFamily) usesHolm() bool { return f.Correction == Holm }

func (f *TestedFamily) correctionClause() string {
	if f.usesHolm() {
		return "corrected by Holm"
	}
	return "not corrected,"
}

// correctionNote says how the tests of a family are corrected, in few words.
func (f *TestedFamily) correctionNote() string {
	if f.usesHolm() {
		return fmt.Sprintf("Holm over %d", f.Tests)
	}
	return fmt.Sprintf("not corrected, at %.2g", 1-f.Level)
}

// tables returns a table for each label of the family's claims, or one table if each label has one
// claim.
func (f *TestedFamily) tables() (list []page.Block) {
	at := map[string][]*Finding{}
	for _, c := range f.Claims {
		at[c.Problem] = append(at[c.Problem], c)
	}
	directed := func(c *Finding) bool { return c.claim.Equivalent == 0 }
	if !slices.ContainsFunc(f.Claims, directed) {
		return []page.Block{f.equivalent()}
	}
	if len(at) == len(f.Claims) && len(at) > 1 {
		return []page.Block{f.testTable("claim", f.Claims, func(c *Finding) string {
			return join(c.text(), c.Problem)
		}, (*Finding).verdictText)}
	}
	for _, label := range slices.Sorted(maps.Keys(at)) {
		list = append(list, f.table(join("claim", label), at[label]))
	}
	return list
}

// table returns a table of claims with their verdicts.
func (f *TestedFamily) table(head string, list []*Finding) *page.Table {
	return f.testTable(head, list, (*Finding).text, (*Finding).verdictText)
}

// testTable returns a table with a row for each test.
func (f *TestedFamily) testTable(
	head string, list []*Finding, name, word func(*Finding) string,
) *page.Table {
	p := map[bool]string{true: "p (Holm)", false: "p"}[f.usesHolm()]
	t := page.New(head, "n", "difference", "detectable", p)
	t.Columns = append(t.Columns, verdicts("verdict"))
	for _, c := range list {
		t.Add(name(c), fmt.Sprint(len(c.Seeds)), c.difference(), c.detectable(),
			probability(c.Adjusted), word(c))
	}
	return t
}

// verdicts returns a column of verdicts.
func verdicts(head string) page.Column {
	return page.Column{Head: head, Words: true, Tone: page.Tones(map[string]page.Tone{
		string(Supported): page.Good, string(NotSupported): page.Bad})}
}

// equivalent returns a table of the two one-sided tests, for which no detectable difference is
// defined.
func (f *TestedFamily) equivalent() *page.Table {
	m, _ := measure.FindMeasure(f.Claims[0].Measure)
	t := f.testTable(m.Title, f.Claims, (*Finding).pair, verdictWords("equivalent", "not shown"))
	t.Columns = slices.Delete(t.Columns, 3, 4)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 3, 4)
	}
	return t
}

// reproductions returns a table of the comparisons with published means.
func reproductions(list []*Finding) *page.Table {
	f := &TestedFamily{Correction: Holm}
	words := verdictWords("differs", "no difference shown")
	return f.testTable("mean accuracy", list, (*Finding).pair, words)
}

// counts says how many claims have each verdict.
func counts(list []*Finding) string {
	n := map[Verdict]int{}
	for _, c := range list {
		n[c.Verdict]++
	}
	are := func(v Verdict) string {
		if n[v] == 1 {
			return "1 is"
		}
		return fmt.Sprintf("%d are", n[v])
	}
	return fmt.Sprintf("%s supported, %s not supported and %s undecided.", are(Supported),
		are(NotSupported), are(Undecided))
}

// verdictWords returns the function that words the verdict of a test that has no side.
func verdictWords(yes, no string) func(*Finding) string {
	return func(c *Finding) string {
		return map[bool]string{true: yes, false: no}[c.significant()] + c.verdictMarks()
	}
}

// verdictText returns the verdict for a table, with what the test lacks and the mark of a repeated
// test.
func (c *Finding) verdictText() string {
	word := string(c.Verdict)
	if c.Verdict == Undecided {
		word = "undecided"
	}
	return word + c.verdictMarks()
}

func (c *Finding) verdictMarks() (text string) {
	if c.Few != "" {
		text += ", " + c.Few
	}
	if c.Exploratory {
		text += ", exploratory"
	}
	if c.Repeats != "" {
		text += " ¹"
	}
	return text
}
