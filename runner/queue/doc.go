// Package queue trains a bounded number of runs at once, in the order of their start, each in a
// goroutine, and carries out orders to them. It shares the datasets among them, and knows nothing
// of a training step.
//
// A run has one place at a time: its job in Queue.jobs from the start to the end, and
// then only its record in the Store, from which a resume makes another job. Two locks
// are all: mu for the maps, never held while something waits, and starting for those
// who prepare runs, which may take minutes.
//
// Start at Queue in queue.go. verbs.go has the orders to live runs, job.go a run's life before it
// trains, inherit.go the beginning of a fork.
package queue
