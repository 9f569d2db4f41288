package lab

import (
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/plot"
)

// The measures of training speed are not in the table, because they depend on the clock, so that no
// two runs have the same. Files have one key for both of them, and screens two names.

const speedName = "images_per_second"

// stepSpeed returns the measure of the speed that a step event has.
func stepSpeed() measure.Measure {
	return speed("samples/s now", "training samples per second of the latest steps: those since "+
		"the logged step before, without evaluations and pauses")
}

// runSpeed returns the measure of the speed that a summary has.
func runSpeed() measure.Measure {
	return speed("mean samples/s", "training samples per second of all steps, without "+
		"evaluations and pauses; until the run ends, that of its latest steps")
}

func speed(title, doc string) measure.Measure {
	return measure.Measure{Main: true, Measure: dro.Measure{Name: speedName, Title: title,
		Scale: dro.Whole, Better: dro.Higher, Doc: doc}}
}

// StepNumbers returns the measures of a logged step that can be drawn.
func StepNumbers() []measure.Measure { return append(measure.StepMeasures(), stepSpeed()) }

// StepValue returns a measure of a logged step, with its least and its greatest value since the
// step logged before.
func StepValue(e *runner.StepEvent, name string) (v, low, high measure.Number) {
	if name == speedName {
		return e.ImagesPerSecond, e.ImagesPerSecond, e.ImagesPerSecond
	}
	return e.Named(name), e.Min.Named(name), e.Max.Named(name)
}

// EvalNumbers returns the measures of an evaluation that are one number each.
func EvalNumbers() []measure.Measure {
	return slices.DeleteFunc(slices.Clone(measure.EvalMeasures()),
		func(m measure.Measure) bool { return m.IsList() })
}

// ListNamed returns the measure of an evaluation that has this name and a number for each class,
// group or radius. It panics if there is none.
func ListNamed(name string) measure.Measure {
	if m, ok := measure.FindMeasure(name); ok && m.IsList() {
		return m
	}
	panic("lab: no such list measure")
}

// SummaryNumbers returns the measures of a run's summary that are one number each.
func SummaryNumbers() []measure.Measure {
	list := append(measure.SummaryMeasures(), runSpeed())
	return slices.DeleteFunc(list, func(m measure.Measure) bool { return m.IsList() })
}

// Numbers returns the measures of summaries and those of steps alone, that are one number each.
func Numbers() []measure.Measure {
	list := slices.Clone(SummaryNumbers())
	for _, m := range measure.StepMeasures() {
		there := func(of measure.Measure) bool { return of.Name == m.Name }
		if !m.IsList() && !slices.ContainsFunc(list, there) {
			list = append(list, m)
		}
	}
	return list
}

// InSummary returns the measure of a run's summary that has this name and is one number. It panics
// if there is none.
func InSummary(name string) measure.Measure {
	if name == speedName {
		return runSpeed()
	}
	return Named(name)
}

// Named returns the measure of a step or an evaluation that has this name and is one number. It
// panics if there is none.
func Named(name string) measure.Measure {
	m, ok := FindNumber(name)
	if !ok {
		panic("lab: no such measure")
	}
	return m
}

// FindNumber returns the measure of a step or an evaluation that has this name and is one number;
// false if there is none.
func FindNumber(name string) (measure.Measure, bool) {
	if name == speedName {
		return stepSpeed(), true
	}
	m, ok := measure.FindMeasure(name)
	return m, ok && !m.IsList()
}

// HalfWidth95 returns the half width of the 95 % t interval of the mean over n seeds, in deviations
// over √n, for the bands of curves. Two seeds have no interval: theirs, of nine deviations, would
// hide the rest and say nothing.
func HalfWidth95(n int) float64 {
	if n < 3 {
		return math.NaN()
	}
	return compare.HalfWidth(n, .95)
}

// Write formats a value of a measure as tables show it.
func Write(m measure.Measure, n page.Number) string {
	switch {
	case !n.Applies():
		return page.None
	case m.Scale == dro.Percent:
		return page.Points().Text(n)
	case m.Scale == dro.Whole:
		return page.Fixed(0).Text(measure.Num(min(1e7, n.Float())))
	}
	return plot.Format(n.Float())
}

// Validation returns the name of the measure that says of the validation split what the named one
// says of the test split; the name itself if there is none.
func Validation(name string) string {
	if m, ok := measure.FindMeasure(name); !ok || m.OfStep() || m.OfValidation() {
		return name
	}
	val := "val_" + strings.TrimPrefix(name, "test_")
	if m, ok := measure.FindMeasure(val); ok && m.OfValidation() {
		return val
	}
	return name
}

// Validates reports whether evaluations of the run have a validation split.
func Validates(m *runner.Meta) bool {
	loss, ok := measure.FindMeasure("val_loss")
	return ok && loss.CanApply(m)
}
