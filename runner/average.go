package runner

import "drolab/runner/measure"

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

// AverageOf averages the last evaluations of evals, which has the newest last; it returns nil if
// there are none. A measure that does not apply at one of them has no average. The average worst
// class is the mean of the worst classes of the evaluations, as a curve shows it; the least of the
// averaged class_accuracy is at or above it.
func AverageOf(evals []*EvalEvent) *Average {
	evals = evals[max(0, len(evals)-AverageWindow):]
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
