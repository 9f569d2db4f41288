package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
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

	repair func() error // nil: only a person can repair it
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
// crashes, and missing summaries. With mend it repairs what it can without losing anything. It
// moves what is in the way to .set-aside, copies files there before it changes them, and makes
// summaries from the last state. It leaves runs alone that somebody records.
func Examine(dir string, mend bool) (list []*Finding, runs int, err error) {
	return examine(nil, dir, mend)
}

func examine(open atomicfile.Opener, dir string, mend bool) ([]*Finding, int, error) {
	if err := disk.MirrorOf(dir); err != nil && mend {
		return nil, 0, err
	}
	root, err := disk.OpenFolder(open, dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	d := &doctor{root: root}
	d.list = d.lookTwice(d.checkRoot)
	d.mend(mend)
	names, err := runNames(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		d.examineRun(name, mend)
	}
	return d.list, len(names), nil
}

// ExamineFiles is Examine for files in a folder of runs that belong to no run. names are
// relative to that folder. wrong returns what is wrong with the text of a file, and the remedy; ""
// means that nothing is wrong.
func ExamineFiles(
	dir string, names []string, mend bool, wrong func(name string) (what, remedy string),
) ([]*Finding, error) {
	if err := disk.MirrorOf(dir); err != nil && mend {
		return nil, err
	}
	root, err := disk.OpenFolder(nil, dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	d := &doctor{root: root, in: root}
	for _, name := range names {
		info, err := root.Lstat(name)
		if err != nil || !d.checkFile(name, info, true, false) { // or it was removed meanwhile
			continue
		}
		if what, remedy := wrong(name); what != "" {
			d.find(name, what, remedy, d.moveAside(name))
		}
	}
	d.mend(mend)
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
		list := d.lookTwice(func() { held = d.held(); d.checkRun(held) })
		if _, err := d.root.Lstat(name); err != nil {
			return
		}
		seen := func(f *Finding) bool { return f.isAmong(d.list) }
		list = slices.DeleteFunc(list, seen)
		d.list = append(d.list, list...)
		if len(list) == 0 || !mend || held {
			return
		}
		d.mendRun(list)
	}
}

// held reports whether somebody records the run.
func (d *doctor) held() bool {
	if info, err := d.in.Lstat(eventlog.LockName); err == nil && !info.Mode().IsRegular() {
		return false // nobody can hold that
	}
	return d.in.Held(eventlog.LockName)
}

// lookTwice returns the findings on which two looks agree. A run that begins, goes on or ends
// between the looks gives a different finding each time.
func (d *doctor) lookTwice(look func()) []*Finding {
	before := d.list
	defer func() { d.list = before }()
	d.list = nil
	look()
	first := d.list
	if len(first) == 0 {
		return nil
	}
	d.list = nil
	look()
	return slices.DeleteFunc(d.list, func(f *Finding) bool { return !f.isAmong(first) })
}

func (f *Finding) isAmong(list []*Finding) bool {
	return slices.ContainsFunc(list, func(o *Finding) bool {
		return o.Run == f.Run && o.File == f.File && o.What == f.What
	})
}

// mendRun takes the lock of the run and repairs what it can.
func (d *doctor) mendRun(list []*Finding) {
	l, err := d.in.Acquire(eventlog.LockName)
	defer l.Release()
	for _, f := range list {
		// A lock that is a link cannot be taken before it is moved away.
		if err == nil || f.File == eventlog.LockName {
			f.mend()
		} else if f.repair != nil {
			f.Failed = err.Error()
		}
	}
}

func (d *doctor) mend(mend bool) {
	for _, f := range d.list {
		if mend {
			f.mend()
		}
	}
}

func (f *Finding) mend() {
	if f.repair == nil {
		return
	}
	if err := f.repair(); err != nil {
		f.Failed = err.Error()
		return
	}
	f.Mended = true
}

func (d *doctor) find(file, what, remedy string, repair func() error) *Finding {
	found := &Finding{Run: d.run, File: file, What: what, Remedy: remedy, repair: repair}
	d.list = append(d.list, found)
	return found
}

// findAside reports a file that is in the way.
func (d *doctor) findAside(file, what string) *Finding {
	return d.find(file, what, movesAside, d.moveAside(file))
}

// findLeftover reports a file that a crash left.
func (d *doctor) findLeftover(file, what string) { d.findAside(file, what).Leftover = true }

const (
	movesAside  = "--mend moves it to " + asideName
	leftByCrash = "was left by a crash"
)

// checkRoot checks what the folder of the runs holds besides the runs.
func (d *doctor) checkRoot() {
	if info, err := d.root.Lstat("."); err == nil {
		d.checkOwner(".", info)
	}
	for _, e := range leftovers(d.root) {
		if !d.young(e) {
			d.findLeftover(e.Name(), "was left half made or half removed by a crash")
		}
	}
	entries, _ := d.root.List()
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, ".engine.") && !e.Type().IsRegular() &&
			e.Type() != fs.ModeSocket:
			d.findAside(name, "is not a regular file: an engine would write elsewhere")
		case d.young(e):
		case strings.HasPrefix(name, ".probe-"),
			strings.HasPrefix(name, atomicfile.Prefix) && !e.IsDir():
			d.findLeftover(name, leftByCrash)
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
func (d *doctor) moveAside(name string) func() error {
	return func() error {
		to, err := d.unusedPath(name)
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

// copyAside copies a file of the run aside, before it is changed.
func (d *doctor) copyAside(name string) error {
	old, _, err := d.in.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	to, err := d.unusedPath(name)
	if err != nil {
		return err
	}
	return disk.InFolderOf(nil, d.root.Join(to), func(in *disk.Folder, name string) error {
		return in.Write(name, atomicfile.Copying(old))
	})
}

// unusedPath returns an unused path in the folder aside, and makes its folders.
func (d *doctor) unusedPath(name string) (string, error) {
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
			func() error { return d.chmod(name, perm&^others) })
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
			d.findAside(summaryName, err.Error())
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
	d.find(summaryName, err.Error(), "--mend makes it from the log and the last state", d.summarise)
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
	if err := d.moveAside(summaryName)(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now := &runner.State{Eval: e.Eval, Last: e.Last, Selected: e.Selected}
	newest, _, err := newestCheckpoint(d.in)
	if err == nil && newest.State != nil && newest.Step == e.Step && newest.Last != nil {
		now = newest.State
	}
	log, err := eventlog.AuditLog(d.in)
	if err != nil {
		return err
	}
	return d.in.WriteSealed(summaryName, m.Ended(e.Status, e.Cause, e.Step, now), &log.Extent)
}

// checkRun checks every file of a run.
func (d *doctor) checkRun(held bool) {
	d.checkFiles(".", held)
	m, err := readMeta(d.in)
	if err != nil {
		d.find(metaName, err.Error(), "put it back from a copy", nil)
		return
	}
	d.checkCheckpoints(m, held)
	d.checkLog(held)
	d.checkIndex()
	d.checkSummary(held)
	if _, err := readLabel(d.in); err != nil {
		d.findAside(labelName, err.Error())
	}
	if _, err := readClaims(d.in); err != nil {
		d.findAside(claimsName, err.Error())
	}
}

// checkFiles checks the types and owners of the files in a folder of the run.
func (d *doctor) checkFiles(folder string, held bool) {
	in := d.in
	if folder != "." {
		var err error
		if in, err = d.in.Within(folder); err != nil {
			return // the look at the folder above has reported it
		}
		defer in.Close()
	}
	entries, err := in.List()
	if err != nil {
		d.find(folder, err.Error(), "check its permissions", nil)
	}
	if info, err := in.Lstat("."); err == nil {
		d.checkOwner(folder, info)
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		info, err := e.Info()
		switch {
		case err != nil: // it was removed meanwhile
		case name == checkpointsName && e.IsDir():
			d.checkFiles(name, held)
		case name == scratchName && e.IsDir():
			if !held {
				d.findLeftover(name, leftByCrash)
			}
		default:
			d.checkFile(name, info, held, held || d.young(e))
		}
	}
}

// checkFile checks the type, the owner and the names of a file. It reports whether that is a file
// to be read. used says that somebody may be writing files at this moment.
func (d *doctor) checkFile(name string, info fs.FileInfo, held, used bool) (readable bool) {
	switch {
	case !info.Mode().IsRegular():
		d.findAside(name, "is a link or not a file: nothing is read or written through it")
		return false
	case strings.HasPrefix(filepath.Base(name), atomicfile.Prefix):
		if !used {
			d.findLeftover(name, leftByCrash)
		}
		return false
	}
	d.checkOwner(name, info)
	if disk.Linked(info) {
		d.find(name, "has another name elsewhere (a hard link), which would change with it",
			"--mend gives the run a copy", func() error { return d.separate(name) })
	}
	if name == eventlog.LockName && info.Size() > 0 && !held {
		d.find(name, "names its last holder, but nobody holds it",
			"the next resume takes it; --mend empties it",
			func() error { return d.empty(name) }).Leftover = true
	}
	return true
}

// empty empties a file of a run.
func (d *doctor) empty(name string) error {
	f, err := d.in.Open(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(0), f.Close())
}

// maxCopy bounds the size of a file that is copied, in bytes. The largest checkpoints are smaller;
// a sparse file may have any size.
const maxCopy int64 = 64 << 30

// separate replaces a hard link in a run by a copy; the other name keeps the old file.
func (d *doctor) separate(name string) error {
	return disk.InFolderOf(nil, d.in.Join(name), func(in *disk.Folder, name string) error {
		old, size, err := in.Read(name)
		if err != nil {
			return err
		}
		defer old.Close()
		if size > maxCopy {
			return fmt.Errorf("%d bytes, expected at most %d: restore it from a copy", size,
				maxCopy)
		}
		return in.Write(name, atomicfile.Copying(old))
	})
}

// checkCheckpoints reads every checkpoint.
func (d *doctor) checkCheckpoints(m *runner.Meta, held bool) {
	in, err := d.in.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		d.checkFork(m, 0)
	}
	if err != nil { // checkFiles has reported any other
		return
	}
	defer in.Close()
	defer in.Share(pinLockName, false).Release()
	steps, _ := checkpointSteps(in)
	whole := map[string]bool{}
	readable := 0
	for _, step := range steps {
		if _, err := readCheckpoint(in, step); err != nil {
			remedy := "a resume takes an older one; " + movesAside
			if errors.Is(err, disk.ErrForeign) {
				remedy = movesAside
			}
			d.find(filepath.FromSlash(checkpointFile(step)), err.Error(), remedy,
				func() error { return d.movePair(step) })
		} else {
			readable++
		}
		for _, name := range checkpointNames(step) {
			whole[name] = true
		}
	}
	d.checkFork(m, readable)
	entries, _ := in.List()
	for _, e := range entries {
		half := strings.HasPrefix(e.Name(), "step-") && !whole[e.Name()]
		if half && e.Type().IsRegular() && !held {
			name := filepath.Join(checkpointsName, e.Name())
			d.findLeftover(name, "is of an incomplete checkpoint")
		}
	}
}

func (d *doctor) checkFork(m *runner.Meta, readable int) {
	if m.Parent != "" && readable == 0 {
		d.find(checkpointsName, errOrphan.Error(),
			"fork "+m.Parent+" again, or put it back from a copy", nil)
	}
}

// movePair moves a checkpoint aside, its state first: without the state there is no checkpoint.
func (d *doctor) movePair(step int64) error {
	for _, name := range checkpointNames(step) {
		err := d.moveAside(filepath.Join(checkpointsName, name))()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkLog checks every line, and that the log is the one that the other files go with.
func (d *doctor) checkLog(held bool) {
	list, _ := witnesses(d.in) // the looks at the other files report those that belong elsewhere
	if info, err := d.in.Lstat(eventlog.LogName); err != nil {
		d.find(eventlog.LogName, "is missing", "put it back from a copy", nil)
		return
	} else if !info.Mode().IsRegular() {
		return // checkFiles has reported it
	}
	a, err := eventlog.AuditLog(d.in, list...)
	switch {
	case err != nil:
		d.find(eventlog.LogName, err.Error(), "check its permissions, or restore it from a copy",
			nil)
		return
	case a.Foreign != nil:
		d.find(eventlog.LogName, a.Foreign.Error(), "nothing here can make it again", nil)
		return
	}
	const remedy = "restore it from a copy; --mend keeps a copy of it in .set-aside, and puts a " +
		"warning in place of what is lost"
	for _, line := range a.Damaged {
		what := fmt.Sprintf("line %d %s", line.Line, line.What)
		d.find(eventlog.LogName, what, remedy, d.repairLog)
	}
	if len(a.Damaged) == 0 && len(a.Unlike) > 0 {
		d.find(eventlog.LogName, a.Unlike[0].Error(), remedy, d.repairLog)
	}
	switch {
	case held: // it may be written at this moment
	case a.Unended > 0:
		d.find(eventlog.LogName, "the last line lacks its newline", "a resume adds it; --mend does",
			d.repairLog).Leftover = true
	case a.Bytes < a.Length:
		d.find(eventlog.LogName, fmt.Sprintf("ends in part of a line, %d bytes", a.Length-a.Bytes),
			"a resume cuts it; --mend does, and keeps a copy", d.repairLog).Leftover = true
	}
}

// repairLog writes the log anew, with a warning in the place of each lost line, and then what the
// other files say of it. It does nothing where the log needs no repair by now.
func (d *doctor) repairLog() error {
	before, _ := witnesses(d.in)
	list := before
	a, err := eventlog.AuditLog(d.in, before...)
	if err != nil || a.Err() == nil && a.Bytes == a.Length {
		return err
	}
	if err := d.copyAside(eventlog.LogName); err != nil {
		return err
	}
	old, size, err := d.in.Read(eventlog.LogName)
	if err != nil {
		return err
	}
	defer old.Close()
	_ = d.in.Remove(eventlog.IndexName) // it belongs to the log before the repair
	err = d.in.Write(eventlog.LogName, func(w io.Writer) (err error) {
		list, err = eventlog.RepairLog(w, io.NewSectionReader(old, 0, size), d.in.Owner,
			before, asideName)
		return err
	})
	for i, w := range list {
		if err == nil && w != before[i] {
			err = errors.Join(d.copyAside(filepath.FromSlash(w.File)), d.reseal(w))
		}
	}
	return err
}

// reseal gives a file of the run a new seal, for the log as it is now.
func (d *doctor) reseal(w eventlog.Witness) error {
	return disk.InFolderOf(nil, d.in.Join(w.File), func(in *disk.Folder, name string) error {
		text, err := in.Text(name)
		if err != nil {
			return err
		}
		body, s, err := disk.Unseal(text)
		if err == nil {
			s.Log = &w.Extent
			text, err = s.Put(body)
		}
		if err != nil {
			return err
		}
		return in.WriteText(name, text)
	})
}

// checkIndex checks that the index, where there is one, can be read. It is derived, so an index of
// another log is no damage: the next viewer makes it anew.
func (d *doctor) checkIndex() {
	if info, err := d.in.Lstat(eventlog.IndexName); err != nil || !info.Mode().IsRegular() {
		return // checkFiles has reported it
	}
	_, err := eventlog.LoadIndex(d.in)
	if err == nil || errors.Is(err, eventlog.ErrStale) || errors.Is(err, fs.ErrNotExist) {
		return
	}
	d.find(eventlog.IndexName, err.Error(),
		"nothing is lost, the next listing makes it anew; "+movesAside,
		d.moveAside(eventlog.IndexName))
}
