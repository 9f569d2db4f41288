package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/gate"
	"drolab/runner/measure"
)

// Leader is a Network that has the loop, since a script does. Do turns around then: the
// leader hears what the script did, and has the run follow by the methods below. Steps,
// meters, evaluations, knobs and checkpoints are those of every run: the leader's batches
// are the script's, and it waits for the script where a network computes.
type Leader interface {
	Network
	// Lead follows the script to its end, from where the run is. The error is
	// gate.ErrStopped of a script that stopped, and ErrLeft of one that is gone.
	Lead(*Run) error
	// Told says of the last Step with which step size it was taken, and whether its norm
	// is known. The error is of a script that took no step and ended.
	Told() (rate float64, norm bool, err error)
	// Batches and Draws are the samples that the script chose.
	Batches() Sampler
	Draws() Sampler
}

// ErrLeft is of a script that is gone without a word: its run is left as a crash leaves it.
var ErrLeft = errors.New("its script has gone")

var errOwnSaves = errors.New("its script saves with run.checkpoint(), and is paused or busy")

// byScript is what a script's run has been asked for, and what it was given of the splits
// since its last step.
type byScript struct {
	asked     []gate.Order // for a checkpoint
	stopping  bool
	began     int64 // the step that the run goes on from
	savedStep int64 // of the last checkpoint; 0 is none
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
	if err != nil && err != gate.ErrStopped {
		return err
	}
	if err == nil && r.images > 0 { // a run that is done reports its last step, whichever that is
		err = r.append(r.event(r.Head(), r.epoch(), r.speed()))
	}
	return cmp.Or(r.Report(), err)
}

// Take is a step of the script on n samples: orders, and then all that a step is.
func (r *Run) Take(n int) error {
	if err := r.Report(); err != nil {
		return err
	}
	if batch := r.Meta.Spec.Batch; r.step == r.began && n != batch {
		r.warnOnce("batch size", fmt.Sprintf("a batch of the script has %d samples, and the "+
			"setting batch is %d, by which epochs are counted: give drolab.start batch=%d", n,
			batch, n))
	}
	if err := r.replay(r.step); err != nil {
		return err
	}
	if err := r.obey(); err != nil {
		return err
	}
	err := r.train()
	r.pause()()
	return err
}

// Wishes are told to the script with its weights: the step size, and whether
// somebody wants it to stop, or to save.
func (r *Run) Wishes() (rate float64, stop, save bool) {
	return r.rate(), r.stopping, len(r.asked) > 0
}

// Give takes what the script has measured of a split. An evaluation is what it gives
// between two steps: it is complete when something else follows.
func (r *Run) Give(split string, p *measure.Pass) {
	if r.passes == nil {
		r.passes = map[string]*measure.Pass{}
	}
	r.passes[split] = p
	r.since = time.Now() // what the script did was no step
}

// Report puts the evaluation of this moment into the log, if the script has given one.
func (r *Run) Report() error {
	if len(r.passes) == 0 {
		return nil
	}
	defer r.pause()()
	e := r.Evaluation()
	e.Train, e.Test, e.Val = r.passes[runner.SplitTrain], r.passes[runner.SplitTest],
		r.passes[runner.SplitVal]
	r.passes = nil
	var err error
	if e.Train == nil {
		e.Train = &measure.Pass{}
		r.warnOnce("train pass", "the script gives no pass over the training split, so train "+
			"loss, its worst case and the dual gap are missing (run.end_epoch(losses=...))")
	} else {
		err = r.solve(e)
	}
	for split, p := range map[string]*measure.Pass{runner.SplitTest: e.Test,
		runner.SplitVal: e.Val} {
		if p != nil && err == nil {
			err = r.solveHeld(split, p)
		}
	}
	if err != nil {
		return err
	}
	return cmp.Or(r.report(e), r.tell())
}

// Selected tells whether the evaluation of this moment is the best so far.
func (r *Run) Selected() (bool, error) {
	err := r.Report()
	return r.justSelected(), err
}

// EndEpoch lets the method act at the end of an epoch, on the pass over the training split that
// was given, if one was.
func (r *Run) EndEpoch(epoch int) (restart bool, err error) {
	return r.endEpoch(epoch, func() (dro.Batch, error) {
		p := r.passes[runner.SplitTrain]
		if p == nil || p.Correct == nil {
			return dro.Batch{}, fmt.Errorf("%s looks at the whole training split at the end of "+
				"epoch %d: give its losses, index and correct", r.spec.Algorithm(), epoch)
		}
		return p.Batch(), nil
	})
}

// Checkpoint saves what the network has for this moment, and answers who has asked for that.
func (r *Run) Checkpoint() error {
	if err := r.Report(); err != nil {
		return err
	}
	r.since = time.Now()
	err := r.save()
	r.savedStep = r.step
	for _, o := range r.asked {
		o.Answer(r.step, err)
	}
	r.asked = nil
	return err
}

// WithoutNorm says once what the run lacks where a step comes without its norm.
func (r *Run) WithoutNorm() (norm float64) {
	message := "the script gives no grad_norm with its steps, so the gradient norm is missing"
	if r.Method.Picker != nil {
		message += ", and so is the output of the paper's Algorithm 1"
	}
	r.warnOnce("grad_norm", message+" (run.step(grad_norm=...))")
	return math.NaN()
}
