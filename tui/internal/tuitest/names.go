package tuitest

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/lab"
)

// Measures returns all measures that a screen can show.
func Measures() []measure.Measure {
	return slices.Concat(lab.StepNumbers(), measure.EvalMeasures(), lab.SummaryNumbers())
}

// OneName checks that a heading above a measure is not the name of another one.
func OneName(t *testing.T, heading string, m *dro.Measure) {
	t.Helper()
	for _, other := range Measures() {
		named := heading == other.Title || heading == other.Head()
		if named && (other.Name != m.Name || other.Doc != m.Doc) {
			t.Errorf("%q stands above %s (%s), want another name: it is that of %s (%s)", heading,
				m.Name, m.Doc, other.Name, other.Doc)
		}
	}
}
