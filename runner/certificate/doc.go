// Package certificate measures runs after they have trained: a Frozen is a run as it was at a
// checkpoint. It certifies the worst-case risk of a network (certify.go), measures the constants
// and rates of the paper's theory (theory.go, rate.go), holds runs against its Theorem 1
// (theorem.go), and looks at single samples (view.go). It trains nothing.
//
// A certificate is never part of a run: it can be made again from the checkpoint, and its result
// cannot steer the training. Start at Frozen in frozen.go.
//
// # Single samples
//
// A View (view.go) evaluates a checkpoint on single samples, and finds the samples that the
// adversary picks. drolab eval prints them, and the interface's page Samples draws them. A Pick is
// the part of a View that is kept (pick.go).
//
// # Predictions of other programs
//
// Predictions (predictions.go) become ended runs (import.go), so that trees, linear models and
// other people's networks can be compared with drolab's runs.
//
//	a table -> ReadPredictions -> Predictions -> Import -> run.json, one evaluation,
//	                                                       a checkpoint, a summary
//	the checkpoint -> importedSplit -> Samples, for certificates and single samples
//
// The checkpoint of step 0 holds the predictions row by row, in place of a network. Information
// that the table lacks stays absent: without losses or probabilities there is no risk, without
// probabilities no calibration error, and without training rows no measure of the training split.
package certificate
