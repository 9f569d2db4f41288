// Package measure is the table of the measures of steps and evaluations. Each row has a name, a
// definition and the computation from a pass over a split. The package computes and reads
// numbers; it runs no network and keeps no file.
//
// Sums are in float64 and in the order of the samples, so that a measure is the same to the bit
// each time that it is computed.
//
// Start at Measure in measure.go. The rows of evaluations are in measure.go; the rows of steps
// belong to the methods of package dro. A Number survives JSON; Values and Lists are numbers by
// name.
//
// # The data's own checks
//
// A card (card.go) is what can be said of a data set before anything trains: columns that hold the
// label in other words, groups that are too small, samples that repeat.
package measure
