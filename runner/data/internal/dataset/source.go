package dataset

// A Provider gives the dataset of one name or, where the name ends in a colon, those of one scheme:
// "idx:" gives "idx:DIR" for every DIR. Name, Purpose and Open are required; of the rest, the zero
// value is the plain case.
type Provider struct {
	Name     string
	Argument string   // of a scheme: what follows it, for lists, as in DIR
	Endings  []string // of a scheme: a name that ends so belongs to it without the prefix too
	Purpose  string   // one line

	// Open reads the whole dataset: Classes, Train, Test, Checksum, and what else it has. The
	// package's Open does the rest: name, shape, cap, imbalance and hold-out.
	Open func(name string, o Options) (*Dataset, error)
	// Apart says that its files are one's own, and read by a process of their own where that is
	// wanted: see [ReadApart]. The program must register it in every process, and its sources be
	// kinds that send knows.
	Apart bool
	// Raw says that Open knows Options.Raw.
	Raw bool
	// Pack puts what these have left of the training split into memory; nil: it stays where it is.
	Pack func(*Dataset)
	// Locate makes the paths in a name absolute; nil: it has none.
	Locate func(name string, absolute func(path string) string) string

	Files *Files // what Fetch brings into the data folder; nil: it needs nothing there
	Sizes Sizes  // of the whole dataset; zero: only opening it tells
	// AnySize says that Options.Samples is the number of training samples, with Sizes.Train for 0,
	// and not their most.
	AnySize bool
	// Table says that its samples are rows of numbers, and nothing to crop or mirror.
	Table bool
	// ByGroup says that its Dataset is so: what a hold-out leaves, only opening it tells.
	ByGroup bool
	// Imbalance is what a run has that asks for none in particular: one ratio a class; nil: all
	// samples.
	Imbalance []float64
}

// Sizes are the measures of a dataset.
type Sizes struct {
	Shape                Shape
	Classes, Train, Test int
}

// SizesBy is KnownSizes of a provider.
func SizesBy(p *Provider, o Options) (s Sizes, ok bool) {
	if p.Sizes == (Sizes{}) || Validate(o) != nil || o.suits(p.Sizes.Classes) != nil ||
		p.ByGroup && o.ValFraction > 0 {
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
	for _, n := range o.keep(counts) {
		s.Train += n - Share(o.ValFraction, n)
	}
	return s, true
}
