package report

import (
	"fmt"
	"strings"

	"drolab/runner/page"
)

// passage is a part of a report that can stand in a Markdown file, between two lines. The first
// line begins with the mark that begin returns; its author may choose the rest.
type passage struct {
	name string
	text func() string
}

func (p *passage) begin() string { return "<!-- " + p.name + ": begin" }

func (p *passage) end() string { return "<!-- " + p.name + ": end -->" }

func (r *Report) passages() []passage {
	if r.registered() {
		return []passage{
			{"report of registered runs", func() string {
				// The text stands under a heading of its file.
				return strings.ReplaceAll(page.Markdown(r.Page().Blocks...), "\n## ", "\n### ")
			}},
			{"report in short", r.shortTable},
			{"report of the objective's parts", func() string {
				return page.Markdown(r.meanTables(r.Parts)...)
			}},
		}
	}
	return []passage{
		{"report", r.briefTables},
		{"report in short", r.shortTable},
		{"report of further claims", func() string { return page.Markdown(r.laterBlocks()...) }},
		{"report of readings", func() string { return page.Markdown(r.readingBlocks()...) }},
	}
}

// briefTables returns a table for each radius, and the verdicts.
func (r *Report) briefTables() string {
	var blocks []page.Block
	for _, p := range r.Problems {
		t := p.table1()
		t.Columns[0].Head = p.Label
		blocks = append(blocks, t)
	}
	if len(r.claims()) == 0 {
		return page.Markdown(blocks...)
	}
	for _, p := range r.conditions {
		if claims := p.findingsOf(r.claims()); len(claims) > 0 {
			blocks = append(blocks, r.Families[0].table(join("claim", p.Label), claims))
		}
		blocks = append(blocks, r.furtherBlocks(p)...)
	}
	notes := fmt.Sprintf("± is the standard deviation over seeds; with differences, half of the "+
		"%g %% t interval. n is the number of seeds. Paired t tests, %s.", 100*level,
		r.Families[0].correctionNote())
	notes += powerNote(r.Families[0]) + untestedNote(r.Families[0]) + r.repeats()
	return page.Markdown(append(blocks, page.Text(notes))...)
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
		return "", fmt.Errorf("has no place for the tables: expected the lines\n%s -->\n%s",
			known[0].begin(), known[0].end())
	}
	return text, nil
}
