package sweep

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/disk"
	"drolab/runner/measure"
	"drolab/runner/queue"
	"drolab/runner/spec"
)

// Here says how this machine trains the runs of a sweep: how many at once, and on how many threads
// each.
type Here struct {
	Parallel int    `json:"parallel"`
	Threads  int    `json:"threads"`
	DataDir  string `json:"data_dir"`
	// Mark tells one start from another after a stop.
	Mark string `json:"mark,omitempty"`
}

// hereName is a file in a sweep's own folder. It exists as long as an engine is to work on the
// sweep.
const hereName = "here.json"

// Request asks the engine of the sweep's folder to work on the sweep. If another start asked before
// and the sweep was not stopped since, Want returns what that start asked for. The engine goes on
// as it was told, and the next engine goes by h.
func (f *Folder) Request(h Here) (there *Here, err error) {
	return there, f.WithLock(func() error {
		old, err := f.wanted()
		switch {
		case err == nil:
			there, h.Mark = old, old.Mark
			if *old == h {
				return nil
			}
		case errors.Is(err, fs.ErrNotExist):
			h.Mark = rand.Text()
		default:
			return err
		}
		return f.files.Write(f.ownPath(hereName), &h)
	})
}

// Stop notes that no engine is to work on the sweep.
func (f *Folder) Stop() error {
	return f.WithLock(func() error { return f.files.Remove(f.ownPath(hereName)) })
}

// Finish notes that an engine has done what h asked for. The request stays if there is more to do:
// the list has grown meanwhile, or the sweep was stopped and started again.
func (f *Folder) Finish(h *Here) error {
	return f.WithLock(func() error {
		if NewProgress(f).Grown() || !f.StillWants(h) {
			return nil
		}
		return f.files.Remove(f.ownPath(hereName))
	})
}

// StillWants reports whether the sweep is still to be worked on, as h asks.
func (f *Folder) StillWants(h *Here) bool {
	now, err := f.wanted()
	return err == nil && now.Mark == h.Mark
}

func (f *Folder) wanted() (*Here, error) {
	var h Here
	err := f.files.Read(f.ownPath(hereName), &h)
	return &h, err
}

// Wanted returns the sweep in a runs folder that an engine is to work on, nil if there is none.
func Wanted(dir string) (*Folder, *Here) {
	if h, err := (&Folder{Dir: dir}).wanted(); err == nil {
		if f, err := Open(dir); err == nil {
			return f, h
		}
	}
	return nil, nil
}

// worker feeds a sweep to a queue, only a few runs ahead, so that 10 000 waiting runs take no files
// and no memory.
type worker struct {
	*Progress
	queue *queue.Queue
	here  Here
	logf  func(format string, args ...any)

	todo  []int    // runs of the stage that this worker has not begun
	until int      // epochs to train; 0: to the end
	alive []string // runs that have not ended, by ID
}

const (
	workPause = 20 * time.Millisecond // between two looks at what is live
	heldPause = 2 * time.Second       // before a run that another process records is tried again
)

// Work trains the missing runs of a sweep until the sweep is complete, ctx is cancelled, or goOn
// returns false. Each call tries failed runs once more. The error says why Work could not go on;
// the outcome of each run is in its record.
func (f *Folder) Work(
	ctx context.Context, q *queue.Queue, h Here, goOn func() bool,
	logf func(format string, args ...any),
) error {
	w := &worker{Progress: NewProgress(f), queue: q, here: h, logf: logf}
	for {
		s, err := f.stages()
		if err != nil {
			return err
		}
		w.until, w.todo = w.List.Halving.stageEnd(s.last), nil
		for i := range w.List.Runs {
			if state := w.State(i); s.isMember(i) && !state.hasTrained(w.until) {
				w.todo = append(w.todo, i)
			}
		}
		if !w.trainStage(ctx, goOn) {
			return ctx.Err()
		}
		if s.last == len(f.List.Halving.Epochs) {
			return nil
		}
		if _, err := w.decide(s.last + 1); err != nil {
			return err
		}
	}
}

// trainStage trains the runs of todo. It returns true when all of them have been tried.
func (w *worker) trainStage(ctx context.Context, goOn func() bool) bool {
	tick := time.NewTicker(workPause)
	defer tick.Stop()
	held := time.Time{}
	for ctx.Err() == nil && goOn() {
		w.dropEnded()
		// One run more than can train waits for its slot.
		for len(w.todo) > 0 && len(w.alive) <= w.here.Parallel && time.Since(held) > heldPause {
			i := w.todo[0]
			w.todo = w.todo[1:]
			if w.train(i) == errHeld { // it may be done by whoever has it
				w.todo, held = append(w.todo, i), time.Now()
			}
		}
		if len(w.todo) == 0 && len(w.alive) == 0 {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return false
}

// dropEnded removes the runs that have ended from alive.
func (w *worker) dropEnded() {
	live := w.queue.Live()
	w.alive = slices.DeleteFunc(w.alive, func(id string) bool {
		return !slices.ContainsFunc(live, func(r runner.LiveRun) bool { return r.ID == id })
	})
}

func (w *worker) train(i int) error {
	means := runner.Means{DataDir: w.here.DataDir, Threads: w.here.Threads, Until: w.until}
	err := beginRun(w.Folder, w.queue, i, means)
	switch {
	case err == nil:
		w.alive = append(w.alive, w.List.Runs[i].ID)
	case err == errThrough, err == errHeld:
	default:
		w.logf("run %s: %v", w.List.Runs[i].ID, err)
	}
	return err
}

// Reasons not to begin a run, besides its own errors.
var (
	errThrough = errors.New("is where it was to come to")
	errHeld    = errors.New("is recorded by another process")
)

// beginRun starts run i or continues it. If it cannot, it notes the reason in the folder.
func beginRun(f *Folder, q *queue.Queue, i int, m runner.Means) error {
	if s := NewProgress(f).State(i); s.hasTrained(m.Until) {
		return errThrough
	}
	err := startOrResume(f, q, i, m)
	switch {
	case errors.Is(err, runner.ErrDone):
		return errThrough
	case errors.Is(err, runner.ErrElsewhere), errors.Is(err, fs.ErrExist),
		errors.Is(err, disk.ErrLeased):
		return errHeld
	}
	f.noteRefusal(i, err)
	return err
}

// startOrResume resumes run i, or starts it if it does not exist yet. If another process makes the
// run meanwhile, the start fails with fs.ErrExist, and the next attempt resumes it.
func startOrResume(f *Folder, q *queue.Queue, i int, m runner.Means) error {
	id := f.List.Runs[i].ID
	if _, err := f.Find(i); !errors.Is(err, fs.ErrNotExist) {
		_, err := q.CarryOut(runner.Order{Verb: runner.Resume, Run: id, Means: &m})
		return err
	}
	req, err := f.request(i, m)
	if err != nil {
		return err
	}
	_, err = q.Start(req)
	return err
}

// OwnLive returns the IDs of the live runs that belong to the sweep, to be stopped.
func (f *Folder) OwnLive(live []runner.LiveRun) (ids []string) {
	for _, r := range live {
		if slices.ContainsFunc(f.List.Runs, func(o Run) bool { return o.ID == r.ID }) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// String says how many runs train at once, and on how many processors each.
func (h Here) String() string {
	return fmt.Sprintf("%d at once, on %d of its processors each", h.Parallel, h.Threads)
}

// Approved returns the programs of the sweep's runs, as their user has started them. A program that
// this user has not started is an error, so that a sweep of a stranger starts none.
func (l *List) Approved(own bridge.Approvals) (list []bridge.Approval, err error) {
	seen := map[string]bool{}
	for i := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			return nil, err
		}
		s.SettleProgram(l.Dir)
		p, ok := s.Program()
		if !ok || seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		sum, err := own.Check(p.Path)
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		list = append(list, bridge.Approval{Path: p.Path, Sum: sum})
	}
	return list, nil
}

// Procs returns the largest number of processes of a run; 1 if no run says how many it has.
func (l *List) Procs() int {
	most := 1
	for i := range l.Runs {
		s, _ := l.Spec(i) // Approved returns the error
		p, _ := s.Program()
		n, _ := p.Procs()
		most = max(most, n)
	}
	return most
}

// CheckData returns an error for settings whose runs would have nothing to be chosen by: no
// validation split, or one whose parts are all too small. It also returns an error for methods that
// the data do not suit, such as one that reads groups which are not known. Paths of datasets are
// relative to dir; dataDir has the downloads. Of settings that share their data, only the first is
// checked for what runs are chosen by, and only the first of each method for that method.
//
// It opens no data that are known to have a split. Data that cannot be opened here may be on the
// machine that trains, where each run reports what it lacks. But if data that cannot be opened need
// a split of their own, that is an error, since nobody can tell then whether they have one.
func (f *File) CheckData(dir, dataDir string) (errs []error) {
	list, _ := f.settings() // Parse has found no error
	var keys []string
	sharing := map[string][]*spec.Spec{} // the settings that share their data, by key
	for i := range list {
		s := &list[i].spec
		if s.ValFraction > 0 && s.Select != spec.SelectValWorst {
			continue
		}
		key := fmt.Sprintf("%s %+v %d", s.Dataset, s.DataOptions(dataDir), s.MinGroup)
		if sharing[key] == nil {
			keys = append(keys, key)
		}
		sharing[key] = append(sharing[key], s)
	}
	for _, key := range keys {
		errs = append(errs, f.checkSharing(sharing[key], dir, dataDir)...)
	}
	return errs
}

// checkSharing is CheckData for settings that share their data.
func (f *File) checkSharing(list []*spec.Spec, dir, dataDir string) (errs []error) {
	first := list[0]
	if first.IsProgram() { // it is not started for this check: the run reports what it lacks
		return nil
	}
	fail := func(line int, err error) {
		errs = append(errs, fmt.Errorf("%s:%d: %w", f.path, max(1, line), err))
	}
	chosenBy := cmp.Or(f.lines["select"], f.lines["val_fraction"])
	d, err := source.Open(source.Locate(first.Dataset, dir), first.DataOptions(dataDir))
	switch {
	case err != nil && first.ValFraction > 0:
		return nil
	case err != nil:
		fail(chosenBy, fmt.Errorf("select: %s: whether %s has a validation split of its own "+
			"cannot be told: %w; or set a val_fraction above 0, as in set: {val_fraction: 0.1}",
			first.Select, first.Dataset, err))
		return errs
	}
	defer d.Close()
	if err := checkSelection(first, d); err != nil {
		fail(chosenBy, err)
	}
	parts, seen := measure.PartsOf(d), map[dro.Algorithm]bool{}
	for _, s := range list {
		if seen[s.Algorithm()] {
			continue
		}
		seen[s.Algorithm()] = true
		if _, _, err := runner.NewTrainer(s, &parts, data.KeysOf(d.Train)); err != nil {
			fail(cmp.Or(f.lines["algorithms"], f.lines["dataset"]), err)
		}
	}
	return errs
}

// checkSelection returns an error if runs of s on d would have nothing to be chosen by.
func checkSelection(s *spec.Spec, d *data.Dataset) error {
	switch err := runner.CheckSelection(s, d); {
	case err == nil:
		return nil
	case d.Val == nil:
		return fmt.Errorf("select: %s: %s has no validation split to choose by: set a "+
			"val_fraction above 0, as in set: {val_fraction: 0.1}, or take data that have one",
			s.Select, s.Dataset)
	default:
		return err
	}
}
