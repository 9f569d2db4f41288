package record

import (
	"drolab/runner"
	"drolab/runner/measure"
)

// Measures returns the measures of the runs' summaries: those of the table, then those that their
// programs define.
func Measures(runs ...*Run) []measure.Measure {
	return append(measure.SummaryMeasures(), UserMeasures(runs...)...)
}

// UserMeasures returns the measures that the runs' own programs define.
func UserMeasures(runs ...*Run) []measure.Measure {
	return runner.UserMeasures(func(yield func(*runner.Meta, measure.Values) bool) {
		for _, r := range runs {
			if r.own && !yield(&r.Meta, r.Summary().Measures) {
				return
			}
		}
	})
}
