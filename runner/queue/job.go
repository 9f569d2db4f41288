package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/card"
	"drolab/runner/data"
	"drolab/runner/gate"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// job is one run that the queue has, from start to end. Until launch it belongs to who
// prepares it; from then on its own goroutine has all but spec, gate and over. Resuming
// a run that has ended makes a new job.
type job struct {
	meta    *runner.Meta
	spec    spec.Spec          // with all knobs turned that were asked for; Queue.mu guards it
	knobs   []runner.KnobEvent // to be turned again
	record  runner.Recorder    // nil until the run has a record; run closes it
	from    *runner.State      // the checkpoint to go on from; nil: from the start
	data    *shared            // released when the job ends
	says    bool               // what is to be said of the data: the first run that has them
	threads int                // of this run
	until   int                // epochs, see Means
	means   runner.Means
	gate    *gate.Gate
	over    chan struct{} // closed when it has ended
}

// ended tells whether the run is over, without waiting for that.
func (j *job) ended() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

// notes are what is to be said of the data, as the run's log has it; nil where another run says it.
func (j *job) notes() []string {
	if !j.says {
		return nil
	}
	list := append([]string{}, j.data.Notes...)
	if j.data.program != nil { // its samples are not drolab's to look at
		return list
	}
	return append(list, card.Lines(j.data.Dataset, j.meta.Spec.MinGroup)...)
}

// abandon removes the records that jobs have which are never launched, since a start
// makes all of its runs or none. Where one
// cannot be removed, it says what became of the run. All are closed before, since
// removing takes files too, of which the want may be the cause.
func abandon(jobs []*job, from runner.Store, cause error) {
	made := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.record == nil })
	for _, j := range made {
		j.record.Append(&runner.StatusEvent{Head: j.Head(), Status: runner.Stopped,
			Cause: "never started: " + cause.Error()})
		j.record.Close()
	}
	for _, j := range made {
		from.Delete(j.meta.ID)
	}
}

// append puts e into the log of a job that does not train yet, and waits for
// room on a full disk. A run that trains has an append of its own, which knows its step.
func (j *job) append(e runner.Event) error {
	_, err := j.gate.Write(func() error { return j.record.Append(e) },
		gate.Waits(j.record, j.Head()))
	return err
}

// stopEarly ends a job that was stopped before it had a slot. The knobs that
// were asked for meanwhile are for the resume that may come. There is no summary: the
// run has come to nothing that its files do not have.
func (j *job) stopEarly() (runner.Status, error) {
	if err := j.gate.ServeLast(j); err != nil {
		return runner.Failed, err
	}
	return runner.Stopped, j.append(&runner.StatusEvent{Head: j.Head(), Status: runner.Stopped,
		Cause: "stopped before it started"})
}

// fail ends a job that does not train, with its cause in the log. It waits for no room
// on the disk: the error has what could not be written.
func (j *job) fail(cause error) (runner.Status, error) {
	e := runner.NewStatus(j.Head(), runner.Failed, cause)
	return runner.Failed, errors.Join(cause, j.record.Append(e))
}

// Mark implements gate.Waiting: it puts a status into the log of a job that does not
// train.
func (j *job) Mark(s runner.Status) error {
	return j.append(&runner.StatusEvent{Head: j.Head(), Status: s})
}

// The three methods below make a job a gate.Waiting, so that a run can be asked things
// while it is queued as well as while it trains.

// Turn implements gate.Waiting: it turns a knob for when the job trains, by an event of
// where the job begins. Knobs of later steps belong to a part that was lost and are no
// part of the value before.
func (j *job) Turn(k runner.KnobEvent) error {
	now := j.meta.Spec
	for _, k := range j.knobs {
		if k.Step <= j.Head().Step {
			k.Apply(&now) // takeUp, or this, has seen that it works
		}
	}
	e, err := gate.ChangeKnob(&now, k, j.Head())
	if err != nil {
		return err
	}
	if err := j.append(e); err != nil {
		return err
	}
	j.knobs = runner.Turned(append(slices.Clone(j.knobs), *e))
	return nil
}

// Saved implements gate.Waiting: what a resumed run or a fork goes on from is on disk; a
// new run has nothing to save.
func (j *job) Saved() error {
	if j.from == nil {
		return runner.ErrNothing
	}
	return nil
}

// Head implements gate.Waiting: it is of where the job begins.
func (j *job) Head() runner.Head {
	if j.from == nil {
		return runner.Head{}
	}
	return runner.Head{Step: j.from.Step}
}

// newMeta is what run.json will say of a run of s on d: counts, steps and the derived
// box. All that a run can be refused for is found out here, before anything is written:
// model, batch, mean, method, memory, selection and optimum. The last may take seconds.
func newMeta(
	req runner.Request, s spec.Spec, d *shared, host runner.Host,
) (*runner.Meta, error) {
	parameters, err := parametersOf(&s, d)
	if err != nil {
		return nil, err
	}
	if n := d.Train.Len(); n < s.Batch {
		return nil, &spec.KeyError{Key: "batch", Value: s.Batch,
			Want: fmt.Sprintf("at most the %d training samples", n)}
	}
	if n := len(s.Mean); n > 0 && n != d.Shape.C {
		return nil, &spec.KeyError{Key: "mean", Value: s.Mean,
			Want: fmt.Sprintf("%d numbers, one for each channel", d.Shape.C)}
	}
	// From here on what is looked at costs more and more: counts, the method, memory.
	parts := measure.PartsOf(d.Dataset)
	t, p, err := runner.NewTrainer(&s, &parts) // for what it refuses, and its problem
	if err == nil && d.program != nil {
		err = d.program.suits(t, &s)
	}
	if err != nil {
		return nil, err
	}
	if err := train.AskRoom(&s, d.Dataset, parameters); err != nil {
		return nil, err
	}
	if runner.RefitsOnVal(t) {
		parts.GiveUpVal()
	}
	perEpoch := int64(d.Train.Len() / s.Batch)
	if d.program != nil && d.program.StepsPerEpoch > 0 {
		perEpoch = int64(d.program.StepsPerEpoch)
	}
	m := &runner.Meta{
		Preset: req.Preset, Parent: req.Parent, Created: time.Now().UTC(), Spec: s, Host: host,
		Checksum: d.Checksum, Parts: parts, Parameters: parameters,
		StepsPerEpoch: perEpoch, Steps: perEpoch * int64(s.Epochs),
		Coordinates: string(p.Coordinates), Box: p.Box,
	}
	if d.program != nil {
		m.Program, m.User = &d.program.record, d.program.User
	} else if d.Encoder.Len() <= mostEncoder {
		m.Encoder = &d.Encoder
	}
	if err := runner.CheckSelection(&s, d.Dataset); err != nil {
		return nil, err
	}
	m.Optimum, err = train.FindOptimum(&s, d.Dataset, p)
	return m, err
}

// mostEncoder is the most names and numbers of an encoder that run.json takes:
// every list of runs reads it. Beyond, the training data are needed again.
const mostEncoder = 20_000

// reopen takes up an unfinished run from its newest checkpoint, as a new job with a new
// place in the order. Knobs of the log that are behind the checkpoint are turned again
// at their steps, so that the run comes to the numbers that it would have come to.
func (q *Queue) reopen(id string, m runner.Means) error {
	end, err := q.begin()
	if err != nil {
		return err
	}
	defer end()
	record, past, err := q.settings.Store.Reopen(id)
	if err != nil {
		return err
	}
	j := &job{
		meta: past.Meta, spec: past.Meta.Spec, knobs: runner.Turned(past.Log),
		record: record, from: past.From, gate: q.gate(), threads: m.Threads, until: m.Until,
		means: m, says: past.From == nil,
	}
	if err := q.takeUp(j, m); err != nil {
		record.Close()
		return err
	}
	q.launch(j)
	return nil
}

// openData opens a dataset, which may take long and stops when the queue is told to.
// It makes a panic of that an error. A broken file must not end the runs that train
// beside.
func (q *Queue) openData(name string, o data.Options) (d *data.Dataset, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = runner.Panicked(q.settings.Reports, p)
		}
	}()
	return runner.OpenData(q.ctx, name, o)
}

// takeUp opens the data of a job that goes on and says so in its log. The error is of a
// run.json or of data that were changed since the run began. With an error the job
// holds no data.
func (q *Queue) takeUp(j *job, m runner.Means) (err error) {
	if err := j.meta.Usable(); err != nil {
		return fmt.Errorf("run %s: its run.json cannot be used: %w", j.meta.ID, err)
	}
	for _, k := range j.knobs {
		if err := k.Apply(&j.spec); err != nil {
			return fmt.Errorf("run %s: repeating a change of a setting: %w", j.meta.ID, err)
		}
	}
	if j.data, err = q.dataset(j.meta, m); err != nil {
		return err
	}
	if err = j.meta.CheckData(j.data.Checksum); err == nil {
		err = q.noteResume(j)
	}
	if err != nil {
		q.release(j.data)
	}
	return err
}

// noteResume says in the log where the run goes on, and what may differ. Readers drop
// events of later steps that stand before this line.
func (q *Queue) noteResume(j *job) error {
	if err := j.record.Append(&runner.ResumeEvent{Head: j.Head()}); err != nil {
		return err
	}
	if err := j.noteProgram(); err != nil {
		return err
	}
	now := kernel(&j.meta.Spec, q.settings.Host.Kernel, j.data)
	return j.noteKernel(now, j.meta.Host.Kernel)
}

// kernel names what multiplies in the run's steps: of a program, where it runs.
func kernel(s *spec.Spec, host string, d *shared) string {
	if d.program != nil {
		return strings.TrimSpace("program " + d.program.Device)
	}
	return train.Kernel(s, host, d.Dataset)
}

// parametersOf counts those of the model of s on d, or says why there can be none.
func parametersOf(s *spec.Spec, d *shared) (int, error) {
	if d.program != nil {
		return d.program.Parameters, nil
	}
	return nn.Check(s.Network(d.Shape, len(d.Classes)))
}

// noteKernel says in the log that a run goes on with another kernel. It is a warning and
// no error: the numbers stay right, and only their last bits cannot be had again.
func (j *job) noteKernel(now, then string) error {
	if now == then {
		return nil
	}
	message := fmt.Sprintf("resumed with kernel %s, started with %s: the last bits of the "+
		"figures may differ", now, then)
	return j.record.Append(&runner.WarningEvent{Head: j.Head(), Message: message})
}
