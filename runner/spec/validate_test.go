package spec

import (
	"math"
	"strings"
	"testing"

	"drolab/dro"
)

func TestValidateNamesTheKey(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		key  string
		edit func(*Spec)
	}{
		{"algorithms", func(s *Spec) { s.Algorithms = nil }},
		{"algorithms", func(s *Spec) { s.Algorithms = []dro.Algorithm{"sgd"} }},
		{"algorithms", func(s *Spec) { s.Algorithms = []dro.Algorithm{"sfk", "sfk"} }},
		{"algorithm", func(s *Spec) {
			s.Uncertainty, s.Algorithms = "cvar", []dro.Algorithm{"pan"}
		}},
		{"seeds", func(s *Spec) { s.Seeds = 0 }},
		{"dataset", func(s *Spec) { s.Dataset = "" }},
		{"model", func(s *Spec) { s.Model = "vgg" }},
		{"samples", func(s *Spec) { s.Samples = -1 }},
		{"difficulty", func(s *Spec) { s.Difficulty = 1.5 }},
		{"imbalance", func(s *Spec) { s.Imbalance = KeepRatios(.5, 0) }},
		{"mean", func(s *Spec) { s.Mean = []float64{.5} }},
		{"std", func(s *Spec) { s.Mean, s.Std = []float64{.5}, []float64{0} }},
		{"uncertainty", func(s *Spec) { s.Uncertainty = "wasserstein" }},
		{"k", func(s *Spec) { s.K = 1 }},
		{"k", func(s *Spec) { s.K = 2.1 }},
		{"k", func(s *Spec) { s.K = nan }},
		{"rho", func(s *Spec) { s.Rho = -1 }},
		{"rho", func(s *Spec) { s.Rho = nan }},
		{"mu", func(s *Spec) { s.Mu = 1 }},
		{"coordinates", func(s *Spec) { s.Coordinates = "polar" }},
		{"coordinates", func(s *Spec) { s.Uncertainty = "kl"; s.Coordinates = "paper" }},
		{"lambda0", func(s *Spec) { s.Lambda0 = 0 }},
		{"lambda_max", func(s *Spec) { s.LambdaMax = dro.Fixed(.01) }},
		{"eta_min", func(s *Spec) { s.EtaMin = dro.Fixed(11) }},
		{"eta_max", func(s *Spec) { s.EtaMax = -1 }},
		{"lambda", func(s *Spec) { s.Lambda = 1e9 }},
		{"eta", func(s *Spec) { s.Eta = 11 }},
		{"c", func(s *Spec) { s.SetOwn("c", dro.Fixed(0)) }},
		{"kappa", func(s *Spec) { s.SetOwn("kappa", dro.Fixed(nan)) }},
		{"batch", func(s *Spec) { s.Batch = 0 }},
		{"batch_z", func(s *Spec) { s.BatchZ = -1 }},
		{"lr", func(s *Spec) { s.LR = 0 }},
		{"lr_drop", func(s *Spec) { s.LRDrop = 0 }},
		{"momentum", func(s *Spec) { s.Momentum = 1 }},
		{"weight_decay", func(s *Spec) { s.WeightDecay = -1 }},
		{"epochs", func(s *Spec) { s.Epochs = 0 }},
		{"val_fraction", func(s *Spec) { s.ValFraction = 1 }},
		{"log_every", func(s *Spec) { s.LogEvery = 0 }},
		{"checkpoint_keep", func(s *Spec) { s.CheckpointKeep = 0 }},
	} {
		s := Defaults()
		test.edit(&s)
		err := s.Validate()
		if err == nil || !strings.Contains(err.Error(), test.key) {
			t.Errorf("Validate() = %v, want an error with %q", err, test.key)
			continue
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("Validate() = %q, want one line", err)
		}
	}
}

func TestKeyErrorShowsTheValueAsGiven(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{0, "k: 0: expected more"},
		{2.1, "k: 2.1: expected more"},
		{dro.Fixed(3), "k: 3: expected more"},
		{strings.Repeat("é", 61), "k: " + strings.Repeat("é", 60) + "…: expected more"},
	} {
		if got := (&KeyError{"k", test.value, "more"}).Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
