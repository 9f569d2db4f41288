package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/internal/memory"
	"drolab/runner/measure"
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
	Net    Network
	leader Leader // the network if its script drives the loop, else nil
	Method Method
	input
	ahead
	meter
	stopwatch
	outcome
	saving
	warned map[string]bool
}

// outcome holds the results of evaluations. It is part of every checkpoint, since a run that is
// resumed at its very end only writes its summary.
type outcome struct {
	eval *runner.EvalEvent // the last evaluation
	// selected is the evaluation that the validation split finds best, if any.
	selected *runner.EvalEvent
	waited   int                  // evaluations without a better one, see patience
	tied     int                  // see runner.State
	iterate  *runner.PaperIterate // the choice of the method's output rule, measured at the end
}

// New builds the run of a plan, but loads no checkpoint yet: Do does that. The caller closes the
// run. After an error, or a panic of a network, nothing is left open.
func New(p Plan) (r *Run, err error) {
	r = newHeldRun(p)
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

// newHeldRun returns a run without its network and method, which can be closed.
func newHeldRun(p Plan) *Run {
	if p.Now == nil {
		p.Now = time.Now
	}
	return &Run{Plan: p, spec: p.Meta.Spec, warned: map[string]bool{}}
}

// build adds the parts in the order of their dependencies: loaders ask the method whether it draws
// and the network how it reads.
func (r *Run) build() (err error) {
	if r.Method, err = newMethod(&r.spec, &r.Meta.Parts, data.KeysOf(r.Data.Train)); err != nil {
		return err
	}
	if err = r.addNetwork(); err != nil {
		return err
	}
	if err = r.addLoaders(); err != nil {
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
	r.meter = newMeter(r.spec.Algorithm())
	return nil
}

// addNetwork builds the network, and buffers for the losses and weights of a batch.
func (r *Run) addNetwork() (err error) {
	r.losses, r.weights = make([]float64, r.spec.Batch), make([]float64, r.spec.Batch)
	r.Net, err = r.Network(&r.Meta.Spec, r.Data, r.Threads)
	r.leader, _ = r.Net.(Leader)
	r.stepper, _ = r.Net.(Stepper)
	return err
}

// Close releases the network and the loaders.
func (r *Run) Close() {
	r.input.close()
	if r.Net != nil {
		r.Net.Close()
	}
}

// Do trains from the given state (nil: from the start) to the planned end, a stop, or a failure,
// and writes the summary. The error says why the run failed; a stop is not an error. A panic fails
// this run alone, and the process continues.
func (r *Run) Do(from *runner.State) (status runner.Status, err error) {
	defer func() {
		if p := recover(); p != nil {
			cause := runner.Panicked(r.Reports, p)
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
	if err == ErrStopped {
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
	if from != nil {
		if err := r.replay(from.Step - 1); err != nil {
			return err
		}
		if err := r.restore(from); err != nil {
			return err
		}
	}
	if err := r.Mark(runner.Running); err != nil {
		return err
	}
	if from != nil {
		if strings.HasSuffix(r.Meta.Parent, fmt.Sprintf("@%d", from.Step)) { // a fork begins
			r.noteRefit()
		}
		return nil // the log has the warnings that follow
	}
	for _, note := range r.Notes {
		r.warnOnce(note, note)
	}
	if r.Notes != nil { // the counts belong to the data, as notes do
		r.noteEmpty()
	}
	r.noteDrop()
	r.noteRefit()
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
	save := s.CheckpointEvery > 0 && r.step%int64(s.CheckpointEvery) == 0
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
			_, err := r.endEpoch(int(done), func() (dro.Batch, error) {
				p, err := r.Pass(runner.SplitTrain, false)
				return p.Batch(), err
			})
			if err != nil {
				return err
			}
		}
		save = save || r.atEnd() ||
			r.checkpointDue() && (s.CheckpointEvery == 0 || r.pending != nil || r.justSelected())
		if !save && r.justSelected() {
			r.keepSelected()
		}
	}
	if save {
		return r.save()
	}
	return nil
}

// endEpoch lets the method act between two epochs, which may send x back to its initialisation.
// split returns the training split as one batch.
func (r *Run) endEpoch(epoch int, split func() (dro.Batch, error)) (restart bool, err error) {
	e, ok := r.Method.Trainer.(dro.Epochal)
	if !ok {
		return false, nil
	}
	defer r.pause()()
	if restart, err = e.EndEpoch(epoch, split); err == nil && restart {
		err = r.Report() // a script may have given passes before this
		if err == nil {
			err = r.Net.Load(nil)
		}
		r.selected, r.pending, r.waited, r.tied = nil, nil, 0, 0 // the training so far is given up
	}
	return restart, err
}

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

// outOfPatience reports whether the setting patience ends the run at this step.
func (r *Run) outOfPatience() bool {
	patience := r.Meta.Spec.Patience
	return patience > 0 && r.waited >= patience
}

// epoch returns the number of epochs done, with fractions.
func (r *Run) epoch() float64 { return float64(r.step) / float64(r.Meta.StepsPerEpoch) }

// warnOnce logs a warning, the first time that this Run warns about the subject. A warning that
// cannot be written is lost: it is not worth the run. A resumed run is another Run, and may warn
// again.
func (r *Run) warnOnce(about, message string) {
	if !r.warned[about] {
		r.warned[about] = true
		r.append(&runner.WarningEvent{Head: r.Head(), Message: message})
	}
}

// Method is a method at work, with everything that it adds to a run's steps and evaluations. When a
// knob is turned, the run makes a new Method and gives it the old one's state. So whatever depends
// on settings is computed once, here, and not at every step.
type Method struct {
	dro.Trainer
	Problem *dro.Problem // the problem whose risk evaluations measure
	clip    float64      // the largest norm of the x-gradient; 0: no clipping
	// sampling says which samples the training batches hold.
	sampling loader.Sampling
	Picker   dro.Picker // the method if it has an output rule, else nil
	// advance is the method's own x-step, or nil.
	advance func(velocity, lr float64) (rate float64)
	adam    *nn.AdamW // the optimizer of x; nil: SGD
	// samplewise computes the method's weights sample by sample, or is nil.
	samplewise func(w, losses []float64)
}

// newMethod starts the method of s on data with the counts p and the keys of dro.Task. The error is
// mostly a *spec.KeyError.
func newMethod(s *spec.Spec, p *measure.Parts, keys []uint32) (m Method, err error) {
	d, err := dro.Find(s.Algorithm())
	if err != nil {
		return m, err
	}
	if m.Trainer, m.Problem, err = runner.NewTrainer(s, p, keys); err != nil {
		return m, err
	}
	m.sampling = s.Sampling(d)
	m.clip, m.samplewise, m.adam = s.ClipFor(d), m.Samplewise(), s.Adam()
	m.Picker, _ = m.Trainer.(dro.Picker)
	if mover, ok := m.Trainer.(dro.Mover); ok {
		m.advance = mover.Advance
	}
	return m, nil
}

// Dual returns the method's dual variables; nil where it has none.
func (m *Method) Dual() *dro.Z {
	d, ok := m.Trainer.(dro.Dual)
	if !ok {
		return nil
	}
	z := d.Z()
	return &z
}

// resume restores the method's state from s, if s holds one. The checkpoint that a fork with
// another method begins with holds none, and the method stays at its start.
func (m *Method) resume(s *runner.State) error {
	if s.Method == nil {
		return nil
	}
	return m.Restore(*s.Method)
}

// Picked returns the iterate that the method's output rule has chosen so far; nil if it has chosen
// none yet, or the method has no rule.
func (m *Method) Picked() *runner.PaperIterate {
	if m.Picker == nil || m.Picker.Picked().Step == 0 {
		return nil
	}
	p := m.Picker.Picked()
	return &runner.PaperIterate{
		Step:     int64(p.Step),
		Lambda:   measure.Num(p.Z.Lambda),
		Eta:      measure.Num(p.Z.Eta),
		GradNorm: measure.Num(p.GradNorm),
		Gap:      measure.Num(p.Gap),
	}
}

// Network is the model that a run trains. It is asked about samples, which are indices into a
// split, and holds everything that is learned. drolab's own network is in native.go; a network of
// another program is a second implementation. It belongs to the run's goroutine.
//
// A step calls Losses, Gradient and Step, in this order.
type Network interface {
	// Feed sets in o how a loader makes this network's batches of a split in the given mode: on
	// which threads, how far ahead, and whether it leaves values where they lie in memory. A
	// network that reads its samples itself, by their indices, asks for batches without values.
	Feed(split string, mode nn.Mode, o *loader.Options)
	// Losses computes the loss of each sample of a batch, which has at most Spec.Batch samples. If
	// weigh is not nil, it computes the weights of any of these samples from their losses, on
	// several threads at once. The Gradient that follows uses these weights, so a network may
	// compute it in the same pass.
	Losses(losses []float64, b Batch, weigh func(weights, losses []float64))
	// Outputs fills in the requested predictions for the samples of the last Losses.
	Outputs(Outputs)
	// Gradient computes ∇ mean w_i ℓ_i over the batch of the last Losses, with the weights held
	// constant. It replaces the last gradient or, if add is set, adds to it.
	Gradient(weights []float64, add bool)
	// GradNorm returns the Euclidean norm of the last gradient.
	GradNorm() float64
	// Step moves along the last gradient and returns its norm, before clipping and without weight
	// decay. taken is false if the network skips the step because a gradient in half precision was
	// not finite; the norm may be anything then.
	Step(Rule) (norm float64, taken bool)
	// Pick keeps a copy of the network as it is, and Swap exchanges the network with the copy.
	Pick()
	Swap()
	// Save puts into a checkpoint what Load restores. The tensors are the network's own memory, and
	// thus valid until the next Step. Load copies, and fails if the checkpoint belongs to another
	// model. Load(nil) restores the initialisation, to the bit.
	Save(*runner.State)
	Load(*runner.State) error
	// Err returns the first failure of any method above, such as a program that is gone, and keeps
	// returning it. After a failure, losses and norms are NaN and nothing else is done. So a run
	// needs to check Err only before it uses results, and not after every call.
	Err() error
	Close()
}

// Parameters is implemented by a Network whose weights can be read. Code that needs the weights
// tests for it, and reports an error where it is missing.
type Parameters interface {
	// Tensors returns views of the learned parameters and the running statistics.
	Tensors() []nn.Tensor
}

// LastLayer is implemented by a Network whose last layer is linear and can be read and replaced,
// for methods that fit it again.
type LastLayer interface {
	// Width returns the number of features, which are the inputs of the last layer. It is 0 if the
	// network does not show the layer; then nothing below may be called.
	Width() int
	// Features writes the input of the last layer for the samples of the last Losses, which was in
	// mode nn.Evaluate.
	Features(rows [][]float32)
	Layer() dro.Layer
	SetLayer(dro.Layer)
}

// Batch is a batch of samples of a split: see SplitTrain and loader.Batch, whose Index names them. It
// holds values only if Network.Feed left the loader to read them. Its mode says how layers that
// look at their whole batch treat it.
//
// The samples belong to the loader, which makes its next batch in their memory. Batch holds a
// pointer, since a loader.Batch has 160 bytes to copy at every call.
type Batch struct {
	Split string
	Mode  nn.Mode
	*loader.Batch
}

// Part returns the samples from (included) to to (excluded) of a batch. The caller lends part as
// their memory, so that a step which takes its batch in pieces allocates nothing.
func (b Batch) Part(part *loader.Batch, from, to int) Batch {
	*part = loader.Batch{X: b.X, Labels: b.Labels[from:to], Groups: b.Groups[from:to],
		Index: b.Index[from:to], N: to - from, Epoch: b.Epoch}
	switch {
	case b.Offsets != nil:
		part.Offsets, part.Next = b.Offsets[from:to], b.Next
	case b.X != nil:
		size := len(b.X) / b.N
		part.X = b.X[from*size : to*size]
	}
	return Batch{b.Split, b.Mode, part}
}

// Outputs holds a network's predictions for samples. A nil slice was not requested.
type Outputs struct {
	Classes       []int     // the class of the greatest probability, the first among equals
	Confidences   []float64 // the probability of that class
	Probabilities []float32 // the probability of every class, [sample][class]
}

// Rule is the rule of an x-step: SGD, v ← momentum·v + g, x ← x − lr·v. If Advance is set, as by
// normalised momentum, the step averages the gradient instead, v ← momentum·v + (1 − momentum)·g,
// and moves by −Advance(‖v‖, lr)·v. If Adam is set, the step is AdamW's, without momentum; a
// program is never asked for that.
type Rule struct {
	nn.SGD
	Adam    *nn.AdamW
	Advance func(velocity, lr float64) (rate float64)
}

// NewNetwork builds the network of a run of s on d, with the given number of threads. The run
// closes it.
type NewNetwork func(s *spec.Spec, d *data.Dataset, threads int) (Network, error)

// need estimates the memory of a run besides its dataset, in bytes. It counts the network, the
// batches of its loaders, the orders of the samples, the values that an evaluation keeps of each
// sample, and the tensors of a checkpoint.
func need(s *spec.Spec, d *data.Dataset, parameters int) (bytes float64, err error) {
	sizes := data.Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(),
		Test: d.Test.Len()}
	return needOf(s, sizes, parameters)
}

// Memory estimates the memory of a process that trains s on data of these sizes, in bytes, with the
// data in memory.
func Memory(s *spec.Spec, d data.Sizes) (bytes float64, err error) {
	parameters := 0
	if !s.IsProgram() {
		if parameters, err = nn.Check(s.Network(d.Shape, d.Classes)); err != nil {
			return 0, err
		}
	}
	bytes, err = needOf(s, d, parameters)
	const program = 100 << 20
	values := float64(d.Train+d.Test) / (1 - s.ValFraction) * float64(d.Shape.Len())
	return program + bytes + 4*values, err
}

// needOf is need for data that are not open yet. It counts two batches of each loader, the one in
// use and the one made ahead. It may overestimate: a run that is refused can be made smaller, but a
// run that the system kills has lost its work.
func needOf(s *spec.Spec, d data.Sizes, parameters int) (bytes float64, err error) {
	if s.IsProgram() { // the memory of the program itself is not known here
		parameters = 0
	} else if bytes, err = nn.Memory(s.Network(d.Shape, d.Classes)); err != nil {
		return 0, err
	}
	const (
		loaders = 4  // copies of a batch: two of each of x and z
		sample  = 40 // bytes: loss, ratio, label, group and class
	)
	batch, z := float64(s.Batch), float64(max(s.Batch, s.BatchZ))
	samples := float64(d.Train + d.Test)
	bytes += 4 * float64(d.Shape.Len()) * loaders / 2 * (batch + z) // the values of the samples
	bytes += sample * (batch + z)                                   // their other numbers
	bytes += (4 + sample) * samples                                 // the orders; an evaluation
	if by, _ := measure.FindMeasure(s.Select); by.Scores() {
		bytes += 4 * float64(d.Classes) * samples // probabilities
	}
	bytes += 4 * 4 * float64(parameters) // a checkpoint's tensors
	return bytes, nil
}

// AskRoom returns an error if a run by itself does not fit the machine; it reserves nothing. The
// error says what is missing, in words for the person who started the run.
func AskRoom(s *spec.Spec, d *data.Dataset, parameters int) error {
	bytes, err := need(s, d, parameters)
	if err != nil {
		return err
	}
	return memory.Ask(bytes, inBatches(s))
}

// TakeRoom reserves the memory of a run. The run allocates it only in its first steps, so the
// machine's free memory does not show it yet. The caller releases the share when the run has ended.
func TakeRoom(
	ctx context.Context, s *spec.Spec, d *data.Dataset, parameters int,
) (*memory.Share, error) {
	bytes, err := need(s, d, parameters)
	if err != nil {
		return nil, err
	}
	return memory.Reserve(ctx, bytes, inBatches(s))
}

// inBatches names what needs the memory of a run, for the error of a run that does not fit. It
// mentions the batch, which the user can change.
func inBatches(s *spec.Spec) string {
	return fmt.Sprintf("a run of %s in batches of %d", s.Model, max(s.Batch, s.BatchZ))
}

// Kernel names the kernel of the run's training steps on data: the host's kernel or the kernel of
// another precision, with a suffix if sums have another order.
func Kernel(s *spec.Spec, host string, d *data.Dataset) string {
	if s.Precision != spec.Defaults().Precision {
		host = nn.Kernel(s.Precision)
	}
	if order := nn.Order(s.Network(d.Shape, len(d.Classes))); order != "" {
		return host + "-" + order
	}
	return host
}
