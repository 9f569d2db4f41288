package bridge

import (
	"errors"
	"fmt"
	"math"

	"drolab/runner"
	"drolab/runner/measure"
)

// stepReport holds what the script says of a step.
type stepReport struct {
	rate    float64
	norm    measure.Number // of its gradient, if the script gives it
	skipped bool
}

// weights is a step of the script. The script sends its samples with its question, and drolab
// answers with their weights. Or the script asks for the form of its weights: see stepByForm.
func (s *Script) weights(m *scriptMessage, arrays []Array) error {
	if s.form.most > 0 && len(m.Has) == 0 {
		return s.stepByForm()
	}
	if err := s.takeBatch(m.Has, arrays); err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	if err := s.run.Ready(); err != nil {
		return err
	}
	weights := s.weigh()
	head, rate := s.stepAnswer()
	if err := s.answer(head, Floats(weights), Floats([]float64{rate})); err != nil {
		return err
	}
	now, err := s.hearStep(rate, false)
	if err != nil {
		return err
	}
	return s.endStep(now)
}

// stepByForm is a step whose weights the script computes. Its samples come with the report of the
// step, so that it need not wait for drolab.
func (s *Script) stepByForm() error {
	if err := s.run.Ready(); err != nil {
		return err
	}
	form := s.run.Method.Form(s.form.numbers[:0])
	s.form.numbers = form.Numbers
	head, rate := s.stepAnswer()
	head.Form, head.By = form.Kind, s.form.looksAt(form.Kind)
	arrays := []Array{Floats(form.Numbers), Floats([]float64{rate})}
	if err := s.answer(head, append(arrays, s.form.newFlags(form.Flags)...)...); err != nil {
		return err
	}
	now, err := s.hearStep(rate, true)
	if err != nil {
		return err
	}
	s.weigh() // for the method's state and measures: the script has its weights already
	return s.endStep(now)
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

// weigh returns the weights of the script's samples.
func (s *Script) weigh() []float64 {
	s.run.CheckBatch(len(s.x.batch.Losses))
	return s.run.Weigh(s.x.batch)
}

// stepAnswer returns what the script hears with its weights or with their form, and the step size.
func (s *Script) stepAnswer() (head scriptAnswer, rate float64) {
	rate, stop, save := s.run.Requests()
	return scriptAnswer{Fresh: s.run.Method.Fresh(), Stop: stop, Save: save}, rate
}

// hearStep waits for the script's report of its step. Before that, the script may log values. rate
// is the step size unless the script gives its own. The report of a step by a form also has the
// samples of the step.
func (s *Script) hearStep(rate float64, byForm bool) (stepReport, error) {
	m, arrays, err := s.receive()
	for err == nil && m.Do == "log" {
		if err = s.log(m, arrays); err == nil {
			m, arrays, err = s.receive()
		}
	}
	switch {
	case err != nil:
		return stepReport{}, err
	case m.Do == "end":
		return stepReport{}, s.end(m)
	case m.Do != "step":
		return stepReport{}, fmt.Errorf("run.%s comes before the run.step of the weights before it",
			runner.OneLine(m.Do, mostName))
	case len(arrays) == 0:
		return stepReport{}, errors.New("step: it has no step size and norm")
	}
	now, err := s.reportOf(m, arrays[0], rate)
	if err != nil {
		return now, err
	}
	arrays = arrays[1:]
	if byForm {
		n := min(len(m.Has), len(arrays))
		if err := s.takeBatch(m.Has, arrays[:n]); err != nil {
			return now, fmt.Errorf("weights of step %d: %w", s.run.Head().Step+1, err)
		}
		arrays = arrays[n:]
	}
	return now, s.takeFresh(m, arrays)
}

// reportOf reads the step size and the norm of a step. Each is NaN in the message if the script
// does not give it.
func (s *Script) reportOf(m *scriptMessage, a Array, rate float64) (stepReport, error) {
	given := []float64{math.NaN(), math.NaN()}
	if err := a.Floats(given); err != nil {
		return stepReport{}, fmt.Errorf("step: %w", err)
	}
	if lr := given[0]; !math.IsNaN(lr) {
		if !(lr >= 0) || math.IsInf(lr, 0) {
			return stepReport{}, fmt.Errorf("step: lr is %v: expected a number ≥ 0", lr)
		}
		rate = lr
	}
	norm := given[1]
	known := !math.IsNaN(norm)
	if !known {
		s.run.WithoutNorm()
	}
	return stepReport{rate, measure.NumIf(known, norm), m.Skipped}, nil
}

// takeFresh takes in the method's own draw of samples at the new x, if it asks for one.
func (s *Script) takeFresh(m *scriptMessage, arrays []Array) error {
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

// endStep has the run follow the step that the script has reported.
func (s *Script) endStep(now stepReport) (err error) {
	own := s.x.batch
	if s.run.Method.Fresh() {
		own = s.z.batch
	}
	if now.skipped {
		err = s.run.Skipped()
	} else {
		err = s.run.Stepped(own, now.rate, now.norm)
	}
	if err == nil {
		s.run.EndStep()
	}
	return err
}
