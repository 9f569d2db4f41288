package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
)

// Rate agrees with values computed by hand, for 4 epochs of 5 steps. A schedule has come to its end
// there: the steps that a script takes after them neither climb nor go backwards.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		schedule string
		warmup   int
		want     map[int64]float64
	}{
		{"step", 0, map[int64]float64{0: 1, 14: 1, 15: .1, 19: .1}},
		{"step", 2, map[int64]float64{0: .1, 4: .5, 9: 1, 10: 1, 15: .1}},
		{"constant", 1, map[int64]float64{0: .2, 4: 1, 19: 1}},
		{"linear", 0, map[int64]float64{0: 1, 5: .75, 19: .05, 20: 0, 31: 0}},
		{"linear", 2, map[int64]float64{9: 1, 10: 1, 15: .5, 19: .1}},
		{"cosine", 0, map[int64]float64{0: 1, 10: .5, 15: (1 - math.Sqrt2/2) / 2,
			20: 0, 40: 0}},
	} {
		s := Defaults()
		s.LR, s.LRDrop, s.LRDropEpoch, s.Epochs = 1, .1, 3, 4
		s.Schedule, s.Warmup = c.schedule, c.warmup
		for step, want := range c.want {
			if got := s.Rate(step, 5, 20); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s, warmup %d: step %d at %v, want %v", c.schedule, c.warmup, step, got,
					want)
			}
		}
	}
}

// A setting that the uncertainty set does not read is refused where it is given. It makes no
// difference between specs, and a fork does not offer it.
func TestSettingsOfASet(t *testing.T) {
	for _, c := range []struct{ set, key, sets string }{
		{"cvar", "rho", "cressie-read, chi2, kl, smoothed-cvar, tv"},
		{"cvar", "lambda0", "cressie-read, chi2, kl, smoothed-cvar, tv"},
		{"kl", "k", "cressie-read"},
		{"cressie-read", "mu", "smoothed-cvar, cvar"},
	} {
		s := Defaults()
		s.Algorithms = []dro.Algorithm{dro.SFK}
		s.Uncertainty = c.set
		row, _ := FindSetting(c.key)
		want := fmt.Sprintf("%s: %s: want a set that reads it (%s): %s does not", c.key,
			row.Text(&s), c.sets, c.set)
		if err := s.Unread([]string{c.key}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if slices.Contains(s.Forkable(), c.key) {
			t.Errorf("a fork with %s offers %s", c.set, c.key)
		}
		other := s
		other.Rho, other.Lambda0, other.K, other.Mu = .3, .2, 1.5, .2
		for _, key := range []string{"rho", "lambda0", "k", "mu"} {
			if row, _ := FindSetting(key); row.ReadIn(&s) {
				if err := other.Assign(key, []byte(row.Text(&s))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !s.Equal(&other) {
			t.Errorf("%s: what the set does not read makes another run", c.set)
		}
	}
}

// A setting that another setting shuts off is not read and is refused where it is given. It makes
// no difference between specs, and the error names the setting with which it is read.
func TestSettingsThatNeedAnother(t *testing.T) {
	s := Defaults()
	s.Algorithms = []dro.Algorithm{dro.ERM}
	for key, want := range map[string]string{
		"beta1":   "beta1: 0.9: want optimizer: adamw, with which it is read; it is sgd",
		"dropout": "dropout: 0: want model: alexnet or mlp, with which it is read; it is convnet",
	} {
		if err := s.Unread([]string{key}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	other := s
	other.Beta1, other.Hidden = .5, []int{3}
	if !s.Equal(&other) {
		t.Error("settings that are not read make another run")
	}
	s.Optimizer, s.Model = "adamw", "mlp"
	other.Optimizer, other.Model = "adamw", "mlp"
	if s.Equal(&other) || s.Unread([]string{"beta1", "dropout"}) != nil {
		t.Error("settings that are read state nothing")
	}
	if err := s.Unread([]string{"momentum"}); err == nil ||
		!strings.HasPrefix(err.Error(), "momentum: 0.9: want optimizer: sgd") {
		t.Errorf("momentum of AdamW: %v", err)
	}
	var back Spec
	text, err := other.MarshalJSON()
	if err == nil {
		err = back.UnmarshalJSON(text)
	}
	if err != nil || !back.Equal(&other) || back.Hidden[0] != 3 {
		t.Errorf("read back: %v, %+v", err, back)
	}
}

// A set without a radius has no λ, and so no bounds of λ.
func TestBounds(t *testing.T) {
	s := Defaults()
	lambda, eta := [2]float64{.1, 10}, [2]float64{-10, 2.5}
	for set, want := range map[string]string{"cvar": "η in [-10, 2.5]",
		"kl": "λ in [0.1, 10], η in [-10, 2.5]"} {
		s.Uncertainty = set
		if got := strings.Join(s.Bounds(lambda, eta), ", "); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
}
