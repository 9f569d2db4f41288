package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drolab/runner"
	"drolab/runner/internal/aside"
	"drolab/runner/record/internal/checkpoint"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

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
		d.find(labelName, err.Error(), movesAside, moveAside(labelName))
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
				d.find(name, "was left by a crash", movesAside, moveAside(name)).Leftover = true
			}
		case !info.Mode().IsRegular():
			d.find(name, "is a link or not a file: nothing is read or written through it",
				movesAside,
				moveAside(name))
		case strings.HasPrefix(e.Name(), aside.Prefix):
			if !held && !d.young(e) {
				d.find(name, "was left by a crash", movesAside, moveAside(name)).Leftover = true
			}
		default:
			d.checkFile(name, info, held)
		}
	}
}

func (d *doctor) checkFile(name string, info fs.FileInfo, held bool) {
	d.checkOwner(name, info)
	if disk.Linked(info) {
		d.find(name, "has another name elsewhere (a hard link), which would change with it",
			"--mend gives the run a copy", func(d *doctor) error { return d.part(name) })
	}
	if name == lockName && info.Size() > 0 && !held {
		d.find(name, "names its last holder, but nobody holds it",
			"the next resume takes it; --mend empties it",
			func(d *doctor) error { return d.clear(name) }).Leftover = true
	}
}

// clear empties a file of a run.
func (d *doctor) clear(name string) error {
	f, err := d.in.Open(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(0), f.Close())
}

// maxCopy bounds the size of a file that is copied, in bytes. The largest checkpoints are smaller;
// a sparse file may have any size.
const maxCopy int64 = 64 << 30

// part replaces a hard link in a run by a copy; the other name keeps the old file.
func (d *doctor) part(name string) error {
	in, err := disk.OpenFolder(nil, d.in.Join(filepath.Dir(name)))
	if err != nil {
		return err
	}
	defer in.Close()
	old, size, err := in.Read(filepath.Base(name))
	if err != nil {
		return err
	}
	defer old.Close()
	if size > maxCopy {
		return fmt.Errorf("%d bytes, want at most %d: restore it from a copy", size, maxCopy)
	}
	return in.Write(filepath.Base(name), copying(old))
}

// copying returns a function that writes the rest of from.
func copying(from io.Reader) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	}
}

// checkCheckpoints reads every checkpoint.
func (d *doctor) checkCheckpoints(m *runner.Meta, held bool) {
	in, err := d.in.Within(checkpointsName)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return // checkFiles has reported it
		}
		d.checkFork(m, 0)
		return
	}
	defer in.Close()
	defer in.Share(checkpoint.LockName, false).Release()
	steps, _ := checkpoint.Steps(in)
	whole := map[string]bool{}
	readable := 0
	for _, step := range steps {
		if _, err := checkpoint.Read(in, step); err != nil {
			remedy := "a resume takes an older one; " + movesAside
			if errors.Is(err, disk.ErrForeign) {
				remedy = movesAside
			}
			d.find(filepath.FromSlash(checkpoint.File(step)), err.Error(), remedy, movePair(step))
		} else {
			readable++
		}
		for _, name := range checkpoint.Names(step) {
			whole[name] = true
		}
	}
	d.checkFork(m, readable)
	entries, _ := in.List()
	for _, e := range entries {
		half := strings.HasPrefix(e.Name(), "step-") && !whole[e.Name()]
		if half && e.Type().IsRegular() && !held {
			name := filepath.Join(checkpointsName, e.Name())
			of := d.find(name, "is of an incomplete checkpoint", movesAside, moveAside(name))
			of.Leftover = true
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
func movePair(step int64) func(*doctor) error {
	return func(d *doctor) error {
		for _, name := range checkpoint.Names(step) {
			err := moveAside(filepath.Join(checkpointsName, name))(d)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
}

// checkLog checks every line, and that the log is the one that the other files go with.
func (d *doctor) checkLog(held bool) {
	list, _ := witnesses(d.in) // the looks at the other files report those that belong elsewhere
	if info, err := d.in.Lstat(logName); err != nil {
		d.find(logName, "is missing", "put it back from a copy", nil)
		return
	} else if !info.Mode().IsRegular() {
		return // checkFiles has reported it
	}
	a, err := eventlog.AuditLog(d.in, list...)
	var hole eventlog.HoleError
	switch {
	case errors.As(err, &hole):
		d.find(logName, hole.What(), hole.Remedy(), nil)
		return
	case err != nil:
		d.find(logName, err.Error(), "check its permissions, or restore it from a copy", nil)
		return
	case a.Foreign != nil:
		d.find(logName, a.Foreign.Error(), "nothing here can make it again", nil)
		return
	}
	const remedy = "restore it from a copy; --mend keeps one, and writes a warning in place " +
		"of what is lost"
	for _, line := range a.Damaged {
		what := fmt.Sprintf("line %d %s", line.Line, line.What)
		d.find(logName, what, remedy, (*doctor).repairLog)
	}
	if len(a.Damaged) == 0 && len(a.Unlike) > 0 {
		d.find(logName, a.Unlike[0].Error(), remedy, (*doctor).repairLog)
	}
	switch {
	case held: // it may be written at this moment
	case a.Unended > 0:
		d.find(logName, "the last line lacks its newline", "a resume adds it; --mend does",
			(*doctor).repairLog).Leftover = true
	case a.Bytes < a.Length:
		d.find(logName, fmt.Sprintf("ends in part of a line, %d bytes", a.Length-a.Bytes),
			"a resume cuts it; --mend does, and keeps a copy", (*doctor).repairLog).Leftover = true
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
	if err := d.keep(logName); err != nil {
		return err
	}
	old, size, err := d.in.Read(logName)
	if err != nil {
		return err
	}
	defer old.Close()
	_ = d.in.Remove(eventlog.IndexName) // it belongs to the log before the repair
	err = d.in.Write(logName, func(w io.Writer) (err error) {
		list, err = eventlog.RepairLog(w, io.NewSectionReader(old, 0, size), d.in.Owner,
			before, asideName)
		return err
	})
	for i, w := range list {
		if err == nil && w != before[i] {
			err = errors.Join(d.keep(filepath.FromSlash(w.File)), d.reseal(w))
		}
	}
	return err
}

// reseal gives a file of the run a new seal, for the log as it is now.
func (d *doctor) reseal(w eventlog.Witness) error {
	in, err := disk.OpenFolder(nil, d.in.Join(filepath.Dir(w.File)))
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := in.Text(filepath.Base(w.File))
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
	return in.WriteText(filepath.Base(w.File), text)
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
		moveAside(eventlog.IndexName))
}
