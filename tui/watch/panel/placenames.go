package panel

import (
	"fmt"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
)

// TextAt writes a value of a list, which may be too short: a record need not have counts of
// every class.
func TextAt[T any](list []T, i int, write func(T) string) string {
	if i >= len(list) {
		return ""
	}
	return write(list[i])
}

// SplitName returns the name of a split in titles and notices.
func SplitName(val bool) string {
	if val {
		return "validation"
	}
	return "test"
}

// AxisName returns the name of the kind of places on a measure's axis. It is a head in exported
// files as well as on the screen.
func AxisName(a measure.Axis) string {
	return map[measure.Axis]string{measure.PerClass: "class", measure.PerGroup: "group",
		measure.PerRadius: "radius", measure.PerRatio: "ratio from"}[a]
}

// PlaceName returns the name of a place on a measure's axis: the data set's own name or, where a
// record has fewer names than values, one with its number.
func PlaceName(m *runner.Meta, a measure.Axis, i int) string {
	if names := m.Places(a); i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", AxisName(a), i)
}

// onSplit returns a title that says which split its panel shows. In a title that says "test" by
// itself the word is replaced: to name a second split would contradict it.
func onSplit(title string, val bool) string {
	if !strings.Contains(strings.ToLower(title), "test") {
		return title + " · " + SplitName(val)
	}
	if val {
		title = strings.NewReplacer("test", "validation", "Test", "Validation").Replace(title)
	}
	return title
}
