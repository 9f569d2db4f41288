package report

import (
	"fmt"
	"strings"
)

// LaTeX writes the page as a document of its own, with booktabs; its tables can be
// taken into another. What is a picture elsewhere is numbers at some epochs.
func (p *Page) LaTeX() string {
	var b strings.Builder
	b.WriteString(`\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage[margin=2cm]{geometry}
\setlength{\parindent}{0pt}\setlength{\parskip}{.6em}
\newcommand{\fit}[1]{\sbox0{#1}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}
\usepackage{graphicx}
\begin{document}
`)
	fmt.Fprintf(&b, "\\section*{%s}\n\n", tex(p.Title))
	for _, block := range p.Blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "\\subsection*{%s}\n\n", tex(string(block)))
		case Text:
			fmt.Fprintf(&b, "%s\n\n", tex(string(block)))
		case List:
			b.WriteString("\\begin{itemize}\n")
			for _, line := range block {
				fmt.Fprintf(&b, "\\item %s\n", tex(line))
			}
			b.WriteString("\\end{itemize}\n\n")
		case *Table:
			latexTable(&b, block)
		case *Figure:
			latexTable(&b, block.Table())
		}
	}
	b.WriteString("\\end{document}\n")
	return b.String()
}

func latexTable(b *strings.Builder, t *Table) {
	columns := ""
	wide := t.Words > 0 && t.longest() > 60
	for i := range t.Head {
		switch {
		case wide && i == len(t.Head)-1:
			columns += `p{.55\linewidth}`
		case t.isText(i):
			columns += "l"
		default:
			columns += "r"
		}
	}
	if t.Caption != "" {
		fmt.Fprintf(b, "%s:\n\n", tex(t.Caption))
	}
	fmt.Fprintf(b, "\\fit{\\begin{tabular}{%s}\n\\toprule\n", columns)
	latexRow(b, t.Head)
	b.WriteString("\\midrule\n")
	for _, row := range t.Rows {
		latexRow(b, row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n\n")
}

// longest is the length of the longest last cell.
func (t *Table) longest() (n int) {
	for _, row := range t.Rows {
		n = max(n, len(row[len(row)-1]))
	}
	return n
}

func latexRow(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString(tex(c))
	}
	b.WriteString(" \\\\\n")
}

// texOf spells what LaTeX takes for its own, and what its fonts lack.
var texOf = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "\n", " ",
	"χ²", `$\chi^2$`, "R_ρ", `$R_\rho$`, "ρ", `$\rho$`, "λ", `$\lambda$`, "η", `$\eta$`, "μ", `$\mu$`, "φ", `$\varphi$`,
	"‖∇F‖", `$\|\nabla F\|$`, "‖", `$\|$`, "∇", `$\nabla$`, "±", `$\pm$`, "−", `$-$`, "×", `$\times$`, "→", `$\to$`,
	"≤", `$\le$`, "≥", `$\ge$`, "ε", `$\varepsilon$`, "α", `$\alpha$`, "γ", `$\gamma$`, "¹", `$^1$`, "²", `$^2$`,
	"…", `\ldots{}`, "–", "--", "“", "``", "”", "''", "§", `\S{}`, "√", `$\surd$`, "·", `$\cdot$`, "÷", `$\div$`)

// tex is text for LaTeX; what is still no letter that it knows is left out.
func tex(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x17f || r == 0x7f {
			return '?'
		}
		return r
	}, texOf.Replace(s))
}
