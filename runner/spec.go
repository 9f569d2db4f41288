package runner

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// Spec is everything that decides what a run computes. The tags are the keys
// of presets, of --set and of run.json. As a preset states it, it stands for
// len(Algorithms) × Seeds runs (see Expand); as a run stores it, for one.
type Spec struct {
	// Algorithms to run, on the same data with the same seeds: sfk, pgd, pan, erm.
	Algorithms []dro.Algorithm `json:"algorithms"`
	// Seeds is how many repeats each algorithm gets, with seeds Seed, Seed+1, ...
	Seeds int `json:"seeds"`

	// Dataset is one of data.Names, or one's own files; see data.Open.
	Dataset string `json:"dataset"`
	// Model is alexnet, convnet, mlp or linear; see dro/nn.
	Model string `json:"model"`
	// Samples caps the training samples before imbalance; 0 is the dataset's own number.
	Samples int `json:"samples"`
	// Difficulty of the drawn dataset "shapes", 0 to 1; the others ignore it.
	Difficulty float64 `json:"difficulty"`
	// Imbalance keeps a fraction of each class of the training split.
	Imbalance Imbalance `json:"imbalance"`
	// Mean and Std normalise the input per channel, in units of a pixel value
	// over 255; empty is the dataset's customary values.
	Mean []float64 `json:"mean"`
	Std  []float64 `json:"std"`
	// Augment crops after padding by 4 and flips, on training batches only.
	Augment bool `json:"augment"`

	// Uncertainty is the set's name: cressie-read, chi2, kl, smoothed-cvar, cvar.
	Uncertainty string `json:"uncertainty"`
	// K is the order of the Cressie-Read divergence, 1 < k ≤ 2 (χ² is 2).
	K float64 `json:"k"`
	// Rho is the radius ρ of the uncertainty set, in the scale of math.md's φ
	// (φ_2 = (t−1)²/2; packages without the ½ need half of their ρ here).
	Rho float64 `json:"rho"`
	// Mu is the level of the two CVaR sets, 0 < μ < 1.
	Mu float64 `json:"mu"`
	// Coordinates of z: paper (shifted η), unshifted, or auto: paper at k = 2,
	// else unshifted.
	Coordinates string `json:"coordinates"`
	// Lambda0 and LambdaMax bound λ; auto is the bound of math.md §4.
	Lambda0   float64 `json:"lambda0"`
	LambdaMax Auto    `json:"lambda_max"`
	// EtaMin and EtaMax bound η. EtaMax is the theory's B, the assumed bound
	// of the loss; the loss itself is never clipped.
	EtaMin Auto    `json:"eta_min"`
	EtaMax float64 `json:"eta_max"`
	// Lambda and Eta are z_1; PAN keeps λ there.
	Lambda float64 `json:"lambda"`
	Eta    float64 `json:"eta"`
	// C is SFK's constant in γ = min(gap/C, 1); auto is κ dᵀHd with halving
	// (math.md §5), with Kappa for κ.
	C     Auto    `json:"c"`
	Kappa float64 `json:"kappa"`
	// ShareBatch lets SFK's z-step use the x-batch's losses instead of an
	// independent draw: no second forward pass, no independence.
	ShareBatch bool `json:"share_batch"`

	// Batch is n_x; BatchZ is n_z, SFK's independent draw (0: the same).
	Batch  int `json:"batch"`
	BatchZ int `json:"batch_z"`
	// LR is the step size α, of x and, in PGD and PAN, of z; multiplied by
	// LRDrop once LRDropEpoch epochs are done (0: never).
	LR          float64 `json:"lr"`
	LRDropEpoch int     `json:"lr_drop_epoch"`
	LRDrop      float64 `json:"lr_drop"`
	// Momentum and WeightDecay act on x, in every algorithm alike.
	Momentum    float64 `json:"momentum"`
	WeightDecay float64 `json:"weight_decay"`
	Epochs      int     `json:"epochs"`

	// Seed decides initialisation, batch order, augmentation and z-draws. The
	// samples that imbalance keeps do not depend on it.
	Seed uint64 `json:"seed"`
	// ValFraction of the training split is held out for model selection;
	// nothing is ever selected on the test split.
	ValFraction float64 `json:"val_fraction"`

	// LogEvery is in steps; EvalEvery and CertifyEvery in epochs (0: only at
	// the end); CheckpointEvery in steps (0: once an epoch).
	LogEvery        int `json:"log_every"`
	EvalEvery       int `json:"eval_every"`
	CertifyEvery    int `json:"certify_every"`
	CheckpointEvery int `json:"checkpoint_every"`
	CheckpointKeep  int `json:"checkpoint_keep"`
}

// Defaults returns the settings that a preset overrides: the paper's, where it
// publishes them (math.md §6), on the drawn dataset.
func Defaults() Spec {
	return Spec{
		Algorithms: dro.Algorithms(), Seeds: 1,
		Dataset: "shapes", Model: "convnet", Difficulty: 0.5, Augment: true,
		Uncertainty: "cressie-read", K: 2, Rho: 0.5, Mu: 0.1, Coordinates: "auto",
		Lambda0: 0.1, EtaMax: 10, Lambda: 1, Eta: 0,
		C: Fixed(1000), Kappa: 1,
		Batch: 128, LR: 0.01, LRDropEpoch: 40, LRDrop: 0.1, Momentum: 0.9, Epochs: 50,
		Seed: 1, LogEvery: 10, EvalEvery: 1, CertifyEvery: 0, CheckpointKeep: 2,
	}
}

// Expand returns one Spec per algorithm and seed, the seeds innermost.
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

// Algorithm returns the algorithm of an expanded Spec.
func (s *Spec) Algorithm() dro.Algorithm { return s.Algorithms[0] }

// KeyError says that a setting cannot be used.
type KeyError struct {
	Key   string
	Value any
	Want  string // what is allowed
}

func (e *KeyError) Error() string {
	value := []rune(fmt.Sprint(e.Value))
	if len(value) > 60 { // a value from a file may be anything
		value = append(value[:60], '…')
	}
	return fmt.Sprintf("%s: %s: want %s", e.Key, string(value), e.Want)
}

// Validate returns a *KeyError for the first setting that cannot be used,
// looking at values only: whether the data exist is Open's to say.
func (s *Spec) Validate() error {
	for _, c := range s.checks() {
		if !c.ok {
			return &c.KeyError
		}
	}
	set, err := s.Set()
	if err != nil {
		return err
	}
	for _, a := range s.Algorithms {
		if err := dro.Applies(a, set); err != nil {
			return fmt.Errorf("algorithms: %w", err)
		}
	}
	p, err := s.Problem()
	if err != nil {
		return err
	}
	return s.checkStart(p)
}

// checkStart wants z_1 inside the box. A set without a radius has no λ.
func (s *Spec) checkStart(p *dro.Problem) error {
	inside := func(key string, value float64, side [2]float64) error {
		if value >= side[0] && value <= side[1] {
			return nil
		}
		return &KeyError{key, value, fmt.Sprintf("a start inside the box [%g, %g]", side[0], side[1])}
	}
	if p.Set.HasRadius() {
		if err := inside("lambda", s.Lambda, p.Box.Lambda); err != nil {
			return err
		}
	}
	return inside("eta", s.Eta, p.Box.Eta)
}

type check struct {
	ok bool
	KeyError
}

func (s *Spec) checks() []check {
	var list []check
	need := func(key string, value any, ok bool, want string) {
		list = append(list, check{ok, KeyError{key, value, want}})
	}
	positive := func(key string, x float64) { need(key, x, x > 0 && !math.IsInf(x, 0), "a number > 0") }
	atLeast := func(key string, n, least int) { need(key, n, n >= least, fmt.Sprintf("a whole number ≥ %d", least)) }
	fraction := func(key string, x float64) { need(key, x, x >= 0 && x < 1, "a number in [0, 1)") }

	need("algorithms", s.Algorithms, len(s.Algorithms) > 0, "one or more of "+join(dro.Algorithms()))
	seen := map[dro.Algorithm]bool{}
	for _, a := range s.Algorithms {
		_, err := dro.ParseAlgorithm(string(a))
		need("algorithms", a, err == nil, "one or more of "+join(dro.Algorithms()))
		need("algorithms", a, !seen[a], "each algorithm once")
		seen[a] = true
	}
	atLeast("seeds", s.Seeds, 1)
	need("dataset", s.Dataset, s.Dataset != "", "a dataset's name or a CSV file")
	need("model", s.Model, nn.Known(s.Model), "one of "+join(nn.Models()))
	atLeast("samples", s.Samples, 0)
	need("difficulty", s.Difficulty, s.Difficulty >= 0 && s.Difficulty <= 1, "a number in [0, 1]")
	for _, r := range s.Imbalance.ratios {
		need("imbalance", r, r > 0 && r <= 1, "ratios in (0, 1], one for each class")
	}
	need("mean", s.Mean, len(s.Mean) == len(s.Std) && allFinite(s.Mean), "as many numbers as std has, one for each channel")
	for _, x := range s.Std {
		positive("std", x)
	}
	need("k", s.K, s.K > 1 && s.K <= 2, "1 < k ≤ 2 (χ² is 2; for the limit k → 1 set uncertainty to kl)")
	positive("rho", s.Rho)
	need("mu", s.Mu, s.Mu > 0 && s.Mu < 1, "a number in (0, 1)")
	need("coordinates", s.Coordinates, s.Coordinates == "auto" || s.Coordinates == "paper" || s.Coordinates == "unshifted",
		"auto, paper or unshifted")
	positive("lambda0", s.Lambda0)
	positive("eta_max", s.EtaMax)
	need("lambda_max", s.LambdaMax, s.LambdaMax.IsAuto() || s.LambdaMax.value >= s.Lambda0 && s.LambdaMax.value < math.Inf(1),
		fmt.Sprintf("auto or a number ≥ lambda0 = %g", s.Lambda0))
	need("eta_min", s.EtaMin, s.EtaMin.IsAuto() || s.EtaMin.value <= s.EtaMax && s.EtaMin.value > math.Inf(-1),
		fmt.Sprintf("auto or a number ≤ eta_max = %g", s.EtaMax))
	need("c", s.C, s.C.IsAuto() || s.C.value > 0, "auto or a number > 0")
	positive("kappa", s.Kappa)
	atLeast("batch", s.Batch, 1)
	atLeast("batch_z", s.BatchZ, 0)
	positive("lr", s.LR)
	atLeast("lr_drop_epoch", s.LRDropEpoch, 0)
	positive("lr_drop", s.LRDrop)
	fraction("momentum", s.Momentum)
	need("weight_decay", s.WeightDecay, s.WeightDecay >= 0 && s.WeightDecay < math.Inf(1), "a number ≥ 0")
	atLeast("epochs", s.Epochs, 1)
	fraction("val_fraction", s.ValFraction)
	atLeast("log_every", s.LogEvery, 1)
	atLeast("eval_every", s.EvalEvery, 0)
	atLeast("certify_every", s.CertifyEvery, 0)
	atLeast("checkpoint_every", s.CheckpointEvery, 0)
	atLeast("checkpoint_keep", s.CheckpointKeep, 1)
	return list
}

// Set returns the uncertainty set.
func (s *Spec) Set() (dro.Set, error) { return dro.NewSet(s.Uncertainty, s.K, s.Mu) }

// Problem returns the constrained problem that the Spec states: set, radius,
// coordinates and box, with every "auto" derived.
func (s *Spec) Problem() (*dro.Problem, error) {
	set, err := s.Set()
	if err != nil {
		return nil, err
	}
	c := dro.DefaultCoordinates(set)
	if s.Coordinates != "auto" {
		if c, err = dro.ParseCoordinates(s.Coordinates); err != nil {
			return nil, err
		}
	}
	derived := dro.DefaultBox(set, s.Rho, c, s.Lambda0, s.EtaMax)
	p := &dro.Problem{Set: set, Rho: s.Rho, Coordinates: c, Box: dro.Box{
		Lambda: [2]float64{s.Lambda0, s.LambdaMax.Or(derived.Lambda[1])},
		Eta:    [2]float64{s.EtaMin.Or(derived.Eta[0]), s.EtaMax},
	}}
	return p, p.Validate()
}

// DataOptions returns what runner/data needs to open the Spec's dataset.
func (s *Spec) DataOptions(dir string) data.Options {
	return data.Options{Dir: dir, Samples: s.Samples, Difficulty: s.Difficulty,
		Imbalance: s.Imbalance.Ratios(s.Dataset), ValFraction: s.ValFraction}
}

// Imbalance says which fraction of each class of the training split is kept:
// one ratio for each class, or a word. The zero value is "auto".
type Imbalance struct {
	word   string // "", "paper" or "none", when there are no ratios
	ratios []float64
}

// KeepRatios returns the imbalance with one ratio in (0, 1] for each class.
func KeepRatios(ratios ...float64) Imbalance { return Imbalance{ratios: ratios} }

// Ratios returns one ratio for each class, or nil to keep all. "auto" is what
// is customary for the dataset.
func (i Imbalance) Ratios(dataset string) []float64 {
	switch {
	case len(i.ratios) > 0:
		return i.ratios
	case i.word == "paper":
		return data.PaperImbalance()
	case i.word == "":
		return data.DefaultImbalance(dataset)
	}
	return nil
}

func (i Imbalance) String() string {
	if len(i.ratios) > 0 {
		return strings.Trim(fmt.Sprint(i.ratios), "[]")
	}
	if i.word == "" {
		return "auto"
	}
	return i.word
}

// MarshalJSON writes a word or the list of ratios.
func (i Imbalance) MarshalJSON() ([]byte, error) {
	if len(i.ratios) > 0 {
		return json.Marshal(i.ratios)
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads auto, paper, none or a list of ratios.
func (i *Imbalance) UnmarshalJSON(b []byte) error {
	*i = Imbalance{}
	var word string
	if json.Unmarshal(b, &word) == nil {
		switch word {
		case "auto":
		case "paper", "none":
			i.word = word
		default:
			return &KeyError{"imbalance", word, "auto, paper, none or a list of ratios"}
		}
		return nil
	}
	if err := json.Unmarshal(b, &i.ratios); err != nil || len(i.ratios) == 0 {
		return &KeyError{"imbalance", string(b), "auto, paper, none or a list of ratios"}
	}
	return nil
}

func allFinite(xs []float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

func join[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}
