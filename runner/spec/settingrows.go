package spec

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
)

// settingRows describes the fields of Spec, in the order in which people look for them. A row says
// fixed if another value would not fit the checkpoint from which a fork continues: its tensors, its
// position in the data, or the samples held out. It says live if the next step may be taken with
// another value.
var settingRows = sync.OnceValue(func() []Setting {
	return slices.Concat(runRows(), setRows(), trainingRows(), dataRows(), dualRows(), recordRows())
})

// settingsOf holds all settings for a list of methods.
type settingsOf struct {
	methods []dro.Method
	list    []Setting
}

// latestSettings caches the settings for the latest list of methods. Thousands of Specs are read at
// once, and each asks for every setting.
var latestSettings atomic.Pointer[settingsOf]

func allSettings() []Setting {
	methods := dro.Methods()
	m := latestSettings.Load()
	if m != nil && len(m.methods) == len(methods) && &m.methods[0] == &methods[0] {
		return m.list
	}
	m = &settingsOf{methods, slices.Concat(settingRows(), settingsOfMethods(methods))}
	latestSettings.Store(m)
	return m.list
}

func settingsOfMethods(methods []dro.Method) (list []Setting) {
	for _, m := range methods {
		for i := range m.Settings {
			own := &m.Settings[i]
			t := Setting{Key: own.Key, Group: "Settings of " + string(m.Name),
				Doc: own.Doc, Want: own.Want, own: own}
			if own.On {
				t.Choices = onOff
			} else if own.Choices != nil {
				t.Choices = func() []string { return own.Choices }
			}
			list = append(list, t)
		}
	}
	return list
}

func runRows() []Setting {
	return withHeading("Runs", []Setting{
		{Key: "algorithms",
			Doc:  "methods to run side by side, on the same data with the same seeds",
			Want: "each algorithm once, of ", among: dro.MethodNames, ok: algorithmsOnce},
		{Key: "seeds", Doc: "repeats of each method; Compare's * needs 3, Watch's tests need 4",
			Want: "a whole number from 1 to 10000", viewed: true, in: between(1, 1e4)},
		{Key: "seed", Doc: "first seed of initialisation, batch order, augmentation and draws " +
			"for z",
			Want: "a whole number ≥ 0", fixed: true},
	})
}

// setRows returns the settings of what the adversary may do.
func setRows() []Setting {
	return withHeading("Uncertainty set", []Setting{
		{Key: "uncertainty", Doc: "the divergence that bounds how far the adversary may reweight",
			Want: "text", Choices: dro.SetNames},
		{Key: "rho", Doc: "radius ρ > 0, in the scale of φ(t) = (t−1)²/2 at χ²",
			Want: "a number > 0", parameter: "rho", in: positive},
		{Key: "k", Doc: "order of the Cressie-Read divergence, 1 < k ≤ 2; χ² is 2",
			Want:      "1 < k ≤ 2 (χ² is 2; for the limit k → 1 set uncertainty to kl)",
			parameter: "k", in: func(k float64) bool { return k > 1 && k <= 2 }},
		{Key: "mu", Doc: "level of the CVaR sets, 0 < μ < 1", Want: "a number in (0, 1)",
			parameter: "mu", in: func(mu float64) bool { return mu > 0 && mu < 1 }},
	})
}

func trainingRows() []Setting {
	return withHeading("Training", []Setting{
		{Key: "epochs", Doc: "passes over the training split",
			Want: "a whole number from 1 to 1000000000", in: between(1, 1e9)},
		{Key: "batch", Doc: "n_x: samples in a step of the weights", Want: "a whole number ≥ 1",
			fixed: true, in: atLeast(1)},
		{Key: "batch_z", Doc: "n_z: samples in a method's own draw for z; 0: as batch",
			Want: "a whole number ≥ 0", fixed: true, in: atLeast(0)},
		{Key: "optimizer", native: true,
			Doc:   "optimizer of the weights; dual variables take their own steps, at lr_z",
			words: nn.Optimizers, fixed: true},
		{Key: "beta1", native: true, needs: withAdamW, Doc: "AdamW: decay of the mean gradient",
			Want: "a number in [0, 1)", in: fraction},
		{Key: "beta2", native: true, needs: withAdamW, Doc: "AdamW: decay of the mean square",
			Want: "a number in [0, 1)", in: fraction},
		{Key: "adam_eps", native: true, needs: withAdamW,
			Doc:  "AdamW: added to the root of the mean square",
			Want: "a number ≥ 1.2e-38 (float32's least)", in: atLeast(leastFloat32)},
		{Key: "sampler",
			Doc: "how batches are drawn: samples, each equally often; groups, each equally " +
				"often, with replacement; replacement, independent draws of samples",
			words: loader.Samplings, fixed: true},
		{Key: "lr", Doc: "α: step size of the weights",
			Want: "a number ≥ 1.2e-38 (float32's least)", live: true,
			in: func(lr float64) bool { return lr >= leastFloat32 && positive(lr) }},
		{Key: "lr_z",
			Doc: "step size of z in methods that take gradient steps on z, with any " +
				"optimizer; auto: lr",
			Want: "auto or a number > 0", in: positive},
		{Key: "schedule",
			Doc: "schedule of lr and lr_z: step drops them once; cosine, linear: to 0 at the " +
				"end; constant",
			words: schedules},
		{Key: "warmup", Doc: "epochs in which lr and lr_z rise from 0, in equal steps",
			Want: "a whole number ≥ 0, below epochs", by: "epochs",
			ok: func(s *Spec) bool { return s.Warmup >= 0 && s.Warmup < max(s.Epochs, 1) }},
		{Key: "lr_drop_epoch", needs: withStepSchedule,
			Doc:  "epochs after which lr is multiplied by lr_drop; 0: never",
			Want: "a whole number ≥ 0", in: atLeast(0)},
		{Key: "lr_drop", needs: withStepSchedule,
			Doc:  "factor on lr and lr_z from lr_drop_epoch on",
			Want: "a number > 0", in: positive},
		{Key: "momentum", needs: withSGD,
			Doc:  "momentum of the weights (nsgdm: also of η), 0 ≤ m < 1",
			Want: "a number in [0, 1)", in: fraction},
		{Key: "weight_decay",
			Doc:  "weight decay, the same in every method, ≥ 0; decoupled with AdamW",
			Want: "a number ≥ 0", in: atLeast(0)},
		{Key: "clip",
			Doc: "largest norm of the weights' gradient, before momentum; auto: none, or the " +
				"method's",
			Want: "auto, none or a number > 0", in: func(x float64) bool { return x > 0 }},
		{Key: "patience",
			Doc: "evaluations without improvement by select after which the run ends; 0: it " +
				"never does",
			Want: "a whole number ≥ 0", in: atLeast(0)},
	})
}

// The settings and values with which other settings are read.
var (
	withSGD          = &requirement{"optimizer", []string{nn.Optimizers()[0]}}
	withAdamW        = &requirement{"optimizer", []string{nn.AdamWName}}
	withStepSchedule = &requirement{"schedule", []string{stepSchedule}}
	withMLP          = &requirement{"model", []string{"mlp"}}
	withDropout      = &requirement{"model", []string{"alexnet", "mlp"}}
)

func dataRows() []Setting {
	return withHeading("Data and model", []Setting{
		{Key: "dataset", Doc: "a dataset's name, or files of your own (see drolab data list)",
			Want: "a dataset's name or files of your own", Choices: source.Names, fixed: true,
			ok: func(s *Spec) bool {
				return s.Dataset != "" && s.IsProgram() == (s.Dataset == ProgramData)
			}},
		{Key: "model", Doc: "the network, or program:PATH ARGUMENTS for a program that has " +
			"its own",
			Want: "program:PATH or one of ", among: nn.Models, Choices: nn.Models, fixed: true,
			ok: func(s *Spec) bool {
				_, isProgram := s.Program()
				return isProgram || s.IsScript() || nn.Known(s.Model)
			}},
		{Key: "hidden", native: true, needs: withMLP, Doc: "units of the hidden layers of mlp",
			Want: "a list of 1 to 16 whole numbers from 1 to 65536", fixed: true,
			ok: func(s *Spec) bool {
				return len(s.Hidden) <= 16 && len(s.Hidden) > 0 &&
					slices.Min(s.Hidden) > 0 && slices.Max(s.Hidden) <= 1<<16
			}},
		{Key: "activation", native: true, needs: withMLP, Doc: "activation of mlp's hidden layers",
			words: nn.Activations, fixed: true},
		{Key: "dropout", native: true, needs: withDropout,
			Doc: "share of mlp's hidden values, or of the input of alexnet's last layer, that a " +
				"training step sets to 0",
			Want: "a number in [0, 1)", in: fraction},
		{Key: "program_patience",
			Doc: "seconds that a program may take to answer, or that one process of a run may " +
				"keep the others waiting",
			Want: "a number from 1 to 1000000", bridge: true, viewed: true, in: between(1, 1e6)},
		{Key: "weights", bridge: true,
			Doc: "where weights are computed: device, where the losses are, if the method has a " +
				"form; host, by drolab",
			words: weighers},
		{Key: "init", native: true,
			Doc:   "initial weights: he, normal by fan-in; torch, PyTorch's default, uniform",
			words: nn.Inits, fixed: true},
		{Key: "precision", native: true,
			Doc: "precision of operands in training steps: fp32, or bf16, faster; " +
				"evaluations are in fp32",
			words: nn.Precisions},
		{Key: "convolution", native: true,
			Doc: "how 3×3 convolutions are computed: direct, or winograd, with fewer " +
				"multiplications, in fp32; auto is winograd for resnet8 and resnet18",
			words: convolutions},
		{Key: "loss", native: true,
			Doc: "loss of a sample: cross-entropy; squared, ½ squared distance of the " +
				"outputs from 0 and 1; error-probability, 1 − the label's probability",
			words: nn.Losses, fixed: true},
		{Key: "samples", native: true,
			Doc:  "training samples before imbalance; 0: the dataset's own number",
			Want: "a whole number ≥ 0", fixed: true, in: atLeast(0)},
		{Key: "difficulty", native: true, Doc: "difficulty of the dataset shapes, 0 to 1",
			Want: "a number in [0, 1]", fixed: true, in: between(0, 1)},
		{Key: "imbalance", native: true,
			Doc: "share of each class kept for training: auto, paper (the first of each class), " +
				"paper-drawn (by seed), none or a list",
			Want: "ratios in (0, 1], one for each class", fixed: true, Choices: imbalances,
			ok: func(s *Spec) bool { return s.Imbalance.valid() }},
		{Key: "augment", native: true, Doc: "random crops and flips, on training batches only",
			Want: "true or false", Choices: onOff, fixed: true},
		{Key: "pad", native: true, Doc: "fill outside the image in augmented crops",
			words: paddings, fixed: true},
		{Key: "mean", native: true,
			Doc: "mean subtracted from each channel, pixels in 0..1; []: the dataset's " +
				"customary values",
			Want: "as many numbers as std has, one for each channel", fixed: true,
			ok: func(s *Spec) bool { return len(s.Mean) == len(s.Std) && AllFinite(s.Mean...) }},
		{Key: "std", native: true, Doc: "deviation that each channel is divided by; []: the " +
			"dataset's customary values",
			Want: "numbers > 0, one for each channel", fixed: true,
			ok: func(s *Spec) bool { return all(s.Std, positive) }},
		{Key: "val_fraction", native: true,
			Doc:  "share of the training split held out for validation, 0 ≤ f < 1",
			Want: "a number in [0, 1)", fixed: true, in: fraction},
		{Key: "label_noise", native: true,
			Doc:  "share of the training labels set to another class, the same in every run",
			Want: "a number in [0, 1)", fixed: true, in: fraction},
	})
}

// dualRows returns the settings of where z starts and of the box that bounds it (math.md §4).
func dualRows() []Setting {
	coordinates := func() []string {
		return []string{"auto", string(dro.Paper), string(dro.Unshifted)}
	}
	return withHeading("Dual variables", []Setting{
		{Key: "coordinates", Doc: "paper: η is shifted by λ/(k−1); auto is paper at k = 2",
			words: coordinates},
		{Key: "lambda", Doc: "λ at the start; PAN and the other penalised methods keep it",
			Want: "a number", parameter: "rho"},
		{Key: "eta", Doc: "η at the start, in the run's coordinates", Want: "a number"},
		{Key: "lambda0", Doc: "lower bound of λ, > 0", Want: "a number > 0", parameter: "rho",
			in: positive},
		{Key: "lambda_max", Doc: "upper bound of λ; auto derives it from ρ and eta_max",
			Want: "auto or a number ≥ lambda0", by: "lambda0", parameter: "rho",
			ok: func(s *Spec) bool { return atLeast(s.Lambda0)(s.LambdaMax.Or(s.Lambda0)) }},
		{Key: "eta_min", Doc: "lower bound of η, in the run's coordinates; auto derives it",
			Want: "auto or a number ≤ eta_max", by: "eta_max",
			ok: func(s *Spec) bool { return atLeast(-s.EtaMax)(-s.EtaMin.Or(s.EtaMax)) }},
		{Key: "eta_max", Doc: "upper bound of η: B, the assumed bound of the loss",
			Want: "a number > 0", in: positive},
	})
}

// recordRows returns the settings of records, all of them viewed: runs that differ in them alone
// compute the same numbers, and comparisons treat them as repeats of one another.
func recordRows() []Setting {
	rows := withHeading("Records", []Setting{
		{Key: "log_every", Doc: "steps between points of the curves", Want: "a whole number ≥ 1",
			in: atLeast(1)},
		{Key: "eval_every", ends: true, Doc: "epochs between evaluations; 0: only at the end",
			Want: "a whole number ≥ 0", in: atLeast(0)},
		{Key: "certify_every", Doc: "epochs between full gradient norms; 0: only at the end",
			Want: "a whole number ≥ 0", in: atLeast(0)},
		{Key: "checkpoint_every",
			Doc:  "steps between checkpoints; 0: after an epoch, at most every 5 s",
			Want: "a whole number ≥ 0", in: atLeast(0)},
		{Key: "checkpoint_keep", Doc: "number of newest checkpoints that are kept",
			Want: "a whole number ≥ 1", in: atLeast(1)},
		{Key: "checkpoint_gb", Doc: "gigabytes that a program or script may save in a checkpoint",
			Want: "a number from 0.001 to 1000000", bridge: true, viewed: true,
			in: between(1e-3, 1e6)},
		{Key: "select", ends: true,
			Doc: "step reported beside the last: the best by this measure of the validation " +
				"split",
			words: Selections},
		{Key: "threshold", ends: true,
			Doc: "probability of the second of two classes at which samples count as that " +
				"class, for F1, rates and gaps; val_f1: chosen on the validation split",
			Want: "a number in (0, 1), or val_f1"},
		{Key: "min_group", ends: true,
			Doc:  "fewest samples of a split with which a class or group can be the worst",
			Want: "a whole number ≥ 0", in: atLeast(0)},
		{Key: "optimum", native: true,
			Doc: "find the least R_ρ before the start, for the measure excess_risk; model " +
				"linear only",
			Want: "true or false", Choices: onOff},
		{Key: "risk_radii",
			Doc:  "further radii ρ at which the robust risk is measured; []: none",
			Want: fmt.Sprintf("at most %d numbers > 0", mostRadii),
			ok: func(s *Spec) bool {
				return len(s.RiskRadii) <= mostRadii && all(s.RiskRadii, positive)
			}},
	})
	for i := range rows {
		rows[i].viewed = true
	}
	return rows
}

// mostRadii limits the cost of an evaluation: each radius takes an exact solution.
const mostRadii = 100

// withHeading puts rows under a heading, and completes those that take words.
func withHeading(name string, rows []Setting) []Setting {
	for i := range rows {
		t := &rows[i]
		t.Group = name
		if words := t.words; words != nil {
			t.Want, t.among, t.Choices = "one of ", words, words
			t.ok = func(s *Spec) bool { return slices.Contains(words(), t.Text(s)) }
		}
	}
	return rows
}

func paddings() []string { return []string{"black", "mean"} }

func weighers() []string { return []string{OnDevice, OnHost} }

func onOff() []string { return []string{"false", "true"} }

// The least normal numbers. Smaller numbers have lost digits already, and become 0 when they are
// multiplied.
const (
	leastFloat64 = 0x1p-1022
	leastFloat32 = 0x1p-126
)

// positive reports whether x is finite, above 0, and has all its digits.
func positive(x float64) bool { return x >= leastFloat64 && !math.IsInf(x, 0) }

// fraction reports whether x is a share that leaves something.
func fraction(x float64) bool { return x >= 0 && x < 1 }

// all reports whether every number is allowed.
func all(xs []float64, allowed func(float64) bool) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !allowed(x) })
}

func between(least, most float64) func(float64) bool {
	return func(x float64) bool { return x >= least && x <= most }
}

// atLeast returns a check for finite numbers from least on.
func atLeast(least float64) func(float64) bool {
	return func(x float64) bool { return x >= least && !math.IsInf(x, 0) }
}

// algorithmsOnce reports whether each algorithm is known and named once: a second mention would
// repeat the same runs, under the same seeds.
func algorithmsOnce(s *Spec) bool {
	for i, a := range s.Algorithms {
		if _, err := dro.Find(a); err != nil || slices.Contains(s.Algorithms[:i], a) {
			return false
		}
	}
	return len(s.Algorithms) > 0
}
