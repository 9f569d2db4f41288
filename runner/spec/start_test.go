package spec

import (
	"errors"
	"testing"

	"drolab/dro"
)

// TestStartNamesWhatWasGiven: where the start of λ or η is outside the box, the error names the
// setting that the user has given.
func TestStartNamesWhatWasGiven(t *testing.T) {
	for want, set := range map[string]func(s *Spec){
		"lambda0: 1e+300: expected at most the start, lambda 1": func(s *Spec) {
			s.Lambda0 = 1e300
		},
		"lambda: 1e-09: expected a start inside cressie-read's box": func(s *Spec) {
			s.Lambda = 1e-9
		},
		"lambda: 3: expected a start inside cressie-read's box": func(s *Spec) {
			s.Lambda, s.Lambda0 = 3, 5
		},
	} {
		s := Defaults()
		s.Algorithms = []dro.Algorithm{dro.SFK}
		set(&s)
		var wrong *KeyError
		err := s.Validate()
		if !errors.As(err, &wrong) || len(wrong.Error()) < len(want) ||
			wrong.Error()[:len(want)] != want {
			t.Errorf("Validate() = %v, want %s", err, want)
		}
	}
}
