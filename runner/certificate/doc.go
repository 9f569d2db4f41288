// Package certificate measures runs after they have trained: a Frozen is a run as it was at a
// checkpoint. It certifies the worst-case risk of a network, measures the constants and rates of
// the paper's theory, holds runs against its Theorem 1, and looks at single samples. It trains
// nothing.
//
// A certificate is never part of a run: it can be made again from the checkpoint, and its result
// cannot steer the training. Start at Frozen in frozen.go.
//
// # Single samples
//
// A View evaluates a checkpoint on single samples, and finds the samples that the
// adversary picks. drolab eval prints them, and the interface's page Samples draws them. A Pick is
// the part of a View that is kept.
//
// # Predictions of other programs
//
// Predictions become ended runs, so that trees, linear models and
// other people's networks can be compared with drolab's runs.
//
//	a table -> ReadPredictions -> Predictions -> Import -> run.json, one evaluation,
//	                                                       a checkpoint, a summary
//	the checkpoint -> importedSplit -> Samples, for certificates and single samples
//
// The checkpoint of step 0 holds the predictions row by row, in place of a network. Information
// that the table lacks stays absent: without losses or probabilities there is no risk, without
// probabilities no calibration error, and without training rows no measure of the training split.
//
// # Files
//
//	frozen.go   a run at a checkpoint with its data and network; loss of every sample; the
//	            stationarity test; the output rule's x
//	certify.go  drolab certify: R_ρ of a network by set and radius, with its intervals, upper
//	            bound, effective sample size and weights by class and group; the difference of two
//	            networks, pair by pair
//	theory.go   drolab theory: B, G, L, L_z at a network; gradient variance and the bias of
//	            mini-batches (Lemma 3)
//	rate.go     log-log slopes of dual gap and gradient norm against samples drawn, beside Theorem
//	            1's
//	theorem.go  the conditions of Theorem 1 that a run does not meet; its prescribed steps and
//	            batches, what was reached (drolab theory)
//
//	view.go       drolab eval and the page Samples: the loss of each sample, the worst case's
//	              weights, accuracies, decisions with intervals; how many test samples were
//	              trained on
//	bysample.go   prediction, loss and probabilities of each sample of a split
//	pick.go       the heaviest samples of a split and of each class and group, bounded
//	picture.go    a sample as a picture, and made smaller
//	lastlayer.go  drolab features: the inputs of a network's last layer
//
//	predictions.go  a table of predictions of another program: columns, splits, probabilities
//	import.go       drolab import: predictions as an ended run, its run.json, evaluation and
//	                checkpoint
package certificate
