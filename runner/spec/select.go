package spec

import "drolab/runner/measure"

// The values of the setting select that name no measure.
const (
	SelectLast     = "last"      // no selection: the last step alone
	SelectValWorst = "val_worst" // the worst accuracy by group if groups are given, else by class
)

// Selections lists the values of the setting select: SelectLast, SelectValWorst or the name of a
// measure of the validation split.
func Selections() []string {
	return append([]string{SelectLast, SelectValWorst}, measure.Selections()...)
}
