package train

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/data"
)

// BetweenCheckpoints is the least time between two checkpoints that nobody asked for. Writing a
// checkpoint to the disk takes longer than an epoch of a small table.
const BetweenCheckpoints = 5 * time.Second

// saving is the state of a run's checkpoints. Its fields belong to the run's goroutine, like all of
// a Run.
type saving struct {
	savedAt time.Time     // the time of the last checkpoint, or of the start
	pending *runner.State // the state of the selected step until it is saved; nil: none
	byScript
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
	err := r.saveState(r.state())
	r.savedAt = r.Now()
	return err
}

// keepSelected holds the state of this moment, which was selected, in memory until the next
// checkpoint. A crash before that loses both the state and the selection, and the resumed run
// selects again.
func (r *Run) keepSelected() {
	releaseOpaque(r.pending)
	r.pending = r.state()
	r.pending.Detach()
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
func (r *Run) state() *runner.State {
	method := r.Method.State()
	s := &runner.State{
		Step: r.step, Batches: r.batches.State(), Draws: r.draws.State(),
		Window: r.window.Clone(), Eval: r.eval, Last: r.last, Selected: r.selected,
		Waited: r.waited, Tied: r.tied, Output: r.iterate, Method: &method,
		User: slices.Clone(r.user),
	}
	r.Net.Save(s)
	return s
}

// saveState writes a checkpoint to disk and then the event that names it to the log. In this order
// the log never names a checkpoint that does not exist. If the disk was full, the log says that the
// run was paused, so the status Running precedes the checkpoint's event.
func (r *Run) saveState(state *runner.State) error {
	defer releaseOpaque(state)
	if err := r.Net.Err(); err != nil {
		return r.atStep(err)
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

// restore sets the run to the state s, and drops the tensors of s, since s itself lives as long as
// the run. If s comes from a parent that trained with another method, it holds neither a state of
// this run's method nor an x that its output rule has chosen.
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
	r.waited, r.tied = s.Waited, s.Tied
	return nil
}

// ofCheckpoint adds the step of the checkpoint to an error, since a run keeps several checkpoints.
func ofCheckpoint(s *runner.State, err error) error {
	return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
}

// Measuring returns a run that holds the network of a checkpoint but does not train. It serves to
// measure the network on data that need not be the run's own. It has neither loaders nor a meter,
// so its Do must not be called. If method is true, it also holds the state of the method, which
// Evaluation and Stationarity need. The caller closes it.
func Measuring(
	m *runner.Meta, d *data.Dataset, network NewNetwork, s *runner.State, threads int, method bool,
) (*Run, error) {
	r := newHeldRun(Plan{Meta: m, Data: d, Record: discard{}, Gate: &Gate{Retry: time.Second},
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

// takeMethod starts the method from its state in s. It calls Pick to make room for the x that s has
// picked, since a network without that room skips this x when it loads s.
func (r *Run) takeMethod(s *runner.State) (err error) {
	keys := data.KeysOf(r.Data.Train)
	if r.Method, err = newMethod(&r.Meta.Spec, &r.Meta.Parts, keys); err != nil {
		return err
	}
	if r.Method.Picker != nil {
		r.Net.Pick()
	}
	return r.Method.resume(s)
}

// serveOrders carries out the orders that arrived since the last step. Without an order it costs
// one check of an empty channel. A closed Gate.Done is a request to stop.
func (r *Run) serveOrders() error {
	for {
		select {
		case <-r.Gate.Done:
			return r.stop()
		default:
		}
		o, ok := r.Gate.Next()
		if !ok {
			return nil
		}
		if err := r.serve(o); err != nil {
			return err
		}
	}
}

// serve carries out one order. An error ends the run, as ErrStopped does for a stop; an error
// that concerns only the sender of the order goes into the answer.
func (r *Run) serve(o Order) error {
	switch o.Verb {
	case runner.Stop:
		return r.stop()
	case runner.Checkpoint:
		if r.leader != nil {
			r.asked = append(r.asked, o)
			return nil
		}
		err := r.save()
		o.Answer(r.step, err)
		return err
	case runner.Pause:
		return r.pauseUntilResumed()
	case runner.Knob:
		return o.Turn(r)
	}
	return nil // a resume of a run that is not paused
}

// pauseUntilResumed saves, gives the slot to another run, and waits until this run may continue. A
// stop in the meantime needs no further checkpoint.
func (r *Run) pauseUntilResumed() error {
	if r.leader == nil { // else only the script can save, and it waits during the pause
		if err := r.save(); err != nil {
			return err
		}
	}
	if err := r.Mark(runner.Paused); err != nil {
		return err
	}
	defer r.pause()()
	r.Gate.Leave()
	err := r.Gate.Enter(nil, func() {}, true, r)
	if err == ErrStopped && r.leader != nil {
		err = r.stop()
	}
	if err == nil {
		return r.Mark(runner.Running)
	}
	return err
}

// stop writes a checkpoint of this moment and ends the run, so that a resume continues from this
// very step.
func (r *Run) stop() error {
	if r.leader != nil {
		r.stopping = true
		return nil
	}
	if err := r.save(); err != nil {
		return err
	}
	return ErrStopped
}

// Saved implements Waiting: a run that waits or has stopped was saved before, unless only its
// script can save.
func (r *Run) Saved() error {
	if r.leader != nil && (r.savedStep != r.step || r.step == 0) {
		return errOwnSaves
	}
	return nil
}

// Mark implements Waiting: it appends a status to the log, at the run's present step.
func (r *Run) Mark(s runner.Status) error {
	return r.append(&runner.StatusEvent{Head: r.Head(), Status: s})
}

// append writes e to the log, and waits for space on a full disk. After a wait that the log
// mentions, it writes that the run continues, unless e is itself a status.
func (r *Run) append(e runner.Event) error {
	told, err := r.write(func() error { return r.Record.Append(e) })
	if _, isStatus := e.(*runner.StatusEvent); err != nil || !told || isStatus {
		return err
	}
	return r.Mark(runner.Running)
}

// write performs a write of any kind. If it has to wait, the log says as soon as it can that the
// run is paused, and told is true. The time is not counted as time of steps.
func (r *Run) write(do func() error) (told bool, err error) {
	began := time.Now()
	defer func() { r.since = r.since.Add(time.Since(began)) }()
	return r.Gate.Write(do, Waits(r.Record, r.Head()))
}
