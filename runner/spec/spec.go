package spec

import (
	"math"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/lists"
)

// Spec is everything that decides what a run computes. The tags are the keys of its settings in
// presets, in --set and in run.json; setting.go describes them. The Spec of a preset stands for
// len(Algorithms) × Seeds runs (see Expand), the Spec of a run for one.
type Spec struct {
	// Algorithms to run, on the same data with the same seeds: see dro.Methods.
	Algorithms []dro.Algorithm `key:"algorithms"`
	// Seeds is the number of repeats of each algorithm, with seeds Seed, Seed+1, ...
	Seeds int `key:"seeds"`

	// Dataset is one of source.Names, or the user's own files; see source.Open.
	Dataset string `key:"dataset"`
	// Model is one of nn.Models, or a program: see Program.
	Model string `key:"model"`
	// Hidden, Activation and Dropout configure the model mlp: see nn.Config.
	Hidden     []int   `key:"hidden"`
	Activation string  `key:"activation"`
	Dropout    float64 `key:"dropout"`
	// ProgramPatience is the number of seconds that a program may take to answer, or that one
	// process of a run may keep the others waiting.
	ProgramPatience float64 `key:"program_patience"`
	// Weights says where the weights of a program's samples are computed: OnDevice or OnHost.
	Weights string `key:"weights"`
	// Init is the initialisation of the weights, one of nn.Inits.
	Init string `key:"init"`
	// Precision is the precision of the operands of a training step's products, one of
	// nn.Precisions; evaluations are always in fp32.
	Precision string `key:"precision"`
	// Convolution is one of nn.Convolutions, or auto: see SettleConvolution.
	Convolution string `key:"convolution"`
	// Loss is the loss of a sample, one of nn.Losses.
	Loss string `key:"loss"`
	// Samples limits the training samples before imbalance; 0: the dataset's own number.
	Samples int `key:"samples"`
	// Difficulty of the generated dataset "shapes", 0 to 1; the others ignore it.
	Difficulty float64 `key:"difficulty"`
	// Imbalance keeps a fraction of each class of the training split.
	Imbalance Imbalance `key:"imbalance"`
	// Mean and Std normalise the input per channel, in units of a pixel value over 255; empty: the
	// dataset's customary values.
	Mean []float64 `key:"mean"`
	Std  []float64 `key:"std"`
	// Augment crops after padding by 4 and flips, on training batches only.
	Augment bool `key:"augment"`
	// Pad is the colour around the image that augmentation crops: black, or the mean colour.
	Pad string `key:"pad"`

	// Uncertainty is the name of the uncertainty set, one of dro.SetNames.
	Uncertainty string `key:"uncertainty"`
	// K is the order of the Cressie-Read divergence, 1 < k ≤ 2 (χ² is 2).
	K float64 `key:"k"`
	// Rho is the radius ρ of the uncertainty set, in the scale of math.md's φ
	// (φ_2 = (t−1)²/2; packages without the ½ need half of their ρ here).
	Rho float64 `key:"rho"`
	// Mu is the level of the two CVaR sets, 0 < μ < 1.
	Mu float64 `key:"mu"`
	// Coordinates of z: paper (shifted η), unshifted, or auto: paper at k = 2,
	// else unshifted.
	Coordinates string `key:"coordinates"`
	// Lambda0 and LambdaMax bound λ; auto is the bound of math.md §4.
	Lambda0   float64  `key:"lambda0"`
	LambdaMax dro.Auto `key:"lambda_max"`
	// EtaMin and EtaMax bound η. EtaMax is the theory's B, the assumed bound
	// of the loss; the loss itself is never clipped.
	EtaMin dro.Auto `key:"eta_min"`
	EtaMax float64  `key:"eta_max"`
	// Lambda and Eta are the start z_1; PAN, nsgdm and dsgdc keep λ there.
	Lambda float64 `key:"lambda"`
	Eta    float64 `key:"eta"`
	// Batch is n_x; BatchZ is n_z, SFK's independent draw (0: the same).
	Batch  int `key:"batch"`
	BatchZ int `key:"batch_z"`
	// Sampler says how batches are drawn, one of loader.Samplings.
	Sampler string `key:"sampler"`
	// Optimizer is the optimizer of x, one of nn.Optimizers; the other three are AdamW's.
	Optimizer string  `key:"optimizer"`
	Beta1     float64 `key:"beta1"`
	Beta2     float64 `key:"beta2"`
	AdamEps   float64 `key:"adam_eps"`
	// LR is the step size α, of x and, in PGD, PAN, nsgdm and dsgdc, of z; Schedule and Warmup
	// say how it changes: see Rate.
	LR          float64  `key:"lr"`
	LRZ         dro.Auto `key:"lr_z"` // of z in PGD, PAN and dsgdc; auto is LR; it changes as LR does
	Schedule    string   `key:"schedule"`
	Warmup      int      `key:"warmup"`
	LRDropEpoch int      `key:"lr_drop_epoch"`
	LRDrop      float64  `key:"lr_drop"`
	// Momentum and WeightDecay act on x, in the same way in every algorithm, except that nsgdm's
	// momentum averages the gradient of (x, η).
	Momentum    float64 `key:"momentum"`
	WeightDecay float64 `key:"weight_decay"`
	// Clip is the largest norm of the gradient of x, before momentum; a longer gradient is scaled
	// down to it. auto is the method's own (see dro.Method), which is none for most.
	Clip   dro.Auto `key:"clip"`
	Epochs int      `key:"epochs"`
	// Patience ends the run after this many evaluations without a better one by Select; 0: never.
	Patience int `key:"patience"`

	// Seed decides initialisation, batch order, augmentation and z-draws. The samples that
	// imbalance keeps do not depend on it, unless they are drawn.
	Seed uint64 `key:"seed"`
	// ValFraction is the share of the training split that is held out for model selection; nothing
	// is ever selected on the test split.
	ValFraction float64 `key:"val_fraction"`
	// LabelNoise is the share of the training samples whose label is set to
	// another class, the same samples for every method and seed.
	LabelNoise float64 `key:"label_noise"`

	// Select decides which step a run reports besides its last one: none with SelectLast, or the
	// best by a measure of the validation split. It is one of Selections.
	Select string `key:"select"`
	// Threshold decides which samples count as the positive class of two.
	Threshold Threshold `key:"threshold"`
	// MinGroup is the least number of samples of a split with which a class or a group can be
	// called the worst.
	MinGroup int `key:"min_group"`
	// Optimum asks for the least possible worst-case risk, which is found before the start, for
	// losses that are convex in the weights.
	Optimum bool `key:"optimum"`
	// RiskRadii are the radii, besides Rho, at which evaluations measure the robust risk.
	RiskRadii []float64 `key:"risk_radii"`

	// LogEvery counts steps; EvalEvery and CertifyEvery count epochs (0: only at the end).
	// CheckpointEvery counts steps (0: at the end of an epoch, once some seconds have passed since
	// the last checkpoint). CheckpointKeep is the number of newest checkpoints that are kept, and
	// CheckpointGB the number of gigabytes that a program or a script may save in one.
	LogEvery        int     `key:"log_every"`
	EvalEvery       int     `key:"eval_every"`
	CertifyEvery    int     `key:"certify_every"`
	CheckpointEvery int     `key:"checkpoint_every"`
	CheckpointKeep  int     `key:"checkpoint_keep"`
	CheckpointGB    float64 `key:"checkpoint_gb"`

	// Own holds the settings that methods declare themselves (see dro.Method), by key; a missing
	// key stands for the default. It is never changed in place.
	Own map[string]dro.Auto
}

// The values of Weights.
const (
	OnDevice = "device" // where the losses are, if the method has a form (dro.Form)
	OnHost   = "host"   // by drolab, which each step waits for
)

// Defaults returns the settings that a preset overrides: the paper's settings where it publishes
// them (math.md §6), on the dataset shapes.
func Defaults() Spec {
	return Spec{
		Algorithms: dro.PaperMethods(), Seeds: 1,
		Dataset: "shapes", Model: "convnet", Init: "he", Precision: "fp32", Loss: nn.CrossEntropy,
		Convolution: autoConvolution,
		Hidden:      []int{256, 128}, Activation: nn.Activations()[0],
		Optimizer: nn.Optimizers()[0], Beta1: .9, Beta2: .999, AdamEps: 1e-8,
		Schedule: stepSchedule, Difficulty: 0.5, Augment: true, Pad: "black", ProgramPatience: 600,
		Weights:     OnDevice,
		Uncertainty: "cressie-read", K: 2, Rho: 0.5, Mu: 0.1, Coordinates: "auto",
		Lambda0: 0.1, EtaMax: 10, Lambda: 1, Eta: 0,
		Batch: 128, Sampler: string(loader.BySample),
		LR: 0.01, LRDropEpoch: 40, LRDrop: 0.1, Momentum: 0.9, Epochs: 50,
		Select: SelectLast, MinGroup: 20, RiskRadii: []float64{.05, .1, .2, .5, 1, 2, 5},
		Seed: 1, LogEvery: 10, EvalEvery: 1, CertifyEvery: 0, CheckpointKeep: 2,
		CheckpointGB: 100,
	}
}

// Expand returns one Spec per algorithm and seed, the seeds innermost. Runs are started and named
// in this order.
func (s Spec) Expand() []Spec {
	var specs []Spec
	for _, a := range s.Algorithms {
		for i := range s.Seeds {
			one := s
			one.Algorithms, one.Seeds, one.Seed = []dro.Algorithm{a}, 1, s.Seed+uint64(i)
			specs = append(specs, one)
		}
	}
	return specs
}

// Algorithm returns the algorithm of an expanded Spec. It panics if there is none, which Validate
// refuses.
func (s *Spec) Algorithm() dro.Algorithm { return s.Algorithms[0] }

// Task returns the task of the Spec's method m on data with the given numbers of training samples:
// in all, of each class and of each group.
func (s *Spec) Task(m *dro.Method, samples int, classes, groups []int) (dro.Task, error) {
	p, err := s.Problem()
	if err != nil {
		return dro.Task{}, err
	}
	t := dro.Task{Problem: p, Samples: samples, Classes: classes, Groups: groups,
		ByGroup: s.Sampling(m) == loader.ByGroup, Seed: s.Seed, Settings: map[string]dro.Auto{}}
	for _, row := range allSettings() {
		if v, ok := row.Number(s); ok && row.ReadBy(m) {
			t.Settings[row.Key] = v
		}
	}
	return t, nil
}

// Sampling returns how the batches of a method are sampled: in the method's own way, or by the
// setting sampler.
func (s *Spec) Sampling(m *dro.Method) loader.Sampling {
	if m.Subsamples {
		return loader.Subsample
	}
	return loader.Sampling(s.Sampler)
}

// ClipFor returns the largest norm of the gradient of x, for the setting clip and the method; 0:
// none.
func (s *Spec) ClipFor(m *dro.Method) float64 {
	if s.Clip.IsNone() {
		return 0
	}
	return s.Clip.Or(m.Clip)
}

// DataOptions returns the options with which runner/data opens the Spec's dataset.
func (s *Spec) DataOptions(dir string) data.Options {
	o := data.Options{
		Dir:         dir,
		Samples:     s.Samples,
		Difficulty:  s.Difficulty,
		Imbalance:   s.Imbalance.Ratios(s.Dataset),
		ValFraction: s.ValFraction,
		LabelNoise:  s.LabelNoise,
	}
	if o.Drawn = s.Imbalance.Drawn(); o.Drawn {
		o.DrawSeed = s.Seed // of other imbalances, runs of all seeds share their data
	}
	return o
}

// AllFinite reports whether none of the numbers is a NaN or infinite.
func AllFinite(xs ...float64) bool {
	return all(xs, func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
}

// Network returns the configuration of the network for inputs of a shape and a number of classes.
func (s Spec) Network(shape data.Shape, classes int) nn.Config {
	s.SettleConvolution()
	return nn.Config{
		Model: s.Model, C: shape.C, H: shape.H, W: shape.W, Classes: classes, Batch: s.Batch,
		Init: s.Init, Seed: s.Seed, Precision: s.Precision, Convolution: s.Convolution,
		Hidden: s.Hidden, Activation: s.Activation, Dropout: s.Dropout,
		Loss: s.Loss, Optimizer: s.Optimizer,
	}
}

// Normalisation returns the mean and the standard deviation by which the channels of the input are
// normalised: the spec's own or, without them, those of the data.
func (s *Spec) Normalisation(mean, std []float32) (ownMean, ownStd []float32) {
	if len(s.Mean) == 0 {
		return mean, std
	}
	single := func(x float64) float32 { return float32(x) }
	return lists.Map(s.Mean, single), lists.Map(s.Std, single)
}

// UnitUnder returns the unit of a measure of runs with this loss. Only cross-entropies are in nats.
func UnitUnder(loss, unit string) string {
	if unit == "nats" && loss != nn.CrossEntropy {
		return ""
	}
	return unit
}
