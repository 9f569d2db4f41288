package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner/data/internal/array"
	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/picture"
	"drolab/runner/data/internal/synthetic"
	"drolab/runner/data/internal/table"
)

// registry holds every Provider, the providers of a single dataset in the order of Names.
var registry = struct {
	sync.RWMutex
	list []*Provider
}{list: []*Provider{synthetic.Shapes(), synthetic.Spurious(), table.CSVExample(),
	picture.CIFAR10(), picture.CIFAR100(), picture.CIFAR100Coarse(), picture.Mnist(),
	picture.Fashion(), table.CSVFiles(), table.ParquetFiles(), array.NPZFiles(), array.NPYFiles(),
	array.Safetensors(),
	picture.IDXFolders(), picture.PictureFolders()}}

// Register adds a data source for the whole program, until remove is called. It panics if the name
// is taken.
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
		registry.list = slices.DeleteFunc(slices.Clone(registry.list),
			func(q *Provider) bool { return q == &p })
	}
}

// providers gives the registry as it is now.
func providers() []*Provider {
	registry.RLock()
	defer registry.RUnlock()
	return registry.list
}

// find returns the provider of a name: the provider with exactly this name, else the provider of
// its scheme, else the provider of its file name ending.
func find(name string) (*Provider, error) {
	list := providers()
	for _, fits := range []func(p *Provider) bool{
		func(p *Provider) bool { return p.Name == name },
		func(p *Provider) bool { return isScheme(p) && strings.HasPrefix(name, p.Name) },
		func(p *Provider) bool {
			path, _, _ := strings.Cut(name, "?")
			return slices.ContainsFunc(p.Endings, func(e string) bool {
				return strings.HasSuffix(path, e)
			})
		},
	} {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return list[i], nil
		}
	}
	return nil, fmt.Errorf("unknown name: choose one of %s", choice(list))
}

func isScheme(p *Provider) bool { return strings.HasSuffix(p.Name, ":") }

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

// Locate returns the name of a dataset with the paths that are relative to the folder base made
// absolute, for a process that works in another folder. Names without a path, and names that Open
// would refuse, stay as they are.
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

// Table reports whether the samples of a dataset are rows of numbers, which have no augmentation.
func Table(name string) bool {
	p, err := find(name)
	return err == nil && p.Table
}

// DefaultImbalance returns the customary imbalance of a dataset, one ratio a class; nil: all
// samples.
func DefaultImbalance(name string) []float64 {
	p, err := find(name)
	if err != nil {
		return nil
	}
	return slices.Clone(p.Imbalance)
}

// SizesOf returns the sizes of the dataset with these options. It opens the dataset if they are not
// known.
func SizesOf(name string, o Options) (Sizes, error) {
	if s, ok := KnownSizes(name, o); ok {
		return s, nil
	}
	d, err := Open(name, o)
	if err != nil {
		return Sizes{}, err
	}
	return Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(), Test: d.Test.Len()},
		d.Close()
}

// KnownSizes returns the sizes of the dataset with these options, on the assumption that all
// classes have the same size. ok is false if the sizes are unknown until files are read, or if the
// options cannot be used.
func KnownSizes(name string, o Options) (s Sizes, ok bool) {
	p, err := find(name)
	if err != nil {
		return Sizes{}, false
	}
	return dataset.SizesBy(p, o)
}
