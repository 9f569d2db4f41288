package dro

import (
	"math"
	"math/big"
	"testing"
)

// The weights agree with the source's formula at 200 binary digits, with 1 − β^n by multiplication,
// also at counts and β where float64 loses all its digits.
func TestBalancedIsItsFormula(t *testing.T) {
	for _, beta := range []float64{1e-12, .5, .9, .9999, 1 - 1e-9, math.Nextafter(1, 0)} {
		for _, samples := range [][]int{{1, 2}, {1, 0, 5000}, {7, 30, 400}} {
			w := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(beta)},
				samples...)
			exact := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
			each := make([]*big.Float, len(samples))
			total, n := exact(0), 0
			for g, count := range samples {
				if count == 0 {
					continue
				}
				power := exact(1)
				for range count {
					power.Mul(power, exact(beta))
				}
				one := exact(1)
				each[g] = exact(0).Quo(exact(0).Sub(one, exact(beta)), one.Sub(one, power))
				total.Add(total, exact(0).Mul(each[g], exact(float64(count))))
				n += count
			}
			for g := range samples {
				if each[g] == nil {
					continue
				}
				want, _ := each[g].Mul(each[g], exact(float64(n))).Quo(each[g], total).Float64()
				if !within(w[g], want, 1e-12) {
					t.Errorf("β = %v, %v: weight %d is %v, want %v", beta, samples, g, w[g], want)
				}
			}
		}
	}
}

// At the ends of β, balanced is the mean loss and the mean over groups.
func TestBalancedIsBetweenERMAndReweight(t *testing.T) {
	samples := []int{1000, 10, 1}
	uniform := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(1e-15)}, samples...)
	inverse := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(1 - 1e-13)},
		samples...)
	want := weightsOn(t, "reweight", nil, samples...)
	for g := range samples {
		if !within(uniform[g], 1, 1e-12) || !within(inverse[g], want[g], 1e-9) {
			t.Errorf("group %d: %v at β → 0, %v at β → 1, reweight %v", g, uniform[g],
				inverse[g], want[g])
		}
	}
}
