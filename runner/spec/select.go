package spec

// The settings of select.
const (
	SelectLast     = "last"      // no choice: the last step alone
	SelectValWorst = "val_worst" // of the groups where they are given, else of the classes
)

// Selections lists what the setting select may be: SelectLast, SelectValWorst or
// the name of a measure of the validation split.
func Selections() []string {
	return []string{SelectLast, SelectValWorst, "val_loss", "val_robust_risk", "val_auroc",
		"val_average_precision", "val_macro_f1", "val_worst_class_f1", "val_equalised_odds",
		"val_equal_opportunity", "val_demographic_parity", "val_demographic_parity_ratio"}
}
