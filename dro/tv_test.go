package dro

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// bruteTV returns the minimum over c of mean max(ℓ, c) + ρ (max ℓ − c) at 320 bits. The function is
// convex with kinks only at losses, so one of the losses is a minimiser.
func bruteTV(losses []float64, rho float64) float64 {
	least, most := math.Inf(1), bf(slices.Max(losses))
	for _, c := range losses {
		terms := make([]*big.Float, len(losses))
		for i, l := range losses {
			terms[i] = bf(math.Max(l, c))
		}
		f := add(mean(terms), mul(bf(rho), sub(most, bf(c))))
		least = math.Min(least, toFloat(f))
	}
	return least
}

// The dual bounds the risk from above, and the ratios, as one Q of the set, bound it from below.
// Both equal the reported risk.
func TestTVIsExact(t *testing.T) {
	for name, losses := range hardBatches() {
		n := float64(len(losses))
		for _, rho := range []float64{1e-12, .1, .25, 1 / 3., .5, 1 - 1/n, .999, 1, 7} {
			if !(rho > 0) {
				continue // one loss
			}
			ratios := make([]float64, len(losses))
			w, err := WorstCase(TV{}, ratios, losses, rho)
			if err != nil {
				t.Fatal(err)
			}
			terms, phis := make([]*big.Float, len(losses)), make([]*big.Float, len(losses))
			rs := make([]*big.Float, len(losses))
			for i, r := range ratios {
				if r < 0 {
					t.Fatalf("%s ρ %v: ratio %v", name, rho, r)
				}
				rs[i], terms[i] = bf(r), mul(bf(r), bf(losses[i]))
				phis[i] = bf(TV{}.Divergence(r))
			}
			slack := 1e-14 * slices.Max(losses)
			value, want := toFloat(mean(terms)), min(bruteTV(losses, rho), slices.Max(losses))
			if math.Abs(w.Risk-want) > slack {
				t.Errorf("%s ρ %v: risk %v, want %v, by the dual", name, rho, w.Risk, want)
			}
			if math.Abs(value-want) > slack {
				t.Errorf("%s ρ %v: the risk of the ratios is %v, want %v", name, rho, value, want)
			}
			div, total := toFloat(mean(phis)), toFloat(mean(rs))
			if div > rho+1e-15*n {
				t.Errorf("%s ρ %v: the divergence of the ratios is %v", name, rho, div)
			}
			if math.Abs(div-w.Divergence) > 1e-14 {
				t.Errorf("%s ρ %v: divergence %v reported, the ratios have %v", name, rho,
					w.Divergence, div)
			}
			if math.Abs(total-1) > 1e-14 {
				t.Errorf("%s ρ %v: the mean of the ratios is %v, want 1", name, rho, total)
			}
			if w.Saturated != (w.Z.Lambda == 0) {
				t.Errorf("%s ρ %v: saturated %t at λ = %v", name, rho, w.Saturated, w.Z.Lambda)
			}
			if w.Saturated && w.Risk != w.MaxLoss {
				t.Errorf("%s ρ %v: saturated, risk %v, want the largest loss, %v", name, rho,
					w.Risk, w.MaxLoss)
			}
			if rho >= 1 && !w.Saturated {
				t.Errorf("%s ρ %v: not saturated, want saturated from 1 on", name, rho)
			}
		}
	}
}

// The risk is the largest E_Q ℓ over every Q whose masses are whole multiples of 1/(4n). Where ρ is
// such a multiple, too, these Q include the vertices of the set.
func TestTVMatchesEnumeration(t *testing.T) {
	for _, losses := range [][]float64{{.1, .5, 1.2, 3}, {2, 2, 0, 2}, {1, 1, 3}, {0, 4, 4, 1}} {
		n := len(losses)
		units := 4 * n
		for moved := 1; moved <= units; moved++ {
			rho := float64(moved) / float64(units)
			most := 0.0
			var place func(i, left, up int, sum float64)
			place = func(i, left, up int, sum float64) {
				switch {
				case up > moved: // samples gain as much mass as the others lose
					return
				case i == n-1:
					if up+max(0, left-4) <= moved {
						most = max(most, sum+float64(left)*losses[i])
					}
					return
				}
				for q := range left + 1 {
					place(i+1, left-q, up+max(0, q-4), sum+float64(q)*losses[i])
				}
			}
			place(0, units, 0, 0)
			w, err := WorstCase(TV{}, nil, losses, rho)
			if want := most / float64(units); err != nil || !within(w.Risk, want, 1e-14) {
				t.Errorf("%v ρ %v: %+v, %v, want %v", losses, rho, w, err, want)
			}
		}
	}
}

// The risk agrees with the closed form (1−ρ) CVaR_{1−ρ} + ρ max ℓ, and with the dual at the
// reported z.
func TestTVIsCVaRAndTheLargest(t *testing.T) {
	losses := exponential(testRand(8), 500)
	rhos := []float64{.01, .1234, .5, .9}
	curve, err := Curve(TV{}, losses, rhos)
	if err != nil {
		t.Fatal(err)
	}
	for i, rho := range rhos {
		tail, err := WorstCase(CVaR{1 - rho}, nil, losses, 0)
		if err != nil {
			t.Fatal(err)
		}
		w := curve[i]
		if want := (1-rho)*tail.Risk + rho*tail.MaxLoss; !within(w.Risk, want, 1e-14) {
			t.Errorf("ρ %v: risk %v, by CVaR %v", rho, w.Risk, want)
		}
		z := w.Z
		z.Eta += 1e-12 // above the largest loss by rounding, F is infinite
		f := (&Problem{Set: TV{}, Rho: rho, Coordinates: Unshifted}).Evaluate(nil, losses, z).Value
		if !within(f, w.Risk, 1e-11) {
			t.Errorf("ρ %v: risk %v, F %v at %v", rho, w.Risk, f, w.Z)
		}
		short := Z{z.Lambda * .99, z.Eta}
		p := Problem{Set: TV{}, Rho: rho, Coordinates: Unshifted}
		f = p.Evaluate(nil, losses, short).Value
		if !math.IsInf(f, 1) {
			t.Errorf("ρ %v: F %v at a λ that the largest loss is beyond", rho, f)
		}
	}
}

// φ and φ* as defined: r t ≤ φ*(t) + φ(r), with equality at r = φ*′(t).
func TestTVConjugate(t *testing.T) {
	for _, at := range []float64{-9, -.51, -.49, 0, .3, .5} {
		excess, conj, div, _ := TV{}.Conjugate(at)
		if gap := conj + div - at*(1+excess); gap != 0 {
			t.Errorf("t %v: Fenchel's equality is %g off", at, gap)
		}
		if want := (TV{}).Divergence(1 + excess); div != want {
			t.Errorf("t %v: Conjugate gives φ(r) = %v, Divergence %v", at, div, want)
		}
		for _, r := range []float64{0, .3, 1, 4, 1e6} {
			if r*at > conj+(TV{}).Divergence(r)+1e-9 {
				t.Errorf("t %v r %v: Fenchel's inequality fails", at, r)
			}
		}
	}
	if _, conj, _, _ := (TV{}).Conjugate(.51); !math.IsInf(conj, 1) {
		t.Errorf("φ*(.51) = %v, want +Inf", conj)
	}
	if !math.IsInf((TV{}).Divergence(-.1), 1) {
		t.Error("φ(−.1) is finite")
	}
}

// TV is refused wherever φ* is needed, and its R_ρ has no interval, because the bound would have to
// be one of the largest loss that is possible.
func TestTVHasNoDual(t *testing.T) {
	applies := map[Algorithm]bool{}
	for _, m := range Methods() {
		err := m.Applies(TV{})
		if applies[m.Name] = err == nil; err != nil &&
			!strings.Contains(err.Error(), "conjugate is infinite") {
			t.Error(err)
		}
	}
	for _, name := range []Algorithm{"sfk", "sfk-auto", "pgd", "pan", "nsgdm", "dsgdc"} {
		if applies[name] {
			t.Errorf("%s is defined for tv", name)
		}
	}
	for _, name := range []Algorithm{"batch", "doro", "erm", "group"} {
		if !applies[name] {
			t.Errorf("%s is not defined for tv", name)
		}
	}
	losses := exponential(testRand(9), 50)
	if _, err := Penalised(TV{}, nil, losses, 1); err == nil {
		t.Error("tv has a penalised worst case")
	}
	table := &Regression{X: [][]float64{{0}, {1}}, Labels: []int{0, 1}, Classes: 2}
	if _, err := table.Least(TV{}, .1); err == nil || !strings.Contains(err.Error(), "tv") {
		t.Errorf("the optimum under tv: %v", err)
	}
	how := Confidence{Draws: 20}
	list, err := how.Estimates(TV{}, losses, []float64{.1})
	if err != nil {
		t.Fatal(err)
	}
	e := list[0]
	for _, x := range []float64{e.StandardError, e.Upper, e.Normal[0], e.Bootstrap[1]} {
		if !math.IsNaN(x) {
			t.Errorf("a bound that nothing bears out: %+v", e)
			break
		}
	}
	w, err := WorstCase(TV{}, nil, losses, .1)
	if err != nil {
		t.Fatalf("WorstCase: %v", err)
	}
	if e.Worst != w {
		t.Errorf("the estimate is of %+v, want the worst case %+v", e.Worst, w)
	}
	pairs, err := how.Differences(TV{}, losses, losses, []float64{.1})
	if err != nil {
		t.Fatalf("Differences: %v", err)
	}
	if got := pairs[0].Value; got != 0 {
		t.Errorf("the difference of a list from itself is %v, want 0", got)
	}
	if got := pairs[0].Normal[0]; !math.IsNaN(got) {
		t.Errorf("the lower end of a difference is %v, want NaN", got)
	}
}
