package spec

import (
	"slices"

	"drolab/dro"
)

// Judging returns the Spec of predictions that another program made by a method, in
// the place of a run of s: the same data, set, radii and measures, and no training.
func (s *Spec) Judging(method dro.Algorithm) Spec {
	one := *s
	one.Algorithms, one.Seeds, one.Own = []dro.Algorithm{method}, 1, nil
	one.Model, one.Init, one.Precision, one.Convolution, one.Select = "", "", "", "", SelectLast
	one.Epochs, one.Batch, one.BatchZ, one.Augment, one.Optimum = 0, 0, 0, false, false
	one.LR, one.LRZ, one.LRDropEpoch, one.LRDrop = 0, Auto{}, 0, 0
	one.Optimizer, one.Schedule, one.Warmup, one.Patience = "", "", 0, 0
	one.Beta1, one.Beta2, one.AdamEps = 0, 0, 0
	one.Hidden, one.Activation, one.Dropout = nil, "", 0
	one.Momentum, one.WeightDecay, one.Clip = 0, 0, Auto{}
	return one
}

// Foreign tells whether the Spec is of such predictions.
func (s *Spec) Foreign() bool { return s.Model == "" }

// judges tells whether the setting is of what a run is judged by, and not of how it is
// trained.
func (t *Setting) judges() bool {
	return t.Group == "Uncertainty set" || slices.Contains([]string{"algorithms", "seeds", "seed",
		"dataset", "loss", "min_group", "risk_radii", "threshold"}, t.Key)
}
