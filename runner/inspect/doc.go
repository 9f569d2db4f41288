// Package inspect is what a checkpoint of a run makes of single samples, and which of
// them the adversary picks: what drolab eval prints and the interface's page Samples
// draws. It reads runs and data, and writes neither.
//
// Start at Look (look.go); Pick (pick.go) is the little that is kept of one.
package inspect
