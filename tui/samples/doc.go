// Package samples is the Samples page: the samples that the adversary weighs most at a checkpoint
// of a run. Each has its picture or its columns, its label, and the network's prediction. The page
// evaluates in the background and writes nothing.
//
// Start at page.go (state), page.go (the evaluation), view.go, then list.go, list.go
// (thumbnails) and view.go (the sample under the cursor).
package samples
