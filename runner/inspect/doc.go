// Package inspect evaluates a checkpoint of a run on single samples, and finds the samples
// that the adversary picks. drolab eval prints them, and the interface's page Samples draws
// them. It reads runs and data, and writes neither.
//
// Start at Look (look.go); Pick (pick.go) is the part of a Look that is kept.
package inspect
