package data

// A Provider provides the dataset of one name or, if the name ends in a colon, the datasets of one
// scheme: "idx:" provides "idx:DIR" for every DIR. Name, Purpose and Open are required; of the
// rest, the zero value is the plain case.
type Provider struct {
	Name     string
	Argument string   // of a scheme: what follows the name in lists, as in DIR
	Endings  []string // of a scheme: a name that ends so belongs to it even without the prefix
	Purpose  string   // one line

	// Open reads the whole dataset: Classes, Train, Test, Checksum, and what else it has. The
	// Open of package source does the rest: name, shape, cap, imbalance and hold-out.
	Open func(name string, o Options) (*Dataset, error)
	// Apart says that the files are the user's own, and that a separate process reads them after a
	// call of ReadApart (runner/data/source). The program must register the Provider in every
	// process, and its sources must be of the kinds that send (runner/data/source) knows.
	Apart bool
	// Raw says that Open knows Options.Raw.
	Raw bool
	// Pack puts the samples that the options have left into memory; nil: they stay where they are.
	Pack func(*Dataset)
	// Locate makes the paths in a name absolute; nil: the only path, if any, is the argument of a
	// scheme.
	Locate func(name string, absolute func(path string) string) string

	Files *Files // what Fetch brings into the data folder; nil: it needs nothing there
	Sizes Sizes  // of the whole dataset; zero: only opening it tells
	// AnySize says that Options.Samples is the number of training samples, or Sizes.Train if it is
	// 0, and not a maximum.
	AnySize bool
	// Table says that its samples are rows of numbers, and nothing to crop or mirror.
	Table bool
	// Unscaled says that features are used as they are, unless the option scale= standardises them.
	Unscaled bool
	// ByGroup sets Dataset.ByGroup. Only opening the dataset tells what a hold-out then leaves.
	ByGroup bool
	// Imbalance is the imbalance of a run that asks for none in particular: one ratio a class; nil:
	// all samples.
	Imbalance []float64
}

// Sizes are the shape of a sample and the numbers of classes and samples of a dataset.
type Sizes struct {
	Shape                Shape
	Classes, Train, Test int
}

// SizesBy returns the sizes of a provider's dataset; see KnownSizes (runner/data/source).
func SizesBy(p *Provider, o Options) (s Sizes, ok bool) {
	heldOutByGroup := p.ByGroup && o.ValFraction > 0
	if p.Sizes == (Sizes{}) || heldOutByGroup {
		return Sizes{}, false
	}
	if Validate(o) != nil || o.suits(p.Sizes.Classes) != nil {
		return Sizes{}, false
	}
	s = p.Sizes
	if p.AnySize && o.Samples > 0 {
		s.Train = o.Samples
	}
	counts := make([]int, s.Classes)
	for c := range counts {
		counts[c] = (s.Train + s.Classes - 1 - c) / s.Classes
	}
	s.Train = 0
	for _, n := range o.remaining(counts) {
		s.Train += n - Share(o.ValFraction, n)
	}
	return s, true
}
