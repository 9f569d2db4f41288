// Package gate is the place where a run waits: for one of the slots that training needs, for a
// resume, for space on the disk. Orders reach a run through its gate between two steps.
//
// A gate never trains and never decides. It blocks the run's goroutine, and meanwhile carries out
// the orders that need no slot. Start at Gate in gate.go. A queue sends orders, and the run's
// goroutine does the rest.
package gate
