package runner

import (
	"maps"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
)

// mostUserMeasures is the largest number of the programs' own values in a table of runs: the names
// in a folder may come from anybody.
const mostUserMeasures = 4 * measure.MostUser

// UserSides holds the better side of each of the programs' own values in runs, by name.
type UserSides map[string]dro.Sense

// Add adds the values of a run. If two programs disagree about the better side of a value, it has
// none.
func (u UserSides) Add(m *Meta, values measure.Values) {
	for _, v := range values.User() {
		says := m.User.Sense(v.Name)
		if before, known := u[v.Name]; known && before != says {
			says = dro.Neither
		} else if !known && len(u) == mostUserMeasures {
			continue
		}
		u[v.Name] = says
	}
}

// Measures returns the values as measures, sorted by name.
func (u UserSides) Measures() (list []measure.Measure) {
	for _, name := range slices.Sorted(maps.Keys(u)) {
		list = append(list, measure.UserMeasure(name, u[name]))
	}
	return list
}
