package report

import (
	"fmt"
	"maps"
	"slices"

	"drolab/runner/page"
	"drolab/runner/spec"
)

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
