package runner

import (
	"fmt"
	"reflect"

	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Besides its last step, a run reports the step that it selects: the evaluation with the best value
// of one measure of the validation split. The test split plays no part in the choice.

// Selector returns the measure by which the run selects; ok is false if it does not select.
func (m *Meta) Selector() (by measure.Measure, ok bool) {
	switch {
	case m.Refitted != nil: // no validation split is left
		return by, false
	case m.Spec.Select == spec.SelectLast || m.Spec.Select == "":
		return by, false
	case m.Spec.Select != spec.SelectValWorst:
		return measure.FindMeasure(m.Spec.Select)
	}
	return measure.FindMeasure(m.MeasureFor("val_worst_class_accuracy"))
}

// Selects sets the run's selection to the evaluation e; nil: nothing is selected.
func (s *Summary) Selects(m *Meta, e *EvalEvent) {
	s.Selected = nil
	if e != nil {
		s.Selected = &Selected{By: m.Spec.Select, Step: e.Step, Epoch: e.Epoch,
			Results: Results{e.Values, e.ByGroup}}
	}
}

// Selected holds the results of the run at the selected step.
type Selected struct {
	By    string  `json:"by"` // the setting select
	Step  int64   `json:"step"`
	Epoch float64 `json:"epoch"`

	Results
}

type fixedSelected Selected

// MarshalJSON writes one flat object.
func (s *Selected) MarshalJSON() ([]byte, error) { return s.flat((*fixedSelected)(s)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Selected) UnmarshalJSON(b []byte) error {
	*s = Selected{}
	return s.readFlat(b, (*fixedSelected)(s), selectedFields)
}

// selectedFields are the fields of a Selected that are no measures, by their names in JSON.
var selectedFields = fieldNames(reflect.TypeFor[Selected]())

// CheckSelection returns an error unless runs of s on the dataset will have the measure by which
// they select, and their threshold.
func CheckSelection(s *spec.Spec, d *data.Dataset) error {
	m := &Meta{Spec: *s, Parts: measure.PartsOf(d)}
	if t := s.Threshold; t.IsSet() && (len(d.Classes) != 2 || t.ByVal() && d.Val == nil) {
		return &spec.KeyError{Key: "threshold", Value: t,
			Want: "0.5: another threshold needs two classes, and val_f1 also needs samples to " +
				"validate on"}
	}
	counted, counts := 0, m.Counts(m.Main())
	for i, n := range counts.Val {
		known := !m.Ungrouped || counts.Train[i] == 0 // else the part stands for a missing group
		if n >= max(m.Spec.MinGroup, 1) && known {
			counted++
		}
	}
	var want string
	switch by, ok := m.Selector(); {
	case !ok:
		return nil
	case d.Val == nil:
		want = "last, or samples to validate on: a val_fraction above 0, or data with a " +
			"validation split"
	case !by.CanApply(m):
		want = "a measure that these data have: this one needs groups, two classes or both"
	case m.Spec.Select == spec.SelectValWorst && counted < 2:
		want = fmt.Sprintf("two parts of the validation split with min_group = %d samples: "+
			"a larger val_fraction or a smaller min_group", m.Spec.MinGroup)
	default:
		return nil
	}
	return &spec.KeyError{Key: "select", Value: m.Spec.Select, Want: want}
}

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
		return fmt.Errorf("select_ties: %q: expected %q or none", t, TiesByLoss)
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
