// Package foreign turns predictions of other programs into finished runs, so that trees, linear
// models and other people's networks can be compared with runs of drolab. It trains nothing and
// uses no network.
//
//	a table -> Read -> Predictions -> Import -> run.json, one evaluation, a checkpoint, a summary
//	the checkpoint -> Open -> a Split, for certificates and single samples
//
// The checkpoint of step 0 holds the predictions row by row, in place of a network. Measures that
// the table cannot give are absent: without losses or probabilities there is no risk, without
// probabilities no calibration, without training rows no measure of the training split. Start at
// Read (read.go).
package foreign
