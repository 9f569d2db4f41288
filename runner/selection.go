package runner

import (
	"encoding/json"
	"fmt"

	"drolab/dro"
	"drolab/runner/data"
)

// A run reports, beside its last step, the one that the validation split finds
// best: of the evaluations, that of the best value of one measure. The test split
// has no part in the choice.

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

// Selector returns the measure that the run selects by; ok is false where it
// does not select.
func (m *Meta) Selector() (by Measure, ok bool) {
	switch {
	case m.Spec.Select == SelectLast || m.Spec.Select == "":
		return by, false
	case m.Spec.Select != SelectValWorst:
		return FindMeasure(m.Spec.Select)
	}
	return FindMeasure(m.Fit("val_worst_class_accuracy"))
}

// selects takes e as the run's selection if it is better than what is selected so
// far; the first of equals stays, and what is not a number is never better.
func (r *run) selects(e *EvalEvent) {
	by, ok := r.meta.Selector()
	if !ok {
		return
	}
	now := e.Of(by.Name).Float()
	if r.selected != nil {
		best := r.selected.Of(by.Name).Float()
		e.Selected = now < best
		if by.Better == dro.Higher {
			e.Selected = now > best
		}
	} else {
		e.Selected = now == now
	}
	if e.Selected {
		r.selected = e
	}
}

// justSelected tells whether the selection is of this step, so that it needs a
// checkpoint.
func (r *run) justSelected() bool { return r.selected != nil && r.selected.Step == r.step }

// checkSelect says whether data have what s selects by.
func checkSelect(m *Meta, d *data.Dataset) error {
	switch _, ok := m.Selector(); {
	case !ok:
		return nil
	case d.Val == nil:
		return &KeyError{"select", m.Spec.Select,
			"last, or samples to validate on: a val_fraction above 0, or data with a validation split"}
	case m.Spec.Select != SelectValWorst:
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
	return &KeyError{"select", m.Spec.Select, fmt.Sprintf(
		"two parts of the validation split with min_group = %d samples: a larger val_fraction or a smaller "+
			"min_group",
		m.Spec.MinGroup)}
}

// CheckSelection says whether runs of s on the dataset will have what they select by.
func CheckSelection(s *Spec, d *data.Dataset) error {
	return checkSelect(&Meta{Spec: *s, Parts: partsOf(d)}, d)
}

// Selects takes e as what the run has selected; nil is nothing.
func (s *Summary) Selects(m *Meta, e *EvalEvent) {
	s.Selected = nil
	if e != nil {
		s.Selected = &Selected{By: m.Spec.Select, Step: e.Step, Epoch: e.Epoch,
			Measures: e.Values, ByGroup: e.ByGroup}
	}
}

// Selected is what the run came to at the step that the validation split finds
// best.
type Selected struct {
	By    string  `json:"by"` // the setting select
	Step  int64   `json:"step"`
	Epoch float64 `json:"epoch"`

	Measures Values `json:"-"`
	ByGroup  Lists  `json:"-"`
}

// Of returns the measure of that name.
func (s *Selected) Of(name string) Number { return s.Measures.Of(name) }

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
	return eachField(b, func(key, value []byte) error {
		switch string(key) {
		case "by", "step", "epoch":
			return nil
		}
		return measure(key, value, &s.Measures, &s.ByGroup)
	})
}
