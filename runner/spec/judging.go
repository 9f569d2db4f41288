package spec

import (
	"slices"

	"drolab/dro"
)

// Judging returns the Spec that judges predictions of another program, made by the named method, as
// if a run of s had made them. It has the same data, set, radii and measures, and no training.
func (s *Spec) Judging(method dro.Algorithm) Spec {
	one := *s
	one.Algorithms, one.Seeds, one.Own = []dro.Algorithm{method}, 1, nil
	one.Model, one.Init, one.Precision, one.Convolution, one.Select = "", "", "", "", SelectLast
	one.Epochs, one.Batch, one.BatchZ, one.Augment, one.Optimum = 0, 0, 0, false, false
	one.LR, one.LRZ, one.LRDropEpoch, one.LRDrop = 0, dro.Auto{}, 0, 0
	one.Optimizer, one.Schedule, one.Warmup, one.Patience = "", "", 0, 0
	one.Beta1, one.Beta2, one.AdamEps = 0, 0, 0
	one.Hidden, one.Activation, one.Dropout = nil, "", 0
	one.Momentum, one.WeightDecay, one.Clip = 0, 0, dro.Auto{}
	return one
}

// Foreign reports whether the Spec describes predictions of another program: see Judging.
func (s *Spec) Foreign() bool { return s.Model == "" }

// recalled reports whether the setting is known of the training of another program, whose log says
// it. A setting that is 0 is not known.
func (t *Setting) recalled(s *Spec) bool {
	known := []string{"lr", "batch", "epochs", "weight_decay", "momentum"}
	return slices.Contains(known, t.Key) && t.Text(s) != "0"
}

// Judges reports whether the setting decides how a run is judged, and not how it is trained.
func (t *Setting) Judges() bool {
	return t.Group == "Uncertainty set" || slices.Contains([]string{"algorithms", "seeds", "seed",
		"dataset", "loss", "min_group", "risk_radii", "threshold"}, t.Key)
}
