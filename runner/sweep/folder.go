package sweep

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/dro"
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

// List is the list of a sweep's runs, resolved. A process that trains one of them needs no preset
// and no YAML, and presets of another program change nothing.
type List struct {
	Format int       `json:"format"`
	ID     string    `json:"sweep"` // which the sweep's other files say
	Name   string    `json:"name"`
	Preset string    `json:"preset"`
	Dir    string    `json:"dir"`  // to which the paths of datasets are relative
	Base   spec.Spec `json:"base"` // what all runs have in common
	Select string    `json:"select"`
	// Ties is the rule for settings that are equal by Select: the first in the list, or the lower
	// val_loss. A sweep keeps the rule with which it was started.
	Ties    runner.TieRule `json:"select_ties,omitempty"`
	Halving Halving        `json:"halving,omitzero"`
	Keys    []string       `json:"keys"` // of the settings that vary, without the method
	Runs    []Run          `json:"runs"` // by index; the index of a run never changes
	// File is the sweep file as it was when the sweep was last started. The file beside the list is
	// a copy of it, for people.
	File []byte `json:"file"`
}

// Run is one run of a List.
type Run struct {
	ID        string                     `json:"id"`
	Setting   int                        `json:"setting"` // runs of one setting differ in the seed
	Algorithm dro.Algorithm              `json:"algorithm"`
	Seed      uint64                     `json:"seed"`
	Values    map[string]json.RawMessage `json:"values"` // of the keys that the method reads
}

// Spec returns the specification of run i.
func (l *List) Spec(i int) (spec.Spec, error) {
	s, r := l.Base, &l.Runs[i]
	s.Algorithms = []dro.Algorithm{r.Algorithm}
	s.Seeds, s.Seed = 1, r.Seed
	for _, key := range slices.Sorted(maps.Keys(r.Values)) {
		if err := s.Assign(key, r.Values[key]); err != nil {
			return s, fmt.Errorf("%s: run %d: %w", listName, i, err)
		}
	}
	return s, nil
}

// Label names a setting by its values, the method first: "sfk rho=0.1 lr=0.01".
func (l *List) Label(r *Run) string { return l.label(r, string(r.Algorithm)) }

func (l *List) label(r *Run, label string) string {
	for _, key := range l.Keys {
		if v, ok := r.Values[key]; ok {
			label += fmt.Sprintf(" %s=%s", key, v)
		}
	}
	return label
}

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
		err = cmp.Or(files.ReadFirst(path, &l), l.check(path))
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
	files.Owner.ID = l.ID
	return &Folder{dir, &l, files, info}, nil
}

// check refuses what no list of this program has: a run outside of the folder.
func (l *List) check(path string) error {
	if err := cmp.Or(record.CheckFormat(l.Format), l.Ties.Check()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i, r := range l.Runs {
		if r.ID == "" || r.ID[0] == '.' || strings.ContainsAny(r.ID, `/\`+"\x00") {
			return fmt.Errorf("%s: run %d: %.80q is not the name of a run", path, i, r.ID)
		}
	}
	return nil
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
		if all, err = there.grown(l); err != nil {
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

// equal tells whether two lists say the same.
func (l *List) equal(o *List) bool {
	a, errA := json.Marshal(l)
	b, errB := json.Marshal(o)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// patience is how long WithLock waits for another process at work on the sweep's own files. At
// most, that process estimates the needs of the runs, and submits them.
const patience = 5 * time.Minute

// WithLock calls do while nobody else works on the sweep's own files. What the caller has read of
// them before may be out of date by then.
func (f *Folder) WithLock(do func() error) error {
	if err := f.files.Folder(f.ownPath()); err != nil {
		return err
	}
	l, err := f.files.Lock(f.ownPath(lockName), patience)
	if err != nil {
		return err
	}
	return errors.Join(do(), l.Release())
}

// grown returns the folder's list, followed by the runs that are new in l.
func (f *Folder) grown(l *List) (merged List, err error) {
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
	m.Dir = f.List.Dir
	return runner.Request{Preset: f.List.Name, Specs: []spec.Spec{settings},
		IDs:   []string{f.List.Runs[i].ID},
		Quiet: f.List.Known(i),
		Means: m}, err
}

// Known reports whether a run before run i has its dataset. That earlier run gives the warnings
// about the dataset.
func (l *List) Known(i int) bool {
	of := func(r Run) string { return string(r.Values["dataset"]) }
	return slices.ContainsFunc(l.Runs[:i], func(r Run) bool { return of(r) == of(l.Runs[i]) })
}

const refusedPrefix = "refused-"

// refusal says why a run could not begin. Such a run leaves no record itself.
type refusal struct {
	Cause string `json:"cause"`
}

// noteRefusal notes why a run could not begin; a nil cause notes that it could. Errors are ignored:
// a full disk is reported elsewhere, too.
func (f *Folder) noteRefusal(i int, cause error) {
	path := f.ownPath(refusedPrefix + f.List.Runs[i].ID)
	if cause == nil {
		f.files.Remove(path)
		return
	}
	f.files.Write(path, refusal{cause.Error()})
}

// refusalCause returns the noted cause, "" if there is none.
func (f *Folder) refusalCause(i int) string {
	path := f.ownPath(refusedPrefix + f.List.Runs[i].ID)
	var r refusal
	if _, err := f.readIfThere(path, &r); err != nil {
		return err.Error()
	}
	return r.Cause
}

// Examine checks the sweep's own files in a folder, without its runs, for changes since they were
// written. With mend it repairs them and loses nothing: it moves a damaged file to .set-aside, and
// the next start makes the file anew.
func Examine(dir string, mend bool) ([]*record.Finding, error) {
	f := &Folder{Dir: dir}
	if !mend {
		return f.examine(false)
	}
	var list []*record.Finding
	err := f.WithLock(func() (err error) {
		list, err = f.examine(true)
		return err
	})
	return list, err
}

func (f *Folder) examine(mend bool) ([]*record.Finding, error) {
	names, err := f.ownFiles()
	if err != nil {
		return nil, err
	}
	there, damage := Open(f.Dir)
	if there != nil {
		f.files = there.files
	}
	list, err := record.ExamineFiles(f.Dir, names, mend, func(name string) (what, remedy string) {
		if name == fileName {
			return f.textFault(there, mend)
		}
		return f.fault(name, damage)
	})
	for _, found := range list {
		if found.File == fileName && found.Mended && there != nil {
			err = errors.Join(err, f.files.WriteText(filepath.Join(f.Dir, fileName),
				there.List.File))
		}
	}
	return list, err
}

// ownFiles returns the names of the sweep's own files, relative to its folder.
func (f *Folder) ownFiles() (names []string, err error) {
	names = []string{listName, fileName}
	err = fs.WalkDir(os.DirFS(f.Dir), ownName, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, filepath.FromSlash(name))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}

// sealed reports whether the file is one that a program writes and reads again.
func sealed(base string) bool {
	return base == listName || base == hereName || byList(base) ||
		strings.HasPrefix(base, limitsPrefix) || strings.HasPrefix(base, refusedPrefix)
}

// byList reports whether the file refers to runs by their places in the list.
func byList(base string) bool { return base == jobsName || strings.HasPrefix(base, rungPrefix) }

// fault says what is wrong with one of the sweep's own files, and the remedy; damage is the error
// of the list.
func (f *Folder) fault(name string, damage error) (what, remedy string) {
	base := filepath.Base(name)
	if !sealed(base) {
		return "", ""
	}
	var content any
	path := filepath.Join(f.Dir, name)
	err := f.files.Read(path, &content)
	switch {
	case base == listName && damage != nil:
		err, remedy = damage, "restore it from a copy; --mend moves it and the files that "+
			"depend on it to .set-aside, and drolab sweep start makes it again: the runs stay"
	case err == nil && damage != nil && byList(base):
		return "goes by " + listName + ", which is damaged", "--mend moves both to .set-aside"
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return "", ""
	default:
		remedy = "restore it from a copy; --mend moves it to .set-aside, and drolab sweep " +
			"start makes it again"
	}
	if errors.Is(err, disk.ErrSum) {
		err = disk.ErrSum
	}
	return strings.TrimPrefix(err.Error(), path+": "), remedy
}

// textFault checks the copy of the sweep file. Unless the caller is alone in the folder, a start
// may be writing the copy: it has the lock then, or has written the list before the copy.
func (f *Folder) textFault(there *Folder, alone bool) (what, remedy string) {
	if there == nil || f.asListed(there) {
		return "", ""
	}
	if !alone {
		busy := disk.Held(f.ownPath(lockName))
		now, err := Open(f.Dir)
		if busy || err != nil || f.asListed(now) {
			return "", ""
		}
		if then, err := Open(f.Dir); err != nil || !then.List.equal(now.List) {
			return "", ""
		}
	}
	return "differs from the file that the sweep was started with and that it follows",
		"for another sweep, start it in another folder (drolab sweep start FILE --dir DIR); " +
			"--mend moves it to .set-aside and puts the first one back"
}

func (f *Folder) asListed(there *Folder) bool {
	text, err := f.files.Text(filepath.Join(f.Dir, fileName))
	return err == nil && bytes.Equal(text, there.List.File)
}
