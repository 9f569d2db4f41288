package spec

// The values of the setting select that name no measure.
const (
	SelectLast     = "last"      // no selection: the last step alone
	SelectValWorst = "val_worst" // the worst accuracy by group if groups are given, else by class
)

// selectMeasures returns the names of the measures by which a run may select: see SelectBy.
var selectMeasures = func() []string { return nil }

// SelectBy gives the setting select its measures. Package measure, which has the table of measures
// and imports this package, calls it before the program begins.
func SelectBy(measures func() []string) { selectMeasures = measures }

// Selections lists the values of the setting select: SelectLast, SelectValWorst or the name of a
// measure of the validation split.
func Selections() []string {
	return append([]string{SelectLast, SelectValWorst}, selectMeasures()...)
}
