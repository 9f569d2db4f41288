package bridge

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/bridge/internal/frame"
	"drolab/runner/data"
	"drolab/runner/train"
)

// A script has already said what a run asks of its network and of its samplers, or says it next.

// Batches implements train.Leader.
func (s *Script) Batches() train.Sampler { return chosen{s, &s.x} }

// Draws implements train.Leader.
func (s *Script) Draws() train.Sampler { return chosen{s, &s.z} }

// chosen is the sampler of the samples that a script chose.
type chosen struct {
	*Script
	of *given
}

// Next implements train.Sampler.
func (c chosen) Next() *data.Batch { return &c.of.batch }

// State implements train.Sampler. The script itself keeps the place among its samples.
func (c chosen) State() data.State { return data.State{Kind: "script", Epoch: c.epoch} }

// Restore implements train.Sampler.
func (c chosen) Restore(s data.State) error {
	if s.Kind != "script" {
		return errors.New("the checkpoint does not belong to a script's run")
	}
	c.epoch = s.Epoch
	return nil
}

// Close implements train.Sampler.
func (c chosen) Close() {}

// Feed implements train.Network.
func (s *Script) Feed(string, nn.Mode, *data.LoaderOptions) {}

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

// Gradient implements train.Network. It gives the script the weights of its samples.
func (s *Script) Gradient(weights []float64, _ bool) {
	rate, stop, save := s.run.Wishes()
	s.took = taken{rate: rate}
	s.took.err = s.answer(told{Fresh: s.run.Method.Fresh(), Stop: stop, Save: save},
		frame.Floats(weights), frame.Floats([]float64{rate}))
}

// GradNorm implements train.Network.
func (s *Script) GradNorm() float64 { return math.NaN() }

// Step implements train.Network. It waits for the step of the script.
func (s *Script) Step(train.Rule) (norm float64, ok bool) {
	if s.took.err != nil {
		return math.NaN(), false
	}
	m, arrays, err := s.hear()
	switch {
	case err == nil && m.Do == "end":
		err = s.end(m)
	case err == nil && m.Do != "step":
		err = fmt.Errorf("run.%s comes before the run.step of the weights before it",
			clean(m.Do, mostName))
	case err == nil:
		err = s.step(m, arrays)
	}
	s.took.err = err
	return s.took.norm, err == nil && !m.Skipped
}

// step takes in what the script says of its step.
func (s *Script) step(m *said, arrays []frame.Array) error {
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
		s.took.rate = lr
	}
	if s.took.norm = rule[1]; math.IsNaN(s.took.norm) {
		s.took.norm = s.run.WithoutNorm()
	} else {
		s.took.normed = !m.Skipped
	}
	switch fresh := s.run.Method.Fresh(); {
	case m.Skipped || !fresh && len(m.Has) == 0:
		return nil
	case len(m.Has) == 0:
		return fmt.Errorf("step: %s looks at an independent draw of samples at the new x: give "+
			"run.step(fresh=draw), or the setting share_batch", s.run.Meta.Spec.Algorithm())
	}
	if err := s.z.take(s, runner.SplitTrain, m.Has, arrays[1:], s.needs); err != nil {
		return fmt.Errorf("step: the fresh draw: %w", err)
	}
	return nil
}

// Told implements train.Leader.
func (s *Script) Told() (rate float64, norm bool, err error) {
	return s.took.rate, s.took.normed, s.took.err
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

// Err implements train.Network. Told returns the errors of a script.
func (s *Script) Err() error { return nil }

// Close implements train.Network.
func (s *Script) Close() { os.RemoveAll(s.dir) }

var _ train.Leader = (*Script)(nil)
