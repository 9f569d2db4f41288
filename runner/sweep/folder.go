package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/internal/aside"
	"drolab/runner/record"
)

// Names in a sweep's folder, beside its runs. What is below ownName is hidden,
// so that nobody takes it for a run.
const (
	fileName = "sweep.yaml"
	listName = "sweep.json"
	ownName  = ".sweep"
)

// List is a sweep's runs, resolved. A process that does one of them needs no
// preset and no YAML, and another program's presets change nothing.
type List struct {
	Name    string      `json:"name"`
	Preset  string      `json:"preset"`
	Dir     string      `json:"dir"`  // that datasets' paths are relative to
	Base    runner.Spec `json:"base"` // what all have in common
	Select  string      `json:"select"`
	Halving Halving     `json:"halving,omitzero"`
	Keys    []string    `json:"keys"` // that vary, beside the method
	Runs    []Run       `json:"runs"` // by index: an index, once given, stays
}

// Run is one run of a List.
type Run struct {
	ID        string                     `json:"id"`
	Setting   int                        `json:"setting"` // runs of one differ in the seed
	Algorithm dro.Algorithm              `json:"algorithm"`
	Seed      uint64                     `json:"seed"`
	Values    map[string]json.RawMessage `json:"values"` // of the keys that the method reads
}

// Spec returns what run i trains.
func (l *List) Spec(i int) (runner.Spec, error) {
	s, r := l.Base, &l.Runs[i]
	s.Algorithms, s.Seeds, s.Seed = []dro.Algorithm{r.Algorithm}, 1, r.Seed
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

	read time.Time // what the list's file was changed at last
}

// Open returns the sweep in a folder. The error is an fs.ErrNotExist where there
// is none.
func Open(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var l List
	path := filepath.Join(dir, listName)
	info, err := os.Stat(path) // before it is read: a change between is seen later
	if err == nil {
		err = cmp.Or(readJSON(path, &l), l.check(path))
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is no sweep's folder: %w; drolab sweep start makes one", dir, err)
		}
		return nil, err
	}
	return &Folder{dir, &l, info.ModTime()}, nil
}

// check says what no list of ours has: a run outside of the folder.
func (l *List) check(path string) error {
	for i, r := range l.Runs {
		if r.ID == "" || r.ID[0] == '.' || strings.ContainsAny(r.ID, `/\`+"\x00") {
			return fmt.Errorf("%s: run %d: %.80q is no run's name", path, i, r.ID)
		}
	}
	return nil
}

// Make makes the sweep's folder or, where there is one, adds to it what its list
// lacks: an index that a job may have is never given to another run. What the
// folder has and the list has not is an error.
func Make(dir string, text []byte, l *List) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	there, err := Open(dir)
	switch {
	case err == nil:
		if l, err = there.grown(l); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f := &Folder{Dir: dir, List: l}
	if err := os.MkdirAll(f.own(), 0o755); err != nil {
		return nil, err
	}
	err = aside.Write(filepath.Join(dir, fileName), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return f, errors.Join(err, writeJSON(filepath.Join(dir, listName), l))
}

// grown is the folder's list with what is new in l behind it.
func (f *Folder) grown(l *List) (*List, error) {
	known := map[string]bool{}
	for _, r := range f.List.Runs {
		known[r.ID] = true
	}
	merged := *l
	merged.Dir = f.List.Dir
	merged.Runs = slices.Clone(f.List.Runs)
	highest, common := 0, 0
	for _, r := range merged.Runs {
		highest = max(highest, r.Setting+1)
	}
	renamed := map[int]int{}
	for _, r := range l.Runs {
		if known[r.ID] {
			common++
			continue
		}
		at, ok := renamed[r.Setting]
		if !ok {
			at = f.settingOf(l, r.Setting)
			if at < 0 {
				at, highest = highest, highest+1
			}
			renamed[r.Setting] = at
		}
		r.Setting = at
		merged.Runs = append(merged.Runs, r)
	}
	switch {
	case common < len(f.List.Runs):
		return nil, fmt.Errorf("%s has a sweep with %d runs that this file has not: give another folder with --dir",
			f.Dir, len(f.List.Runs)-common)
	case len(merged.Runs) > len(f.List.Runs) && len(l.Halving.Epochs) > 0:
		return nil, fmt.Errorf("%s has a sweep that ends runs early, and %d of this file are not in it: "+
			"they would have to be judged together; give another folder with --dir",
			f.Dir, len(merged.Runs)-len(f.List.Runs))
	}
	return &merged, nil
}

// settingOf is the folder's number of a setting of l that has more seeds now; -1
// for none.
func (f *Folder) settingOf(l *List, setting int) int {
	for _, r := range l.Runs {
		if r.Setting != setting {
			continue
		}
		if i := slices.IndexFunc(f.List.Runs, func(o Run) bool { return o.ID == r.ID }); i >= 0 {
			return f.List.Runs[i].Setting
		}
	}
	return -1
}

func (f *Folder) own(names ...string) string {
	return filepath.Join(append([]string{f.Dir, ownName}, names...)...)
}

// Find reads a run of the sweep as it is now; an fs.ErrNotExist where it has not
// begun.
func (f *Folder) Find(i int) (*record.Run, error) {
	return record.Find(f.Dir, filepath.Join(f.Dir, f.List.Runs[i].ID)) // a path needs no look at the others
}

// request asks for run i.
func (f *Folder) request(i int, m runner.Means) (runner.Request, error) {
	spec, err := f.List.Spec(i)
	m.Dir = f.List.Dir
	return runner.Request{Preset: f.List.Name, Specs: []runner.Spec{spec}, IDs: []string{f.List.Runs[i].ID},
		Means: m}, err
}

const refusedPrefix = "refused-"

// refuse notes why a run could not begin, where it leaves no record itself; nil
// that it could.
func (f *Folder) refuse(i int, cause error) {
	path := f.own(refusedPrefix + f.List.Runs[i].ID)
	if cause == nil {
		os.Remove(path)
		return
	}
	os.WriteFile(path, []byte(cause.Error()+"\n"), 0o644) // a disk that is full says so elsewhere too
}

func (f *Folder) refused(i int) string {
	b, _ := os.ReadFile(f.own(refusedPrefix + f.List.Runs[i].ID))
	return string(b)
}

const mostJSON = 64 << 20 // bytes of a file of ours

func readJSON(path string, into any) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > mostJSON {
		return fmt.Errorf("%s: %d bytes, want at most %d", path, info.Size(), mostJSON)
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

func writeJSON(path string, v any) error {
	return aside.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}
