package report

import (
	"fmt"
	"strings"
)

// Markdown writes the page with GitHub's tables.
func (p *Page) Markdown() string {
	return "# " + mark(p.Title) + "\n\n" + markdown(p.Blocks)
}

func markdown(blocks []Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "## %s\n\n", mark(string(block)))
		case Text:
			fmt.Fprintf(&b, "%s\n\n", mark(string(block)))
		case List:
			for _, line := range block {
				fmt.Fprintf(&b, "- %s\n", mark(line))
			}
			b.WriteString("\n")
		case *Table:
			markdownTable(&b, block)
		case *Figure:
			markdownTable(&b, block.Table())
		}
	}
	return b.String()
}

func markdownTable(b *strings.Builder, t *Table) {
	if t.Caption != "" {
		fmt.Fprintf(b, "%s:\n\n", mark(t.Caption))
	}
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---:"
		if t.isText(i) {
			rule[i] = "---"
		}
	}
	markdownRow(b, t.Head)
	fmt.Fprintf(b, "|%s|\n", strings.Join(rule, "|"))
	for _, row := range t.Rows {
		markdownRow(b, row)
	}
	b.WriteString("\n")
}

func markdownRow(b *strings.Builder, cells []string) {
	for _, c := range cells {
		b.WriteString("| " + mark(c) + " ")
	}
	b.WriteString("|\n")
}

// isText tells whether a column is of words and not of figures.
func (t *Table) isText(i int) bool { return i == 0 || i >= len(t.Head)-t.Words }

// mark escapes what Markdown takes for its own, but for `code`.
func mark(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`,
		"]", `\]`, "#", `\#`, "\n", " ", "\r", " ").Replace(s)
}
