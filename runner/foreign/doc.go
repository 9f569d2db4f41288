// Package foreign turns predictions of other programs into ended runs, so that trees,
// linear models and other people's networks can be compared with drolab's runs. It trains
// nothing and uses no network.
//
//	a table -> Read -> Predictions -> Import -> run.json, one evaluation, a checkpoint, a summary
//	the checkpoint -> Open -> a Split, for certificates and single samples
//
// The checkpoint of step 0 holds the predictions row by row, in place of a network.
// Information that the table lacks stays absent: without losses or probabilities there is
// no risk, without probabilities no calibration error, and without training rows no measure
// of the training split. Start at Read (read.go).
package foreign
