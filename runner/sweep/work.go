package sweep

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/queue"
)

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
		w.until = w.List.Halving.stageEnd(s.last)
		w.todo = nil
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
	var heldAt time.Time // when a run was last found to be recorded by another process
	for ctx.Err() == nil && goOn() {
		w.dropEnded()
		// One run more than can train waits for its slot.
		for len(w.todo) > 0 && len(w.alive) <= w.here.Parallel && time.Since(heldAt) > heldPause {
			i := w.todo[0]
			w.todo = w.todo[1:]
			if errors.Is(w.train(i), errHeld) { // it may be done by whoever has it
				w.todo = append(w.todo, i)
				heldAt = time.Now()
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

// train begins run i. It logs why that fails, unless the run needs nothing or another process has
// it.
func (w *worker) train(i int) error {
	means := runner.Means{DataDir: w.here.DataDir, Threads: w.here.Threads, Until: w.until}
	err := beginRun(w.Folder, w.queue, i, means)
	switch {
	case err == nil:
		w.alive = append(w.alive, w.List.Runs[i].ID)
	case errors.Is(err, errThrough), errors.Is(err, errHeld):
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

// startOrResume resumes run i, or starts it if it does not exist yet. A run that cannot be read
// exists: the resume says why it cannot go on. If another process makes the run meanwhile, the
// start fails with fs.ErrExist, and the next attempt resumes it.
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
