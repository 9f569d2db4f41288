package lab

import (
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
)

// Measure is a row of the table of measures.
type Measure = measure.Measure

// speed stands beside the table: it depends on the clock, so that no two runs
// have the same.
func speed() Measure {
	return Measure{Main: true, Measure: dro.Measure{Name: speedName, Title: "images/s",
		Scale: dro.Whole, Better: dro.Higher,
		Doc: "images of the weights' batches a second, over the time spent in steps"}}
}

const speedName = "images_per_second"

// StepMeasures are those of a logged step that can be drawn.
func StepMeasures() []Measure { return append(measure.StepMeasures(), speed()) }

// OfStep is a measure of a logged step, with the least and the greatest since
// the one before.
func OfStep(e *runner.StepEvent, name string) (v, low, high measure.Number) {
	if name == speedName {
		return e.ImagesPerSecond, e.ImagesPerSecond, e.ImagesPerSecond
	}
	return e.Of(name), e.Min.Of(name), e.Max.Of(name)
}

// EvalMeasures are those of an evaluation, one number each.
func EvalMeasures() []Measure {
	return slices.DeleteFunc(measure.EvalMeasures(), func(m Measure) bool { return m.IsList() })
}

// ListNamed is the measure of an evaluation of that name with a number a class, a group or a
// radius; it has to be there.
func ListNamed(name string) Measure {
	if m, ok := measure.FindMeasure(name); ok && m.IsList() {
		return m
	}
	panic("lab: no such list measure")
}

// SummaryMeasures are those of a run's summary, one number each.
func SummaryMeasures() []Measure {
	list := append(measure.SummaryMeasures(), speed())
	return slices.DeleteFunc(list, func(m Measure) bool { return m.IsList() })
}

// OfSummary is a measure of a run's summary.
func OfSummary(s *runner.Summary, name string) measure.Number {
	if name == speedName {
		return s.ImagesPerSecond
	}
	return s.Of(name)
}

// Named is the measure of a name in a list; it has to be there.
func Named(list []Measure, name string) Measure {
	if i := slices.IndexFunc(list, func(m Measure) bool { return m.Name == name }); i >= 0 {
		return list[i]
	}
	panic("lab: no such measure")
}

// Half95 is how far the 95 % t interval of the mean over n seeds reaches, in deviations
// over √n, for the bands of curves. Two seeds have none: theirs, of nine deviations, would
// hide the rest and say nothing.
func Half95(n int) float64 {
	if n < 3 {
		return math.NaN()
	}
	return compare.HalfWidth(n, .95)
}
