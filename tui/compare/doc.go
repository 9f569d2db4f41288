// Package compare is the Compare page: the paper's Table 1 over runs and seeds, what robustness
// costs, what makes the comparison unfair, and curves.
//
// Start at page.go (state), read.go (files), view.go, then table.go, costs.go, curves.go and
// notes.go.
//
// # Files
//
//	page.go      start here: Page, its state and messages; table, costs, curves or notes
//	read.go      reads runs and logs: the newest experiment, the tables' evaluations, damaged logs
//	view.go      the page as a whole, heading, "Nothing to compare yet"
//	layout.go    where table, costs, curves and notes go, beside and below each other
//	messages.go  messages to the page itself: what its commands bring
//
//	table.go       the paper's Table 1: a line for each measure or class, a column for each
//	               method; ± intervals, stars (*), ? (n < min_group); arrows where columns or
//	               lines are out of view
//	difference.go  the change from the baseline, where both answer the same question
//	costs.go       "What it costs": the methods as points in two measures, and which of them are on
//	               the front
//	notes.go       "Read with care": what makes the comparison unfair, settings that differ,
//	               definitions
//	curves.go      curves over epochs with bands over seeds, and S at the selected step
//
//	keys.go     keys: `Enter`, `n`, `y`, `i`, `m` (measure), `a` (axes), `s` (last or selected
//	            step), `v`, `⇧Tab`, and what they do
//	choices.go  what is kept for the next start: panel, measure and axes
package compare
