package runner

import (
	"errors"
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
// refused even if min_group is 0, because the layer would never learn it. The method itself may
// refuse the samples of d, too.
func CheckRefit(s *spec.Spec, t dro.Trainer, p *measure.Parts, d *data.Dataset) error {
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
			are := "are"
			if n == 1 {
				are = "is"
			}
			return fmt.Errorf("algorithm %s: %s of %s %s in the split %s, for the last layer, %s "+
				"%s: %s", m.Name, spec.Plural(n, "sample"), part, p.Names(axis)[i], on.Split, are,
				few, remedy)
		}
	}
	return checkHeld(s, r, d)
}

// checkHeld returns an error if the method would refuse the samples of its split when training is
// over. Divisions of the samples depend on the seed.
func checkHeld(s *spec.Spec, r dro.Refitter, d *data.Dataset) error {
	split := d.Train
	if r.RefitsOn().Split == SplitVal {
		split = d.Val
	}
	held := dro.Held{Keys: data.KeysOf(split)}
	for i := range split.Len() {
		held.Labels = append(held.Labels, split.Label(i))
		held.Groups = append(held.Groups, split.Group(i))
	}
	err := r.CheckHeld(held, s.Seed)
	var few *dro.FewError
	switch {
	case errors.As(err, &few):
		return fmt.Errorf("algorithm %s with seed %d: %s has %s of class %s, expected at least "+
			"%d: take more for validation, merge the class or take another seed", s.Algorithm(),
			s.Seed, few.Of, spec.Plural(few.Samples, "sample"), d.Classes[few.Class], few.Least)
	case err != nil:
		return fmt.Errorf("algorithm %s with seed %d: %w", s.Algorithm(), s.Seed, err)
	}
	return nil
}
