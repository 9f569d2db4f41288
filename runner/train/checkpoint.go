package train

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
)

// BetweenCheckpoints is the least time between two checkpoints that nobody asked for. Writing a
// checkpoint to the disk takes longer than an epoch of a small table.
const BetweenCheckpoints = 5 * time.Second

// checkpointState is the state of a run's checkpoints. Its fields belong to the run's goroutine,
// like all of a Run.
type checkpointState struct {
	savedAt time.Time     // the time of the last checkpoint, or of the start
	pending *runner.State // the state of the selected step until it is saved; nil: none
	scriptState
}

// checkpointDue reports whether a checkpoint at the end of an epoch is worth its time. It reads the
// plan's clock, so that the choice of checkpoints in a test does not depend on the machine.
func (r *Run) checkpointDue() bool { return r.Now().Sub(r.savedAt) >= BetweenCheckpoints }

// save writes a checkpoint of this moment to disk, after the pending checkpoint of the selected
// step.
func (r *Run) save() error {
	defer r.pause()()
	if err := r.savePending(); err != nil {
		return err
	}
	s, err := r.state()
	if err == nil {
		err = r.saveState(s)
	}
	r.savedAt = r.Now()
	return err
}

// keepSelected holds the state of this moment, which was selected, in memory until the next
// checkpoint. A crash before that loses both the state and the selection, and the resumed run
// selects again.
func (r *Run) keepSelected() error {
	s, err := r.state()
	if err != nil {
		return err
	}
	releaseOpaque(r.pending)
	r.pending = s
	r.pending.Detach()
	return nil
}

// savePending saves the state that keepSelected holds. It is called before every later checkpoint,
// so that a run resumed from one has its selection on disk.
func (r *Run) savePending() error {
	if p := r.pending; p != nil && p.Step != r.step {
		if err := r.saveState(p); err != nil {
			return err
		}
	} else if p != nil {
		releaseOpaque(p)
	}
	r.pending = nil
	return nil
}

// releaseOpaque releases the bytes that a program has saved, if it has.
func releaseOpaque(s *runner.State) {
	if s != nil && s.Opaque != nil {
		s.Opaque.Release()
	}
}

// rescue saves the state that keepSelected holds of a run that failed, and does not wait for a full
// disk.
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

// state returns the state of this moment. Its tensors are the network's own and valid until the
// next step: a caller that keeps the state longer calls Detach, as keepSelected does.
func (r *Run) state() (*runner.State, error) {
	method := r.Method.State()
	s := &runner.State{
		Step: r.step, Window: r.window.Clone(),
		Eval: r.eval, Last: r.last, Selected: r.selected,
		Waited: r.waited, Tied: r.tied, Output: r.iterate, Method: &method,
		User: slices.Clone(r.user),
	}
	if r.leader == nil {
		s.Batches, s.Draws = r.batches.State(), r.draws.State()
	}
	if err := r.saver.Save(s); err != nil {
		releaseOpaque(s)
		return nil, r.atStep(err)
	}
	return s, nil
}

// saveState writes a checkpoint to disk and then the event that names it to the log. In this order
// the log never names a checkpoint that does not exist. If the disk was full, the log says that the
// run was paused, so the status Running precedes the checkpoint's event.
func (r *Run) saveState(state *runner.State) error {
	defer releaseOpaque(state)
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

// restore sets the run to the state s, and drops the tensors of s, since s itself lives as long as
// the run. If s comes from a parent that trained with another method, it holds neither a state of
// this run's method nor an x that its output rule has chosen.
func (r *Run) restore(s *runner.State) error {
	err := r.saver.Load(s)
	if r.leader == nil {
		err = errors.Join(err, r.batches.Restore(s.Batches), r.draws.Restore(s.Draws))
	}
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
	r.waited, r.tied = s.Waited, s.Tied
	return nil
}

// ofCheckpoint adds the step of the checkpoint to an error, since a run keeps several checkpoints.
func ofCheckpoint(s *runner.State, err error) error {
	return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
}
