package data

import (
	"fmt"
	"path/filepath"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/download"
)

// An Entry describes one data source.
type Entry struct {
	Name      string // of the dataset; of a scheme, the form of its names: "idx:DIR"
	Scheme    bool   // the user's own files, wherever they lie
	Purpose   string // one line
	Available bool   // its files are there, though not checked; Open checks them
	Path      string // where it is looked for; empty if it needs no file in the data folder
	Download  int64  // bytes that Fetch loads when nothing is there; 0 if it needs no file
	Sizes     Sizes  // of the whole dataset; zero where only opening it tells
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
	var list []Entry
	for _, p := range providers() {
		list = append(list, described(p, dir))
	}
	return list
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

func described(p *Provider, dir string) Entry {
	e := Entry{
		Name: p.Name + p.Argument, Scheme: isScheme(p), Purpose: p.Purpose, Sizes: p.Sizes,
		Available: true,
	}
	if f := p.Files; f != nil {
		e.Path = filepath.Join(dir, f.Folder)
		e.Available, e.Download = dataset.There(f, dir), download.TotalSize(f.Remote)
	}
	return e
}
