package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Provider gives the dataset of one name or, where the name ends in a colon, those of one scheme: "idx:"
// gives "idx:DIR" for every DIR. Name, Purpose and Open are required; of the rest, the zero value is the
// plain case.
type Provider struct {
	Name     string
	Argument string   // of a scheme: what follows it, for lists, as in DIR
	Endings  []string // of a scheme: a name that ends so belongs to it without the prefix too
	Purpose  string   // one line

	// Open reads the whole dataset: Classes, Train, Test, Checksum, and what else it has. The package's Open
	// does the rest: name, shape, cap, imbalance and hold-out.
	Open func(name string, o Options) (*Dataset, error)
	// Apart says that its files are one's own, and read by a process of their own where that is wanted: see
	// [ReadApart]. The program must register it in every process, and its sources be kinds that send knows.
	Apart bool
	// Pack puts what these have left of the training split into memory; nil: it stays where it is.
	Pack func(*Dataset)
	// Locate makes the paths in a name absolute; nil: it has none.
	Locate func(name string, absolute func(path string) string) string

	Files *Files // what Fetch brings into the data folder; nil: it needs nothing there
	Sizes Sizes  // of the whole dataset; zero: only opening it tells
	// AnySize says that Options.Samples is the number of training samples, with Sizes.Train for 0, and not their
	// most.
	AnySize bool
	// Table says that its samples are rows of numbers, and nothing to crop or mirror.
	Table bool
	// ByGroup says that its Dataset is so: what a hold-out leaves, only opening it tells.
	ByGroup bool
	// Imbalance is what a run has that asks for none in particular: one ratio a class; nil: all samples.
	Imbalance []float64
}

// Sizes are the measures of a dataset.
type Sizes struct {
	Shape                Shape
	Classes, Train, Test int
}

// registry is every Provider, those of one name in the order of Names.
var registry = struct {
	sync.RWMutex
	list []*Provider
}{list: []*Provider{shapes(), spurious(), csvExample(), cifar10(), cifar100(), cifar100Coarse(), mnist(),
	fashion(), csvFiles(), parquetFiles(), npzFiles(), npyFiles(), safetensors(),
	idxFolders(), pictureFolders()}}

// Register adds a data source for the whole program, until remove is called. It panics if the name is taken.
func Register(p Provider) (remove func()) {
	registry.Lock()
	defer registry.Unlock()
	named := func(q *Provider) bool { return q.Name == p.Name }
	if p.Name == "" || p.Open == nil || slices.ContainsFunc(registry.list, named) {
		panic("data: a provider needs a name of its own and Open")
	}
	registry.list = append(slices.Clip(registry.list), &p)
	return func() {
		registry.Lock()
		defer registry.Unlock()
		registry.list = slices.DeleteFunc(slices.Clone(registry.list), func(q *Provider) bool { return q == &p })
	}
}

// providers gives the registry as it is now.
func providers() []*Provider {
	registry.RLock()
	defer registry.RUnlock()
	return registry.list
}

// find gives the provider of a name: the one named so, else the one of the scheme, else the one of the
// ending.
func find(name string) (*Provider, error) {
	list := providers()
	for _, fits := range []func(p *Provider) bool{
		func(p *Provider) bool { return p.Name == name },
		func(p *Provider) bool { return p.scheme() && strings.HasPrefix(name, p.Name) },
		func(p *Provider) bool {
			path, _, _ := strings.Cut(name, "?")
			return slices.ContainsFunc(p.Endings, func(e string) bool { return strings.HasSuffix(path, e) })
		},
	} {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return list[i], nil
		}
	}
	return nil, fmt.Errorf("unknown name: choose one of %s", choice(list))
}

func (p *Provider) scheme() bool { return strings.HasSuffix(p.Name, ":") }

// choice lists providers in words.
func choice(list []*Provider) string {
	var words []string
	for _, p := range list {
		words = append(words, p.Name+p.Argument)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Locate returns the name of a dataset with the files in it that are relative to the folder base made
// absolute, for a process that works elsewhere. Names without a file, and those that Open would refuse, stay
// as they are.
func Locate(name, base string) string {
	p, err := find(name)
	if err != nil || p.Locate == nil {
		return name
	}
	return p.Locate(name, func(path string) string {
		if filepath.IsAbs(path) || path == "" {
			return path
		}
		return filepath.Join(base, path)
	})
}

// Table tells whether the samples of a dataset are rows of numbers: augmentation is for pictures.
func Table(name string) bool {
	p, err := find(name)
	return err == nil && p.Table
}

// DefaultImbalance gives the customary ratios of a dataset, one a class; nil: all samples.
func DefaultImbalance(name string) []float64 {
	p, err := find(name)
	if err != nil {
		return nil
	}
	return slices.Clone(p.Imbalance)
}

// SizesOf gives the sizes that the dataset has with these options. It opens it where they are not known.
func SizesOf(name string, o Options) (Sizes, error) {
	if s, ok := KnownSizes(name, o); ok {
		return s, nil
	}
	d, err := Open(name, o)
	if err != nil {
		return Sizes{}, err
	}
	return Sizes{d.Shape, len(d.Classes), d.Train.Len(), d.Test.Len()}, d.Close()
}

// KnownSizes gives the sizes that the dataset has with these options, if that is known without a look at any
// file and the options can be used. Classes are taken for equally large.
func KnownSizes(name string, o Options) (s Sizes, ok bool) {
	p, err := find(name)
	if err != nil || p.Sizes == (Sizes{}) || o.validate() != nil || o.suits(p.Sizes.Classes) != nil ||
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
		s.Train += n - share(o.ValFraction, n)
	}
	return s, true
}
