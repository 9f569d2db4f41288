package runner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/data"
)

// Streams of random numbers of one run, beside the network's initialisation.
const (
	streamBatches = 1
	streamDraws   = 2
)

// run is one training run: everything here belongs to its goroutine.
type Run struct {
	meta   *Meta
	data   *data.Dataset
	record Recorder
	gate   *Gate
	spec   Spec        // the run's, with its knobs as they stand
	knobs  []KnobEvent // turned in a part of the run that was lost: to be turned again
	until  int64       // the step to stop at, see Means; 0: none

	net    Network
	method dro.Trainer
	picker dro.Picker // the method, where it has an output rule, else nil
	// advance is the method's, where it has an x-step of its own, else nil.
	advance func(velocity, lr float64) (rate float64)
	// samplewise gives weights of the method sample by sample, or is nil.
	samplewise func(w, losses []float64)
	clip       float64      // of the x-step; 0: none
	problem    *dro.Problem // that evaluations measure the risk of
	batches    *data.Loader // x-batches: permutations of the training split
	draws      *data.Loader // batches of the method's own: independent draws

	losses, weights []float64 // of the x-batch
	drawn           []float64 // losses of the method's own batch

	step   int64
	now    Values                              // of the step under way
	put    func(measure string, value float64) // into now
	window Window
	last   *StepEvent
	eval   *EvalEvent
	// selected is the evaluation that the validation split finds best, if any.
	selected *EvalEvent
	warned   map[string]bool

	iterate *PaperIterate // what the method's output rule has chosen, measured at the end
	reports string        // where the report of a panic is left

	wall    func() time.Time // tells when a checkpoint is due
	savedAt time.Time        // the last one, or the start
	pending *State           // the selected step's, which is not saved yet; nil: none

	// Images trained on, and the time it took, since the last step event; the
	// clock stands still while the run evaluates, saves or is paused.
	clock   time.Time
	elapsed time.Duration
	images  int
	total   struct { // of this process's part of the run
		elapsed time.Duration
		images  int
	}
}

// newRun builds what the Spec in m asks for. The caller closes it.
func New(
	m *Meta, d *data.Dataset, record Recorder, g *Gate, build NewNetwork, threads int,
) (r *Run, err error) {
	r = &Run{meta: m, data: d, record: record, gate: g, spec: m.Spec, warned: map[string]bool{},
		wall: time.Now}
	built := false
	defer func() {
		if !built { // an error, or a panic
			r.Close()
		}
	}()
	err = r.build(build, threads)
	built = err == nil
	return r, err
}

// firstLine is as much of an error as a log takes.
func FirstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (r *Run) build(build NewNetwork, threads int) (err error) {
	if err = r.setMethod(&r.meta.Spec); err != nil {
		return err
	}
	if err = r.addNetwork(build, threads); err != nil {
		return err
	}
	if err = r.addLoaders(); err != nil {
		return err
	}
	if r.picker != nil {
		r.net.Pick()
	}
	r.measureSteps()
	return nil
}

func (r *Run) addNetwork(build NewNetwork, threads int) (err error) {
	s := &r.meta.Spec
	r.losses, r.weights = make([]float64, s.Batch), make([]float64, s.Batch)
	r.net, err = build(s, r.data, threads)
	return err
}

// setMethod starts the method as s states it.
func (r *Run) setMethod(s *Spec) error {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return err
	}
	method, problem, err := NewTrainer(s, &r.meta.Parts)
	if err != nil {
		return err
	}
	r.method, r.problem, r.clip = method, problem, s.ClipFor(m)
	r.picker, _ = r.method.(dro.Picker)
	r.advance = nil
	if m, ok := r.method.(dro.Mover); ok {
		r.advance = m.Advance
	}
	r.samplewise = r.method.Samplewise()
	return nil
}

// measureSteps makes room for the measures of the run's steps.
func (r *Run) measureSteps() {
	names := StepNames(r.meta.Spec.Algorithm())
	r.window = NewWindow(names)
	r.now = slices.Clone(r.window.Min)
	r.put = func(measure string, value float64) { r.now.Set(measure, Num(value)) }
}

func (r *Run) addLoaders() (err error) {
	o := r.loaderOptions(streamBatches, r.meta.Spec.Batch)
	if r.meta.Spec.Augment {
		o.Augment = r.data.Augment
		o.Augment.Mean = r.meta.Spec.Pad == "mean"
	}
	if r.batches, err = data.NewEpochs(r.data.Train, o); err != nil {
		return err
	}
	o.Stream, o.Batch = streamDraws, r.meta.Spec.Batch
	if z := r.meta.Spec.BatchZ; z > 0 {
		o.Batch = z
	}
	r.drawn = make([]float64, o.Batch)
	o.Ahead = o.Ahead && r.method.Fresh() // for the others it is a place and no more
	r.draws, err = data.NewDraws(r.data.Train, o)
	return err
}

func (r *Run) loaderOptions(stream uint64, batch int) data.LoaderOptions {
	o := loaderOptions(&r.meta.Spec, r.data)
	o.Batch, o.Stream = batch, stream
	r.net.Feed(&o)
	return o
}

// do trains from the given state (nil: from the start) to the planned end, a
// stop, or a failure, and writes the summary.
func (r *Run) Do(from *State) (status Status, err error) {
	defer func() {
		if p := recover(); p != nil {
			status, err = r.end(Failed, fmt.Errorf("step %d: %w", r.step, Panicked(r.reports, p)))
		}
	}()
	status = Done
	err = r.begin(from)
	if err == nil {
		err = r.loop()
	}
	if err == ErrStopped {
		status, err = Stopped, r.gate.ServeLast(r)
	}
	if err != nil {
		status = Failed
	}
	return r.end(status, err)
}

// begin takes up a checkpoint, if there is one, and says that the run runs.
func (r *Run) begin(from *State) error {
	r.clock, r.savedAt = time.Now(), r.wall()
	if from != nil {
		if err := r.replay(from.Step - 1); err != nil {
			return err
		}
		if err := r.restore(from); err != nil {
			return err
		}
	}
	if err := r.Mark(Running); err != nil || from != nil {
		return err
	}
	for _, note := range r.data.Notes {
		r.warnOnce(note, note)
	}
	r.noteEmpty()
	r.noteDrop()
	return nil
}

// loop is the run: obey, train, and at the end of an epoch evaluate and save.
func (r *Run) loop() error {
	for r.step < r.meta.Steps {
		if err := r.replay(r.step); err != nil {
			return err
		}
		if r.until > 0 && r.step >= r.until {
			return r.stop()
		}
		if err := r.obey(); err != nil {
			return err
		}
		if err := r.train(); err != nil {
			return err
		}
		if err := r.betweenSteps(); err != nil {
			return err
		}
	}
	if r.evaluated() {
		return nil
	}
	// A run resumed from a checkpoint of its very last step.
	if err := r.evaluate(); err != nil || !r.justSelected() {
		return err
	}
	return r.save()
}

// betweenSteps evaluates and saves when that is due. An evaluation comes
// before the checkpoint of the same step, so that a resume has no need to
// repeat it.
func (r *Run) betweenSteps() error {
	s, perEpoch := &r.meta.Spec, r.meta.StepsPerEpoch
	save := s.CheckpointEvery > 0 && r.step%int64(s.CheckpointEvery) == 0
	if r.step%perEpoch == 0 {
		done := r.step / perEpoch
		if s.EvalEvery > 0 && done%int64(s.EvalEvery) == 0 || r.step == r.meta.Steps {
			if err := r.evaluate(); err != nil {
				return err
			}
		}
		if err := r.endEpoch(int(done)); err != nil {
			return err
		}
		save = save || r.step == r.meta.Steps ||
			r.due() && (s.CheckpointEvery == 0 || r.pending != nil || r.justSelected())
		if !save && r.justSelected() {
			r.hold()
		}
	}
	if save {
		return r.save()
	}
	return nil
}

// endEpoch lets the method act between two epochs, which may send x back to its
// initialisation.
func (r *Run) endEpoch(epoch int) error {
	e, ok := r.method.(dro.Epochal)
	if !ok || r.step == r.meta.Steps {
		return nil
	}
	defer r.stopClock()()
	restart, err := e.EndEpoch(epoch, func() (dro.Batch, error) {
		p, err := r.pass(SplitTrain, false)
		if err != nil {
			return dro.Batch{}, err
		}
		return p.Batch(), nil
	})
	if restart {
		r.net.Restart()
		r.selected, r.pending = nil, nil // what was trained so far is given up
	}
	return err
}

// end writes the summary and then the last status, and returns how the run
// ended: failed, where one of them cannot be written. A log that says done has
// its summary.
func (r *Run) end(status Status, cause error) (Status, error) {
	r.gate.ending.Store(true)
	err := r.conclude(status, cause)
	if err != nil && status != Failed {
		return r.end(Failed, err)
	}
	return status, errors.Join(cause, err)
}

// conclude writes what end says. A run that failed waits for no disk, which may
// be why it failed, and leaves as much as it can.
func (r *Run) conclude(status Status, cause error) error {
	e := &StatusEvent{Head: r.Head(), Status: status}
	if cause != nil {
		e.Cause = FirstLine(cause)
	}
	s := Summarize(r.meta, status, r.step, r.eval, r.last)
	s.Cause, s.PaperIterate = e.Cause, cmp.Or(r.iterate, r.pickedNow())
	s.Selects(r.meta, r.selected)
	s.ImagesPerSecond = cmp.Or(perSecond(r.total.images, r.total.elapsed), s.ImagesPerSecond)
	if status == Failed {
		return errors.Join(r.rescue(), r.record.Append(e), r.record.Finish(s))
	}
	if err := r.finish(s); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	_, err := r.write(func() error { return r.record.Append(e) })
	return err
}

// finish writes the summary. The log does not tell that it waits for room: what
// follows there is the status that the run ended with.
func (r *Run) finish(s *Summary) error {
	_, err := r.gate.Write(func() error { return r.record.Finish(s) }, func(error) error { return nil })
	return err
}

func (r *Run) Head() Head { return Head{Step: r.step} }

func (r *Run) epoch() float64 { return float64(r.step) / float64(r.meta.StepsPerEpoch) }

// speed returns the images a second since the last step event.
func (r *Run) speed() Number {
	defer r.stopClock()()
	n := perSecond(r.images, r.elapsed)
	r.total.elapsed, r.total.images = r.total.elapsed+r.elapsed, r.total.images+r.images
	r.elapsed, r.images = 0, 0
	return n
}

func perSecond(images int, in time.Duration) Number {
	return NumIf(in > 0, float64(images)/in.Seconds())
}

// stopClock stops the clock until what it returns is called.
func (r *Run) stopClock() (start func()) {
	r.elapsed += time.Since(r.clock)
	return func() { r.clock = time.Now() }
}

func (r *Run) warnOnce(about, message string) {
	if !r.warned[about] {
		r.warned[about] = true
		r.append(&WarningEvent{Head: r.Head(), Message: message})
	}
}

func (r *Run) Close() {
	for _, l := range []*data.Loader{r.batches, r.draws} {
		if l != nil {
			l.Close()
		}
	}
	if r.net != nil {
		r.net.Close()
	}
}
