package dro

import (
	"fmt"
	"testing"
)

// BenchmarkStep times the whole dual work of one training step at batch 128: the weights for x,
// then the z-step.
func BenchmarkStep(b *testing.B) {
	losses := exponential(testRand(41), 128)
	ratios := make([]float64, len(losses))
	for _, set := range []Set{CressieRead{2}, CressieRead{1.5}, KL{}, SmoothedCVaR{.1}, CVaR{.1}} {
		for _, a := range []Algorithm{SFK, PGD} {
			p := Problem{Set: set, Rho: .5, Coordinates: DefaultCoordinates(set)}
			p.Box = DefaultBox(set, p.Rho, p.Coordinates, .1, 10)
			d, batch := newTrainer(b, a, &p, nil), Batch{Losses: losses}
			b.Run(fmt.Sprintf("%s%v/%s", set.Name(), set, a), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					d.Weights(ratios, batch)
					d.After(batch, Step{Rate: .01})
				}
			})
		}
	}
}

// BenchmarkWorstCase times the certificate of a large data set.
func BenchmarkWorstCase(b *testing.B) {
	losses := exponential(testRand(42), 1_000_000)
	for _, set := range []Set{
		CressieRead{2}, CressieRead{1.5}, CressieRead{1.1}, KL{}, SmoothedCVaR{.1}, CVaR{.1},
	} {
		for _, rho := range []float64{1e-6, .1, 1.5} {
			b.Run(fmt.Sprintf("%s%v/rho=%v", set.Name(), set, rho), func(b *testing.B) {
				for b.Loop() {
					if _, err := WorstCase(set, nil, losses, rho); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
