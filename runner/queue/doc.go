// Package queue runs up to so many runs at once, in the order of their start, each in a
// goroutine, and does what people ask of them. It shares the datasets among them, and
// knows nothing of a training step.
//
// A run has one place at a time: its job in Queue.jobs from the start to the end, and
// then only its record in the Store, from which a resume makes another job. Two locks
// are all: mu for the maps, never held while something waits, and starting for those
// who prepare runs, which may take minutes.
//
// Start at Queue in queue.go. verbs.go has what is asked of live runs, job.go what
// happens to a run before it trains, inherit.go how a fork begins.
package queue
