package runner

import "fmt"

// TieRule says which of several evaluations is selected if they are equal by the measure of the
// setting select. A run keeps the rule with which it began, so that a later program selects the
// step that an earlier one would.
type TieRule string

// The rules. TiesToFirst, of all runs whose run.json names no rule, keeps the first of equal
// evaluations. TiesByLoss takes the lower val_loss, then the later step: where a measure is the
// same at every evaluation, as the worst accuracy with a rare class may be, the first evaluation is
// of a network that has hardly trained.
const (
	TiesToFirst TieRule = ""
	TiesByLoss  TieRule = "val_loss"
)

// Check returns an error for a rule that this program does not know.
func (t TieRule) Check() error {
	if t != TiesToFirst && t != TiesByLoss {
		return fmt.Errorf("select_ties: %q: want %q or none", t, TiesByLoss)
	}
	return nil
}

// TakesLater reports whether the later one of two evaluations is selected, given that they are
// equal by the measure of the selection.
func (t TieRule) TakesLater(earlier, later *EvalEvent) bool {
	worse := later.Named("val_loss").Float() > earlier.Named("val_loss").Float()
	return t == TiesByLoss && !worse // losses that do not apply are neither
}

// Reason says why the selected one of equal evaluations was selected.
func (t TieRule) Reason() string {
	if t == TiesByLoss {
		return "has the lowest val_loss"
	}
	return "is the first"
}
