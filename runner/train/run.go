package train

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// Plan is everything that a run needs to start. The run owns none of it: the caller that made the
// plan closes its data and its record, after the run.
type Plan struct {
	Meta    *runner.Meta
	Data    *data.Dataset
	Record  runner.Recorder
	Gate    *Gate
	Network NewNetwork
	Leader  func() (Leader, error) // opens the script that has the loop; nil: Network is trained
	Threads int
	Knobs   []runner.KnobEvent // changes in the lost part of the run, to be repeated
	Until   int64              // the step to stop at, see Means; 0: none
	Notes   []string           // warnings about the data; nil: another run gives them
	Reports string             // the folder for the report of a panic
	Now     func() time.Time   // the clock that decides when a checkpoint is due; nil: time.Now
}

// Run is one training run: everything here belongs to its goroutine. Only the Gate may be used from
// other goroutines. Each embedded part has its own file.
type Run struct {
	Plan
	spec   spec.Spec // with the knobs as they stand; Meta.Spec is as the run started
	step   int64     // steps taken so far
	Net    Network   // nil if a script has the loop
	leader Leader    // the script that has the loop, or nil
	saver  Saver     // one of these two: it holds what the run has learned
	Method Method
	input
	begunStep
	meter
	stopwatch
	evaluationState
	checkpointState
	warned map[string]bool
	fall   alert.Fall // of the worst class
}

// New builds the run of a plan, but loads no checkpoint yet: Do does that. The caller closes the
// run. After an error, or a panic of a network, nothing is left open.
func New(p Plan) (r *Run, err error) {
	r = newEmptyRun(p)
	built := false
	defer func() {
		if !built { // an error, or a panic
			r.Close()
		}
	}()
	err = r.build()
	built = err == nil
	return r, err
}

// newEmptyRun returns a run without its network and method, which can be closed.
func newEmptyRun(p Plan) *Run {
	if p.Now == nil {
		p.Now = time.Now
	}
	return &Run{Plan: p, spec: p.Meta.Spec, warned: map[string]bool{}}
}

// build adds the parts in the order of their dependencies.
func (r *Run) build() (err error) {
	if r.Method, err = newMethod(&r.spec, &r.Meta.Parts, data.KeysOf(r.Data.Train)); err != nil {
		return err
	}
	r.meter = newMeter(r.spec.Algorithm())
	if r.Plan.Leader == nil {
		return r.buildLoop()
	}
	r.leader, err = r.Plan.Leader()
	r.saver = r.leader
	return err
}

// buildLoop adds what drolab's own loop needs. Loaders ask the method whether it draws and the
// network how it reads.
func (r *Run) buildLoop() error {
	if err := r.addNetwork(); err != nil {
		return err
	}
	if err := r.addLoaders(); err != nil {
		return err
	}
	if _, refits := r.Method.Trainer.(dro.Refitter); refits {
		if _, err := r.lastLayer(); err != nil {
			return fmt.Errorf("algorithm %s: %w", r.spec.Algorithm(), err)
		}
	}
	if r.Method.Picker != nil {
		r.Net.Pick()
	}
	return nil
}

// addNetwork builds the network, and buffers for the losses and weights of a batch.
func (r *Run) addNetwork() (err error) {
	r.losses, r.weights = make([]float64, r.spec.Batch), make([]float64, r.spec.Batch)
	r.Net, err = r.Network(&r.Meta.Spec, r.Data, r.Threads)
	r.saver = r.Net
	r.stepper, _ = r.Net.(Stepper)
	return err
}

// Close releases the network and the loaders, or the script.
func (r *Run) Close() {
	r.input.close()
	if r.Net != nil {
		r.Net.Close()
	}
	if r.leader != nil {
		r.leader.Close()
	}
}

// Do trains from the given state (nil: from the start) to the planned end, a stop, or a failure,
// and writes the summary. The error says why the run failed; a stop is not an error. A panic fails
// this run alone, and the process continues.
func (r *Run) Do(from *runner.State) (status runner.Status, err error) {
	defer func() {
		if p := recover(); p != nil {
			cause := runner.ReportPanic(r.Reports, p)
			status, err = r.end(runner.Failed, fmt.Errorf("step %d: %w", r.step, cause))
		}
	}()
	status = runner.Done
	err = r.start(from)
	if err == nil && r.leader != nil {
		err = r.follow()
	} else if err == nil {
		err = r.loop()
	}
	if errors.Is(err, ErrLeft) {
		r.Gate.End()
		return runner.Interrupted, err
	}
	if errors.Is(err, ErrStopped) {
		status, err = runner.Stopped, r.Gate.ServeLast(r)
	}
	if err != nil {
		status = runner.Failed
	}
	return r.end(status, err)
}

// start restores the checkpoint, if there is one, and logs that the run is running.
func (r *Run) start(from *runner.State) error {
	r.since, r.savedAt = time.Now(), r.Now()
	if m, refits := r.Method.Trainer.(dro.Refitter); refits {
		if err := r.askFeatures(m.RefitsOn().Split); err != nil {
			return err
		}
	}
	if from != nil {
		if err := r.replay(from.Step - 1); err != nil {
			return err
		}
		if err := r.restore(from); err != nil {
			return err
		}
		r.recallWorst(from.Step)
	}
	if err := r.Mark(runner.Running); err != nil {
		return err
	}
	if from != nil {
		if strings.HasSuffix(r.Meta.Parent, fmt.Sprintf("@%d", from.Step)) { // a fork begins
			r.warnAll(notesOfRefit(r.Meta, r.Method.Trainer))
		}
		return nil // the log has the warnings that follow
	}
	for _, note := range r.Notes {
		r.warnOnce(note, note)
	}
	if r.Notes != nil { // the counts belong to the data, as notes do
		r.warnAll(notesOfParts(&r.Meta.Parts))
	}
	r.warnAll(notesOfDrop(&r.Meta.Spec))
	r.warnAll(notesOfRefit(r.Meta, r.Method.Trainer))
	return nil
}

// loop trains to the end: it obeys orders, takes a step, and at the end of an epoch evaluates and
// saves.
func (r *Run) loop() error {
	for !r.atEnd() {
		if err := r.replay(r.step); err != nil {
			return err
		}
		if r.Until > 0 && r.step >= r.Until {
			return r.stop()
		}
		if !r.begun {
			if err := r.serveOrders(); err != nil {
				return err
			}
		}
		if err := r.train(); err != nil {
			return err
		}
		if err := r.betweenSteps(); err != nil {
			return err
		}
	}
	// A run may begin at its end: resumed from a checkpoint of its very last step, or forked from
	// one.
	refitted, err := r.refit()
	if err != nil || r.evaluated() && !refitted {
		return err
	}
	if err := r.evaluate(); err != nil || !r.justSelected() && !refitted {
		return err
	}
	return r.save()
}

// betweenSteps evaluates and saves if that is due. An evaluation precedes the checkpoint of the
// same step, so that a resumed run need not repeat it.
func (r *Run) betweenSteps() error {
	s, perEpoch := &r.Meta.Spec, r.Meta.StepsPerEpoch
	save := r.Meta.SavesAt(r.step)
	if r.step%perEpoch == 0 {
		done := r.step / perEpoch
		if r.step == r.Meta.Steps {
			if _, err := r.refit(); err != nil {
				return err
			}
		}
		if s.EvalEvery > 0 && done%int64(s.EvalEvery) == 0 || r.step == r.Meta.Steps {
			if err := r.evaluate(); err != nil {
				return err
			}
			if err := r.reportLogged(); err != nil {
				return err
			}
		}
		if !r.atEnd() {
			if err := r.endEpoch(int(done)); err != nil {
				return err
			}
		}
		save = save || r.atEnd() ||
			r.checkpointDue() && (s.CheckpointEvery == 0 || r.pending != nil || r.justSelected())
		if !save && r.justSelected() {
			return r.keepSelected()
		}
	}
	if save {
		return r.save()
	}
	return nil
}

// endEpoch lets the method act between two epochs, which may send x back to its initialisation.
func (r *Run) endEpoch(epoch int) error {
	e, ok := r.Method.Trainer.(dro.Epochal)
	if !ok {
		return nil
	}
	defer r.pause()()
	restart, err := e.EndEpoch(epoch, func() (dro.Batch, error) {
		p, err := r.Pass(runner.SplitTrain, false)
		if err != nil {
			return dro.Batch{}, err
		}
		return p.Batch(), nil
	})
	if err != nil || !restart {
		return err
	}
	r.Net.Restart()
	r.giveUpSelection()
	return r.Net.Err()
}

// giveUpSelection forgets which step was selected: x goes back to its initialisation.
func (r *Run) giveUpSelection() { r.selected, r.pending, r.waited, r.tied = nil, nil, 0, 0 }

// end writes the summary and then the last status, and returns how the run ended: failed if one of
// them cannot be written. A log that says done has its summary.
func (r *Run) end(status runner.Status, cause error) (runner.Status, error) {
	r.Gate.End()
	err := r.writeEnd(status, cause)
	if err != nil && status != runner.Failed {
		return r.end(runner.Failed, err)
	}
	return status, errors.Join(cause, err)
}

// writeEnd writes the files of end. A run that failed does not wait for the disk, which may be why
// it failed, and leaves as much as it can.
func (r *Run) writeEnd(status runner.Status, cause error) error {
	if status == runner.Done { // a run that is to continue has the values in its checkpoint
		if err := r.reportLogged(); err != nil {
			return err
		}
		r.warnOfTies()
	}
	e := runner.NewStatus(r.Head(), status, cause)
	s := r.Meta.Ended(status, e.Cause, r.step, &runner.State{Eval: r.eval, Last: r.last,
		Selected: r.selected, Output: cmp.Or(r.iterate, r.Method.Picked())})
	s.ImagesPerSecond = cmp.Or(perSecond(r.total.images, r.total.elapsed), s.ImagesPerSecond)
	if status == runner.Failed {
		return errors.Join(r.rescue(), r.Record.Finish(s), r.Record.Append(e))
	}
	// The log does not mention a wait for space, since its next event is the run's final status.
	silent := func(error) error { return nil }
	_, err := r.Gate.Write(func() error { return r.Record.Finish(s) }, silent)
	if err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	_, err = r.write(func() error { return r.Record.Append(e) })
	return err
}

// Head returns the head of an event at the run's present step.
func (r *Run) Head() runner.Head { return runner.Head{Step: r.step} }

// atEnd reports whether the run is at its end: the planned one, or the end of its patience.
func (r *Run) atEnd() bool { return r.step >= r.Meta.Steps || r.outOfPatience() }

// epoch returns the number of epochs done, with fractions.
func (r *Run) epoch() float64 { return float64(r.step) / float64(r.Meta.StepsPerEpoch) }
