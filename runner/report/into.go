package report

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/page"
)

// passage is a part of a report that can stand in a Markdown file, between two lines. The first
// line begins with the mark that begin returns; its author may choose the rest.
type passage struct {
	name string
	text func() string
}

func (p *passage) begin() string { return "<!-- " + p.name + ": begin" }
func (p *passage) end() string   { return "<!-- " + p.name + ": end -->" }

func (r *Report) passages() []passage {
	if r.registered() {
		return []passage{
			{"report of registered runs", func() string {
				// The text stands under a heading of its file.
				return strings.ReplaceAll(page.Markdown(r.Page().Blocks...), "\n## ", "\n### ")
			}},
			{"report in short", r.shortMeans},
		}
	}
	return []passage{
		{"report", r.brief},
		{"report in short", r.short},
		{"report of further claims", func() string { return page.Markdown(r.laterBlocks()...) }},
		{"report of readings", func() string { return page.Markdown(r.nearBlocks()...) }},
	}
}

// brief returns a table for each radius, and the verdicts.
func (r *Report) brief() string {
	var blocks []page.Block
	for _, p := range r.Problems {
		t := p.table1()
		t.Columns[0].Head = p.Label
		blocks = append(blocks, t)
	}
	if len(r.claims()) == 0 {
		return page.Markdown(blocks...)
	}
	for _, p := range r.Problems {
		blocks = append(blocks, r.Families[0].table("claim, "+p.Label, p.on(r.claims())))
		blocks = append(blocks, r.furtherBlocks(p)...)
	}
	notes := fmt.Sprintf("± is the standard deviation over seeds; with differences, half of the "+
		"%g %% t interval. n is the number of seeds. Paired t tests, %s.", 100*level,
		r.Families[0].over())
	return page.Markdown(append(blocks, page.Text(notes+powerNote()+r.repeats()))...)
}

// short returns one table of four measures. An arm with a single seed has no spread, and is left
// out.
func (r *Report) short() string {
	t := inShort()
	for _, p := range r.Problems {
		for i, a := range p.arms {
			if len(a.runs) < 2 {
				continue
			}
			row := []string{p.Label + ": " + a.label, fmt.Sprint(len(a.runs))}
			for _, m := range shortMeasures() {
				row = append(row, p.meanOf(i, a.runs[0].Meta.Fit(m)))
			}
			t.Add(row...)
		}
	}
	return page.Markdown(t)
}

// meanOf returns the mean ± standard deviation of a measure over the seeds of an arm.
func (p *Problem) meanOf(arm int, measure string) string {
	c := slices.IndexFunc(p.Table.Columns, func(c compare.Column) bool { return c.Name == measure })
	if c < 0 {
		return page.None
	}
	cell := &p.Table.Rows[arm].Cells[c]
	return style(measure).With(cell.Mean, cell.Std)
}

// Replace returns a Markdown text with passages of a report between their marks.
func Replace(text string, d *Report) (string, error) {
	found, known := false, d.passages()
	for _, p := range known {
		before, rest, ok := strings.Cut(text, p.begin())
		if !ok {
			continue
		}
		found = true
		line, rest, _ := strings.Cut(rest, "\n")
		_, after, ended := strings.Cut(rest, p.end())
		if !ended {
			return "", fmt.Errorf("%s ...: no line %s follows", p.begin(), p.end())
		}
		text = before + p.begin() + line + "\n\n" + p.text() + p.end() + after
	}
	if !found {
		return "", fmt.Errorf("has no place for the tables: want the lines\n%s -->\n%s",
			known[0].begin(), known[0].end())
	}
	return text, nil
}
