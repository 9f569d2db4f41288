package report

import (
	"fmt"

	"drolab/runner/page"
)

// Page lays out the registered tests, or the missing runs.
func (g *Registered) Page() *page.Page {
	p := &page.Page{Title: "Registered runs of the paper's experiment"}
	text := fmt.Sprintf("Registered before the first run (docs/registration.md). %d of %d runs "+
		"have ended.", g.Done, g.Wanted)
	if len(g.Missing) > 0 {
		text += fmt.Sprintf(" %d are missing. Nothing is tested before all have ended, or %s.",
			g.Wanted-g.Done, patience.Format("2 January 2006"))
	}
	p.Blocks = append(p.Blocks, page.Text(text))
	if len(g.Missing) > 0 {
		p.Blocks = append(p.Blocks, page.Text("Missing:"), page.List(g.Missing),
			page.Text("These commands make the missing runs, and drolab resume --all --runs "+
				"registered continues a stopped one:"), page.List(g.Commands))
	}
	if len(g.Claims) > 0 {
		p.Blocks = append(p.Blocks, g.blocks()...)
	}
	if len(g.Notes) > 0 {
		p.Blocks = append(p.Blocks, page.Heading("Notes"), page.List(g.Notes))
	}
	return p
}

func (g *Registered) blocks() []page.Block {
	list := []page.Block{
		page.Text(fmt.Sprintf("Tests are Student's paired t, two-sided, over seeds %d to %d, "+
			"corrected by Holm at %.2g over a family. Half of the %g %% t interval follows ±.",
			g.Seeds[0], g.Seeds[len(g.Seeds)-1], 1-level, 100*level) + powerNote()),
		page.Heading(fmt.Sprintf("The claims, one family of %d tests", g.Tests)),
		judged(g.Claims, (*Claim).short, (*Claim).word),
		page.Heading(fmt.Sprintf("Equivalence of the test loss, ±%g nats: a family of %d",
			equivalence, len(g.Equivalent))),
		judged(g.Equivalent, (*Claim).pair, word("equivalent", "not shown")),
		page.Heading(fmt.Sprintf("Reproduction of Table 1's means: a family of %d",
			len(g.Reproduction))),
		judged(g.Reproduction, (*Claim).pair, word("differs", "no difference shown")),
	}
	for i, name := range []string{"sfk-auto in place of sfk", "group in place of sfk"} {
		if of := g.Secondary[i]; len(of) > 0 {
			heading := fmt.Sprintf("Secondary, %s: a family of %d", name, len(of))
			list = append(list, page.Heading(heading), judged(of, (*Claim).short, (*Claim).word))
		}
	}
	return append(list, page.Text("Everything else that is reported of these runs is exploratory."))
}

// judged returns a table with a row for each test.
func judged(list []*Claim, name, word func(*Claim) string) *page.Table {
	t := &page.Table{
		Head: []string{"claim", "at", "seeds", "difference", "detectable", "p",
			"p (Holm)", "verdict"},
		Words: 1,
	}
	for _, c := range list {
		t.Rows = append(t.Rows, []string{name(c), c.Problem, fmt.Sprint(len(c.Seeds)),
			c.Difference.text(c.Measure), c.detectable(), probability(c.P),
			probability(c.Adjusted), word(c)})
	}
	return t
}

// pair names a test that has no side.
func (c *Claim) pair() string { return fmt.Sprintf("%s: %s and %s", headOf(c.Measure), c.A, c.B) }

// word returns the function that words the verdict of a test that has no side.
func word(yes, no string) func(*Claim) string {
	return func(c *Claim) string {
		if c.significant() {
			return yes
		}
		return no
	}
}
