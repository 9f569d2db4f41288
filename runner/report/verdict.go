package report

import (
	"fmt"
	"maps"
	"slices"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/study"
)

// This file lays out tables of tests.

// heading names a family. A level or a correction that is not that of the first family is told.
func (f *Family) heading(isFirst bool, first *Family) page.Heading {
	text := fmt.Sprintf("%s: a family of %d", f.title, f.Tests)
	if isFirst {
		text = fmt.Sprintf("%s, one family of %d tests", f.title, f.Tests)
	}
	if !f.holm() || f.Level != first.Level {
		text += fmt.Sprintf(", %s at %.2g", f.corrected(), 1-f.Level)
	}
	return page.Heading(text)
}

func (f *Family) holm() bool { return f.Correction == study.Holm }

func (f *Family) corrected() string {
	if f.holm() {
		return "corrected by Holm"
	}
	return "not corrected,"
}

// over says how the tests of a family are corrected, in few words.
func (f *Family) over() string {
	if f.holm() {
		return fmt.Sprintf("Holm over %d", f.Tests)
	}
	return fmt.Sprintf("not corrected, at %.2g", 1-f.Level)
}

// tables returns a table for each label of the family's claims, or one table if each label has one
// claim.
func (f *Family) tables() (list []page.Block) {
	at := map[string][]*Claim{}
	for _, c := range f.Claims {
		at[c.Problem] = append(at[c.Problem], c)
	}
	if f.equivalences() {
		return []page.Block{f.equivalent()}
	}
	if len(at) == len(f.Claims) && len(at) > 1 {
		return []page.Block{f.judged("claim", f.Claims, func(c *Claim) string {
			return join(c.short(), c.Problem)
		}, (*Claim).word)}
	}
	for _, label := range slices.Sorted(maps.Keys(at)) {
		list = append(list, f.table(join("claim", label), at[label]))
	}
	return list
}

// equivalences reports whether all claims are of equivalence.
func (f *Family) equivalences() bool {
	return !slices.ContainsFunc(f.Claims, func(c *Claim) bool { return c.says.Equivalent == 0 })
}

// table returns a table of claims with their verdicts.
func (f *Family) table(head string, list []*Claim) *page.Table {
	return f.judged(head, list, (*Claim).short, (*Claim).word)
}

// judged returns a table with a row for each test.
func (f *Family) judged(head string, list []*Claim, name, word func(*Claim) string) *page.Table {
	p := "p"
	if f.holm() {
		p = "p (Holm)"
	}
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
func (f *Family) equivalent() *page.Table {
	m, _ := measure.FindMeasure(f.Claims[0].Measure)
	t := f.judged(m.Title, f.Claims, (*Claim).pair, word("equivalent", "not shown"))
	t.Columns = slices.Delete(t.Columns, 3, 4)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 3, 4)
	}
	return t
}

// reproductions returns a table of the comparisons with published means.
func reproductions(list []*Claim) *page.Table {
	f := &Family{Correction: study.Holm}
	return f.judged("mean accuracy", list, (*Claim).pair, word("differs", "no difference shown"))
}

// counts says how many claims have each verdict.
func counts(list []*Claim) string {
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

// word returns the function that words the verdict of a test that has no side.
func word(yes, no string) func(*Claim) string {
	return func(c *Claim) string {
		text := no
		if c.significant() {
			text = yes
		}
		return text + c.marks()
	}
}

// word returns the verdict for a table, with what the test lacks and the mark of a repeated test.
func (c *Claim) word() string {
	word := string(c.Verdict)
	if c.Verdict == Undecided {
		word = "undecided"
	}
	return word + c.marks()
}

func (c *Claim) marks() (text string) {
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
