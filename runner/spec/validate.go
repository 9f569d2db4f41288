package spec

import (
	"cmp"
	"fmt"

	"drolab/dro"
	"drolab/dro/nn"
)

// KeyError is the error of a setting that cannot be used. It tells a person the key, the value and
// the values that are allowed.
type KeyError struct {
	Key   string
	Value any    // as given: text if it could not be read
	Want  string // what is allowed
}

func (e *KeyError) Error() string {
	value := []rune(fmt.Sprint(e.Value))
	if len(value) > 60 { // a value from a file may be anything
		value = append(value[:60], '…')
	}
	return fmt.Sprintf("%s: %s: expected %s", e.Key, string(value), e.Want)
}

// Validate returns a *KeyError for the first setting that cannot be used, or an error for settings
// that do not fit each other. It looks at values only: source.Open checks that the data exist.
func (s *Spec) Validate() error { return cmp.Or(s.Problems()...) }

// Problems returns all errors that Validate can find: an error for each setting that cannot be used
// by itself or, if there is none, the first error of settings that do not fit each other.
func (s *Spec) Problems() []error {
	list := s.WrongValues()
	if list == nil {
		if err := s.checkTogether(); err != nil {
			list = []error{err}
		}
	}
	return list
}

// checkTogether checks that settings which are valid one by one fit each other.
func (s *Spec) checkTogether() error {
	set, err := s.Set()
	if err != nil {
		return err
	}
	if err := nn.CheckPrecision(s.Model, s.Precision); err != nil {
		return err
	}
	if err := nn.CheckConvolution(s.Model, s.Convolution, s.Precision); err != nil {
		return err
	}
	for _, a := range s.Algorithms {
		m, err := dro.Find(a)
		if err != nil {
			return fmt.Errorf("algorithms: %w", err)
		}
		if err := s.checkTraining(m); err != nil {
			return err
		}
		if err := s.checkMethod(m, set); err != nil {
			return fmt.Errorf("algorithms: %w", err)
		}
	}
	p, err := s.Problem()
	if err != nil {
		return err
	}
	return s.checkStart(p)
}

// checkMethod checks that the method m is defined for the set and for the loss.
func (s *Spec) checkMethod(m *dro.Method, set dro.Set) error {
	if err := m.Applies(set); err != nil {
		return err
	}
	if m.CrossEntropy && s.Loss != nn.CrossEntropy {
		return fmt.Errorf("%s takes a loss for −log of the right class's probability: "+
			"expected loss: %s", m.Name, nn.CrossEntropy)
	}
	return nil
}

// checkStart checks that z_1 is inside the box. A set without a radius has no λ, and not every
// method bounds η.
func (s *Spec) checkStart(p *dro.Problem) error {
	usual := Defaults()
	if p.Set.HasRadius() {
		err := s.inBox("lambda", s.Lambda, s.Lambda == usual.Lambda, p.Box.Lambda, [2]boxEnd{
			{"lambda0", s.Lambda0 != usual.Lambda0},
			{"lambda_max", s.LambdaMax != usual.LambdaMax}})
		if err != nil {
			return err
		}
	}
	if m, err := dro.Find(s.Algorithm()); err == nil && m.KL {
		return nil
	}
	return s.inBox("eta", s.Eta, s.Eta == usual.Eta, p.Box.Eta, [2]boxEnd{
		{"eta_min", s.EtaMin != usual.EtaMin}, {"eta_max", s.EtaMax != usual.EtaMax}})
}

// boxEnd is the setting of an end of the box, and whether the user has given it.
type boxEnd struct {
	key   string
	given bool
}

// inBox checks that a start lies within the side of the box. The error names the setting that was
// given: the start or, where the start is the usual one, the end that excludes it.
func (s *Spec) inBox(key string, start float64, usual bool, side [2]float64, ends [2]boxEnd) error {
	at, relation := 0, "at most"
	switch {
	case start >= side[0] && start <= side[1]:
		return nil
	case start > side[1]:
		at, relation = 1, "at least"
	}
	if usual && ends[at].given {
		return &KeyError{ends[at].key, side[at], fmt.Sprintf("%s the start, %s %g", relation, key,
			start)}
	}
	return &KeyError{key, start, fmt.Sprintf("a start inside %s's box [%g, %g]", s.Uncertainty,
		side[0], side[1])}
}

// WrongValues returns a *KeyError for each setting that cannot be used by itself, in the order of
// AllSettings.
func (s *Spec) WrongValues() (list []error) {
	for _, t := range allSettings() {
		if err := t.check(s); err != nil {
			list = append(list, err)
		}
	}
	return list
}

// checkTraining checks that the optimizer and the patience suit the method m.
func (s *Spec) checkTraining(m *dro.Method) error {
	var want string
	switch {
	case m.OwnStep && s.Adam() != nil:
		want = fmt.Sprintf("sgd: %s moves the weights by a rule of its own", m.Name)
		return &KeyError{"optimizer", s.Optimizer, want}
	case s.Patience == 0:
		return nil
	case m.Restarts:
		want = fmt.Sprintf("0: %s trains twice, and would end in its first training", m.Name)
	case m.Refits:
		want = fmt.Sprintf("0: %s may need the validation split for its last layer", m.Name)
	case s.Select == SelectLast:
		want = "0, or select: a measure of the validation split, which it waits for"
	case s.EvalEvery == 0:
		want = "0, or eval_every of 1 or more"
	default:
		return nil
	}
	return &KeyError{"patience", s.Patience, want}
}
