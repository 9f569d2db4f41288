package dro

// Form is a method's weights as a function of a batch, with all numbers that it needs from outside
// the batch. Whoever has the losses can compute the weights from it, on a GPU too, without waiting
// for the method: Trainer.Weights gives the same weights after Before. The method still sees each
// batch afterwards, and moves its state as always.
//
// Some methods have none: "batch" and "doro" solve for each batch, sfk-auto's default rule moves z
// by a batch before it weighs it, and the step of nsgdm depends on the batch that was weighed.
type Form struct {
	// Kind names the function; "" stands for none. The numbers of each kind are listed beside its
	// name below.
	Kind    string
	Numbers []float64
	// Flags holds one flag for each training sample, where the kind has flags. It never changes in
	// place.
	Flags []bool
}

// The kinds of forms. In those of uncertainty sets, t is (ℓ − η̃)/λ.
const (
	FormNone         = ""
	FormUniform      = "uniform"       // 1; no numbers
	FormChi2         = "chi2"          // (1 + t)₊; λ, η̃
	FormCressieRead  = "cressie-read"  // (1 + (k−1)t)₊^{1/(k−1)}; λ, η̃, k
	FormKL           = "kl"            // e^t; λ, η̃
	FormSmoothedCVaR = "smoothed-cvar" // 1/(μ + (1−μ)e^{−t}); λ, η̃, μ
	FormCVaR         = "cvar"          // 1/μ where t > 0, else 0; λ, η̃, μ
	FormFocal        = "focal"         // derivative of (1−e^{−ℓ})^γ ℓ; γ
	FormTilted       = "tilted"        // n e^{sℓ}/Σ e^{sℓ}; s
	FormEntropic     = "entropic"      // e^{ℓ/λ}/(e^p + e^q mean e^{ℓ/λ}); λ, p, q
	FormByGroup      = "by-group"      // the number of the sample's group; one for each group
	FormByFlag       = "by-flag"       // a number by the flag of the sample; for false, for true
	// Group DRO: log q moves by the batch's mean losses of the groups, and a sample of group g then
	// weighs q_g n/n_g. The numbers are the step size, log q of each group, and the adjustment of
	// each group.
	FormGroups = "groups"
)
