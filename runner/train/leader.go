package train

import (
	"errors"
	"fmt"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// Leader is a script that drives the training loop, in place of a network and of drolab's own loop.
// It hears what the script does, and has the run follow, by the methods of Run below and by Weigh,
// Stepped and Skipped. Steps, meters, evaluations, knobs and checkpoints are the same as in every
// run. A checkpoint also holds the script's place among its samples, in the place of a loader's.
type Leader interface {
	Saver
	// Lead follows the script to its end, from the run's present step. The error is ErrStopped
	// if the script stopped, and ErrLeft if it is gone.
	Lead(*Run) error
	Close()
}

// ErrLeft is the error of a script that is gone without a word. Its run is left as a crash leaves
// it.
var ErrLeft = errors.New("its script has gone")

var errOwnSaves = errors.New("its script saves with run.checkpoint(), and is paused or busy")

// scriptState holds the requests to a script's run, and the passes over splits that the script has
// given since its last step.
type scriptState struct {
	asked     []Order // the orders for a checkpoint
	stopping  bool
	began     int64 // the step that the run continues from
	savedStep int64 // the step of the last checkpoint; 0: none
	passes    map[string]*measure.Pass
}

// follow is the loop of a script's run.
func (r *Run) follow() error {
	r.began, r.savedStep = r.step, r.step
	defer func() {
		for _, o := range r.asked {
			o.Answer(0, runner.ErrNotRunning)
		}
	}()
	err := r.leader.Lead(r)
	if err != nil && !errors.Is(err, ErrStopped) {
		return err
	}
	if err == nil && r.images > 0 { // a run that is done reports its last step in any case
		err = r.append(r.event(r.Head(), r.epoch(), r.speed()))
	}
	// A run whose last evaluation cannot be recorded has failed, even if it was to stop.
	if lost := r.Report(); lost != nil {
		return lost
	}
	return err
}

// Ready prepares the next step of the script: it obeys orders, and waits while the run is paused.
func (r *Run) Ready() error {
	if err := r.Report(); err != nil {
		return err
	}
	if err := r.replay(r.step); err != nil {
		return err
	}
	return r.serveOrders()
}

// CheckBatch warns if the first step of the script has another number of samples than the settings.
func (r *Run) CheckBatch(n int) {
	if batch := r.Meta.Spec.Batch; r.step == r.began && n != batch {
		r.warnOnce("batch size", fmt.Sprintf("a batch of the script has %d samples, and the "+
			"setting batch is %d, by which epochs are counted: give drolab.start batch=%d", n,
			batch, n))
	}
}

// EndStep ends the time of the script's step, and warns of the first one beyond the planned end.
func (r *Run) EndStep() {
	if m := r.Meta; r.step == m.Steps+1 {
		r.warnOnce("steps", fmt.Sprintf("the script takes more than the %d steps that were "+
			"planned (epochs=%d, steps_per_epoch=%d): give drolab.start both, for progress and "+
			"the schedule of lr are counted by them", m.Steps, m.Spec.Epochs, m.StepsPerEpoch))
	}
	r.pause()()
}

// Requests returns what the script hears together with its weights: the step size, and whether
// somebody wants it to stop or to save.
func (r *Run) Requests() (rate float64, stop, save bool) {
	return r.rate(), r.stopping, len(r.asked) > 0
}

// AddPass takes the script's pass over a split. The passes between two steps make one evaluation,
// which is complete when something else follows.
func (r *Run) AddPass(split string, p *measure.Pass) {
	if r.passes == nil {
		r.passes = map[string]*measure.Pass{}
	}
	r.passes[split] = p
	r.since = time.Now() // the time since the last step belongs to no step
}

// Report writes the evaluation of this moment to the log, if the script has given one.
func (r *Run) Report() error {
	if len(r.passes) == 0 {
		return nil
	}
	defer r.pause()()
	e := r.Evaluation()
	e.Train, e.Test, e.Val = r.passes[runner.SplitTrain], r.passes[runner.SplitTest],
		r.passes[runner.SplitVal]
	r.passes = nil
	if e.Train == nil {
		e.Train = &measure.Pass{}
		r.warnOnce("train pass", "the script gives no pass over the training split, so train "+
			"loss, its worst case and the dual gap are missing (run.end_epoch(losses=...))")
	}
	err := r.solve(e)
	if err == nil {
		err = r.report(e)
	}
	if err == nil {
		err = r.reportLogged()
	}
	return err
}

// Selected reports whether the evaluation of this moment is the best so far.
func (r *Run) Selected() (bool, error) {
	err := r.Report()
	return r.justSelected(), err
}

// EndEpoch lets the method act at the end of an epoch. It gives the method the pass over the
// training split, if the script gave one. With restart, the script is to go back to its
// initialisation.
func (r *Run) EndEpoch(epoch int) (restart bool, err error) {
	e, ok := r.Method.Trainer.(dro.Epochal)
	if !ok {
		return false, nil
	}
	defer r.pause()()
	restart, err = e.EndEpoch(epoch, func() (dro.Batch, error) {
		p := r.passes[runner.SplitTrain]
		if p == nil || p.Correct == nil {
			return dro.Batch{}, fmt.Errorf("%s looks at the whole training split at the end of "+
				"epoch %d: give its losses, index and correct", r.spec.Algorithm(), epoch)
		}
		return p.Batch(), nil
	})
	if err != nil || !restart {
		return false, err
	}
	err = r.Report() // of the passes before the restart
	r.giveUpSelection()
	return true, err
}

// Checkpoint saves what the script holds at this moment, and answers the orders for a checkpoint.
func (r *Run) Checkpoint() error {
	if err := r.Report(); err != nil {
		return err
	}
	r.since = time.Now()
	err := r.save()
	if err == nil {
		r.savedStep = r.step
	}
	for _, o := range r.asked {
		o.Answer(r.step, err)
	}
	r.asked = nil
	return err
}

// WithoutNorm warns once which figures the run lacks if the script gives a step without its norm.
func (r *Run) WithoutNorm() {
	message := "the script gives no grad_norm with its steps, so the gradient norm is missing"
	if r.Method.Picker != nil {
		message += ", and so is the output of the paper's Algorithm 1"
	}
	r.warnOnce("grad_norm", message+" (run.step(grad_norm=...))")
}

// NewAfterRestart warns that torchrun has started a script again, and that the script has begun a
// new run.
func (r *Run) NewAfterRestart() {
	r.warnOnce("restart", "torchrun has started the script again, and this is a new run: "+
		"drolab.start(resume=\"auto\") continues the run before it")
}

// RanksOverlap warns that the ranks of a script do not share out the training split: of the samples
// that they gave in an epoch, so many are different ones.
func (r *Run) RanksOverlap(given, different int) {
	r.warnOnce("ranks", fmt.Sprintf("the ranks do not share out the training split: the %d "+
		"samples of an epoch are %d different ones. Give the samplers of all ranks the same seed, "+
		"and each rank a part of its own, as DistributedSampler does", given, different))
}
