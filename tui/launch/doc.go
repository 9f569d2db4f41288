// Package launch is the Launch page: it lists presets and their settings, and starts runs.
//
// Start at page.go (state), edit.go (settings), review.go and estimate.go (what a start would
// take), view.go.
//
// # Files
//
//	page.go      start here: Page, state and keys: `Enter` (review, then start), `Space`, `e`,
//	             `u`, `Tab`; why a start is refused; missing datasets; the film's entry
//	edit.go      settings: what the runs would use, typed values and their errors, methods and
//	             seeds; where a value comes from
//	finds.go     presets and settings, for the search of the interface
//	where.go     the machine that trains the runs, with its datasets and past runs; the start
//	boxes.go     boxes of methods and seeds ([x])
//	review.go    "Purpose", "Means", "Time", "Problem", "Budget", "Data" of the chosen preset; the
//	             review before a start
//	warnings.go  what the runs of a review would warn of: the data are read for it
//	estimate.go  time of the runs, by finished runs of the same model and data on this processor
//	view.go      the two panes, their lines and places; the welcome of a newcomer
//	messages.go  messages to the page itself
package launch
