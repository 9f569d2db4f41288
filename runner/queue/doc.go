// Package queue runs up to so many runs at once, in the order of their start, each in a
// goroutine, and does what people ask of them. It shares the datasets among them, and
// knows nothing of a training step.
//
// Start at Queue in queue.go. verbs.go has what is asked of live runs, job.go what
// happens to a run before it trains, inherit.go how a fork begins.
package queue
