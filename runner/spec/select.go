package spec

// The settings of select.
const (
	SelectLast     = "last"      // no choice: the last step alone
	SelectValWorst = "val_worst" // of the groups where they are given, else of the classes
)

// Selections lists what the setting select may be: SelectLast, SelectValWorst or
// the name of a measure of the validation split.
func Selections() []string {
	return []string{SelectLast, SelectValWorst, "val_loss", "val_robust_risk"}
}
