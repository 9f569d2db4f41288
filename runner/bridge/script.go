package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"syscall"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Script is a script with a loop of its own, in the place of a network. It is the reverse of
// Program: the script asks, and drolab answers. The run's goroutine waits here for the script's
// next message, so that steps, meters, records and orders are the same as in every run. It
// implements train.Leader.
//
// The script's messages are checked as a program's answers are. A script may take as long as it
// likes. It has ended when its pipe has ended.
type Script struct {
	conn    *Conn
	Opening Opening
	data    *data.Dataset
	run     *train.Run
	needs   needs
	dir     string // the run's scratch folder
	loaded  string // folder in dir with the files of the checkpoint to go on from
	saving  string // folder in dir with the files of the checkpoint under way
	saves   int
	spec    *spec.Spec

	x, z   scriptSamples // samples of the step, and of the method's own draw
	ranks  shuffles
	part   int // number of losses of z that were asked for
	epoch  uint64
	report stepReport
	form   form
	again  bool // whether the script is to go back to its start
	waits  bool // whether the script waits for an answer
	noted  bool // whether a note was sent since the last answer
}

// stepReport holds what the script says of a step.
type stepReport struct {
	rate, norm      float64
	normed, skipped bool
	err             error // why it took no step
}

// scriptMessage is a message of the script after the first, with the members of every kind.
type scriptMessage struct {
	opening *Opening
	Do      string   `json:"do"`
	Has     []string `json:"has"`
	Fresh   []string `json:"fresh"`
	Split   string   `json:"split"`
	Skipped bool     `json:"skipped"`
	Names   []string `json:"names"`
	Status  string   `json:"status"`
	Cause   string   `json:"cause"`
}

// MostBody implements Sized: six numbers for each sample, and room for a batch that is larger
// than a small split. A test split that the script did not count may have any size.
func (m *scriptMessage) MostBody() int {
	if m.Split == runner.SplitTest && m.opening.Samples[m.Split] == 0 {
		return MostBody
	}
	most := 1 << 20
	for _, n := range m.opening.Samples {
		most += 6 * 8 * n
	}
	return min(most, MostBody)
}

// scriptAnswer is an answer to such a message.
type scriptAnswer struct {
	Error    string `json:"error,omitempty"`
	Form     string `json:"form,omitempty"`
	By       string `json:"by,omitempty"`
	Fresh    bool   `json:"fresh,omitempty"`
	Stop     bool   `json:"stop,omitempty"`
	Save     bool   `json:"save,omitempty"`
	Restart  bool   `json:"restart,omitempty"`
	Selected bool   `json:"selected,omitempty"`
	Folder   string `json:"folder,omitempty"`
}

// scriptNote is sent before an answer, to a script that said that it takes notes.
type scriptNote struct {
	Note string `json:"note"`
}

// welcome is the answer to the first message.
type welcome struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Folder  string `json:"folder,omitempty"`     // with the files that the script has saved
	Bytes   int    `json:"form_bytes,omitempty"` // most of the arrays of a form; 0: no form
	Step    int64  `json:"step"`
	Epoch   uint64 `json:"epoch"`
	// Patience is the number of seconds that the script's processes wait for each other.
	Patience float64 `json:"patience"`
}

// errDone says that the script has left its block without an error.
var errDone = errors.New("done")

// Accept reads the first message of a script. After an error, the caller tells the script of it by
// End.
func Accept(in io.Reader, out io.Writer) (*Script, error) {
	s := &Script{conn: NewConn(in, out), waits: true}
	arrays, err := s.conn.Receive(&s.Opening, MostHead, 0)
	if err != nil {
		return s, gone(err)
	}
	switch o := &s.Opening; {
	case o.Do != "start":
		return s, fmt.Errorf("a script says %.40q first: want start", o.Do)
	case o.Version != version:
		return s, fmt.Errorf("it speaks version %d of the protocol: want %d", o.Version, version)
	case len(arrays) > 0: // empty ones
		return s, errors.New("start has arrays, which it does not take")
	}
	return s, nil
}

// gone returns the error of a read or a write, or train.ErrLeft if the other side has gone.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return train.ErrLeft
	}
	return errors.New("the script: " + OneLine(err.Error(), mostLine))
}

// End tells the script how its run ended; a nil error means well. The script hears it when it next
// asks for something, or at once if it already waits for an answer. End returns when the script
// has heard it or has gone.
func (s *Script) End(err error) {
	var end scriptAnswer
	if err != nil {
		end.Error = OneLine(err.Error(), mostLine)
	}
	for !s.waits {
		if _, _, err := s.receive(); err != nil {
			return
		}
	}
	s.conn.Send(end)
}

// Network returns the script as the network of a run, with its scratch folder and its settings.
func (s *Script) Network(
	place runner.Workplace, of *spec.Spec, d *data.Dataset,
) (train.Network, error) {
	dir, err := place.Scratch()
	s.dir, s.spec, s.data = dir, of, d
	return s, err
}

// Lead implements train.Leader.
func (s *Script) Lead(r *train.Run) error {
	s.run, s.needs = r, needsOf(r)
	s.ranks = newShuffles(s.Opening.Processes, r.Data.Train.Len())
	s.form.open(r)
	if err := s.answer(welcome{version, r.Meta.ID, s.loaded, s.form.most, r.Head().Step,
		s.epoch, s.spec.ProgramPatience}); err != nil {
		return err
	}
	for {
		m, arrays, err := s.receive()
		if err == nil {
			err = s.carryOut(m, arrays)
		}
		switch {
		case errors.Is(err, errDone):
			return nil
		case err != nil:
			return err
		}
	}
}

// receive waits for the next message of the script.
func (s *Script) receive() (*scriptMessage, []Array, error) {
	m := &scriptMessage{opening: &s.Opening}
	arrays, err := s.conn.Receive(m, UsualHead, MostBody)
	if err != nil {
		return nil, nil, gone(err)
	}
	s.waits = m.Do != "step" && m.Do != "log"
	return m, arrays, nil
}

// Waits tells a script that takes notes why its run waits for the disk. It sends one note before an
// answer, however often the disk fails: the script reads it when it next waits for drolab, and the
// pipe has room for one.
func (s *Script) Waits(cause error) {
	if !s.Opening.Notes || s.noted {
		return
	}
	s.noted = true
	s.conn.Send(scriptNote{fmt.Sprintf("the run waits: %s (it continues when this is fixed)",
		OneLine(cause.Error(), mostLine))})
}

// answer sends an answer, after which the script no longer waits.
func (s *Script) answer(head any, arrays ...Array) error {
	s.waits, s.noted = false, false
	if err := s.conn.Send(head, arrays...); err != nil {
		return gone(err)
	}
	return nil
}

// carryOut does what a message asks for.
func (s *Script) carryOut(m *scriptMessage, arrays []Array) error {
	switch m.Do {
	case "weights":
		return s.weights(m, arrays)
	case "epoch":
		return s.endEpoch(m, arrays)
	case "evaluate":
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("evaluate: %w", err)
		}
		return s.answer(scriptAnswer{})
	case "selected":
		best, err := s.run.Selected()
		if err != nil {
			return err
		}
		return s.answer(scriptAnswer{Selected: best})
	case "log":
		return s.log(m, arrays)
	case "checkpoint":
		return s.checkpoint()
	case "end":
		return s.end(m)
	case "step":
		return errors.New("run.step comes without run.weights before it")
	}
	return fmt.Errorf("the script says %.40q, which drolab does not know: install both of one "+
		"version", m.Do)
}

// end returns how the script left its block, as an error.
func (s *Script) end(m *scriptMessage) error {
	switch m.Status {
	case "done":
		return errDone
	case "stopped":
		return train.ErrStopped
	case "failed":
		cause := OneLine(m.Cause, mostLine)
		if cause == "" {
			cause = "the script failed without a reason"
		}
		return errors.New(cause)
	}
	return fmt.Errorf("the script ends as %.40q: want done, stopped or failed", m.Status)
}

// endEpoch lets the method act, and tells the script whether to go back to its start.
func (s *Script) endEpoch(m *scriptMessage, arrays []Array) error {
	if len(m.Has) > 0 {
		m.Split = runner.SplitTrain
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("end_epoch: %w", err)
		}
	}
	s.lookAtShuffles()
	s.epoch++
	s.again = false
	restart, err := s.run.EndEpoch(int(s.epoch))
	if err != nil {
		return fmt.Errorf("end_epoch: %w", err)
	}
	return s.answer(scriptAnswer{Restart: restart && s.again})
}

// log records values of the script's own.
func (s *Script) log(m *scriptMessage, arrays []Array) error {
	if len(arrays) != 1 {
		return errors.New("log: want one array")
	}
	if len(m.Names) > measure.MostUser {
		return fmt.Errorf("log: %d values: want at most %d", len(m.Names), measure.MostUser)
	}
	values := make([]float64, len(m.Names))
	err := arrays[0].Floats(values)
	for i := 0; i < len(values) && err == nil; i++ {
		err = s.run.Log(m.Names[i], values[i])
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// checkpoint gives the script a folder and makes a checkpoint of the files that the script puts
// there.
func (s *Script) checkpoint() error {
	s.saves++
	folder := filepath.Join(s.dir, fmt.Sprintf("save-%d", s.saves))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	defer os.RemoveAll(folder) // Close removes what cannot be removed yet
	if err := s.answer(scriptAnswer{Folder: folder}); err != nil {
		return err
	}
	m, _, err := s.receive()
	switch {
	case err != nil:
		return err
	case m.Do == "discard":
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("checkpoint: the discarded files cannot be removed: %w", err)
		}
		return s.answer(scriptAnswer{})
	case m.Do == "end":
		return s.end(m)
	case m.Do != "saved":
		return fmt.Errorf("run.%s comes within the block of run.checkpoint",
			OneLine(m.Do, mostName))
	}
	s.saving = folder
	if err := s.run.Checkpoint(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return s.answer(scriptAnswer{})
}

// needsOf returns what the run's method needs to know of samples.
func needsOf(r *train.Run) (n needs) {
	_, n.index = r.Method.Trainer.(dro.Epochal)
	m, err := dro.Find(r.Meta.Spec.Algorithm())
	if err == nil && m.Uses != "" {
		n.group, n.label = r.Data.Grouped, !r.Data.Grouped || m.Uses == "labels"
	}
	return n
}

// Opening is the first message of a script. It says which run the script wants, and what the script
// trains on.
type Opening struct {
	Traits                                 // the training split is required
	Do          string                     `json:"do"`
	Name        string                     `json:"name"`
	Resume      string                     `json:"resume"`
	From        string                     `json:"from"`
	Settings    map[string]json.RawMessage `json:"settings"`
	ClassCounts map[string][]int           `json:"class_counts"` // by the names of the splits
	GroupCounts map[string][]int           `json:"group_counts"`
	// StepsPerEpoch is the number of steps in an epoch. 0: samples / batch, rounded up.
	StepsPerEpoch int      `json:"steps_per_epoch"`
	Processes     int      `json:"processes"` // of which each trains on a part of a batch
	Notes         bool     `json:"notes"`     // whether the script takes notes before an answer
	Path          string   `json:"path"`
	Arguments     []string `json:"arguments"`
	Interpreter   string   `json:"interpreter"`
}

// Describe returns what a script has, in the form in which a program describes itself. The data are
// counts only: the class of a sample comes with the sample.
func (o *Opening) Describe() (*Description, error) {
	if len(o.Classes) == 0 {
		o.Classes = []string{"all"}
	}
	d, err := o.Traits.describe()
	n := o.Samples[runner.SplitTrain]
	switch {
	case err != nil:
		return nil, err
	case n < 1:
		return nil, errors.New("samples: want how many the training split has")
	case o.StepsPerEpoch < 0 || o.StepsPerEpoch > n:
		return nil, fmt.Errorf("steps_per_epoch is %d: want 1 to the %d samples", o.StepsPerEpoch,
			n)
	}
	d.Pick, d.StepsPerEpoch = true, o.StepsPerEpoch
	return d, o.count(d.Data)
}

// count makes the splits from their counts.
func (o *Opening) count(d *data.Dataset) error {
	for name := range o.Samples {
		if !slices.Contains(runner.Splits(), name) {
			return fmt.Errorf("samples: the splits are train, val and test, and not %q",
				OneLine(name, mostName))
		}
	}
	return o.fill(d, "script ", func(hash io.Writer, split string, n int) (data.Source, error) {
		c := &counted{n: n}
		if n == 0 { // a test split that the script does not count
			return c, nil
		}
		var err error
		c.labels, err = partEnds("class", split, o.ClassCounts[split], len(d.Classes), n)
		c.groups = c.labels
		if err == nil && d.Grouped {
			c.groups, err = partEnds("group", split, o.GroupCounts[split], len(d.Groups), n)
		}
		fmt.Fprintln(hash, split, n, c.labels, c.groups)
		return c, err
	})
}

// partEnds checks the counts of the parts of a split. It returns where each part ends if the
// samples lie part by part.
func partEnds(what, split string, counts []int, kinds, n int) ([]int, error) {
	if kinds == 1 && counts == nil {
		counts = []int{n}
	}
	if len(counts) != kinds {
		return nil, fmt.Errorf("%s_counts of the %s split has %d numbers: want one for each of %d",
			what, split, len(counts), kinds)
	}
	list, sum := make([]int, kinds), 0
	for i, c := range counts {
		if c < 0 || c > n {
			return nil, fmt.Errorf("%s_counts of the %s split has %d: want 0 to %d", what, split,
				c, n)
		}
		sum += c
		list[i] = sum
	}
	if sum != n {
		return nil, fmt.Errorf("%s_counts of the %s split add up to %d: want its %d samples", what,
			split, sum, n)
	}
	return list, nil
}

// counted is a split of which only counts are known. Its samples are ordered by class and also by
// group, which is enough for counting them.
type counted struct {
	unseen
	n              int
	labels, groups []int // where each part ends
}

// Len implements data.Source.
func (c *counted) Len() int { return c.n }

// Label implements data.Source.
func (c *counted) Label(i int) int { return sort.SearchInts(c.labels, i+1) }

// Group implements data.Source.
func (c *counted) Group(i int) int { return sort.SearchInts(c.groups, i+1) }

// Known fills in the data of a run that a script goes on with, if the script does not give them
// again.
func (o *Opening) Known(m *runner.Meta) {
	if len(o.Samples) > 0 {
		return
	}
	o.Samples = map[string]int{}
	o.ClassCounts, o.GroupCounts = map[string][]int{}, map[string][]int{}
	o.Classes, o.Groups = m.Classes, m.Groups
	for _, split := range runner.Splits() {
		counts := *m.ClassCounts.Of(split)
		o.Samples[split] = data.Sum(counts)
		o.ClassCounts[split], o.GroupCounts[split] = counts, *m.GroupCounts.Of(split)
	}
	o.Parameters = m.Parameters
}

// A script has already said what a run asks of its network and of its samplers, or says it next.

// Batches implements train.Leader.
func (s *Script) Batches() train.Sampler { return chosen{s, &s.x} }

// Draws implements train.Leader.
func (s *Script) Draws() train.Sampler { return chosen{s, &s.z} }

// chosen is the sampler of the samples that a script chose.
type chosen struct {
	*Script
	of *scriptSamples
}

// Next implements train.Sampler.
func (c chosen) Next() *loader.Batch { return &c.of.batch }

// State implements train.Sampler. The script itself keeps the place among its samples.
func (c chosen) State() loader.State { return loader.State{Kind: "script", Epoch: c.epoch} }

// Restore implements train.Sampler.
func (c chosen) Restore(s loader.State) error {
	if s.Kind != "script" {
		return errors.New("the checkpoint does not belong to a script's run")
	}
	c.epoch = s.Epoch
	return nil
}

// Close implements train.Sampler.
func (c chosen) Close() {}

// Feed implements train.Network.
func (s *Script) Feed(string, nn.Mode, *loader.Options) {}

// Losses implements train.Network. The losses came with the samples.
func (s *Script) Losses(losses []float64, b train.Batch, _ func(weights, losses []float64)) {
	if b.Mode != nn.Probe {
		copy(losses, s.x.losses)
		s.part = 0 // of the fresh draw of this step
		return
	}
	copy(losses[:b.N], s.z.losses[s.part:])
	s.part += b.N
}

// Outputs implements train.Network. It does nothing, since evaluations come from the script.
func (s *Script) Outputs(train.Outputs) {}

// weights has the run take a step. The script sends its samples with its question, and drolab
// answers with the weights; or it sends them with its step, after the form was the answer.
func (s *Script) weights(m *scriptMessage, arrays []Array) error {
	s.form.used = s.form.most > 0 && len(m.Has) == 0
	if !s.form.used {
		if err := s.takeBatch(m.Has, arrays); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	if err := s.run.Ready(); err != nil {
		return err
	}
	if s.form.used {
		if err := s.answerForm(); err != nil {
			return err
		}
		if s.hearStep(); s.report.err != nil {
			return s.report.err
		}
	}
	return s.run.TakeStep(s.x.batch.N)
}

// takeBatch takes in the samples of a step.
func (s *Script) takeBatch(has []string, arrays []Array) error {
	if err := s.x.take(s, runner.SplitTrain, has, arrays, s.needs); err != nil {
		return err
	}
	if s.x.ordered {
		s.ranks.add(s.x.batch.Index)
	}
	if s.ranks.whole() {
		s.lookAtShuffles()
	}
	return nil
}

// lookAtShuffles warns, at the end of the first epoch, of ranks that do not share out the split.
func (s *Script) lookAtShuffles() {
	if given, different, wrong := s.ranks.endEpoch(); wrong {
		s.run.RanksOverlap(given, different)
	}
}

// Gradient implements train.Network. It gives the script the weights of its samples, unless the
// script has computed them.
func (s *Script) Gradient(weights []float64, _ bool) {
	if !s.form.used {
		head, rate := s.beginStep()
		s.report.err = s.answer(head, Floats(weights), rate)
	}
}

// beginStep returns what the script hears with its weights, or with their form.
func (s *Script) beginStep() (head scriptAnswer, rate Array) {
	alpha, stop, save := s.run.Requests()
	s.report = stepReport{rate: alpha}
	head = scriptAnswer{Fresh: s.run.Method.Fresh(), Stop: stop, Save: save}
	return head, Floats([]float64{alpha})
}

// GradNorm implements train.Network.
func (s *Script) GradNorm() float64 { return math.NaN() }

// Step implements train.Network. It waits for the step of the script.
func (s *Script) Step(train.Rule) (norm float64, ok bool) {
	if !s.form.used && s.report.err == nil {
		s.hearStep()
	}
	if s.report.err != nil {
		return math.NaN(), false
	}
	return s.report.norm, !s.report.skipped
}

// hearStep waits for the step of the script.
func (s *Script) hearStep() {
	m, arrays, err := s.receive()
	switch {
	case err == nil && m.Do == "end":
		err = s.end(m)
	case err == nil && m.Do != "step":
		err = fmt.Errorf("run.%s comes before the run.step of the weights before it",
			OneLine(m.Do, mostName))
	case err == nil:
		err = s.step(m, arrays)
	}
	s.report.err = err
}

// step takes in what the script says of its step.
func (s *Script) step(m *scriptMessage, arrays []Array) error {
	rule := []float64{math.NaN(), math.NaN()}
	if len(arrays) == 0 {
		return errors.New("step: it has no step size and norm")
	}
	if err := arrays[0].Floats(rule); err != nil {
		return fmt.Errorf("step: %w", err)
	}
	if lr := rule[0]; !math.IsNaN(lr) { // NaN: drolab's own step size holds
		if !(lr >= 0) || math.IsInf(lr, 0) {
			return fmt.Errorf("step: lr is %v: want a number ≥ 0", lr)
		}
		s.report.rate = lr
	}
	s.report.skipped = m.Skipped
	if s.report.norm = rule[1]; math.IsNaN(s.report.norm) {
		s.report.norm = s.run.WithoutNorm()
	} else {
		s.report.normed = !m.Skipped
	}
	arrays = arrays[1:]
	if s.form.used {
		n := min(len(m.Has), len(arrays))
		if err := s.takeBatch(m.Has, arrays[:n]); err != nil {
			return fmt.Errorf("weights of step %d: %w", s.run.Head().Step+1, err)
		}
		arrays = arrays[n:]
	}
	switch fresh := s.run.Method.Fresh(); {
	case m.Skipped || !fresh && len(m.Fresh) == 0:
		return nil
	case len(m.Fresh) == 0:
		return fmt.Errorf("step: %s looks at an independent draw of samples at the new x: give "+
			"run.step(fresh=draw), or the setting share_batch", s.run.Meta.Spec.Algorithm())
	}
	if err := s.z.take(s, runner.SplitTrain, m.Fresh, arrays, s.needs); err != nil {
		return fmt.Errorf("step: the fresh draw: %w", err)
	}
	return nil
}

// LastStep implements train.Leader.
func (s *Script) LastStep() (rate float64, norm bool, err error) {
	return s.report.rate, s.report.normed, s.report.err
}

// Pick implements train.Network. A script keeps no second network, and no method asks it for one.
func (s *Script) Pick() {}

// Swap implements train.Network.
func (s *Script) Swap() {}

// Save implements train.Network. The script may save for a stop, which is then no reason to give up
// its files; one more stop is. Nobody else takes these requests.
func (s *Script) Save(to *runner.State) {
	stops := max(1, len(s.run.Gate.Stops))
	to.Opaque = saved{s.saving, s.spec, func() bool { return len(s.run.Gate.Stops) > stops }}
}

// Load implements train.Network.
func (s *Script) Load(from *runner.State) error {
	if from == nil {
		s.again = true
		return nil
	}
	if from.Opaque == nil {
		return errors.New("it belongs to a network of drolab's own, not to a script")
	}
	s.loaded = filepath.Join(s.dir, "load")
	if err := os.Mkdir(s.loaded, 0o700); err != nil {
		return err
	}
	return unpack(from.Opaque, s.loaded, s.spec)
}

// Err implements train.Network. It is always nil, because nothing is computed here. Lead returns
// the errors of the script's messages.
func (s *Script) Err() error { return nil }

// Close implements train.Network.
func (s *Script) Close() { os.RemoveAll(s.dir) }

var _ train.Leader = (*Script)(nil)
