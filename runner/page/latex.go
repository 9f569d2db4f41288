package page

import (
	"fmt"
	"slices"
	"strings"
)

// LaTeX writes the page as a complete document with booktabs, whose tables can be copied into
// another. A figure becomes a table of its values at some epochs.
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
	fmt.Fprintf(&b, "\\section*{%s}\n\n", escapeLaTeX(p.Title))
	for _, block := range p.Blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "\\subsection*{%s}\n\n", escapeLaTeX(string(block)))
		case Text:
			fmt.Fprintf(&b, "%s\n\n", escapeLaTeX(string(block)))
		case List:
			b.WriteString("\\begin{itemize}\n")
			for _, line := range block {
				fmt.Fprintf(&b, "\\item %s\n", escapeLaTeX(line))
			}
			b.WriteString("\\end{itemize}\n\n")
		case *Table:
			block.fittedLaTeX(&b)
		case *Figure:
			block.table().fittedLaTeX(&b)
		case *Scatter:
			block.table().fittedLaTeX(&b)
		}
	}
	b.WriteString("\\end{document}\n")
	return b.String()
}

// fittedLaTeX writes the table at most as wide as the page.
func (t *Table) fittedLaTeX(b *strings.Builder) {
	if t.Caption != "" {
		fmt.Fprintf(b, "%s:\n\n", escapeLaTeX(t.Caption))
	}
	fmt.Fprintf(b, "\\fit{%s}\n\n", strings.TrimSuffix(LaTeX(t), "\n"))
}

// LaTeX writes tables for a document that uses booktabs, and text as comments.
func LaTeX(blocks ...Block) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case Text:
			fmt.Fprintf(&b, "%% %s\n", oneLine(string(block)))
		case *Table:
			block.latex(&b)
		}
	}
	return b.String()
}

func (t *Table) latex(b *strings.Builder) {
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", t.alignment())
	for i, row := range t.lines() {
		cells := make([]string, len(row))
		for k, c := range row {
			cells[k] = escapeLaTeX(c)
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n")
	if t.Foot != "" {
		fmt.Fprintf(b, "\\multicolumn{%d}{l}{\\footnotesize %s} \\\\\n", len(t.Columns),
			escapeLaTeX(t.Foot))
	}
	b.WriteString("\\end{tabular}\n")
}

// alignment returns the column types for LaTeX. A last column with long sentences breaks them into
// lines.
func (t *Table) alignment() (kinds string) {
	for _, c := range t.Columns {
		if c.Words {
			kinds += "l"
		} else {
			kinds += "r"
		}
	}
	const long = 60
	last := len(t.Columns) - 1
	if last > 0 && t.Columns[last].Words && slices.ContainsFunc(t.Rows, func(row []string) bool {
		return len(row[last]) > long
	}) {
		return kinds[:last] + `p{.55\linewidth}`
	}
	return kinds
}

// PGFPlots writes the figure as curves that the package pgfplots draws.
func (f *Figure) PGFPlots() string {
	var b strings.Builder
	options := "title={" + escapeLaTeX(f.Title) + "}, xlabel={epoch}, legend pos=outer north east"
	if f.isLogarithmic() {
		options += ", ymode=log"
	}
	fmt.Fprintf(&b, "\\begin{tikzpicture}\n\\begin{axis}[%s]\n", options)
	for _, c := range f.Curves {
		b.WriteString("\\addplot+[mark=none] coordinates {")
		for _, p := range c.Points {
			fmt.Fprintf(&b, " (%.6g,%.6g)", p.X, p.Y)
		}
		fmt.Fprintf(&b, " };\n\\addlegendentry{%s}\n", escapeLaTeX(c.Name))
	}
	b.WriteString("\\end{axis}\n\\end{tikzpicture}\n")
	return b.String()
}

// texOf escapes characters that are special in LaTeX, and spells symbols that its fonts lack.
var texOf = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`,
	"$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"χ²", `$\chi^2$`, "R_ρ", `$R_\rho$`, "ρ", `$\rho$`, "λ", `$\lambda$`, "η", `$\eta$`,
	"μ", `$\mu$`, "φ", `$\varphi$`, "ε", `$\varepsilon$`, "α", `$\alpha$`, "γ", `$\gamma$`,
	"‖∇F‖", `$\|\nabla F\|$`, "‖", `$\|$`, "∇", `$\nabla$`, "±", `$\pm$`, "−", `$-$`,
	"×", `$\times$`, "→", `$\to$`, "≤", `$\le$`, "≥", `$\ge$`, "¹", `$^1$`, "²", `$^2$`,
	"…", `\ldots{}`, "–", "--", "“", "``", "”", "''", "§", `\S{}`,
	"√", `$\surd$`, "·", `$\cdot$`, "÷", `$\div$`)

// escapeLaTeX returns text for LaTeX. Characters above U+017F that texOf does not spell become
// question marks.
func escapeLaTeX(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x17f {
			return '?'
		}
		return r
	}, texOf.Replace(oneLine(s)))
}
