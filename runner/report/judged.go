package report

import (
	"fmt"
	"maps"
	"slices"

	"drolab/runner/page"
)

// on returns the claims on the problem.
func (p *Problem) on(list []*Claim) (found []*Claim) {
	for _, c := range list {
		if c.Problem == p.Label {
			found = append(found, c)
		}
	}
	return found
}

// claimTable returns a table of claims with their verdicts.
func claimTable(head string, list []*Claim) *page.Table {
	return judged(head, list, (*Claim).short, (*Claim).word)
}

// judged returns a table with a row for each test.
func judged(head string, list []*Claim, name, word func(*Claim) string) *page.Table {
	return &page.Table{
		Head:  []string{head, "n", "difference", "detectable", "p (Holm)", "verdict"},
		Words: 1,
		Rows: page.Rows(list, func(c *Claim) []string {
			return []string{name(c), fmt.Sprint(len(c.Seeds)), c.difference(), c.detectable(),
				probability(c.Adjusted), word(c)}
		}),
	}
}

// byRadius returns a table of the claims at each radius.
func byRadius(list []*Claim) (tables []page.Block) {
	at := map[string][]*Claim{}
	for _, c := range list {
		at[c.Problem] = append(at[c.Problem], c)
	}
	for _, radius := range slices.Sorted(maps.Keys(at)) {
		tables = append(tables, claimTable("claim, "+radius, at[radius]))
	}
	return tables
}

// reproductions returns a table of the comparisons with Table 1's means.
func reproductions(list []*Claim) *page.Table {
	return judged("mean accuracy", list, (*Claim).pair, word("differs", "no difference shown"))
}

// pair names a test that has no side.
func (c *Claim) pair() string { return c.A + " and " + c.B + ", " + c.Problem }

// word returns the function that words the verdict of a test that has no side.
func word(yes, no string) func(*Claim) string {
	return func(c *Claim) string {
		if c.significant() {
			return yes
		}
		return no
	}
}

// word returns the verdict for a table, with what the test lacks and the mark of a repeated test.
func (c *Claim) word() string {
	word := string(c.Verdict)
	if c.Verdict == Undecided {
		word = "undecided"
	}
	if c.Few != "" {
		word += ", " + c.Few
	}
	if c.Repeats != "" {
		word += " ¹"
	}
	return word
}
