package train

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/gate"
)

// BetweenCheckpoints is how long a run trains, at least, between checkpoints that
// nobody asked for: an epoch of a small table takes less than to bring one to the disk.
const BetweenCheckpoints = 5 * time.Second

// saving is what a run has saved. Its fields are of the run's goroutine, like all of
// a Run.
type saving struct {
	savedAt time.Time     // the last one, or the start
	pending *runner.State // the selected step's, which is not saved yet; nil: none
	byScript
}

// due tells whether a checkpoint at the end of an epoch is worth its time. The clock
// is the plan's, since what is saved when must not depend on a test's machine.
func (r *Run) due() bool { return r.Now().Sub(r.savedAt) >= BetweenCheckpoints }

// save puts a checkpoint of this moment on disk, behind the selected one's.
func (r *Run) save() error {
	defer r.pause()()
	if err := r.savePending(); err != nil {
		return err
	}
	err := r.saveState(r.state())
	r.savedAt = r.Now()
	return err
}

// keep has what was selected at this moment until the next checkpoint. A crash
// before that loses both, and the run selects again.
func (r *Run) keep() {
	if r.pending != nil {
		letGo(r.pending)
	}
	r.pending = r.state()
	r.pending.Detach()
}

// savePending saves what keep has. It comes before every later checkpoint, so that a
// run which goes on from one has its selection.
func (r *Run) savePending() error {
	if p := r.pending; p != nil && p.Step != r.step {
		if err := r.saveState(p); err != nil {
			return err
		}
	} else if p != nil {
		letGo(p)
	}
	r.pending = nil
	return nil
}

// letGo releases what a program has saved.
func letGo(s *runner.State) {
	if s.Opaque != nil {
		s.Opaque.Release()
	}
}

// rescue saves what keep has of a run that failed, and waits for nothing.
func (r *Run) rescue() error {
	if r.pending == nil {
		return nil
	}
	file, err := r.Record.Checkpoint(r.pending)
	r.pending = nil
	if err != nil {
		return err
	}
	return r.Record.Append(&runner.CheckpointEvent{Head: r.Head(), File: file})
}

// state is this moment; its tensors are the network's own. They are valid until the
// next step: who keeps the state longer calls Detach, as keep does.
func (r *Run) state() *runner.State {
	method := r.Method.State()
	s := &runner.State{
		Step: r.step, Batches: r.batches.State(), Draws: r.draws.State(),
		Window: r.window.Clone(), Eval: r.eval, Last: r.last, Selected: r.selected,
		Waited: r.waited, Output: r.iterate, Method: &method, User: slices.Clone(r.user),
	}
	r.Net.Save(s)
	return s
}

// saveState puts a checkpoint on disk and says so in the log, in this order: a log
// never names a checkpoint that is not there. Where the disk was full, the log says
// that the run was paused, so running comes before the checkpoint's line.
func (r *Run) saveState(state *runner.State) error {
	defer letGo(state)
	if err := r.Net.Err(); err != nil {
		return r.broke(err)
	}
	var file string
	told, err := r.write(func() (err error) {
		file, err = r.Record.Checkpoint(state)
		return err
	})
	if err == nil && told {
		err = r.Mark(runner.Running)
	}
	if err != nil {
		return err
	}
	return r.append(&runner.CheckpointEvent{Head: r.Head(), File: file})
}

// restore makes the run what it was when s was saved, and lets go of s's
// tensors: s itself lives as long as the run. Where s is of a parent that trained
// with another method, it has no state of this run's and no x that its rule has
// chosen.
func (r *Run) restore(s *runner.State) error {
	err := errors.Join(r.Net.Load(s), r.batches.Restore(s.Batches), r.draws.Restore(s.Draws))
	if err == nil {
		err = r.Method.resume(s)
	}
	if err != nil {
		return ofCheckpoint(s, err)
	}
	s.Parameters, s.Velocities, s.Buffers, s.Picked, s.Opaque = nil, nil, nil, nil, nil
	r.user = slices.Clone(s.User)
	r.step, r.window = s.Step, s.Window.Like(r.names())
	r.eval, r.last, r.selected, r.iterate = s.Eval, s.Last, s.Selected, s.Output
	r.waited = s.Waited
	return nil
}

// ofCheckpoint says which checkpoint an error is about, since a run keeps several.
func ofCheckpoint(s *runner.State, err error) error {
	return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
}

// Measuring returns a run that has the network of a checkpoint, to use it on data that
// need not be its own, and that does not train: it has neither loaders nor a meter, so
// its Do must not be called. Where method is set, it has what the method has come to
// as well, which Evaluation and Stationarity need. The caller closes it.
func Measuring(
	m *runner.Meta, d *data.Dataset, network NewNetwork, s *runner.State, threads int, method bool,
) (*Run, error) {
	r := hold(Plan{Meta: m, Data: d, Record: discard{}, Gate: &gate.Gate{Retry: time.Second},
		Network: network, Threads: max(1, threads)})
	r.step = s.Step
	err := r.addNetwork()
	if err == nil && method {
		err = r.takeMethod(s)
	}
	if err == nil {
		err = r.Net.Load(s)
	}
	if err != nil {
		r.Close()
		return nil, ofCheckpoint(s, err)
	}
	return r, nil
}

// takeMethod starts the method, as it was in s. The Pick makes room for the x that s
// has picked, since a network without it leaves that out when it loads.
func (r *Run) takeMethod(s *runner.State) (err error) {
	if r.Method, err = newMethod(&r.Meta.Spec, &r.Meta.Parts); err != nil {
		return err
	}
	if r.Method.Picker != nil {
		r.Net.Pick()
	}
	return r.Method.resume(s)
}
