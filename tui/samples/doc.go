// Package samples is the Samples page: the samples that the adversary weighs most at a checkpoint
// of a run. Each has its picture or its columns, its label, and the network's prediction. The page
// evaluates in the background and writes nothing.
//
// Start at page.go (state and keys), then job.go (the evaluation), view.go (with the sample under
// the cursor), list.go and thumbnails.go.
package samples
