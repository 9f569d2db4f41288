// Package runs is the Runs page: every run of the folder, filtered and sorted.
//
// Start at page.go (state), then columns.go, line.go (runs that share a line) and view.go.
//
// # Files
//
//	page.go      start here: Page, state and messages; selection, `Esc`, clicks
//	view.go      the page: list, filter line, details; counts in the title
//	columns.go   columns of the list, their widths and order; `C` chooses
//	details.go   the panel of the run under the cursor: settings, origin, selected step, accuracy
//	             of each class
//	messages.go  messages to the page itself: what its commands bring
//
//	keys.go     all keys of the page, with the words of the help; `y` copies the name
//	actions.go  what acts on runs: watch, `R` replay, `c` compare, `P` samples, `p`, `r`, `x`, `D`
//	            (with questions), `i`; on which runs each is possible
//	label.go    `n` note, `#` tags, `A` archive
//	fork.go     `F`, the form that starts a run from a checkpoint with other settings; other pages
//	            open it, too
//	filter.go   `/`, as in "algo:sfk rho>=0.5 -failed"
//
//	finds.go    runs, for the search of the interface
//	fold.go     `o`, `O`: which runs share a line
//	line.go     the figures of such a line: mean ± deviation over seeds, common text
//	days.go     how long ago runs started, and the heads of days
//	sort.go     `s`, `S`: the order of the list
//	moment.go   `v`: values of the last, the best or an epoch's evaluation
//	evals.go    reads evaluations of runs in view; what damaged logs have lost
//	trend.go    the small curve of worst accuracy, 0 to 100
//	pins.go     the column of pinned checkpoints
//	choices.go  what is kept for the next start: sort, columns, fold
package runs
