package source

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// Locate returns the name of a dataset with the paths that are relative to the folder base made
// absolute, for a process that works in another folder. Names without a path stay as they
// are.
func Locate(name, base string) string {
	absolute := func(path string) string {
		if filepath.IsAbs(path) || path == "" {
			return path
		}
		return filepath.Join(base, path)
	}
	p, err := find(name)
	switch {
	case err != nil:
		return name
	case p.Locate != nil:
		return p.Locate(name, absolute)
	case !isScheme(p):
		return name
	}
	return data.LocateOwn(name, p.Name, absolute, func(_, value string) string { return value })
}

// Table reports whether the samples of a dataset are rows of numbers, which have no augmentation.
func Table(name string) bool {
	p, err := find(name)
	return err == nil && p.Table
}

// Unscaled reports whether the features of a dataset are used as its file has them, and scale=
// would standardise them.
func Unscaled(name string) bool {
	p, err := find(name)
	_, query, _ := strings.Cut(name, "?")
	return err == nil && p.Unscaled && !strings.Contains("&"+query+"&", "&scale=standard&")
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
// known; the end of ctx stops that.
func SizesOf(ctx context.Context, name string, o data.Options) (data.Sizes, error) {
	if s, ok := KnownSizes(name, o); ok {
		return s, nil
	}
	d, err := OpenContext(ctx, name, o)
	if err != nil {
		return data.Sizes{}, err
	}
	return data.Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(),
			Test: d.Test.Len()},
		d.Close()
}

// KnownSizes returns the sizes of the dataset with these options, on the assumption that all
// classes have the same size. ok is false if the sizes are unknown until files are read, or if the
// options cannot be used.
func KnownSizes(name string, o data.Options) (s data.Sizes, ok bool) {
	p, err := find(name)
	if err != nil {
		return data.Sizes{}, false
	}
	return data.SizesBy(p, o)
}

// An Entry describes one data source.
type Entry struct {
	Name      string     // of the dataset; of a scheme, the form of its names: "idx:DIR"
	Scheme    bool       // the user's own files, wherever they lie
	Purpose   string     // one line
	Available bool       // its files are there, though not checked; Open checks them
	Path      string     // where it is looked for; empty if it needs no file in the data folder
	Download  int64      // bytes that Fetch loads when nothing is there; 0 if it needs no file
	Sizes     data.Sizes // of the whole dataset; zero where only opening it tells
}

// Names lists the names of the single datasets. Datasets that need no file come first.
func Names() []string {
	var names []string
	for _, p := range providers() {
		if !isScheme(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// List describes every data source, the datasets in the order of Names and the schemes. It looks
// for their files in the data folder dir.
func List(dir string) []Entry {
	return lists.Map(providers(), func(p *data.Provider) Entry { return described(p, dir) })
}

// Info describes the data source of a name that Open takes. It looks for the files in the data
// folder dir.
func Info(name, dir string) (Entry, error) {
	p, err := find(name)
	if err != nil {
		return Entry{}, fmt.Errorf("dataset %s: %w", name, err)
	}
	return described(p, dir), nil
}

func described(p *data.Provider, dir string) Entry {
	e := Entry{
		Name: p.Name + p.Argument, Scheme: isScheme(p), Purpose: p.Purpose, Sizes: p.Sizes,
		Available: true,
	}
	if f := p.Files; f != nil {
		e.Path = filepath.Join(dir, f.Folder)
		e.Available, e.Download = f.AreIn(dir), data.TotalSize(f.Remote)
	}
	return e
}
