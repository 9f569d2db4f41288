package runner

import (
	"iter"
	"maps"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
)

// mostUserMeasures is the largest number of the programs' own values in a table of runs: the names
// in a folder may come from anybody.
const mostUserMeasures = 4 * measure.MostUser

// UserMeasures returns the measures of the programs' own values in runs, sorted by name. If two
// programs disagree about the better side of a measure, it has none.
func UserMeasures(runs iter.Seq2[*Meta, measure.Values]) (list []measure.Measure) {
	better := map[string]dro.Sense{}
	for m, values := range runs {
		for _, v := range values.User() {
			says := m.User.Sense(v.Name)
			if before, known := better[v.Name]; known && before != says {
				says = dro.Neither
			} else if !known && len(better) == mostUserMeasures {
				continue
			}
			better[v.Name] = says
		}
	}
	for _, name := range slices.Sorted(maps.Keys(better)) {
		list = append(list, measure.UserMeasure(name, better[name]))
	}
	return list
}
