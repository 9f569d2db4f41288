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

// powerNote explains the column of detectable differences, in the tables of some families.
func powerNote(families ...*TestedFamily) string {
	step, holm := "at the first step of Holm's correction and ", 0
	for _, f := range families {
		if f.usesHolm() {
			holm++
		}
	}
	switch holm {
	case len(families):
	case 0:
		step = ""
	default:
		step = "at the first step of Holm's correction in a family that is corrected, and "
	}
	return fmt.Sprintf(" Detectable is the least true distance from the claimed margin that the "+
		"test finds with %g %% power, %swith the standard deviation of these seeds.", 100*power,
		step)
}

// This file lays out tables of tests.

// heading names a family. A level or a correction that is not that of the first family is told.
func (f *TestedFamily) heading(first *TestedFamily) page.Heading {
	text := fmt.Sprintf("%s: a family of %d", f.title, f.Tests)
	if f == first {
		text = fmt.Sprintf("%s, one family of %s", f.title, spec.Plural(f.Tests, "test"))
	}
	if !f.usesHolm() || f.Level != first.Level || f.Correction != first.Correction {
		text += ", " + f.correctionClause()
	}
	return page.Heading(text)
}

func (f *TestedFamily) usesHolm() bool { return f.Correction == Holm }

// correctionClause says how the tests of a family are corrected, and their level.
func (f *TestedFamily) correctionClause() string {
	if f.usesHolm() {
		return fmt.Sprintf("corrected by Holm at %.2g", 1-f.Level)
	}
	return fmt.Sprintf("not corrected, at %.2g", 1-f.Level)
}

// correctionNote says how the tests of a family are corrected, in few words.
func (f *TestedFamily) correctionNote() string {
	if f.usesHolm() {
		return fmt.Sprintf("Holm over %d", f.Tests)
	}
	return f.correctionClause()
}

// tables returns a table for each label of the family's claims, or one table if each label has one
// claim.
func (f *TestedFamily) tables() (list []page.Block) {
	at := map[string][]*Finding{}
	for _, c := range f.Claims {
		at[c.Problem] = append(at[c.Problem], c)
	}
	inFull := func(c *Finding) string { return join(c.text(), c.Problem) }
	switch {
	case !slices.ContainsFunc(f.Claims, func(c *Finding) bool { return !c.ofEquivalence() }):
		words := verdictWords("equivalent", "not shown")
		list = append(list, f.testTable("claim", f.Claims, inFull, words))
	case len(at) == len(f.Claims) && len(at) > 1:
		list = append(list, f.testTable("claim", f.Claims, inFull, (*Finding).verdictText))
	default:
		for _, label := range slices.Sorted(maps.Keys(at)) {
			list = append(list, f.testTable(join("claim", label), at[label], (*Finding).text,
				(*Finding).verdictText))
		}
	}
	if slices.ContainsFunc(f.Claims, (*Finding).testedForEquivalence) {
		list = append(list, page.Text(equivalenceNote))
	}
	return list
}

// equivalenceNote explains the tests of claims of equivalence.
const equivalenceNote = "p of a claim with ≈ is the larger of two one-sided t tests, against its " +
	"margin on either side."

// table returns a table of claims under one condition, with their verdicts.
func (f *TestedFamily) table(head string, list []*Finding) *page.Table {
	return f.testTable(head, list, func(c *Finding) string {
		return join(c.text(), c.claim.As)
	}, (*Finding).verdictText)
}

// testTable returns a table with a row for each test. Columns without a figure are left out.
func (f *TestedFamily) testTable(
	head string, list []*Finding, name, word func(*Finding) string,
) *page.Table {
	p := "p"
	if f.usesHolm() {
		p = "p (Holm)"
	}
	t := page.New(head, "n", "difference", "detectable", p)
	t.Columns = append(t.Columns, verdicts("verdict"))
	for _, c := range list {
		t.Add(name(c), fmt.Sprint(len(c.Seeds)), c.difference(), c.detectable(),
			probability(c.Adjusted), word(c))
	}
	for i := len(t.Columns) - 1; i > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != page.None }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
	}
	return t
}

// verdicts returns a column of verdicts.
func verdicts(head string) page.Column {
	return page.Column{Head: head, Words: true, Tone: page.Tones(map[string]page.Tone{
		string(Supported): page.Good, string(NotSupported): page.Bad})}
}

// reproductions returns a table of the comparisons with published means. Each row names its measure
// if they have several.
func reproductions(list []*Finding) *page.Table {
	f, head := &TestedFamily{Correction: Holm}, titleOf(list[0].Measure)
	name := (*Finding).pair
	if slices.ContainsFunc(list, func(c *Finding) bool { return c.Measure != list[0].Measure }) {
		head = "mean"
		name = func(c *Finding) string { return titleOf(c.Measure) + ": " + c.pair() }
	}
	return f.testTable(head, list, name, verdictWords("differs", "no difference shown"))
}

func titleOf(measured string) string {
	m, _ := measure.FindMeasure(measured)
	return m.Title
}

// counts says how many claims have each verdict.
func counts(list []*Finding) string {
	n := map[Verdict]int{}
	for _, c := range list {
		n[c.Verdict]++
	}
	are := func(v Verdict, words string) string {
		if n[v] == 1 {
			return "1 is " + words
		}
		return fmt.Sprintf("%d are %s", n[v], words)
	}
	words := []string{are(Supported, "supported"), are(NotSupported, "not supported"),
		are(Undecided, "undecided")}
	if n[NotTested] > 0 {
		words = append(words, are(NotTested, "not tested"))
	}
	return inWords(words) + "."
}

// inWords joins the parts of a list in a sentence.
func inWords(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// seedsText names seeds: "seeds 1 to 4 and 7".
func seedsText(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		next := i + 1
		for next < len(seeds) && seeds[next] == seeds[next-1]+1 {
			next++
		}
		if next-i > 2 {
			parts = append(parts, fmt.Sprintf("%d to %d", seeds[i], seeds[next-1]))
		} else {
			next = i + 1
			parts = append(parts, fmt.Sprint(seeds[i]))
		}
		i = next
	}
	switch {
	case len(parts) == 0:
		return "no seed"
	case len(seeds) == 1:
		return "seed " + parts[0]
	}
	return "seeds " + inWords(parts)
}

// verdictWords returns the function that words the verdict of a test that has no side.
func verdictWords(yes, no string) func(*Finding) string {
	return func(c *Finding) string {
		word := no
		if c.significant() {
			word = yes
		}
		return c.inFull(word)
	}
}

// verdictText returns the verdict for a table, with what the test lacks and the mark of a repeated
// test.
func (c *Finding) verdictText() string {
	if c.Verdict == Undecided {
		return c.inFull("undecided")
	}
	return c.inFull(string(c.Verdict))
}

// inFull adds to the word for a verdict what the test lacks, and its marks.
func (c *Finding) inFull(word string) string {
	switch {
	case c.Verdict == NotTested:
		word = string(NotTested) + ": " + c.Few
	case c.Few != "":
		word += ", " + c.Few
	}
	if c.Exploratory {
		word += ", exploratory"
	}
	return word + c.repeatMark()
}

// repeatMark returns the mark of a test that was already made: ¹ under another condition, ² under
// the same one.
func (c *Finding) repeatMark() string {
	switch {
	case c.same == nil:
		return ""
	case c.same.condition == c.condition:
		return " ²"
	}
	return " ¹"
}
