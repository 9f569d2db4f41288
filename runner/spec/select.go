package spec

// The values of the setting select that name no measure.
const (
	SelectLast     = "last"      // no selection: the last step alone
	SelectValWorst = "val_worst" // the worst accuracy by group if groups are given, else by class
)

// Selections lists the values of the setting select: SelectLast, SelectValWorst or the name of a
// measure of the validation split.
func Selections() []string {
	return []string{SelectLast, SelectValWorst, "val_loss", "val_robust_risk", "val_auroc",
		"val_average_precision", "val_macro_f1", "val_worst_class_f1", "val_equalised_odds",
		"val_equal_opportunity", "val_demographic_parity", "val_demographic_parity_ratio"}
}
