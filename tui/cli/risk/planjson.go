package risk

import (
	"math"

	"drolab/dro"
	"drolab/runner"
)

// planJSON is what plan prints with --json.
type planJSON struct {
	Set string   `json:"set"`
	Rho float64  `json:"rho"`
	K   *float64 `json:"k,omitempty"`
	Mu  *float64 `json:"mu,omitempty"`

	Epsilon    float64 `json:"epsilon"`
	Bound      float64 `json:"bound"`
	Lipschitz  float64 `json:"lipschitz"`
	Smoothness float64 `json:"smoothness"`
	Gap        float64 `json:"gap"`

	Lambda   [2]float64 `json:"lambda"` // the box
	Eta      [2]float64 `json:"eta"`
	Diameter float64    `json:"diameter"`

	Lz       magnitude `json:"l_z"`
	Lx       magnitude `json:"l_x"`
	Sigma0   magnitude `json:"sigma0"`
	Sigma1   magnitude `json:"sigma1"`
	C        magnitude `json:"c"`
	Alpha    magnitude `json:"alpha"`
	Steps    magnitude `json:"steps"`
	BatchX   magnitude `json:"batch"`
	BatchZ   magnitude `json:"batch_z"`
	SamplesX magnitude `json:"samples"`
	SamplesZ magnitude `json:"samples_z"`

	LongestStep magnitude `json:"longest_step"` // D σ1/C
	StepHolds   bool      `json:"longest_step_holds"`
	Vacuous     bool      `json:"vacuous"` // λ0 is not below λ̄
}

// magnitude is a constant as a number, null where a float64 cannot hold it, and by its
// decimal logarithm.
type magnitude struct {
	Value runner.Number `json:"value"`
	Log10 float64       `json:"log10"`
}

func magnitudeOf(m dro.Magnitude) magnitude {
	v := m.Float64()
	return magnitude{runner.NumIf(v > 0 && !math.IsInf(v, 1), v), m.Log10()}
}

func newPlanJSON(f *setFlags, set dro.Set, h dro.Assumptions, p *dro.Plan) *planJSON {
	x, z := p.Samples()
	k, mu := f.parameters(set)
	return &planJSON{
		Set: set.Name(), Rho: h.Rho, K: k, Mu: mu,
		Epsilon: h.Epsilon, Bound: h.Bound, Lipschitz: h.Lipschitz, Smoothness: h.Smoothness, Gap: h.Gap,
		Lambda: p.Box.Lambda, Eta: p.Box.Eta, Diameter: p.Diameter,
		Lz: magnitudeOf(p.Lz), Lx: magnitudeOf(p.Lx), Sigma0: magnitudeOf(p.Sigma0),
		Sigma1: magnitudeOf(p.Sigma1), C: magnitudeOf(p.C), Alpha: magnitudeOf(p.Alpha),
		Steps: magnitudeOf(p.T), BatchX: magnitudeOf(p.Nx), BatchZ: magnitudeOf(p.Nz),
		SamplesX: magnitudeOf(x), SamplesZ: magnitudeOf(z),
		LongestStep: magnitudeOf(p.LongestStep()), StepHolds: p.LongestStep() <= 0, Vacuous: p.Vacuous(),
	}
}
