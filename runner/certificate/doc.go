// Package certificate measures runs after they have trained: a Frozen is a run as it was at a
// checkpoint. It certifies the worst-case risk of a network (certify.go), measures the constants
// and rates of the paper's theory (theory.go, rate.go), and looks at single samples (samples.go).
// It trains nothing.
//
// A certificate is never part of a run: it can be made again from the checkpoint, and its result
// cannot steer the training. Start at Frozen in frozen.go.
package certificate
