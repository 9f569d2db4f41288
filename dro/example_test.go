package dro_test

import (
	"fmt"

	"drolab/dro"
)

// The exact worst case of four losses in a χ² ball.
func ExampleNewSet() {
	set, err := dro.NewSet("chi2", 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	losses := []float64{.1, .5, 1.2, 3}
	ratios := make([]float64, len(losses))
	w, err := set.WorstCase(ratios, losses, .5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.3f, worst case %.3f, largest %.3f\n", w.MeanLoss, w.Risk, w.MaxLoss)
	fmt.Printf("ratios %.3f, effective sample size %.2f\n", ratios, w.EffectiveSampleSize)
	// Output:
	// mean 1.200, worst case 2.311, largest 3.000
	// ratios [0.010 0.370 1.000 2.620], effective sample size 2.00
}

// A run as a trainer drives it: weights for the x-step, then the z-step at the
// new x. The loss here is (x − s)²/2, and the robust mean lies between the plain
// mean, 2, and the midrange, 5: at 10(1/5 + 2√ρ·√2/5).
func ExampleDual() {
	set := dro.CressieRead{K: 2}
	const rho = .1
	p := dro.Problem{Set: set, Rho: rho, Coordinates: dro.Unshifted}
	p.Box = dro.DefaultBox(set, rho, p.Coordinates, .01, 50)
	settings := dro.DefaultSettings()
	settings.AutoC = true
	dual, err := dro.NewDual(dro.SFK, p, settings)
	if err != nil {
		fmt.Println(err)
		return
	}

	samples := []float64{0, 0, 0, 0, 10}
	losses, ratios := make([]float64, len(samples)), make([]float64, len(samples))
	x := 0.0
	forward := func() {
		for i, s := range samples {
			losses[i] = (x - s) * (x - s) / 2
		}
	}
	forward()
	for range 3000 {
		dual.Ratios(ratios, losses)
		var grad float64
		for i, s := range samples {
			grad += ratios[i] * (x - s) / float64(len(samples))
		}
		x -= .05 * grad
		forward() // full data: the new draw that FreshBatch asks for is the same
		dual.Step(losses, .05)
	}
	state, err := p.Stationarity(losses, dual.Z(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.3f, ratios %.3f, optimal in z: %v\n", x, ratios, state.DualGap < 1e-6)
	// Output:
	// x = 3.789, ratios [0.776 0.776 0.776 0.776 1.894], optimal in z: true
}

func ExampleCurve() {
	losses := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	rhos := []float64{.01, .1, 1, 10}
	curve, err := dro.Curve(dro.KL{}, losses, rhos)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, w := range curve {
		fmt.Printf("ρ = %-4v R = %.3f λ* = %.3f\n", rhos[i], w.Risk, w.Z.Lambda)
	}
	// Output:
	// ρ = 0.01 R = 4.906 λ* = 20.248
	// ρ = 0.1  R = 5.771 λ* = 6.224
	// ρ = 1    R = 8.115 λ* = 1.328
	// ρ = 10   R = 9.000 λ* = 0.000
}

// What the theory asks for is out of reach, which is worth knowing.
func ExampleTheorem1() {
	plan, err := dro.Theorem1(dro.CressieRead{K: 2}, dro.Assumptions{
		Epsilon: .1, Rho: 1.5, Bound: 10, Lipschitz: 1, Smoothness: 1, Gap: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("λ0 = %.4f, C = %v, α = %v\n", plan.Box.Lambda[0], plan.C, plan.Alpha)
	fmt.Printf("T = %v steps of %v + %v samples\n", plan.T, plan.Nx, plan.Nz)
	// Output:
	// λ0 = 0.0083, C = 3.45e+11, α = 1.45e-12
	// T = 1.66e+15 steps of 50.4 + 1.99e+19 samples
}
