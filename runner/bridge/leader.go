package bridge

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/train"
)

// A script has already said what a run asks of its network and of its samplers, or says it next.

// Batches implements train.Leader.
func (s *Script) Batches() train.Sampler { return scriptSampler{s, &s.x} }

// Draws implements train.Leader.
func (s *Script) Draws() train.Sampler { return scriptSampler{s, &s.z} }

// scriptSampler is the sampler of the samples that a script chose.
type scriptSampler struct {
	*Script
	of *scriptSamples
}

// Next implements train.Sampler.
func (c scriptSampler) Next() *loader.Batch { return &c.of.batch }

// State implements train.Sampler. The script itself keeps the place among its samples.
func (c scriptSampler) State() loader.State { return loader.State{Kind: "script", Epoch: c.epoch} }

// Restore implements train.Sampler.
func (c scriptSampler) Restore(s loader.State) error {
	if s.Kind != "script" {
		return errors.New("the checkpoint does not belong to a script's run")
	}
	c.epoch = s.Epoch
	return nil
}

// Close implements train.Sampler.
func (c scriptSampler) Close() {}

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
			runner.OneLine(m.Do, mostName))
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
	to.Opaque = savedFolder{s.saving, s.spec, func() bool { return len(s.run.Gate.Stops) > stops }}
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
