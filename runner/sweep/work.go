package sweep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// Here says how this machine trains a sweep's runs: so many at once, on so
// many threads each.
type Here struct {
	Parallel int    `json:"parallel"`
	Threads  int    `json:"threads"`
	DataDir  string `json:"data_dir"`
	// Mark tells one start from another after a stop.
	Mark string `json:"mark,omitempty"`
}

// hereName is in a sweep's own folder for as long as an engine shall work on it.
const hereName = "here.json"

// Want says that the engine of the sweep's folder shall work on it. Where another
// start has said so, and nobody has stopped it since, that is returned; the engine goes
// on as it was told, and the next engine goes by h.
func (f *Folder) Want(h Here) (there *Here, err error) {
	return there, f.Alone(func() error {
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
		return f.files.Write(f.own(hereName), &h)
	})
}

// Stop says that no engine shall work on the sweep.
func (f *Folder) Stop() error {
	return f.Alone(func() error { return f.files.Remove(f.own(hereName)) })
}

// Through says that an engine has done what h asked for. It is to look again where there
// is more: the list has grown meanwhile, or the sweep was stopped and started again.
func (f *Folder) Through(h *Here) error {
	return f.Alone(func() error {
		if NewLook(f).Grown() || !f.Wants(h) {
			return nil
		}
		return f.files.Remove(f.own(hereName))
	})
}

// Wants tells whether the sweep is to be worked on still, as by h.
func (f *Folder) Wants(h *Here) bool {
	now, err := f.wanted()
	return err == nil && now.Mark == h.Mark
}

func (f *Folder) wanted() (*Here, error) {
	var h Here
	err := f.files.Read(f.own(hereName), &h)
	return &h, err
}

// Wanted returns the sweep in a runs folder that an engine shall work on; nil
// where there is none.
func Wanted(dir string) (*Folder, *Here) {
	h, err := (&Folder{Dir: dir}).wanted()
	if err != nil {
		return nil, nil
	}
	f, err := Open(dir)
	if err != nil {
		return nil, nil
	}
	return f, h
}

// Desk trains runs: a *queue.Queue.
type Desk interface {
	Start(runner.Request) ([]string, error)
	ResumeWith(id string, m runner.Means) error
	Live() []runner.LiveRun
}

// worker feeds a sweep to a Desk, a few runs ahead, so that 10 000 that wait take
// no files and no memory.
type worker struct {
	*Look
	desk Desk
	here Here
	logf func(format string, args ...any)

	todo  []int          // of the stage, not begun by this worker
	until int            // epochs; 0: to the end
	alive map[string]int // by ID
}

const (
	workPause = 20 * time.Millisecond // between two looks at what is live
	heldPause = 2 * time.Second       // before a run that another process records is tried again
)

// Work does what is missing of a sweep, to its end: until ctx is cancelled, or
// go-on returns false. Runs that failed are tried once more by each call. It
// returns why it could not go on; what became of the runs, they say themselves.
func (f *Folder) Work(
	ctx context.Context, desk Desk, h Here, goOn func() bool, logf func(format string, args ...any),
) error {
	w := &worker{Look: NewLook(f), desk: desk, here: h, logf: logf, alive: map[string]int{}}
	for {
		s, err := f.stages()
		if err != nil {
			return err
		}
		w.begin(s)
		if !w.stage(ctx, goOn) {
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

// begin lists what a stage has to do.
func (w *worker) begin(s *stages) {
	w.until, w.todo = w.List.Halving.until(s.last), nil
	for i := range w.List.Runs {
		if state := w.State(i); s.member(i) && !state.through(w.until) {
			w.todo = append(w.todo, i)
		}
	}
}

// stage is true when everything that it has to do has been tried.
func (w *worker) stage(ctx context.Context, goOn func() bool) bool {
	tick := time.NewTicker(workPause)
	defer tick.Stop()
	held := time.Time{}
	for ctx.Err() == nil && goOn() {
		w.settle()
		// One more than train waits for its slot.
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

// settle takes note of the runs that have ended.
func (w *worker) settle() {
	live := map[string]bool{}
	for _, r := range w.desk.Live() {
		live[r.ID] = true
	}
	for id := range w.alive {
		if !live[id] {
			delete(w.alive, id)
		}
	}
}

func (w *worker) train(i int) error {
	means := runner.Means{DataDir: w.here.DataDir, Threads: w.here.Threads, Until: w.until}
	err := begin(w.Folder, w.desk, i, means)
	switch {
	case err == nil:
		w.alive[w.List.Runs[i].ID] = i
	case err == errThrough, err == errHeld:
	default:
		w.logf("run %s: %v", w.List.Runs[i].ID, err)
	}
	return err
}

// Why a run is not begun, beside what is wrong with it.
var (
	errThrough = errors.New("is where it was to come to")
	errHeld    = errors.New("is recorded by another process")
)

// begin starts run i, or goes on with it. Why it cannot is noted in the folder.
func begin(f *Folder, desk Desk, i int, m runner.Means) error {
	look := NewLook(f)
	if s := look.State(i); s.through(m.Until) {
		return errThrough
	}
	err := attempt(f, desk, i, m)
	switch {
	case errors.Is(err, runner.ErrDone):
		return errThrough
	case errors.Is(err, runner.ErrElsewhere), errors.Is(err, fs.ErrExist),
		errors.Is(err, record.ErrLeased):
		return errHeld
	}
	f.refuse(i, err)
	return err
}

// attempt goes on with a run that is there, or makes it. That it is there is
// looked at once more where somebody made it meanwhile.
func attempt(f *Folder, desk Desk, i int, m runner.Means) error {
	id := f.List.Runs[i].ID
	if _, err := f.Find(i); !errors.Is(err, fs.ErrNotExist) {
		return desk.ResumeWith(id, m)
	}
	req, err := f.request(i, m)
	if err != nil {
		return err
	}
	_, err = desk.Start(req)
	return err
}

// Ours tells which runs of the sweep are live, to be stopped.
func (f *Folder) Ours(live []runner.LiveRun) (ids []string) {
	for _, r := range live {
		if slices.ContainsFunc(f.List.Runs, func(o Run) bool { return o.ID == r.ID }) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

var _ Desk = (*queue.Queue)(nil)

// String says how many runs and processors a machine is asked for.
func (h Here) String() string {
	return fmt.Sprintf("%d at once, on %d of its processors each", h.Parallel, h.Threads)
}
