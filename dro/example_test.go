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
	w, err := dro.WorstCase(set, ratios, losses, .5)
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

// A loop drives the method as a trainer of networks does: weights for the x-step, then the method's
// own step at the new x. The loss is (x − s)²/2, and the robust mean lies between the plain mean,
// 2, and the midrange, 5: at 10(1/5 + 2√ρ·√2/5).
func ExampleMethod() {
	set := dro.CressieRead{K: 2}
	p := dro.Problem{Set: set, Rho: .1, Coordinates: dro.Unshifted}
	p.Box = dro.DefaultBox(set, p.Rho, p.Coordinates, .01, 50)
	method, err := dro.Find(dro.SFKAuto)
	if err != nil {
		fmt.Println(err)
		return
	}
	trainer, err := method.New(dro.Task{Problem: &p, Settings: map[string]dro.Auto{
		"lambda": dro.Fixed(1),
		"eta":    dro.Fixed(0),
		"c_rule": dro.Fixed(2),
		"kappa":  dro.Fixed(1),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}

	samples := []float64{0, 0, 0, 0, 10}
	batch := dro.Batch{Losses: make([]float64, len(samples))}
	weights := make([]float64, len(samples))
	x := 0.0
	forward := func() {
		for i, s := range samples {
			batch.Losses[i] = (x - s) * (x - s) / 2
		}
	}
	forward()
	for t := range 3000 {
		trainer.Weights(weights, batch)
		var grad float64
		for i, s := range samples {
			grad += weights[i] * (x - s) / float64(len(samples))
		}
		x -= .05 * grad
		forward() // full data: the new draw that Fresh asks for is the same
		trainer.After(batch, dro.Step{T: int64(t + 1), Rate: .05})
	}
	worst, err := dro.WorstCase(set, nil, batch.Losses, p.Rho)
	if err != nil {
		fmt.Println(err)
		return
	}
	gap := p.Evaluate(nil, batch.Losses, trainer.(dro.Dual).Z()).Value - worst.Risk
	fmt.Printf("x = %.3f, weights %.3f, optimal in z: %v\n", x, weights, gap < 1e-6)
	// Output:
	// x = 3.789, weights [0.776 0.776 0.776 0.776 1.894], optimal in z: true
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

// The plan shows how far out of reach the theory's requirements are.
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
