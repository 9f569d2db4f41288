package runner

import (
	"encoding/json"
	"fmt"

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
	return measure.FindMeasure(m.Fit("val_worst_class_accuracy"))
}

// Selects sets the run's selection to the evaluation e; nil: nothing is selected.
func (s *Summary) Selects(m *Meta, e *EvalEvent) {
	s.Selected = nil
	if e != nil {
		s.Selected = &Selected{By: m.Spec.Select, Step: e.Step, Epoch: e.Epoch,
			Measures: e.Values, ByGroup: e.ByGroup}
	}
}

// Selected holds the results of the run at the selected step.
type Selected struct {
	By    string  `json:"by"` // the setting select
	Step  int64   `json:"step"`
	Epoch float64 `json:"epoch"`

	Measures measure.Values `json:"-"`
	ByGroup  measure.Lists  `json:"-"`
}

// Of returns the measure of that name.
func (s *Selected) Of(name string) measure.Number { return s.Measures.Of(name) }

type fixedSelected Selected

// MarshalJSON writes one flat object.
func (s *Selected) MarshalJSON() ([]byte, error) {
	return flat((*fixedSelected)(s), s.Measures, s.ByGroup)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Selected) UnmarshalJSON(b []byte) error {
	*s = Selected{}
	if err := json.Unmarshal(b, (*fixedSelected)(s)); err != nil {
		return err
	}
	return measure.EachField(b, func(key, value []byte) error {
		switch string(key) {
		case "by", "step", "epoch":
			return nil
		}
		return measure.ReadField(key, value, &s.Measures, &s.ByGroup)
	})
}

// CheckSelection returns an error unless runs of s on the dataset will have the measure by which
// they select, and their threshold.
func CheckSelection(s *spec.Spec, d *data.Dataset) error {
	m := &Meta{Spec: *s, Parts: measure.PartsOf(d)}
	if t := s.Threshold; t.IsSet() && (len(d.Classes) != 2 || t.ByVal() && d.Val == nil) {
		return &spec.KeyError{Key: "threshold", Value: t,
			Want: "0.5: another threshold needs two classes, and val_f1 also needs samples to " +
				"validate on"}
	}
	switch by, ok := m.Selector(); {
	case !ok:
		return nil
	case d.Val == nil:
		return &spec.KeyError{Key: "select", Value: m.Spec.Select,
			Want: "last, or samples to validate on: a val_fraction above 0, or data with a " +
				"validation split"}
	case !by.CanApply(m):
		return &spec.KeyError{Key: "select", Value: m.Spec.Select,
			Want: "a measure that these data have: this one needs groups, two classes or both"}
	case m.Spec.Select != spec.SelectValWorst:
		return nil
	}
	counted := 0
	for _, n := range m.Counts(m.Main()).Val {
		if n >= max(m.Spec.MinGroup, 1) {
			counted++
		}
	}
	if counted >= 2 {
		return nil
	}
	want := fmt.Sprintf("two parts of the validation split with min_group = %d samples: "+
		"a larger val_fraction or a smaller min_group", m.Spec.MinGroup)
	return &spec.KeyError{Key: "select", Value: m.Spec.Select, Want: want}
}
