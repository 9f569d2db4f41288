// Package page holds the content of a report, a comparison or a table as values, and writes
// them in each form.
//
//	Page -> Heading, Text, List, *Table, *Figure -> Markdown, LaTeX, HTML, SVG, PGFPlots
//	Style (number.go): a number, its interval and its star -> a cell
//	rows -> CSV (csv.go)
//
// A page computes nothing, and knows neither runs nor measures: its text is plain, and its cells
// are formatted already. Names in it come from files that anybody may have written, so each form
// escapes them. The terminal's form is in tui/cli/console (page.go).
//
// Start reading at page.go.
package page
