package report

import (
	"fmt"

	"drolab/dro"
	"drolab/runner/page"
)

// Page lays out the registered tests, or the missing runs.
func (g *Registered) Page() *page.Page {
	p := &page.Page{Title: "Registered runs of the paper's experiment", Faint: "paper",
		Tones: tones()}
	p.Blocks = append(p.Blocks, page.Text(g.state()))
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

// state says how many runs have ended.
func (g *Registered) state() string {
	text := fmt.Sprintf("Registered before the first run (docs/registration.md). %d of %d runs "+
		"have ended.", g.Done, g.Wanted)
	if len(g.Missing) > 0 {
		text += fmt.Sprintf(" %d are missing. Nothing is tested before all have ended, or %s.",
			g.Wanted-g.Done, patience.Format("2 January 2006"))
	}
	return text
}

func (g *Registered) blocks() []page.Block {
	list := []page.Block{
		page.Text(fmt.Sprintf("Tests are Student's paired t, two-sided, over seeds %d to %d, "+
			"corrected by Holm at %.2g over a family. Half of the %g %% t interval follows ±. "+
			"n is the number of seeds. Differences of accuracies are in points, of losses in nats.",
			g.Seeds[0], g.Seeds[len(g.Seeds)-1], 1-level, 100*level) + powerNote()),
		page.Heading(fmt.Sprintf("The claims, one family of %d tests", g.Tests)),
		page.Text(counts(g.Claims)),
	}
	list = append(list, byRadius(g.Claims)...)
	list = append(list,
		page.Heading(fmt.Sprintf("Equivalence of the test loss, ±%g nats: a family of %d",
			equivalence, len(g.Equivalent))),
		equivalent(g.Equivalent),
		page.Heading(fmt.Sprintf("Reproduction of Table 1's means: a family of %d",
			len(g.Reproduction))),
		reproductions(g.Reproduction))
	if of := g.Secondary[0]; len(of) > 0 {
		list = append(list, secondary(dro.SFKAuto, of))
		list = append(list, byRadius(of)...)
	}
	if of := g.Secondary[1]; len(of) > 0 {
		list = append(list, secondary("group", of), judged("claim", of, func(c *Claim) string {
			return c.short() + ", " + c.Problem
		}, (*Claim).word))
	}
	return append(list,
		page.Heading("Means, which no test uses"),
		page.Text("Mean ± standard deviation over the seeds, at the last iterate; accuracies are "+
			"in %. A column named paper is Table 1. Everything that is not tested above is "+
			"exploratory."),
		g.meanTable(.5), g.meanTable(1.5))
}

// counts says how many claims have each verdict.
func counts(list []*Claim) string {
	n := map[Verdict]int{}
	for _, c := range list {
		n[c.Verdict]++
	}
	return fmt.Sprintf("%d are supported, %d are not supported and %d are undecided.", n[Supported],
		n[NotSupported], n[Undecided])
}

func secondary(method dro.Algorithm, of []*Claim) page.Heading {
	return page.Heading(fmt.Sprintf("Secondary, %s in place of sfk: a family of %d", method,
		len(of)))
}

// equivalent returns a table of the two one-sided tests, for which no detectable difference is
// defined.
func equivalent(list []*Claim) *page.Table {
	return &page.Table{
		Head:  []string{"test loss", "n", "difference", "p (Holm)", "verdict"},
		Words: 1,
		Rows: page.Rows(list, func(c *Claim) []string {
			return []string{c.pair(), fmt.Sprint(len(c.Seeds)), c.difference(),
				probability(c.Adjusted), word("equivalent", "not shown")(c)}
		}),
	}
}
