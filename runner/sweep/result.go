package sweep

import (
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// Result is what a sweep needs of a run, as far as that has come. It is a hundredth of
// the record: whoever looks at ten thousand runs keeps as many.
type Result struct {
	Epochs         float64 // done
	Steps, Planned int64
	perEpoch       int64          // steps
	seconds        measure.Number // in training steps
	// names are the measure that the run is chosen by, "" for none, and those of the
	// test split, as they are called on its data; runs that agree share them.
	names  []string
	values []measure.Number // of names, at the step that the run has chosen
}

// measured are the columns of the test split, for runs whose parts are classes.
var measured = []string{"worst_class_accuracy", "test_accuracy", "test_loss", "robust_risk"}

// result takes from a record what is needed.
func (l *Look) result(r *record.Run) *Result {
	sum, meta := r.Summary(), &r.Meta
	by, _ := meta.Selector()
	names := []string{by.Name}
	for _, name := range measured {
		names = append(names, meta.Fit(name))
	}
	if !slices.Equal(names, l.names) {
		l.names = names
	}
	s := &Result{
		Epochs:   sum.Epochs,
		Steps:    sum.Steps,
		Planned:  meta.Steps,
		perEpoch: meta.StepsPerEpoch,
		names:    l.names,
	}
	if v := sum.ImagesPerSecond; v.Applies() && v.Float() > 0 {
		s.seconds = measure.Num(float64(sum.Steps) * float64(meta.Spec.Batch) / v.Float())
	}
	for _, name := range names {
		if sum.Selected != nil {
			s.values = append(s.values, sum.Selected.Of(name))
		} else {
			s.values = append(s.values, sum.Of(name))
		}
	}
	return s
}

// by is the measure that the run is chosen by; ok is false without one.
func (r *Result) by() (m measure.Measure, ok bool) { return measure.FindMeasure(r.names[0]) }

// validation is that measure, and whether more of it is better.
func (r *Result) validation() (value float64, better dro.Sense) {
	m, ok := r.by()
	if !ok {
		return math.NaN(), better
	}
	return r.values[0].Float(), m.Better
}
