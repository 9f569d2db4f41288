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
	FormByGroup      = "by-group"      // the number of the sample's group; one for each group
	FormByFlag       = "by-flag"       // a number by the flag of the sample; for false, for true
	// Group DRO: log q moves by the batch's mean losses of the groups, and a sample of group g then
	// weighs q_g n/n_g. The numbers are the step size, log q of each group, and the adjustment of
	// each group.
	FormGroups = "groups"
)

// Form implements Trainer.
func (*uniform) Form(into []float64) Form { return Form{Kind: FormUniform, Numbers: into} }

// Form implements Trainer. A set of another package has no form.
func (d *dual) Form(into []float64) Form {
	u := d.problem.Unshift(d.z)
	f := Form{Numbers: append(into, u.Lambda, u.Eta)}
	switch set := d.problem.Set.(type) {
	case CressieRead:
		f.Kind = FormChi2
		if set.K != 2 {
			f.Kind, f.Numbers = FormCressieRead, append(f.Numbers, set.K)
		}
	case KL:
		f.Kind = FormKL
	case SmoothedCVaR:
		f.Kind, f.Numbers = FormSmoothedCVaR, append(f.Numbers, set.Mu)
	case CVaR:
		f.Kind, f.Numbers = FormCVaR, append(f.Numbers, set.Mu)
	}
	return f
}

// Form implements Trainer.
func (f *searching) Form(into []float64) Form {
	if f.cRule == 2 {
		return Form{}
	}
	return f.dual.Form(into)
}

// Form implements Trainer: there is none, since Advance needs ∂F/∂η of the batch.
func (n *normalised) Form([]float64) Form { return Form{} }

// Form implements Trainer.
func (p *perGroup) Form(into []float64) Form {
	return Form{Kind: FormByGroup, Numbers: append(into, p.weight...)}
}

// Form implements Trainer.
func (f *focused) Form(into []float64) Form {
	return Form{Kind: FormFocal, Numbers: append(into, f.gamma)}
}

// Form implements Trainer.
func (t *tilting) Form(into []float64) Form {
	return Form{Kind: FormTilted, Numbers: append(into, t.t)}
}

// Form implements Trainer.
func (f *byFlag) Form(into []float64) Form {
	if f.flags == nil {
		return Form{Kind: FormUniform, Numbers: into}
	}
	return Form{Kind: FormByFlag, Numbers: append(into, f.plain, f.marked), Flags: f.flags}
}

// Form implements Trainer.
func (g *groupWeights) Form(into []float64) Form {
	numbers := append(append(append(into, g.step), g.logs...), g.adjust...)
	return Form{Kind: FormGroups, Numbers: numbers}
}
