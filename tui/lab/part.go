package lab

import (
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
)

// Mark stands behind the name of a run whose method uses what an uncertainty set
// does not know, as on the Compare page: " (g)".
func Mark(m *runner.Meta) string { return compare.Mark(compare.Uses(m)) }

// Explain says what the mark of a run means: "(g) uses groups, which an
// uncertainty set does not know"; "" without a mark.
func Explain(m *runner.Meta) string { return compare.Explain(compare.Uses(m)) }

// MarkLegend says what the marks mean.
const MarkLegend = "Behind a method, (g) says that it uses groups, (c) that it uses the classes " +
	"in their place, (l) that it uses labels: an uncertainty set knows none of these."

// Validation is the measure that says of the validation split what the one of that
// name says of the test split; the name itself where there is none.
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

// Validates tells whether evaluations of the run have a validation split.
func Validates(m *runner.Meta) bool {
	loss, ok := measure.FindMeasure("val_loss")
	return ok && loss.CanApply(m)
}
