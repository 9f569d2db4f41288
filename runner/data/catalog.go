package data

import (
	"fmt"
	"path/filepath"
)

// Names lists the datasets that have a name, the ones that need no file first.
func Names() []string { return []string{"shapes", "cifar10"} }

// An Entry describes one named dataset.
type Entry struct {
	Name      string
	Purpose   string // one line
	Available bool   // Open will find it
	Path      string // where it is looked for; empty if it needs no file
	Download  int64  // bytes that Fetch would load; 0 if it needs no file
}

// Info describes the named dataset, as far as it lies in the data folder dir.
func Info(name, dir string) (Entry, error) {
	switch name {
	case "shapes":
		return Entry{Name: name, Purpose: "ten classes of 32×32 figures drawn by the program", Available: true}, nil
	case "cifar10":
		path := filepath.Join(dir, cifarFolder)
		return Entry{name, "ten classes of 32×32 photographs, 50 000 and 10 000 (Krizhevsky 2009)", false, path, 170052171}, nil
	}
	return Entry{}, fmt.Errorf("dataset %s: unknown name", name)
}
