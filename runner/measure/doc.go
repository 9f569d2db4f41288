// Package measure is the table of the measures of steps and evaluations. Each row has a name, a
// definition and the computation from a pass over a split. The package computes and reads
// numbers; it runs no network and keeps no file.
//
// Sums are in float64 and in the order of the samples, so that a measure is the same to the bit
// each time that it is computed.
//
// Start at Measure in measure.go. The rows of evaluations are in rows.go and decision.go; the rows
// of steps belong to the methods of package dro. Pass is what they are computed from. A Number
// survives JSON; Values and Lists are numbers by name.
//
// # The data's own checks
//
// Data mislead where a column gives the label away or names the row, where a column occurs twice,
// or where test rows also occur in training. The checks are a table (card.go); to add a check is to
// add a row. Their functions are in columns.go, leaks.go, twins.go and splitchecks.go.
//
//	a Dataset, with the sample of rows that its reader took -> checks -> [DataWarning]s
//
// All checks together look at no more than a sample of rows, so they take a fraction of a second
// for any table. They change nothing.
package measure
