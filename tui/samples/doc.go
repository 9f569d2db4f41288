// Package samples is the Samples page: the samples that the adversary weighs most at a checkpoint
// of a run. Each has its picture or its columns, its label, and the network's prediction. The page
// evaluates in the background and writes nothing.
//
// Start at page.go (state and keys), then job.go (the evaluation), view.go (with the sample under
// the cursor), list.go and thumbnails.go.
//
// # Files
//
//	page.go        start here: Page, state and keys: `Enter`, `f`, `F` (filter), `s` (order), `+`,
//	               `-` (radius), `v`, `m` (split), `c` (checkpoint), `r`, `Esc`
//	job.go         the evaluation in the background, its progress, its end at the next batch after
//	               `Esc`
//	view.go        the page, figures over all samples, the sample under the cursor with its facts
//	               and columns
//	list.go        the samples as a list
//	thumbnails.go  the samples as small pictures with label and prediction
//	define.go      `i`: what loss and ratio are
//	messages.go    messages to the page itself: what its commands bring
package samples
