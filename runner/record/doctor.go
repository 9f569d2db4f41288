package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/internal/aside"
	"drolab/runner/record/internal/checkpoint"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

// Finding is a defect in a folder of runs.
type Finding struct {
	Run    string `json:"run,omitempty"` // empty: it concerns the folder itself
	File   string `json:"file,omitempty"`
	What   string `json:"what"`
	Remedy string `json:"remedy"`
	// Leftover says that a crash left it and that it is no damage: nothing is lost, and the next
	// start or resume does not need it.
	Leftover bool `json:"leftover,omitempty"`
	// Mended says that the defect was repaired, Failed why it could not be.
	Mended bool   `json:"mended"`
	Failed string `json:"failed,omitempty"`

	mend func(d *doctor) error // nil: only a person can repair it
}

// asideName is a folder in the folder of the runs, to which the doctor moves files that are in the
// way: it removes nothing.
const asideName = ".set-aside"

// doctor examines a folder of runs.
type doctor struct {
	root *disk.Folder
	run  string       // name of the run that it looks at
	in   *disk.Folder // folder of that run
	list []*Finding
}

// Examine checks every file of the runs in dir: checksums, links, owners and modes, leftovers of
// crashes, and missing summaries. It changes nothing.
func Examine(dir string) (list []*Finding, runs int, err error) { return examine(nil, dir, false) }

// Mend is Examine, and repairs what it can without losing anything. It moves what is in the way to
// .set-aside, copies files there before it changes them, and makes summaries from the last state.
// It leaves runs alone that somebody records.
func Mend(dir string) (list []*Finding, runs int, err error) { return examine(nil, dir, true) }

func examine(open disk.Opener, dir string, mend bool) ([]*Finding, int, error) {
	root, err := disk.OpenFolder(open, dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	d := &doctor{root: root}
	d.list = d.certain(d.checkRoot)
	d.treat(mend)
	names, err := runNames(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		d.examineRun(name, mend)
	}
	return d.list, len(names), nil
}

// ExamineFiles is Examine, or Mend, of files in a folder of runs that belong to no run. names are
// relative to that folder. wrong returns what is wrong with the text of a file, and the remedy; ""
// means that nothing is wrong.
func ExamineFiles(
	dir string, names []string, mend bool, wrong func(name string) (what, remedy string),
) ([]*Finding, error) {
	root, err := disk.OpenFolder(nil, dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	d := &doctor{root: root, in: root}
	for _, name := range names {
		info, err := root.Lstat(name)
		switch {
		case err != nil: // it was removed meanwhile
			continue
		case !info.Mode().IsRegular():
			d.find(name, "is a link or no file: nothing is read or written through it",
				movesAside, moveAside(name))
			continue
		case strings.HasPrefix(filepath.Base(name), aside.Prefix):
			d.find(name, "was left by a crash", movesAside, moveAside(name)).Leftover = true
			continue
		}
		d.checkFile(name, info, true)
		if what, remedy := wrong(name); what != "" {
			d.find(name, what, remedy, moveAside(name))
		}
	}
	d.treat(mend)
	return d.list, nil
}

// examineRun examines one run. A repair may uncover more: when a checkpoint is moved aside, another
// one becomes the newest.
func (d *doctor) examineRun(name string, mend bool) {
	d.run = name
	defer func() { d.run = "" }()
	in, err := d.root.Within(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
		return
	case err != nil:
		d.find("", err.Error(),
			"it can only be shown: move the folder itself here to continue it", nil)
		return
	}
	defer in.Close()
	d.in = in
	const rounds = 4
	for range rounds {
		var held bool
		list := d.certain(func() { held = d.held(); d.checkRun(held) })
		if _, err := d.root.Lstat(name); err != nil {
			return
		}
		list = fresh(d.list, list)
		d.list = append(d.list, list...)
		if len(list) == 0 || !mend || held {
			return
		}
		d.treatRun(list)
	}
}

// held reports whether somebody records the run.
func (d *doctor) held() bool {
	if info, err := d.in.Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return false // nobody can hold that
	}
	return d.in.Held(lockName)
}

// certain returns the findings on which two looks agree. A run that begins, goes on or ends between
// the looks gives a different finding each time.
func (d *doctor) certain(look func()) []*Finding {
	list := d.look(look)
	if len(list) == 0 {
		return nil
	}
	again := d.look(look)
	return slices.DeleteFunc(again, func(f *Finding) bool { return !f.in(list) })
}

func (d *doctor) look(look func()) (list []*Finding) {
	before := d.list
	d.list = nil
	look()
	list, d.list = d.list, before
	return list
}

// fresh returns the findings of list that are not in known.
func fresh(known, list []*Finding) []*Finding {
	return slices.DeleteFunc(list, func(f *Finding) bool { return f.in(known) })
}

func (f *Finding) in(list []*Finding) bool {
	return slices.ContainsFunc(list, func(o *Finding) bool {
		return o.Run == f.Run && o.File == f.File && o.What == f.What
	})
}

// treatRun takes the lock of the run and repairs what it can.
func (d *doctor) treatRun(list []*Finding) {
	l, err := d.in.Acquire(lockName)
	defer l.Release()
	for _, f := range list {
		// A lock that is a link cannot be taken before it is moved away.
		if err == nil || f.File == lockName {
			f.treat(d)
		} else if f.mend != nil {
			f.Failed = err.Error()
		}
	}
}

func (d *doctor) treat(mend bool) {
	for _, f := range d.list {
		if mend {
			f.treat(d)
		}
	}
}

func (f *Finding) treat(d *doctor) {
	if f.mend == nil {
		return
	}
	if err := f.mend(d); err != nil {
		f.Failed = err.Error()
		return
	}
	f.Mended = true
}

func (d *doctor) find(file, what, remedy string, mend func(*doctor) error) *Finding {
	found := &Finding{Run: d.run, File: file, What: what, Remedy: remedy, mend: mend}
	d.list = append(d.list, found)
	return found
}

const movesAside = "--mend moves it to " + asideName

// checkRoot checks what the folder of the runs holds besides the runs.
func (d *doctor) checkRoot() {
	if info, err := d.root.Lstat("."); err == nil {
		d.checkOwner(".", info)
	}
	for _, e := range leftovers(d.root) {
		if d.young(e) {
			continue
		}
		d.find(e.Name(), "was left half made or half removed by a crash", movesAside,
			moveAside(e.Name())).Leftover = true
	}
	entries, _ := d.root.List()
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, ".engine.") && !e.Type().IsRegular() &&
			e.Type() != fs.ModeSocket:
			d.find(name, "is not a regular file: an engine would write elsewhere", movesAside,
				moveAside(name))
		case d.young(e):
		case strings.HasPrefix(name, ".probe-"),
			strings.HasPrefix(name, aside.Prefix) && !e.IsDir():
			d.find(name, "was left by a crash", movesAside, moveAside(name)).Leftover = true
		}
	}
}

// young reports whether somebody may be writing a file at this moment, and will rename it when it
// is complete.
func (d *doctor) young(e fs.DirEntry) bool {
	info, err := e.Info()
	return err != nil || time.Since(info.ModTime()).Abs() < sweepAge
}

// moveAside moves a file of the run, or of the folder of the runs.
func moveAside(name string) func(*doctor) error {
	return func(d *doctor) error {
		to, err := d.place(name)
		if err != nil {
			return err
		}
		from := filepath.Join(d.run, name)
		if err := d.root.Rename(from, to); err != nil {
			return err
		}
		return d.root.Sync()
	}
}

// keep copies a file of the run aside, before it is changed.
func (d *doctor) keep(name string) error {
	old, _, err := d.in.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	to, err := d.place(name)
	if err != nil {
		return err
	}
	in, err := disk.OpenFolder(nil, d.root.Join(filepath.Dir(to)))
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Write(filepath.Base(to), copying(old))
}

// place returns an unused path in the folder aside, and makes its folders.
func (d *doctor) place(name string) (string, error) {
	folder := asideName
	for _, part := range []string{"", d.run} {
		folder = filepath.Join(folder, part)
		err := d.root.Mkdir(folder, disk.FolderMode)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	base := strings.TrimPrefix(filepath.Base(name), ".")
	for n := 0; ; n++ {
		to := filepath.Join(folder, base)
		if n > 0 {
			to = fmt.Sprintf("%s.%d", to, n)
		}
		if _, err := d.root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, nil
		} else if err != nil {
			return "", err
		}
	}
}

// checkOwner checks who may change a file of the run.
func (d *doctor) checkOwner(name string, info fs.FileInfo) {
	const others = 0o022
	switch perm := info.Mode().Perm(); {
	case disk.Foreign(info):
		d.find(name, "belongs to another user",
			"copy it: the owner may change it while a run goes on", nil)
	case perm&others != 0 && info.Mode()&fs.ModeSticky == 0:
		d.find(name, fmt.Sprintf("others may change it (mode %o)", perm),
			"--mend removes their permission",
			func(d *doctor) error { return d.chmod(name, perm&^others) })
	}
}

// chmod changes the mode of a file of the run. It follows no link out of the folder.
func (d *doctor) chmod(name string, mode fs.FileMode) error {
	root, err := os.OpenRoot(d.root.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Chmod(filepath.Join(d.run, name), mode)
}

// checkSummary checks that a run that has ended has a summary with the status of its log.
func (d *doctor) checkSummary(held bool) {
	e, err := eventlog.ReadEnd(d.in, nil, eventlog.StatusOnly)
	if err != nil || held {
		return
	}
	var s runner.Summary
	err = d.in.ReadJSON(summaryName, &s)
	if !e.Status.Ended() {
		if errors.Is(err, disk.ErrForeign) {
			d.find(summaryName, err.Error(), movesAside, moveAside(summaryName))
		}
		return
	}
	switch {
	case err == nil && s.Status == e.Status:
		return
	case err == nil:
		err = fmt.Errorf("says %s, and the log %s", s.Status, e.Status)
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("is missing")
	}
	d.find(summaryName, err.Error(), "--mend makes it from the log and the last state",
		(*doctor).summarise)
}

// summarise writes the summary of a run that has ended.
func (d *doctor) summarise() error {
	m, err := readMeta(d.in)
	if err != nil {
		return err
	}
	e, err := eventlog.ReadEnd(d.in, nil, func(*eventlog.End) bool { return false })
	if err != nil {
		return err
	}
	if err := moveAside(summaryName)(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now := &runner.State{Eval: e.Eval, Last: e.Last, Selected: e.Selected}
	newest, _, err := checkpoint.Newest(d.in)
	if err == nil && newest != nil && newest.Step == e.Step && newest.Last != nil {
		now = newest.State
	}
	log, err := eventlog.AuditLog(d.in)
	if err != nil {
		return err
	}
	return d.in.WriteSealed(summaryName, m.Ended(e.Status, e.Cause, e.Step, now), &log.Extent)
}
