package record

import (
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
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// Store is a folder of run directories, for writing. It implements
// runner.Store. Its methods may be used from any goroutine, and any number of
// processes may have stores of the same folder.
type Store struct {
	dir  string
	now  func() time.Time
	open atomicfile.Opener // nil: the system's
	who  disk.Holder
}

// Open returns the store in the folder dir, made if missing. The error names a
// folder that cannot be written.
func Open(dir string) (*Store, error) {
	if err := disk.MirrorOf(dir); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = probe(abs)
	}
	if err != nil {
		return nil, fmt.Errorf(
			"runs folder %s cannot be written: %w; choose another with --runs DIR", dir, err)
	}
	s := &Store{dir: abs, now: time.Now}
	root, err := s.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return s, recoverReplaced(root)
}

// probe makes a file in dir, because permissions alone do not tell.
func probe(dir string) error {
	if err := os.MkdirAll(dir, disk.FolderMode); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// SetHolder sets the holder that the store's locks name on a disk that has no locks.
func (s *Store) SetHolder(who disk.Holder) { s.who = who }

func (s *Store) root() (*disk.Folder, error) {
	f, err := disk.OpenFolder(s.open, s.dir)
	if err == nil {
		f.Who = s.who
	}
	return f, err
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Create implements runner.Store. It makes the directory aside and renames it, so that nobody sees
// it before its run.json and a fork's checkpoint are complete and its lock is held. It sets m.ID
// and m.Created where they are empty. If a given m.ID is taken, or being made, the error is an
// fs.ErrExist.
func (s *Store) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	s.sweep()
	if m.Created.IsZero() {
		m.Created = s.now().UTC()
	}
	const tries = 100
	given := m.ID != ""
	if given && !plainName(m.ID) {
		return nil, fmt.Errorf("creating run %s: expected the name of a run, not a path", m.ID)
	}
	var err error
	for range tries {
		if !given {
			m.ID = ProposeID(m)
		}
		var r *recorder
		if r, err = s.create(m, from); err == nil {
			return r, nil
		}
		if given || !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, fmt.Errorf("creating run %s: %w", m.ID, err)
}

// create makes the directory of the run m. The error is an fs.ErrExist where
// the ID is taken.
func (s *Store) create(m *runner.Meta, from *runner.State) (_ *recorder, err error) {
	root, err := s.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	half := atomicfile.Prefix + m.ID
	if err := root.Mkdir(half, disk.FolderMode); err != nil {
		return nil, disk.Explain(err, root.Path)
	}
	l, of, err := writeFirstFiles(root, half, m, from)
	if err == nil {
		l, err = root.RenameLocked(l, eventlog.LockName, half, m.ID)
	}
	if err != nil {
		return nil, errors.Join(disk.Explain(err, root.Path), l.Release(), root.RemoveAll(half))
	}
	r, err := s.begin(root, m, of, from)
	if err != nil {
		return nil, errors.Join(disk.Explain(err, root.Path), trash(root, l, m.ID))
	}
	r.lock = l
	r.spare, _ = os.Open(os.DevNull)
	return r, nil
}

// begin opens the log of a new run.
func (s *Store) begin(
	root *disk.Folder, m *runner.Meta, of disk.Owner, from *runner.State,
) (*recorder, error) {
	if err := root.Sync(); err != nil {
		return nil, err
	}
	in, err := root.Within(m.ID)
	if err != nil {
		return nil, err
	}
	in.Owner = of
	log, err := eventlog.NewWriter(in, eventlog.NewAudit(in), s.now)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if from != nil {
		e := &runner.CheckpointEvent{
			Head: runner.Head{Step: from.Step},
			File: checkpointFile(from.Step),
		}
		if err := log.Append(e); err != nil {
			return nil, errors.Join(err, log.File.Close(), in.Close())
		}
	}
	return &recorder{in: in, meta: m, log: log}, nil
}

// writeFirstFiles locks a new directory and writes the files that every run has from the start.
func writeFirstFiles(
	f *disk.Folder, name string, m *runner.Meta, from *runner.State,
) (l *disk.Lock, of disk.Owner, err error) {
	m.Format = runner.Format
	text, err := disk.Seal{}.JSON(m)
	if err != nil {
		return nil, of, err
	}
	in, err := f.Within(name)
	if err != nil {
		return nil, of, err
	}
	defer in.Close()
	in.Owner = ownerOf(m.ID, text)
	if l, err = in.Acquire(eventlog.LockName); err != nil {
		return nil, of, err
	}
	if err := in.Mkdir(checkpointsName, disk.FolderMode); err != nil {
		return l, of, err
	}
	if from != nil {
		if err := firstCheckpoint(in, from); err != nil {
			return l, of, err
		}
	}
	log, err := in.Open(eventlog.LogName, os.O_WRONLY|os.O_CREATE, disk.FileMode)
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		return l, of, err
	}
	return l, in.Owner, in.WriteText(metaName, text) // syncs the directory
}

func firstCheckpoint(f *disk.Folder, from *runner.State) error {
	in, err := f.Within(checkpointsName)
	if err != nil {
		return err
	}
	return errors.Join(writeCheckpoint(in, from, eventlog.NewAudit(in).Position), in.Close())
}

// Reopen implements runner.Store. It refuses a run that is done, and one that
// somebody else records. A torn last line of the log is cut; a damaged
// checkpoint is passed over, with a warning in the log that names it.
func (s *Store) Reopen(id string) (_ runner.Recorder, past *runner.Past, err error) {
	defer func() { err = runError(id, err) }()
	in, m, err := s.named(id)
	if err != nil {
		return nil, nil, err
	}
	l, err := lockRun(in)
	if errors.Is(err, disk.ErrHeld) {
		err = runner.ErrElsewhere
	}
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	r := &recorder{in: in, meta: m, lock: l}
	if past, err = r.openPast(s, m); err != nil {
		return nil, nil, errors.Join(err, l.Release(), in.Close())
	}
	r.spare, _ = os.Open(os.DevNull)
	return r, past, nil
}

// Load implements runner.Store. The error says which checkpoints there are.
func (s *Store) Load(id string, step int64) (*runner.Past, error) {
	if err := disk.MirrorOf(s.dir); err != nil {
		return nil, runError(id, err)
	}
	in, m, err := s.named(id)
	if err != nil {
		return nil, runError(id, err)
	}
	defer in.Close()
	return (&Run{Dir: in.Path, Meta: *m, open: s.open}).Past(step)
}

// Hold implements runner.Store.
func (s *Store) Hold(id string) (release func()) {
	r, err := Find(s.dir, id)
	if err != nil {
		return func() {} // Load says why
	}
	r.open = s.open
	return r.Hold()
}

// Pin implements runner.Store.
func (s *Store) Pin(id string, step int64) error {
	r, err := Find(s.dir, id)
	if err != nil {
		return err
	}
	r.open = s.open
	return r.Pin(step)
}

// errOrphan is the error of a fork that lost the checkpoint to continue from: a start from anything
// else would make another run.
var errOrphan = errors.New("the checkpoint that it was forked from is damaged or missing")

// openPast opens the log of an existing run and finds the checkpoint from which the run can go on.
func (r *recorder) openPast(s *Store, m *runner.Meta) (*runner.Past, error) {
	end, err := eventlog.ReadEnd(r.in, nil, eventlog.StatusOnly)
	if err != nil {
		return nil, err
	}
	if end.Status == runner.Done {
		return nil, runner.ErrDone
	}
	from, damaged, err := newestCheckpoint(r.in)
	if err != nil {
		return nil, err
	}
	if from.State == nil && m.Parent != "" {
		return nil, errors.Join(append([]error{errOrphan}, damaged...)...)
	}
	log, err := verifyLog(r.in)
	if err != nil {
		return nil, err
	}
	past := &runner.Past{Meta: m, From: from.State, Log: log.Since(from.At)}
	if r.log, err = eventlog.NewWriter(r.in, log, s.now); err != nil {
		return nil, err
	}
	r.log.Knobs = slices.Clone(past.Log)
	if err := r.warn(past.From, damaged); err != nil {
		return nil, errors.Join(err, r.log.File.Close())
	}
	return past, nil
}

// warn writes warnings into the log that name the checkpoints that were passed over.
func (r *recorder) warn(from *runner.State, damaged []error) error {
	for _, d := range damaged {
		w := &runner.WarningEvent{Message: "checkpoint passed over: " + d.Error()}
		if from != nil {
			w.Step = from.Step
		}
		if err := r.log.Append(w); err != nil {
			return err
		}
	}
	return nil
}

// named opens the directory of the run with the exact name id, and reads its
// run.json.
func (s *Store) named(id string) (in *disk.Folder, m *runner.Meta, err error) {
	if !plainName(id) {
		return nil, nil, errors.New("expected the name of a run, not a path")
	}
	root, err := s.root()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if in, err = root.Within(id); err != nil {
		return nil, nil, err
	}
	if m, err = readMeta(in); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, m, nil
}

// lockRun takes the lock of an existing run. The error is ErrHeld where somebody
// records it.
func lockRun(f *disk.Folder) (*disk.Lock, error) {
	l, err := f.Acquire(eventlog.LockName)
	if err == nil && !l.InPlace(f.Join(eventlog.LockName)) { // it was deleted meanwhile
		return nil, errors.Join(fs.ErrNotExist, l.Release())
	}
	return l, err
}

// Add makes a run that appears complete, once fill has written it, or not at all. Add sets m.ID.
func (s *Store) Add(m *runner.Meta, fill func(runner.Recorder) error) (err error) {
	m.ID = ProposeID(m)
	return s.addFolder(m.ID, func(half *disk.Folder) error { return s.fillRun(half, m, fill) })
}

// fillRun makes a run in the folder half.
func (s *Store) fillRun(
	half *disk.Folder, m *runner.Meta, fill func(runner.Recorder) error,
) error {
	within := *s
	within.dir = half.Path
	r, err := within.Create(m, nil)
	if err != nil {
		return err
	}
	return errors.Join(fill(r), r.Close())
}

// Replace makes the run m anew in the place of the one with its name. The new run keeps the label
// and the claims of the old one. fill is as for Add. Replace fails where somebody records the old
// run. One of the two has the name at every moment. On a disk that cannot exchange names, it may be
// missing after a crash, until a store of the folder opens.
func (s *Store) Replace(m *runner.Meta, fill func(runner.Recorder) error) error {
	old, err := Find(s.dir, m.ID)
	if err != nil {
		return err
	}
	if m.Claims, err = old.Claims(); err != nil {
		return err
	}
	l, err := s.lockNamed(m.ID)
	if err != nil {
		return err
	}
	root, err := s.root()
	if err != nil {
		return errors.Join(err, l.Release())
	}
	defer root.Close()
	err = removeUnneeded(root, m.ID)
	aside := asideOf(m.ID)
	place := func(half *disk.Folder) (err error) {
		err = old.exchange(s, root, half)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		l, err = root.RenameLocked(l, eventlog.LockName, m.ID, aside)
		if err := errors.Join(err, root.Sync()); err != nil {
			return err
		}
		in, err := root.Within(aside)
		if err != nil {
			return err
		}
		defer in.Close()
		in.ID = m.ID
		if err := keepLabel(in, half, m.ID); err != nil {
			return err
		}
		return root.Rename(filepath.Join(filepath.Base(half.Path), m.ID), m.ID)
	}
	if err == nil {
		err = s.makeAside(m.ID, func(half *disk.Folder) error {
			return s.fillRun(half, m, fill)
		}, place)
	}
	return errors.Join(err, l.Release(), putBack(root, aside))
}

// exchange gives the run that is in the folder half, under the same name, the place of r, and r
// that of the other. Nobody changes the label of r meanwhile, which the other run gets.
func (r *Run) exchange(s *Store, root, half *disk.Folder) error {
	r.open = s.open
	return r.alone(func(in *disk.Folder) error {
		if err := keepLabel(in, half, r.Meta.ID); err != nil {
			return err
		}
		return root.Exchange(filepath.Join(filepath.Base(half.Path), r.Meta.ID), r.Meta.ID)
	})
}

// keepLabel gives the run in the folder half the label that is in the folder of the old one.
func keepLabel(old, half *disk.Folder, id string) error {
	label, err := readLabel(old)
	if err != nil || label.String() == "" {
		return err
	}
	made, err := Find(half.Path, id)
	if err != nil {
		return err
	}
	return made.Relabel(func(l *Label) { *l = label })
}

// asideOf returns a new name for the directory of a run that is being replaced.
func asideOf(id string) string {
	return asidePrefix + strings.ToLower(rand.Text()[:asideLetters]) + "-" + id
}

// putBack removes the directory of a run that was replaced. If the new run has not taken the name,
// the old one gets it back.
func putBack(root *disk.Folder, aside string) error {
	id := aside[len(asidePrefix)+asideLetters+1:]
	_, err := root.Lstat(id)
	if err == nil {
		return root.RemoveAll(aside)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = root.Rename(aside, id)
	if errors.Is(err, fs.ErrNotExist) { // nothing was moved, or another process put it back
		return nil
	}
	return errors.Join(err, root.Sync())
}

// recoverReplaced puts back the runs that a crash left aside while they were replaced.
func recoverReplaced(root *disk.Folder) (err error) {
	entries, listing := root.List()
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), asidePrefix)
		if !ours || !e.IsDir() || len(rest) <= asideLetters+1 || !plainName(rest[asideLetters+1:]) {
			continue
		}
		in, within := root.Within(e.Name())
		if within != nil {
			continue
		}
		l, held := in.Acquire(eventlog.LockName)
		in.Close()
		if held != nil { // it is being replaced at this moment
			continue
		}
		err = errors.Join(err, l.Release(), putBack(root, e.Name()))
	}
	return errors.Join(listing, err)
}

// removeUnneeded removes what a crash left of an earlier replacement of the run id, which has its
// name. The caller holds its lock.
func removeUnneeded(root *disk.Folder, id string) error {
	err := root.RemoveAll(atomicfile.Prefix + id)
	entries, listing := root.List()
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), asidePrefix)
		if ours && len(rest) > asideLetters && rest[asideLetters:] == "-"+id {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	return errors.Join(listing, err)
}

// addFolder makes a run that is not there yet: fill writes its directory in a folder aside, from
// which it is renamed.
func (s *Store) addFolder(id string, fill func(half *disk.Folder) error) (err error) {
	root, err := s.root()
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(id); err == nil {
		return nil
	}
	return s.makeAside(id, fill, func(half *disk.Folder) error {
		return root.Rename(filepath.Join(filepath.Base(half.Path), id), id)
	})
}

// makeAside makes the directory of a run in a folder aside, which fill writes, and then gives it
// its name by place.
func (s *Store) makeAside(id string, fill, place func(half *disk.Folder) error) (err error) {
	s.sweep()
	root, err := s.root()
	if err != nil {
		return err
	}
	defer root.Close()
	half := atomicfile.Prefix + id
	if err := root.Mkdir(half, disk.FolderMode); err != nil {
		return disk.Whole(err, root.Path)
	}
	defer func() { err = errors.Join(disk.Whole(err, root.Path), root.RemoveAll(half)) }()
	in, err := root.Within(half)
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := in.Acquire(eventlog.LockName) // else sweep could remove it
	if err != nil {
		return err
	}
	defer l.Release()
	if err := fill(in); err != nil {
		return err
	}
	return errors.Join(place(in), root.Sync())
}
