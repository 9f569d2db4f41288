// Package loader makes seeded batches of the samples of a data set, with exact resume.
//
//	Source -> order of the samples (epochs, draws, sequential) -> crop, flip, normalise -> Batch
//
// It opens no file. A [Loader] crops, flips and normalises with one table look-up a value
// (normalise.go). Its batches are a pure function of (source, options, epoch, step), so its [State]
// is two counters.
//
// Start at [NewEpochs], [NewDraws] and [NewSequential] in loader.go.
//
// # Files
//
//	loader.go     batches: passes over the source, draws and sequential order; the setting
//	              sampler: samples, groups, replacement or subsample; State and resume; the batch
//	              made ahead on another goroutine
//	normalise.go  a batch's values: (byte/255 − mean)/std by table, crop, mirror; samples that
//	              stay where they lie in memory
package loader
