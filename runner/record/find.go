package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// List returns every run in the folder dir, newest first, and one error for each directory that
// cannot be read or of which something was passed over. A missing folder has no runs. List reads
// run.json, summary.json and the end of the log of each run: see Catalogue.
func List(dir string) (runs []*Run, problems []error) { return NewCatalogue(dir, "").List() }

// NewestFirst sorts runs as List does.
func NewestFirst(runs []*Run) {
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(b.Meta.Created.Compare(a.Meta.Created), cmp.Compare(a.Meta.ID, b.Meta.ID))
	})
}

// Find returns the run in the folder dir that id means: its exact name, the
// start of its name that no other run has, the path of a run directory, or
// "latest".
func Find(dir, id string) (*Run, error) {
	if id == "latest" {
		return NewCatalogue(dir, "").Latest()
	}
	if !plainName(id) {
		return readRun(id, false)
	}
	if path := filepath.Join(dir, id); isRun(path) {
		return readRun(path, false)
	}
	names, err := runNames(dir)
	if err != nil {
		return nil, err
	}
	name, err := match(names, id)
	if err != nil {
		if _, e := os.Stat(filepath.Join(id, metaName)); e == nil {
			return readRun(id, false) // a path without a separator
		}
		return nil, fmt.Errorf("%w in %s", err, dir)
	}
	return readRun(filepath.Join(dir, name), false)
}

// match returns the name that equals id, or else the only one that begins with it.
func match(names []string, id string) (string, error) {
	var starting, near []string
	for _, n := range names {
		switch {
		case n == id:
			return n, nil
		case strings.HasPrefix(n, id):
			starting = append(starting, n)
		case strings.Contains(n, id) || strings.HasPrefix(n, id[:(len(id)+1)/2]):
			near = append(near, n)
		}
	}
	switch {
	case len(starting) == 1:
		return starting[0], nil
	case len(starting) > 1:
		return "", fmt.Errorf("run %s: expected more of the name: %s", id, listSome(starting))
	case len(near) > 0:
		return "", fmt.Errorf("no run %s (near it: %s)", id, listSome(near))
	}
	return "", fmt.Errorf("no run %s", id)
}

// listSome joins the first few names, and says how many more there are.
func listSome(names []string) string {
	const most = 5
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return list
}

// runNames lists the directories in dir that may be runs.
func runNames(dir string) ([]string, error) {
	names, err := folders(dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return IsSweep(filepath.Join(dir, name))
	}), nil
}

// folders lists the directories in dir that may be runs or sweeps.
func folders(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		folder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			folder = err == nil && info.IsDir()
		}
		if folder && plainName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Starting lists the names in the folder dir that begin with a prefix. It opens no run.
func Starting(dir, with string) []string {
	names, _ := folders(dir)
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, with)
	})
}

func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, metaName))
	return err == nil && !IsSweep(dir)
}

// IsSweep reports whether a folder is a runs folder of its own: see runner/sweep.
func IsSweep(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "sweep.json"))
	return err == nil
}
