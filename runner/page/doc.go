// Package page holds tables, figures and numbers as values, and writes them in each form.
//
//	Page -> Heading, Text, List, *Table, *Figure -> Markdown, LaTeX, HTML, SVG, PGFPlots
//	Table -> Format (file.go): CSV, JSON lines, NPZ -> a file of a name that was free
//	Style (number.go): a number, its interval and its star -> a cell
//
// A page computes nothing, and knows neither runs nor screens: its text is plain, and its cells
// are formatted already. Names in it come from files that anybody may have written, so each form
// escapes them. The terminal's form is in tui/kit (table.go) and tui/cli/console (page.go). A
// format of tables has a line in builtIn, or it is registered.
//
// Start reading at table.go.
package page
