// Package gate is where a run waits: for one of the slots that training needs, for a
// resume, for room on the disk. Orders reach a run through its gate between two steps.
//
// A gate never trains and never decides: it blocks the run's goroutine, and does
// meanwhile what can be done without a slot. Start at Gate in gate.go. A queue sends
// orders, and the run's goroutine does the rest.
package gate
