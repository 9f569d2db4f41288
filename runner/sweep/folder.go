package sweep

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Names in a sweep's folder, beside its runs. Files below ownName are hidden, so that nobody takes
// them for runs.
const (
	fileName = "sweep.yaml"
	listName = "sweep.json"
	ownName  = ".sweep"
	lockName = "lock" // below ownName
)

// Folder is a sweep on the disk.
type Folder struct {
	Dir  string
	List *List

	files disk.Files
	read  fs.FileInfo // of the list's file, when it was read
}

// Open returns the sweep in a folder. The error is an fs.ErrNotExist if there is none.
func Open(dir string) (*Folder, error) { return openBy(disk.Files{}, dir) }

func openBy(files disk.Files, dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var l List
	path := filepath.Join(dir, listName)
	info, err := os.Stat(path) // before it is read: a change between is seen later
	if err == nil {
		err = files.ReadFirst(path, &l)
	}
	switch {
	case errors.Is(err, disk.ErrBefore):
		return nil, fmt.Errorf("sweep %s %w", filepath.Base(dir), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a sweep's folder: %w; drolab sweep start makes one", dir,
			err)
	case err != nil:
		return nil, err
	}
	if err := l.check(path); err != nil {
		return nil, err
	}
	files.Owner.ID = l.ID
	return &Folder{dir, &l, files, info}, nil
}

// Make makes the sweep's folder, or adds the missing runs to the list of an existing folder. An
// index that a job may have is never given to another run. A run that the folder has and l lacks is
// an error. Of several calls at once, each sees what the calls before it have made.
func Make(dir string, text []byte, l *List) (*Folder, error) {
	return makeBy(disk.Files{}, dir, text, l)
}

func makeBy(files disk.Files, dir string, text []byte, l *List) (f *Folder, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f = &Folder{Dir: dir, files: files}
	err = f.WithLock(func() error {
		f, err = f.update(text, l)
		return err
	})
	return f, err
}

// update brings the folder's list up to l. It writes the list before the file: the list has the
// file's text, so that the next start can write the file.
func (f *Folder) update(text []byte, l *List) (*Folder, error) {
	all := *l
	all.Format, all.ID = runner.Format, folderName(l.Name)+"-"+strings.ToLower(rand.Text()[:8])
	all.Ties = runner.TiesByLoss
	there, err := openBy(f.files, f.Dir)
	switch {
	case err == nil:
		if all, err = there.extendList(l); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	all.File, f.files.Owner.ID = text, all.ID
	if there == nil || !there.List.equal(&all) {
		if err := f.files.Write(filepath.Join(f.Dir, listName), &all); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(f.Dir, fileName)
	if old, err := f.files.Text(path); err != nil || !bytes.Equal(old, text) {
		if err := f.files.WriteText(path, text); err != nil {
			return nil, err
		}
	}
	return openBy(f.files, f.Dir)
}

// lockWait is how long WithLock waits for another process at work on the sweep's own files. At
// most, that process estimates the needs of the runs, and submits them.
const lockWait = 5 * time.Minute

// WithLock calls do while nobody else works on the sweep's own files. What the caller has read of
// them before may be out of date by then.
func (f *Folder) WithLock(do func() error) error {
	if err := f.files.Folder(f.ownPath()); err != nil {
		return err
	}
	l, err := f.files.Lock(f.ownPath(lockName), lockWait)
	if err != nil {
		return err
	}
	return errors.Join(do(), l.Release())
}

// extendList returns the folder's list, followed by the runs that are new in l.
func (f *Folder) extendList(l *List) (merged List, err error) {
	known, highest := map[string]int{}, 0 // settings of the folder's runs, by ID
	for _, r := range f.List.Runs {
		known[r.ID] = r.Setting
		highest = max(highest, r.Setting+1)
	}
	merged = *l
	merged.Format, merged.ID, merged.Dir = f.List.Format, f.List.ID, f.List.Dir
	merged.Ties = f.List.Ties
	merged.Runs = slices.Clone(f.List.Runs)
	renamed, common := map[int]int{}, 0 // the folder's number of a setting of l
	for _, r := range l.Runs {
		if setting, ok := known[r.ID]; ok {
			renamed[r.Setting] = setting
			common++
		}
	}
	for _, r := range l.Runs {
		if _, ok := known[r.ID]; ok {
			continue
		}
		if _, ok := renamed[r.Setting]; !ok { // otherwise it has more seeds now
			renamed[r.Setting] = highest
			highest++
		}
		r.Setting = renamed[r.Setting]
		merged.Runs = append(merged.Runs, r)
	}
	switch {
	case common < len(f.List.Runs):
		return merged, fmt.Errorf("%s has a sweep with %d runs that this file lacks: give "+
			"another folder with --dir", f.Dir, len(f.List.Runs)-common)
	case len(merged.Runs) > len(f.List.Runs) && len(l.Halving.Epochs) > 0:
		return merged, fmt.Errorf("%s has a sweep that ends runs early, and %d runs of this "+
			"file are not in it: they would have to be judged together; give another folder "+
			"with --dir", f.Dir, len(merged.Runs)-len(f.List.Runs))
	}
	return merged, nil
}

// readIfThere reads one of the sweep's own files, if it exists.
func (f *Folder) readIfThere(path string, into any) (there bool, err error) {
	err = f.files.Read(path, into)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (f *Folder) ownPath(names ...string) string {
	return filepath.Join(append([]string{f.Dir, ownName}, names...)...)
}

// Find reads run i as it is now. The error is an fs.ErrNotExist if the run has not begun.
func (f *Folder) Find(i int) (*record.Run, error) {
	path := filepath.Join(f.Dir, f.List.Runs[i].ID) // by path, without a look at the other runs
	return record.Find(f.Dir, path)
}

// request returns the request that starts run i.
func (f *Folder) request(i int, m runner.Means) (runner.Request, error) {
	settings, err := f.List.Spec(i)
	if err != nil {
		return runner.Request{}, err
	}
	m.Dir = f.List.Dir
	return runner.Request{Preset: f.List.Name, Specs: []spec.Spec{settings},
		IDs:   []string{f.List.Runs[i].ID},
		Quiet: f.List.Known(i),
		Means: m}, nil
}

// HowToStart returns the command that starts the sweep of a folder again, from the file there.
func HowToStart(dir string) string {
	return fmt.Sprintf("drolab sweep start %s --dir %s",
		runner.ShellWord(filepath.Join(dir, fileName)), runner.ShellWord(dir))
}

// HowToStop returns the command that stops the sweep of a folder.
func HowToStop(dir string) string { return "drolab sweep stop " + runner.ShellWord(dir) }
