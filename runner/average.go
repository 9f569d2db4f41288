package runner

import (
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
)

// AverageWindow is the number of evaluations over which the paper averages its results: "all of the
// results are moving averaged by a window with size 5". With one evaluation per epoch, that is five
// epochs.
const AverageWindow = 5

// Average is the mean of a run's last evaluations, measure by measure, reported beside the last
// evaluation.
type Average struct {
	// Evaluations is the number of evaluations in the mean: fewer than AverageWindow in a short
	// run.
	Evaluations int     `json:"evaluations"`
	FromEpoch   float64 `json:"from_epoch"` // of the first evaluation
	ToEpoch     float64 `json:"to_epoch"`   // of the last evaluation

	Results
}

// Refits reports whether the method of the run fits the last layer again after training.
func (m *Meta) Refits() bool {
	method, err := dro.Find(m.Spec.Algorithm())
	return err == nil && method.Refits && m.Imported == nil
}

// OwnEvaluations returns the evaluations of the run without those that a fork has from its parent:
// until the step at which it left its parent, it is that run. A method that refits has an
// evaluation of its own at the last step, even as a fork from there.
func (m *Meta) OwnEvaluations(evals []*EvalEvent) []*EvalEvent {
	if m.Parent == "" { // most runs, and Watch asks at each frame
		return evals
	}
	_, step, err := ParseParent(m.Parent)
	if err != nil {
		return evals
	}
	if m.Refits() && step == m.Steps {
		step--
	}
	before := func(e *EvalEvent) bool { return e.Step <= step }
	return slices.DeleteFunc(slices.Clone(evals), before)
}

// Averaged returns those of the run's evaluations, newest last, that its averages are over: the
// last AverageWindow ones of its own. Of a method that refits after training it is the last one
// alone, since those before it are of another network.
func (m *Meta) Averaged(evals []*EvalEvent) []*EvalEvent {
	own, n := m.OwnEvaluations(evals), AverageWindow
	if m.Refits() {
		n = 1
	}
	return own[max(0, len(own)-n):]
}

// AverageOf averages the last evaluations of a run, newest last, as Averaged has them; it returns
// nil if there are none. A measure that does not apply at one of them has no average. The average
// worst class is the mean of the worst classes of the evaluations, as a curve shows it; the least
// of the averaged class_accuracy is at or above it.
func AverageOf(m *Meta, evals []*EvalEvent) *Average {
	evals = m.Averaged(evals)
	if len(evals) == 0 {
		return nil
	}
	last := evals[len(evals)-1]
	a := &Average{Evaluations: len(evals), FromEpoch: evals[0].Epoch, ToEpoch: last.Epoch}
	for _, v := range last.Values {
		a.Measures.Set(v.Name,
			meanOfAll(evals, func(e *EvalEvent) measure.Number { return e.Named(v.Name) }))
	}
	for _, l := range last.ByGroup {
		list := make([]measure.Number, len(l.Numbers))
		for i := range list {
			list[i] = meanOfAll(evals, func(e *EvalEvent) (n measure.Number) {
				if of := e.ByGroup.Named(l.Name); i < len(of) {
					n = of[i]
				}
				return n
			})
		}
		a.ByGroup.Set(l.Name, list)
	}
	return a
}

// meanOfAll returns the mean of a number, which applies only if every evaluation has the number.
func meanOfAll(evals []*EvalEvent, of func(*EvalEvent) measure.Number) measure.Number {
	var sum float64
	for _, e := range evals {
		n := of(e)
		if !n.Applies() {
			return measure.Number{}
		}
		sum += n.Float()
	}
	return measure.Num(sum / float64(len(evals)))
}

type fixedAverage Average

// MarshalJSON writes one flat object.
func (a *Average) MarshalJSON() ([]byte, error) { return a.flat((*fixedAverage)(a)) }
