// Package page holds tables, figures and numbers as values, and writes them in each form.
//
//	Page -> Heading, Text, List, *Table, *Figure, *Scatter ->
//	  Markdown, LaTeX, HTML, SVG, PGFPlots
//	Table -> Format (file.go): CSV, JSON lines, NPZ -> a file of a name that was free
//	Style (number.go): a number, its interval and its star -> a cell
//
// A page computes nothing, and knows neither runs nor screens: its text is plain, and its cells
// are formatted already. Names in it come from files that anybody may have written, so each form
// escapes them. The terminal's form is in tui/kit (table.go) and tui/cli/console (page.go). A
// format of tables has a line in builtIn, or it is registered.
//
// Start reading at table.go.
//
// # Files
//
//	page.go    a page and its blocks: headings, text, lists, figures with curves; the tones of
//	           cells
//	table.go   tables: columns, rows, ranks, tables of records, CSV
//	scatter.go   points in two measures with their intervals and the front: its corners, its table,
//	           the ranges of its axes, SVG, pgfplots
//	number.go  styles of numbers: digits, decimals, percent, ±; the dash of what does not apply
//	notation.go  the one way to write n and ratios: "n=2", "×1.3"
//	sort.go    keys by which rows are sorted: numbers, words, nothing
//	axis.go    the ticks of axes: 1, 2, 5 times a power of ten
//
//	file.go      formats of tables, their files (a free name, or replaced), and the registry
//	jsonl.go     JSON lines
//	npz.go       NPZ, for NumPy
//	markdown.go  Markdown, as GitHub has it
//	latex.go     LaTeX with booktabs, and curves for pgfplots
//	html.go      a page of HTML, with its style (page.css)
//	svg.go       figures as SVG: axes, bands, legends, colours
package page
