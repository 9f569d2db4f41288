package data

import (
	"fmt"
	"path/filepath"
)

// Names lists the datasets that have a name, the ones that need no file first.
func Names() []string { return []string{"shapes", "csv:example", "cifar10", "mnist", "fashion-mnist"} }

// An Entry describes one named dataset.
type Entry struct {
	Name      string
	Purpose   string // one line
	Available bool   // its files are there, though not checked; Open checks them
	Path      string // where it is looked for; empty if it needs no file
	Download  int64  // bytes that Fetch loads when nothing is there; 0 if it needs no file
}

// Info describes the named dataset, as far as it lies in the data folder dir.
func Info(name, dir string) (Entry, error) {
	e := Entry{Name: name, Available: true}
	switch name {
	case "shapes":
		e.Purpose = "ten classes of 32×32 figures drawn by the program; any number, any difficulty"
	case "csv:example":
		e.Purpose = "a small synthetic table with two classes and a minority group"
	case "cifar10":
		e.Purpose = "ten classes of 32×32 photographs, 50 000 + 10 000 (Krizhevsky 2009)"
		e.Path = filepath.Join(dir, cifarFolder)
		e.Available = allExist(e.Path, append(cifar{}.trainFiles(), cifar{}.testFile())) || exists(filepath.Join(dir, cifarArchive))
	case "mnist":
		e.Purpose = "ten classes of 28×28 handwritten digits, 60 000 + 10 000 (LeCun, Cortes, Burges)"
		e.Path = mnist(dir).folder
		e.Available = allExist(e.Path, idxFiles())
	case "fashion-mnist":
		e.Purpose = "ten classes of 28×28 pictures of clothes, 60 000 + 10 000 (Xiao, Rasul, Vollgraf 2017)"
		e.Path = fashion(dir).folder
		e.Available = allExist(e.Path, idxFiles())
	default:
		return Entry{}, fmt.Errorf("dataset %s: not one of the named ones", name)
	}
	files, _ := remotes(name)
	e.Download = totalSize(files)
	return e, nil
}

// allExist says whether a folder has all files, plain or as .gz.
func allExist(folder string, files []string) bool {
	for _, f := range files {
		if path := filepath.Join(folder, f); !exists(path) && !exists(path+".gz") {
			return false
		}
	}
	return true
}
