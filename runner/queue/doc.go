// Package queue trains a bounded number of runs at once, in the order of their start, each
// in a goroutine, and carries out requests to them. It shares datasets among runs, and
// knows nothing of a training step.
//
// A run is in one place at a time. From its start to its end it is a job in Queue.jobs. Afterwards
// it is only a record in the Store, from which a resume makes another job. There are two locks: mu
// guards the maps and is never held during a wait; starting serialises the preparation of runs,
// which may take minutes.
//
// Start at Queue in queue.go. Requests to live runs are in verbs.go, the run.json of a new run in
// meta.go, forks in fork.go, resumes in resume.go, and the shared datasets in dataset.go.
package queue
