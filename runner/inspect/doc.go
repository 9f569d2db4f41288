// Package inspect evaluates a checkpoint of a run on single samples, and finds the samples that
// the adversary picks. drolab eval prints the result, and the interface's page Samples draws it.
// The package reads runs and data, and writes neither.
//
// Start at Look (look.go); Pick (pick.go) is the small part of it that is kept.
package inspect
