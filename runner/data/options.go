package data

import "fmt"

// Options says where a dataset lies and which part of it to train on. The zero value is all of it,
// unchanged, from the current folder.
type Options struct {
	Dir        string  // data folder; the user's own files are found without it
	Difficulty float64 // "shapes" only: 0 (easy) to 1

	// Samples is the maximum number of training samples before imbalance, each class in proportion
	// to its share of the file; 0: all. For a Provider with AnySize, such as "shapes", it is the
	// number of training samples; 0: its Sizes.Train.
	Samples int

	// Imbalance is one ratio in (0, 1] a class, or nil. Class c keeps its first round(ratio·count)
	// training samples in file order, so that every method and every seed trains on the same
	// images. The test split stays whole.
	Imbalance []float64
	// Drawn keeps as many samples of each class, but draws which, by DrawSeed alone. Runs of one
	// seed then share their images, and other seeds have others.
	Drawn    bool
	DrawSeed uint64

	// ValFraction is the part of the remaining samples to hold out as Dataset.Val, in [0, 1): of
	// each class, or of each class and group (see Dataset.ByGroup). It must be 0 if the data have a
	// Val of their own.
	ValFraction float64

	// LabelNoise is the share of the training samples, in [0, 1), whose label is set to another
	// class, drawn uniformly. Given groups stay; groups that are the classes, or label × group,
	// follow the label.
	LabelNoise float64

	// Encoder, if set, is the encoder of the data that a network was trained on. The network is to
	// be used on this dataset: nothing is fitted, and all samples of the user's own files are the
	// test split, unless the files have one.
	Encoder *Encoder

	// Raw reads a table of another program's predictions: see [Raw]. No other option applies.
	Raw bool

	// Rows keeps the places that [Row] returns known, at some cost of memory or time.
	Rows bool

	// Glance is for a caller that reads a few samples now and then. A provider may leave the data
	// on the disk; Checksum is then "", since the data are not hashed.
	Glance bool

	// Progress, if it is not nil, is told how many of the samples have been read, from the first
	// moment on, by a provider that takes minutes. One call is made at a time, on any goroutine. An
	// error from it ends the reading, and what was read until then is not lost.
	Progress func(done, of int) error

	// Seed draws the data but for DrawSeed's part: the images of "shapes", the members of every
	// hold-out and the label noise. It is not the seed of a run; runs that are to be compared need
	// the same one.
	Seed uint64
}

// Validate returns an error if an option has an invalid value.
func Validate(o Options) error {
	switch {
	case o.Samples < 0:
		return fmt.Errorf("samples is %d: give a count of at least 0", o.Samples)
	case !(o.Difficulty >= 0 && o.Difficulty <= 1):
		return fmt.Errorf("difficulty is %v: give a number from 0 to 1", o.Difficulty)
	case !(o.ValFraction >= 0 && o.ValFraction < 1):
		return fmt.Errorf("val_fraction is %v: give a number from 0 to below 1", o.ValFraction)
	case !(o.LabelNoise >= 0 && o.LabelNoise < 1):
		return fmt.Errorf("label_noise is %v: give a number from 0 to below 1", o.LabelNoise)
	}
	for c, r := range o.Imbalance {
		if !(r > 0 && r <= 1) {
			return fmt.Errorf(
				"imbalance of class %d is %v: give a ratio above 0 and at most 1", c, r)
		}
	}
	return nil
}
