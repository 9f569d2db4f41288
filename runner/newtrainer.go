package runner

import (
	"fmt"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// NewTrainer starts the method of s on data with the counts p, and returns it with the problem that
// it solves. keys are those of dro.Task.
func NewTrainer(
	s *spec.Spec, p *measure.Parts, keys []uint32,
) (dro.Trainer, *dro.Problem, error) {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return nil, nil, err
	}
	classes := p.ClassCounts.Train
	task, err := s.Task(m, data.Sum(classes), classes, p.Training().Train)
	if err != nil {
		return nil, nil, err
	}
	task.Keys = keys
	if task.Val = p.Refitted; task.Val == nil {
		task.Val = p.Training().Val
	}
	task.Ungrouped = p.Ungrouped
	if task.ByGroup && p.Ungrouped {
		return nil, nil, &spec.KeyError{Key: "sampler", Value: s.Sampler,
			Want: "samples: no training sample has a known group"}
	}
	if err := m.CheckGroups(&task); err != nil {
		return nil, nil, fmt.Errorf("algorithm %s: %w", m.Name, err)
	}
	t, err := m.New(task)
	if err != nil {
		return nil, nil, fmt.Errorf("algorithm %s: %w", m.Name, err)
	}
	return t, task.Problem, nil
}

// RefitsOnVal reports whether a method fits the last layer to the validation split.
func RefitsOnVal(t dro.Trainer) bool {
	r, ok := t.(dro.Refitter)
	return ok && r.RefitsOn().Split == SplitVal
}

// CheckRefit returns an error if a last layer would be fitted to fewer than min_group samples of a
// group that training has, or of a class where the method does not use groups. Draws or weights
// that balance the groups then make a few samples count for all. A group without a sample is
// refused even if min_group is 0, because the layer would never learn it.
func CheckRefit(s *spec.Spec, t dro.Trainer, p *measure.Parts) error {
	r, ok := t.(dro.Refitter)
	if !ok {
		return nil
	}
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return err
	}
	axis, part, on := p.Main(), p.Part(), r.RefitsOn()
	if m.GroupsOf == nil {
		axis, part = measure.PerClass, "class"
	}
	few, remedy := fmt.Sprintf("below min_group=%d", s.MinGroup), "merge it or lower min_group"
	if s.MinGroup == 0 {
		few, remedy = "too few", "merge it"
	}
	key := string(m.Name) + "_split"
	if on.Split == SplitVal && m.ReadsKey(key) && (axis == measure.PerClass || !p.Ungrouped) {
		remedy = fmt.Sprintf("set %s=train, %s", key, remedy)
	}
	if on.Split == SplitVal {
		remedy = "take more for validation, " + remedy
	}
	counts, least := p.Counts(axis), max(1, s.MinGroup)
	for i, of := range *counts.Of(on.Split) {
		if n := int(on.Share * float64(of)); n < least && p.Learns(axis, counts.Train[i]) {
			return fmt.Errorf("algorithm %s: %d samples of %s %s in the split %s, for the last "+
				"layer, are %s: %s", m.Name, n, part, p.Names(axis)[i],
				on.Split, few, remedy)
		}
	}
	return nil
}
