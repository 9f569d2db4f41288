package report

import (
	"errors"
	"fmt"
	"strings"
)

// The lines of a Markdown file that its tables stand between.
const (
	begin = "<!-- report: begin, made by drolab report recorded:paper --into README.md -->"
	end   = "<!-- report: end -->"
)

// Brief is the part of the page that stands in a README: a table for each radius,
// and the verdicts.
func (r *Report) Brief() string {
	var blocks []Block
	for _, p := range r.Problems {
		t := p.table1()
		t.Head[0] = p.Label
		blocks = append(blocks, t)
	}
	for _, p := range r.Problems {
		t := r.claimTable(p)
		t.Head[0] = "claim, " + p.Label
		blocks = append(blocks, t)
	}
	notes := fmt.Sprintf("± is the standard deviation over seeds; with differences, half of the %g %% "+
		"t interval. Paired t tests, Holm over %d.", 100*level, r.Tests)
	return markdown(append(blocks, Text(notes+r.repeats())))
}

// Replace returns a Markdown text with the Brief between its marks.
func Replace(text string, r *Report) (string, error) {
	before, rest, ok := strings.Cut(text, begin+"\n")
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return "", errors.New("has no place for the tables: want the lines\n" + begin + "\n" + end)
	}
	return before + begin + "\n\n" + r.Brief() + end + after, nil
}
