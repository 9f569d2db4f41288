package runner

import "math"

// measure is one quantity of a step: theLoss, ..., theDivergence.
type measure int

const (
	theLoss measure = iota
	theObjective
	theLambda
	theEta
	theGap
	theGamma
	theGradNorm
	theMeanRatio
	theDivergence
	measures // how many
)

// sample holds the measures of one step; NaN where one does not apply.
type sample [measures]float64

// Window gathers the steps between two step events: least, greatest and last
// value of each measure. What does not apply to the algorithm never does.
type Window struct {
	Steps int              `json:"steps"`
	Min   [measures]Number `json:"min"`
	Max   [measures]Number `json:"max"`
}

// add takes in one step. A NaN, once in, stays, so that it is seen.
func (w *Window) add(s *sample, applies *[measures]bool) {
	for i, x := range s {
		if !applies[i] {
			continue
		}
		if w.Steps == 0 {
			w.Min[i], w.Max[i] = Num(x), Num(x)
			continue
		}
		w.Min[i] = Num(math.Min(w.Min[i].value, x))
		w.Max[i] = Num(math.Max(w.Max[i].value, x))
	}
	w.Steps++
}

// measuresOf names the values of one list.
func measuresOf(v *[measures]Number) Measures {
	return Measures{Loss: v[theLoss], Objective: v[theObjective], Lambda: v[theLambda], Eta: v[theEta],
		Gap: v[theGap], Gamma: v[theGamma], GradNorm: v[theGradNorm], MeanRatio: v[theMeanRatio], Divergence: v[theDivergence]}
}

// numbers returns s with what does not apply marked.
func (s *sample) numbers(applies *[measures]bool) (v [measures]Number) {
	for i, x := range s {
		v[i] = NumIf(applies[i], x)
	}
	return v
}
