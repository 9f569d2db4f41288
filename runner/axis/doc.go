// Package axis gives the range of an axis and the round numbers along it, for any
// data: charts in the terminal and figures in files have their ticks from here.
//
// It knows floating-point numbers and no chart. Every loop in it counts in whole
// numbers over a range that [Usable] has opened, so none depends on a sum that
// rounding may leave where it was.
package axis
