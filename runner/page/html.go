package page

import (
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
`, hyper(p.Title), style, hyper(p.Title))
	inFigures := false
	for _, block := range p.Blocks {
		if _, is := block.(*Figure); is != inFigures {
			b.WriteString(map[bool]string{true: "<div class=\"figures\">\n", false: "</div>\n"}[is])
			inFigures = is
		}
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "<h2>%s</h2>\n", hyper(string(block)))
		case Text:
			fmt.Fprintf(&b, "<p>%s</p>\n", hyper(string(block)))
		case List:
			b.WriteString("<ul>\n")
			for _, line := range block {
				fmt.Fprintf(&b, "<li>%s</li>\n", hyper(line))
			}
			b.WriteString("</ul>\n")
		case *Table:
			p.htmlTable(&b, block)
		case *Figure:
			fmt.Fprintf(&b, "<figure>\n%s<figcaption>%s</figcaption>\n</figure>\n", block.inline(),
				hyper(block.Caption))
		}
	}
	if inFigures {
		b.WriteString("</div>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

func (p *Page) htmlTable(b *strings.Builder, t *Table) {
	b.WriteString("<div class=\"wide\"><table>\n<thead>")
	for i, row := range t.rows() {
		kind := "td"
		if i == 0 {
			kind = "th"
		}
		b.WriteString("<tr>")
		for column, c := range row {
			fmt.Fprintf(b, "<%s%s>%s</%[1]s>", kind, p.class(t, column, c), hyper(c))
		}
		b.WriteString("</tr>")
		if i == 0 {
			b.WriteString("</thead>\n<tbody>")
		}
		b.WriteString("\n")
	}
	b.WriteString("</tbody>\n</table></div>\n")
}

// class is how a cell looks: text to the left, and its tone.
func (p *Page) class(t *Table, column int, cell string) string {
	word, _, _ := strings.Cut(cell, " ¹")
	switch tone, ok := p.Tones[word]; {
	case ok:
		return ` class="text ` + string(tone) + `"`
	case t.Left(column):
		return ` class="text"`
	case t.Head[column] == p.Faint:
		return ` class="faint"`
	}
	return ""
}

func hyper(s string) string { return html.EscapeString(line(s)) }

// The colours of the series are those of the interface, after Okabe and Ito.
const style = `:root { --ink: #1c2128; --faint: #5b6472; --line: #d5dae1; --paper: #fff; --yes: #007a4d; --no: #b3261e;
  --s0: #0069b4; --s1: #b05a00; --s2: #a8327d; --s3: #00754f; --s4: #7a6a00; --s5: #5b3fbf; --s6: #c23800; --s7: #4a4f58 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e7ee; --faint: #8a93a3; --line: #39404d; --paper: #14181f; --yes: #3fcf8e; --no: #ff7b72;
    --s0: #56b4e9; --s1: #f0a020; --s2: #e88bc0; --s3: #2fc48d; --s4: #f0e442; --s5: #a99bff; --s6: #ff7f50; --s7: #c8ccd4 }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
.wide { overflow-x: auto }
@media (min-width: 64rem) { .wide { width: max-content; max-width: calc(50vw + 30rem) } }
@media print { .wide { overflow: visible; font-size: 70% } }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92em }
th, td { text-align: right; padding: .15rem .7rem; white-space: nowrap }
th { border-bottom: 1px solid var(--ink) } td { border-bottom: 1px solid var(--line) }
.text { text-align: left; white-space: normal } .faint { color: var(--faint) }
.yes { color: var(--yes); font-weight: 600 } .no { color: var(--no); font-weight: 600 }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem }
figure { margin: 0 } figcaption { color: var(--faint); font-size: .9em }
svg { width: 100%; height: auto } svg text { fill: var(--faint); font: 12px system-ui, sans-serif }
svg .axis { stroke: var(--faint); fill: none } svg .grid { stroke: var(--line) }
svg .curve { fill: none; stroke-width: 1.8 } svg .band { opacity: .2; stroke: none }
`
