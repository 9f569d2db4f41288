package record

import (
	"drolab/runner"
	"drolab/runner/measure"
)

// Measures are those of the runs' summaries: the table's, and their programs' own.
func Measures(runs ...*Run) []measure.Measure {
	return append(measure.SummaryMeasures(), UserMeasures(runs...)...)
}

// UserMeasures are the own ones of the programs that the runs train.
func UserMeasures(runs ...*Run) []measure.Measure {
	return runner.UserMeasures(func(yield func(*runner.Meta, measure.Values) bool) {
		for _, r := range runs {
			if r.own && !yield(&r.Meta, r.Summary().Measures) {
				return
			}
		}
	})
}
