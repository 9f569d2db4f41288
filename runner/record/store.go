package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/internal/aside"
)

// Store is a folder of run directories, for writing. It implements
// runner.Store. Its methods may be used from any goroutine, and any number of
// processes may have stores of the same folder.
type Store struct {
	dir  string
	now  func() time.Time
	open func(path string) (logFile, error)
}

// Open returns the store in the folder dir, made if missing. The error names a
// folder that cannot be written.
func Open(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = probe(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("runs folder %s cannot be written: %w; choose another with --runs DIR", dir, err)
	}
	return &Store{dir: abs, now: time.Now, open: openLogFile}, nil
}

// probe makes a file in dir, because permissions alone do not tell.
func probe(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Create implements runner.Store: a new directory, made aside and renamed, so
// that nobody sees it before its run.json and a fork's checkpoint are complete
// and its lock held. It sets m.ID, and m.Created where that is zero.
func (s *Store) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	s.sweep()
	if m.Created.IsZero() {
		m.Created = s.now().UTC()
	}
	const tries = 100
	var err error
	for range tries {
		m.ID = newID(m)
		var r *recorder
		if r, err = s.create(m, from); err == nil {
			return r, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, fmt.Errorf("creating run %s: %w", m.ID, err)
}

// create makes the directory of the run m. The error is an fs.ErrExist where
// the ID is taken.
func (s *Store) create(m *runner.Meta, from *runner.State) (_ *recorder, err error) {
	half, dir := filepath.Join(s.dir, aside.Prefix+m.ID), filepath.Join(s.dir, m.ID)
	if err := os.Mkdir(half, 0o700); err != nil {
		return nil, explain(err)
	}
	l, err := Acquire(filepath.Join(half, lockName))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(half))
	}
	fail := func(err error) (*recorder, error) {
		return nil, errors.Join(explain(err), l.Release(), os.RemoveAll(half))
	}
	if err := fillDir(half, m, from); err != nil {
		return fail(err)
	}
	if l, err = moveLocked(l, half, dir); err != nil {
		return fail(err)
	}
	r, err := s.begin(dir, m, from)
	if err != nil {
		return nil, errors.Join(explain(err), trash(l, dir))
	}
	r.lock = l
	return r, nil
}

// begin opens the log of a new run.
func (s *Store) begin(dir string, m *runner.Meta, from *runner.State) (*recorder, error) {
	if err := aside.Sync(s.dir); err != nil {
		return nil, err
	}
	log, err := openLog(filepath.Join(dir, logName), s.open, s.now)
	if err != nil {
		return nil, err
	}
	if from != nil {
		e := &runner.CheckpointEvent{Head: runner.Head{Step: from.Step}, File: checkpointFile(from.Step)}
		if err := log.append(e); err != nil {
			return nil, errors.Join(err, log.file.Close())
		}
	}
	return &recorder{dir: dir, keep: m.Spec.CheckpointKeep, log: log}, nil
}

// fillDir puts into a new directory what every run has from the start.
func fillDir(dir string, m *runner.Meta, from *runner.State) error {
	checkpoints := filepath.Join(dir, checkpointsName)
	if err := os.Mkdir(checkpoints, 0o755); err != nil {
		return err
	}
	if from != nil {
		if err := writeCheckpoint(checkpoints, from); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, logName), nil, 0o666); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, metaName), m) // syncs dir
}

// moveLocked renames the directory from, whose lock l is, and returns the lock
// it has then; on an error l as it was, unless it is lost.
func moveLocked(l *Lock, from, to string) (*Lock, error) {
	if locksFollowRename {
		return l, os.Rename(from, to)
	}
	if err := l.Release(); err != nil {
		return l, err
	}
	if err := os.Rename(from, to); err != nil {
		return l, err
	}
	moved, err := Acquire(filepath.Join(to, lockName))
	if err != nil {
		return l, err
	}
	return moved, nil
}

// sweepAge is how long a directory aside is left alone: between making it and
// holding its lock nothing else protects it.
const sweepAge = time.Minute

// sweep removes directories that a crash left half-made or half-removed. What
// it cannot remove is in nobody's way.
func (s *Store) sweep() {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		ours := strings.HasPrefix(e.Name(), aside.Prefix) || strings.HasPrefix(e.Name(), deletedPrefix)
		if !e.IsDir() || !ours {
			continue
		}
		dir := filepath.Join(s.dir, e.Name())
		info, err := e.Info()
		if err == nil && s.now().Sub(info.ModTime()) > sweepAge && !Held(filepath.Join(dir, lockName)) {
			os.RemoveAll(dir)
		}
	}
}

// Reopen implements runner.Store. It refuses a run that is done, and one that
// somebody else records. A torn last line of the log is cut; a damaged
// checkpoint is passed over, with a warning in the log that names it.
func (s *Store) Reopen(id string) (runner.Recorder, *runner.Past, error) {
	r, past, err := s.reopen(id)
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", id, err)
	}
	return r, past, nil
}

func (s *Store) reopen(id string) (_ *recorder, past *runner.Past, err error) {
	dir, m, err := named(s.dir, id)
	if err != nil {
		return nil, nil, err
	}
	l, err := lockRun(dir)
	if errors.Is(err, ErrHeld) {
		err = runner.ErrElsewhere
	}
	if err != nil {
		return nil, nil, err
	}
	r := &recorder{dir: dir, keep: m.Spec.CheckpointKeep, lock: l}
	past = &runner.Past{Meta: m}
	if past.From, err = r.takeUp(s, m.Parent); err != nil {
		return nil, nil, errors.Join(err, l.Release())
	}
	if past.Log, err = readKnobs(dir); err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return r, past, nil
}

// Load implements runner.Store. The error says which checkpoints there are.
func (s *Store) Load(id string, step int64) (*runner.Past, error) {
	dir, m, err := named(s.dir, id)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	return (&Run{Dir: dir, Meta: *m}).Past(step)
}

// Pin implements runner.Store.
func (s *Store) Pin(id string, step int64) error {
	r, err := Find(s.dir, id)
	if err != nil {
		return err
	}
	return r.Pin(step)
}

// errOrphan is of a fork that lost what it is to go on from: anything else than
// that is another run.
var errOrphan = errors.New("the checkpoint that it was forked from is damaged or missing")

// takeUp opens the log of an existing run and finds where it can go on.
func (r *recorder) takeUp(s *Store, parent string) (from *runner.State, err error) {
	end, err := readEnd(r.dir, statusOnly)
	if err != nil {
		return nil, err
	}
	if end.Status == runner.Done {
		return nil, runner.ErrDone
	}
	from, damaged := newestCheckpoint(filepath.Join(r.dir, checkpointsName))
	if from == nil && parent != "" {
		return nil, errors.Join(append([]error{errOrphan}, damaged...)...)
	}
	if r.log, err = openLog(filepath.Join(r.dir, logName), s.open, s.now); err != nil {
		return nil, err
	}
	for _, d := range damaged {
		w := &runner.WarningEvent{Message: "checkpoint passed over: " + d.Error()}
		if from != nil {
			w.Step = from.Step
		}
		if err := r.Append(w); err != nil {
			return nil, errors.Join(err, r.log.file.Close())
		}
	}
	return from, nil
}

// named returns the directory of the run with the exact name id, and its
// run.json.
func named(folder, id string) (dir string, m *runner.Meta, err error) {
	if !plainName(id) {
		return "", nil, errors.New("want the name of a run, not a path")
	}
	dir = filepath.Join(folder, id)
	m, err = readMeta(dir)
	return dir, m, err
}

// lockRun takes the lock of an existing run. The error is ErrHeld where somebody
// records it.
func lockRun(dir string) (*Lock, error) {
	path := filepath.Join(dir, lockName)
	l, err := Acquire(path)
	if err == nil && !l.InPlace(path) { // it was deleted meanwhile
		return nil, errors.Join(fs.ErrNotExist, l.Release())
	}
	return l, err
}
