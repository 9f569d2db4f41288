package page

import (
	"fmt"
	"strings"
)

// Markdown writes the page with GitHub's tables.
func (p *Page) Markdown() string {
	return "# " + escapeMarkdown(p.Title) + "\n\n" + Markdown(p.Blocks...)
}

// Markdown writes blocks for a document in Markdown.
func Markdown(blocks ...Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(string(block)))
		case Text:
			fmt.Fprintf(&b, "%s\n\n", escapeMarkdown(string(block)))
		case List:
			for _, line := range block {
				fmt.Fprintf(&b, "- %s\n", escapeMarkdown(line))
			}
			b.WriteString("\n")
		case *Table:
			block.markdown(&b)
		case *Figure:
			block.table().markdown(&b)
		case *Scatter:
			block.table().markdown(&b)
		}
	}
	return b.String()
}

func (t *Table) markdown(b *strings.Builder) {
	if t.Caption != "" {
		fmt.Fprintf(b, "%s:\n\n", escapeMarkdown(t.Caption))
	}
	for i, row := range t.lines() {
		for _, c := range row {
			b.WriteString("| " + escapeMarkdown(c) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, c := range t.Columns {
				if c.Words {
					b.WriteString("|---")
				} else {
					b.WriteString("|---:")
				}
			}
			b.WriteString("|\n")
		}
	}
	b.WriteString("\n")
	if t.Foot != "" {
		fmt.Fprintf(b, "%s\n\n", escapeMarkdown(t.Foot))
	}
}

// markOf escapes characters that are special in Markdown, except the backquotes of `code`.
var markOf = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;",
	"[", `\[`, "]", `\]`, "#", `\#`)

func escapeMarkdown(s string) string { return markOf.Replace(oneLine(s)) }
