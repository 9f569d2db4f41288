package queue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// job is one run of the queue, from start to end. Until launch it belongs to the goroutine that
// prepares it; from then on its own goroutine owns everything but spec, gate and over. Resuming a
// run that has ended makes a new job.
type job struct {
	meta      *runner.Meta
	spec      spec.Spec          // with all requested knobs turned; Queue.mu guards it
	knobs     []runner.KnobEvent // changes of knobs to repeat
	record    runner.Recorder    // nil until the run has a record; Queue.run closes it
	from      *runner.State      // the checkpoint to continue from; nil: from the start
	data      *shared            // released when the job ends
	logsNotes bool               // it logs the notes of the data: the first run on them
	threads   int                // of this run
	until     int                // epochs, see Means
	means     runner.Means
	gate      *train.Gate
	processes []int         // of its program, for the figures of the machine; else none
	over      chan struct{} // closed when it has ended
}

// ended reports whether the run is over, without waiting for its end.
func (j *job) ended() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

// notes returns the notes of the data for the run's log; nil if another run logs them.
func (j *job) notes() []string {
	if !j.logsNotes {
		return nil
	}
	list := append([]string{}, j.data.Notes...)
	if j.data.program != nil { // drolab cannot look at a program's samples
		return list
	}
	return append(list, measure.DataLines(j.data.Dataset, j.meta.Spec.MinGroup)...)
}

// abandon removes the records of jobs that are never launched, since a start makes all of its runs
// or none. If a record cannot be removed, it says what became of the run. All records are closed
// first, since removing takes file descriptors, too, and a lack of them may be the cause.
func abandon(jobs []*job, from runner.Store, cause error) {
	made := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.record == nil })
	for _, j := range made {
		j.end(runner.Stopped, fmt.Errorf("never started: %w", cause))
		j.record.Close()
	}
	for _, j := range made {
		from.Delete(j.meta.ID)
	}
}

// append writes e to the log of a job that does not train yet, and waits for space on a full disk.
// A run that trains has its own append, which knows its step.
func (j *job) append(e runner.Event) error {
	_, err := j.gate.Write(func() error { return j.record.Append(e) },
		train.Waits(j.record, j.Head()))
	return err
}

// stopEarly ends a job that was stopped before it had a slot. It logs the knobs requested
// meanwhile, for a later resume.
func (j *job) stopEarly() (runner.Status, error) {
	if err := j.gate.ServeLast(j); err != nil {
		return j.fail(err)
	}
	_, err := j.gate.Write(func() error {
		return j.end(runner.Stopped, errors.New("stopped before it started"))
	}, train.Waits(j.record, j.Head()))
	return runner.Stopped, err
}

// fail ends a job that does not train. It does not wait for space on the disk: the error includes a
// failed write.
func (j *job) fail(cause error) (runner.Status, error) {
	return runner.Failed, errors.Join(cause, j.end(runner.Failed, cause))
}

// end records the end of a job that does not train: its summary, and then its status. A failed job
// leaves as much as it can.
func (j *job) end(status runner.Status, cause error) error {
	e := runner.NewStatus(j.Head(), status, cause)
	err := j.record.Finish(j.meta.Ended(status, e.Cause, e.Step, cmp.Or(j.from, &runner.State{})))
	if err == nil || status == runner.Failed {
		err = errors.Join(err, j.record.Append(e))
	}
	return err
}

// Mark implements train.Waiting: it appends a status to the log of a job that does not train.
func (j *job) Mark(s runner.Status) error {
	return j.append(&runner.StatusEvent{Head: j.Head(), Status: s})
}

// The methods below make a job a train.Waiting, so that a run obeys requests while it is queued as
// well as while it trains.

// Turn implements train.Waiting: it turns a knob for the time when the job trains, by an event at
// the step where the job begins. Knobs of later steps belong to a part that was lost, and have no
// effect on the value before.
func (j *job) Turn(key, value string) error {
	now := j.meta.Spec
	for _, k := range j.knobs {
		if k.Step <= j.Head().Step {
			k.Apply(&now) // takeUp, or an earlier Turn, has checked it
		}
	}
	e, err := train.ChangeKnob(&now, key, value, j.Head())
	if err != nil {
		return err
	}
	if err := j.append(e); err != nil {
		return err
	}
	j.knobs = runner.Turned(append(slices.Clone(j.knobs), *e))
	return nil
}

// Saved implements train.Waiting: a resumed run or a fork starts from a checkpoint on disk; a new
// run has nothing to save.
func (j *job) Saved() error {
	if j.from == nil {
		return runner.ErrNothing
	}
	return nil
}

// Head implements train.Waiting: it returns the head of an event at the step where the job begins.
func (j *job) Head() runner.Head {
	if j.from == nil {
		return runner.Head{}
	}
	return runner.Head{Step: j.from.Step}
}

// newMeta returns the run.json of a run of s on d: counts, steps and the derived box. It finds
// every reason to refuse a run before anything is written: model, batch, mean, method, memory,
// selection and optimum. The last may take seconds.
func newMeta(req runner.Request, s spec.Spec, d *shared, host runner.Host) (*runner.Meta, error) {
	parameters, err := parametersOf(&s, d)
	if err != nil {
		return nil, err
	}
	if n := d.Train.Len(); n < s.Batch && s.Sampler != string(loader.Replacement) {
		return nil, &spec.KeyError{Key: "batch", Value: s.Batch,
			Want: fmt.Sprintf("at most the %d training samples", n)}
	}
	if n := len(s.Mean); n > 0 && n != d.Shape.C {
		return nil, &spec.KeyError{Key: "mean", Value: s.Mean,
			Want: fmt.Sprintf("%d numbers, one for each channel", d.Shape.C)}
	}
	// From here on the checks cost more and more: counts, the method, memory.
	parts := measure.PartsOf(d.Dataset)
	keys := data.KeysOf(d.Train)
	t, p, err := runner.NewTrainer(&s, &parts, keys) // for its errors and its problem
	if err == nil {
		err = runner.CheckRefit(&s, t, &parts)
	}
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
	perEpoch := int64(max(1, d.Train.Len()/s.Batch))
	if d.program != nil && d.program.StepsPerEpoch > 0 {
		perEpoch = int64(d.program.StepsPerEpoch)
	}
	m := &runner.Meta{
		Preset: req.Preset, Parent: req.Parent, Created: time.Now().UTC(), Spec: s, Host: host,
		Checksum: d.Checksum, Parts: parts, Parameters: parameters,
		StepsPerEpoch: perEpoch, Steps: perEpoch * int64(s.Epochs),
		Coordinates: string(p.Coordinates), Box: p.Box, Claims: req.Claims,
	}
	if d.program != nil {
		m.Program, m.User = &d.program.record, d.program.User
	} else if d.Encoder.Len() <= mostEncoder {
		m.Encoder = &d.Encoder
	}
	if err := runner.CheckSelection(&s, d.Dataset); err != nil {
		return nil, err
	}
	if _, selects := m.Selector(); selects {
		m.Ties = runner.TiesByLoss
	}
	m.Optimum, err = train.FindOptimum(&s, d.Dataset, p)
	return m, err
}

// mostEncoder is the largest number of names and numbers of an encoder that run.json holds, since
// every list of runs reads that file. A run with a larger encoder needs the training data again.
const mostEncoder = 20_000

// reopen continues an unfinished run from its newest checkpoint, as a new job with a new place in
// the order. Knobs that were turned after the checkpoint are turned again at their steps, so that
// the run computes the same numbers as without the interruption.
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
		means: m, logsNotes: past.From == nil,
	}
	if err := q.takeUp(j, m); err != nil {
		record.Close()
		return err
	}
	q.launch(j)
	return nil
}

// openData opens a dataset, which may take long and stops when the queue is told to stop. It turns
// a panic into an error, since a broken file must not end the other runs.
func (q *Queue) openData(name string, o data.Options) (d *data.Dataset, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = runner.Panicked(q.settings.Reports, p)
		}
	}()
	now, pace := q.settings.now, &runner.Pace{}
	if now == nil {
		now = time.Now
	}
	o.Progress = func(done, of int) error {
		q.reading.Store(&runner.Reading{What: "samples", Done: done, Of: of,
			Left: pace.Left(done, of, now())})
		return nil
	}
	defer q.reading.Store(nil)
	return runner.OpenData(q.ctx, name, o)
}

// takeUp opens the data of a job that continues, and logs the resume. The error is about a run.json
// or data that have changed since the run began. After an error the job holds no data.
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

// noteResume logs the step from which the run continues, and what may differ. Readers drop events
// of later steps that precede this line.
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

// kernel names the kernel of the run's training steps or, for a program, its device.
func kernel(s *spec.Spec, host string, d *shared) string {
	if d.program != nil {
		return strings.TrimSpace("program " + d.program.Device)
	}
	return train.Kernel(s, host, d.Dataset)
}

// parametersOf counts the parameters of the model of s on d, or says why it cannot be built.
func parametersOf(s *spec.Spec, d *shared) (int, error) {
	if d.program != nil {
		return d.program.Parameters, nil
	}
	return nn.Check(s.Network(d.Shape, len(d.Classes)))
}

// noteKernel logs that a run continues with another kernel. This is a warning and not an error: the
// numbers stay right, and only their last bits cannot be reproduced.
func (j *job) noteKernel(now, then string) error {
	if now == then {
		return nil
	}
	return j.warn(fmt.Sprintf("resumed with kernel %s, started with %s: the last bits of the "+
		"figures may differ", now, then))
}

// warn logs a warning at the step where the job begins.
func (j *job) warn(message string) error {
	return j.record.Append(&runner.WarningEvent{Head: j.Head(), Message: message})
}

// fork turns j, prepared as a new run, into a run that continues from parent. A setting on which
// the checkpoint's tensors or positions in the data depend must have the parent's value, knobs
// included; the error is a *spec.KeyError for the first that has not. Nothing is written yet, so a
// refused fork leaves no trace.
func (j *job) fork(parent *runner.Past) error {
	m, from := j.meta, *parent.From
	old, err := parent.Turned()
	if err != nil {
		return err
	}
	was, is := old.Algorithm(), m.Spec.Algorithm()
	for _, t := range spec.AllSettings() {
		if !t.Inherited() {
			continue
		}
		if was, ok := t.Inherits(&m.Spec, &old); !ok {
			return &spec.KeyError{Key: t.Key, Value: t.Text(&m.Spec), Want: was +
				", as in the parent: only a new run can have another"}
		}
	}
	if err := parent.Meta.CheckData(m.Checksum); err != nil {
		return err
	}
	switch {
	case m.Coordinates != parent.Meta.Coordinates:
		return &spec.KeyError{Key: "coordinates", Value: m.Coordinates,
			Want: parent.Meta.Coordinates + ", as in the parent, since z goes on"}
	case from.Step > m.Steps || from.Step == m.Steps && (refits(was) || !refits(is)):
		return &spec.KeyError{Key: "epochs", Value: m.Spec.Epochs,
			Want: fmt.Sprintf("more than the %.4g done at step %d",
				float64(from.Step)/float64(m.StepsPerEpoch), from.Step)}
	}
	// This comes last, since nothing below can fail: j.from says that the job is a fork.
	inherit(&from, m, was)
	j.from = &from
	return nil
}

// refits reports whether a method fits the last layer again. A fork of a run that has ended can do
// that without a further step.
func refits(a dro.Algorithm) bool {
	m, err := dro.Find(a)
	return err == nil && m.Refits
}

// inherit makes s the checkpoint that the fork m begins with. If the method is the parent's, its
// state is the parent's, too, except for the settings that say where the state starts. They may
// have been changed on purpose, and take precedence over the numbers of the state. s is a copy of
// the parent's checkpoint and shares its maps and tensors, so it is cloned where it changes.
func inherit(s *runner.State, m *runner.Meta, parent dro.Algorithm) {
	s.Last, s.Output = nil, nil              // they are in the parent's log, not in the fork's
	s.Selected, s.Waited, s.Tied = nil, 0, 0 // the fork has no checkpoint of the selection
	if m.Spec.Algorithm() != parent || s.Method == nil {
		s.Window, s.Method, s.Picked = runner.Window{}, nil, nil
		return
	}
	// The fork starts at the settings that the method keeps as numbers, such as λ.
	method := *s.Method
	method.Numbers = maps.Clone(method.Numbers)
	for key := range method.Numbers {
		if t, ok := spec.FindSetting(key); ok {
			if v, ok := t.Number(&m.Spec); ok {
				method.Numbers[key] = v.Or(method.Numbers[key])
			}
		}
	}
	s.Method = &method
}

// pin keeps the checkpoint in the parent, too, so that comparisons find where the forks began. If
// that fails, the forks still have everything they need, and their logs get a warning. The error is
// about writing that warning.
func (q *Queue) pin(parent *runner.Past, forks []*job) error {
	err := q.settings.Store.Pin(parent.Meta.ID, parent.From.Step)
	if err == nil {
		return nil
	}
	for _, j := range forks {
		if err := j.warn("the parent may lose the checkpoint: " + err.Error()); err != nil {
			return err
		}
	}
	return nil
}
