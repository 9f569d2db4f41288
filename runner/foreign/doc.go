// Package foreign makes ended runs of what other programs predicted, so that trees, linear models
// and other people's networks stand beside own runs. It trains nothing and uses no network.
//
//	a table -> Read -> Predictions -> Import -> run.json, one evaluation, a checkpoint, a summary
//	the checkpoint -> Open -> a Split, for certificates and single samples
//
// The checkpoint of step 0 holds the predictions row by row, in place of a network. What the table
// does not have is absent: without losses or probabilities no risk, without probabilities no
// calibration, without training rows nothing of the training split. Start at Read (read.go).
package foreign
