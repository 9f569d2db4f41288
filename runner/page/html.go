package page

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
)

// HTML writes the page as one file that needs no other: figures are inline SVG,
// light or dark as its reader's system is.
func (p *Page) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>%s</title>
<style>
%s</style>
</head>
<body>
<h1>%s</h1>
`, escapeHTML(p.Title), style, escapeHTML(p.Title))
	inFigures := false
	for _, block := range p.Blocks {
		if is := isFigure(block); is != inFigures {
			if is {
				b.WriteString("<div class=\"figures\">\n")
			} else {
				b.WriteString("</div>\n")
			}
			inFigures = is
		}
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "<h2>%s</h2>\n", escapeHTML(string(block)))
		case Text:
			fmt.Fprintf(&b, "<p>%s</p>\n", escapeHTML(string(block)))
		case List:
			b.WriteString("<ul>\n")
			for _, line := range block {
				fmt.Fprintf(&b, "<li>%s</li>\n", escapeHTML(line))
			}
			b.WriteString("</ul>\n")
		case *Table:
			block.html(&b)
		case *Figure:
			fmt.Fprintf(&b, "<figure>\n%s<figcaption>%s</figcaption>\n</figure>\n", block.inline(),
				escapeHTML(block.Caption))
		case *Scatter:
			fmt.Fprintf(&b, "<figure>\n%s<figcaption>%s</figcaption>\n</figure>\n", block.inline(),
				escapeHTML(block.Caption))
		}
	}
	if inFigures {
		b.WriteString("</div>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

// isFigure reports whether a block stands beside other figures.
func isFigure(b Block) bool {
	switch b.(type) {
	case *Figure, *Scatter:
		return true
	}
	return false
}

func (t *Table) html(b *strings.Builder) {
	const many = 10 // columns that a page of 1200 pixels has room for at the size of its text
	b.WriteString("<div class=\"wide\"><table")
	if len(t.Columns) > many {
		b.WriteString(` class="many"`)
	}
	b.WriteString(">\n<thead>")
	for i, row := range t.lines() {
		kind := "td"
		if i == 0 {
			kind = "th"
		}
		b.WriteString("<tr>")
		for column, c := range row {
			fmt.Fprintf(b, "<%s%s>%s</%[1]s>", kind, t.Columns[column].class(c), escapeHTML(c))
		}
		b.WriteString("</tr>")
		if i == 0 {
			b.WriteString("</thead>\n<tbody>")
		}
		b.WriteString("\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
	if t.Foot != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", escapeHTML(t.Foot))
	}
}

// class returns the class attribute of a cell, for its tone, for text on the left, or for a faint
// column.
func (c *Column) class(cell string) string {
	tone := Tone("")
	if c.Tone != nil {
		tone = c.Tone(cell)
	}
	switch {
	case tone != "":
		return ` class="text ` + string(tone) + `"`
	case c.Words:
		return ` class="text"`
	case c.Faint:
		return ` class="faint"`
	}
	return ""
}

// style is the style sheet of the page. It has the interface's colours of series, after Okabe and
// Ito, on light and dark.
//
//go:embed page.css
var style string

func escapeHTML(s string) string { return html.EscapeString(oneLine(s)) }
