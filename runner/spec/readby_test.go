package spec

import (
	"strings"
	"testing"

	"drolab/dro"
)

// A setting that another setting shuts off is not read and is refused where it is given. It makes
// no difference between specs, and the error names the setting with which it is read.
func TestSettingsThatNeedAnother(t *testing.T) {
	s := Defaults()
	s.Algorithms = []dro.Algorithm{dro.ERM}
	for key, want := range map[string]string{
		"beta1": "beta1: 0.9: expected optimizer: adamw, with which it is read; it is sgd",
		"dropout": "dropout: 0: expected model: alexnet or mlp, with which it is read; it is " +
			"convnet",
	} {
		if err := s.Unread([]string{key}); err == nil || err.Error() != want {
			t.Errorf("Unread(%s) = %v, want %q", key, err, want)
		}
	}
	other := s
	other.Beta1, other.Hidden = .5, []int{3}
	if !s.Equal(&other) {
		t.Error("settings that are not read make another run")
	}
	s.Optimizer, s.Model = "adamw", "mlp"
	other.Optimizer, other.Model = "adamw", "mlp"
	if s.Equal(&other) {
		t.Error("Equal() of specs that differ in settings that are read = true, want false")
	}
	if err := s.Unread([]string{"beta1", "dropout"}); err != nil {
		t.Errorf("Unread() of settings that are read = %v, want nil", err)
	}
	if err := s.Unread([]string{"momentum"}); err == nil ||
		!strings.HasPrefix(err.Error(), "momentum: 0.9: expected optimizer: sgd") {
		t.Errorf("Unread(momentum) of AdamW = %v, want an error with %q", err,
			"momentum: 0.9: expected optimizer: sgd")
	}
	var back Spec
	text, err := other.MarshalJSON()
	if err == nil {
		err = back.UnmarshalJSON(text)
	}
	if err != nil {
		t.Fatalf("the spec is not read back: %v", err)
	}
	if !back.Equal(&other) {
		t.Errorf("the spec is read back as %+v, want %+v", back, other)
	}
	if got := back.Hidden[0]; got != 3 {
		t.Errorf("hidden is read back as %d, want 3", got)
	}
}

// TestTrainedByPatience: what an evaluation measures and when it does decides when a run with
// patience ends, and nothing else about its training. TestTrainedBy in package queue trains.
func TestTrainedByPatience(t *testing.T) {
	for _, patience := range []int{0, 3} {
		s := Defaults()
		s.Patience = patience
		for key, want := range map[string]bool{"lr": true, "eval_every": patience > 0,
			"select": patience > 0, "log_every": false, "checkpoint_every": false} {
			row, ok := FindSetting(key)
			if !ok {
				t.Fatalf("there is no setting %s", key)
			}
			if got := row.TrainedBy(&s); got != want {
				t.Errorf("patience %d: the training reads %s: %v, want %v", patience, key, got,
					want)
			}
		}
	}
}
