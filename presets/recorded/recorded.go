// Package recorded holds runs that were made once and are kept in the program: a folder for each
// experiment, with a file for each packed run (record.Pack) and the study to which they belong.
// Everything that is said of these runs comes from these files.
//
// It is not a place for results in any other form, and trains nothing.
//
// Start at Find. To add a run: drolab record RUN... --into presets/recorded/paper (or
// registered).
package recorded

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/report"
)

//go:embed paper registered shapes
var files embed.FS

// Scheme is the prefix of words that stand for recorded runs.
const Scheme = "recorded:"

// ErrEmpty is the error for an experiment of which no run is recorded yet.
var ErrEmpty = errors.New("no run of it is recorded yet")

// Names lists the experiments.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("recorded: the embedded files are broken")
	}
	return lists.Map(entries, fs.DirEntry.Name)
}

// Is reports whether a word stands for recorded runs: recorded:paper for all runs of an experiment,
// recorded:paper/RUN for the runs whose names begin with RUN.
func Is(word string) bool { return strings.HasPrefix(word, Scheme) }

// Find returns the runs that a word stands for, at least one, in the order of their names. Their
// location (Run.Dir) is such a word.
func Find(word string) ([]*record.Run, error) {
	name, start, _ := strings.Cut(strings.TrimPrefix(word, Scheme), "/")
	entries, err := fs.ReadDir(files, name)
	if err != nil || name == "." {
		return nil, fmt.Errorf("%.60s: no such experiment is recorded: choose %s", word,
			Scheme+strings.Join(Names(), ", "+Scheme))
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), record.PackedExt)
		if ok && strings.HasPrefix(id, start) {
			ids = append(ids, id)
		}
	}
	switch {
	case len(ids) == 0 && start == "":
		return nil, fmt.Errorf("%s: %w", word, ErrEmpty)
	case len(ids) == 0:
		return nil, fmt.Errorf("%.90s: no recorded run has this name: drolab compare %s%s "+
			"lists them", word, Scheme, name)
	}
	return readAll(name, ids)
}

// readAll reads runs concurrently, because a user waits for a first screen with them and each takes
// the better part of a millisecond.
func readAll(name string, ids []string) ([]*record.Run, error) {
	runs, errs := make([]*record.Run, len(ids)), make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() { runs[i], errs[i] = read(name, id) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return runs, nil
}

// Study returns the study of an experiment, to which its runs belong.
func Study(word string) (*report.Study, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(word, Scheme), "/")
	text, err := files.ReadFile(path.Join(name, "study.yaml"))
	if err != nil || rest != "" {
		return nil, fmt.Errorf("%.60s: no such study is recorded: choose %s", word,
			Scheme+strings.Join(Names(), ", "+Scheme))
	}
	s, errs := report.ParseStudy(Scheme+name, text)
	return s, errors.Join(errs...)
}

// StudyOf returns the recorded study whose presets runs have: that of the paper if some have one of
// its presets, a registered one if all have. A study without a published table is not the paper's,
// and judges its own recorded runs alone. StudyOf returns nil if there is none.
func StudyOf(runs []*record.Run) (*report.Study, error) {
	for _, name := range Names() {
		s, err := Study(Scheme + name)
		if err != nil {
			return nil, err
		}
		own := 0
		for _, r := range runs {
			if slices.ContainsFunc(s.Presets, func(p runner.Preset) bool {
				return p.Name == r.Meta.Preset
			}) && (s.Published != nil || strings.HasPrefix(r.Dir, Scheme+name+"/")) {
				own++
			}
		}
		if own > 0 && (own == len(runs) || s.Registered.IsZero()) {
			return s, nil
		}
	}
	return nil, nil
}

func read(name, id string) (*record.Run, error) {
	b, err := files.ReadFile(path.Join(name, id+record.PackedExt))
	if err != nil {
		return nil, err
	}
	return record.Unpack(Scheme+name+"/"+id, b)
}
