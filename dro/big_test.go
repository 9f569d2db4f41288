package dro

import (
	"math"
	"math/big"
	"testing"
)

// The reference in high precision: elementary functions at 320 bits, and the dual and the primal
// objective computed with them. A direct solution by bisection is in the paper's coordinates, for
// which float64 is not precise enough.

const bits = 320

func bf(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }

func add(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Quo(a, b) }

func toFloat(a *big.Float) float64 { v, _ := a.Float64(); return v }

// bexp sums the Taylor series at x/2^m and squares m times.
func bexp(x *big.Float) *big.Float {
	m := max(0, x.MantExp(nil)+12)
	y := new(big.Float).SetPrec(bits+64).SetMantExp(x, -m)
	sum, term := bf(1).SetPrec(bits+64), bf(1).SetPrec(bits+64)
	for i := 1; term.Sign() != 0 && term.MantExp(nil) > -bits-64; i++ {
		term.Mul(term, y).Quo(term, bf(float64(i)))
		sum.Add(sum, term)
	}
	for range m {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(bits)
}

// blog solves e^y = x by Newton's method from a float64 start, after it has split off the exponent
// of x.
func blog(x *big.Float) *big.Float {
	mant := new(big.Float).SetPrec(bits)
	exp := x.MantExp(mant)
	newton := func(x *big.Float) *big.Float {
		y := bf(math.Log(toFloat(x)))
		for range 3 { // 53, 106, 212, 424 bits
			y = add(y, sub(quo(x, bexp(y)), bf(1)))
		}
		return y
	}
	if exp == 0 {
		return newton(mant)
	}
	return add(newton(mant), mul(bf(float64(exp)), newton(bf(2))))
}

func bpow(x, e *big.Float) *big.Float {
	if x.Sign() <= 0 {
		return bf(0)
	}
	if e.IsInt() && e.Cmp(bf(2)) == 0 {
		return mul(x, x)
	}
	return bexp(mul(e, blog(x)))
}

func mean(terms []*big.Float) *big.Float {
	sum := bf(0)
	for _, t := range terms {
		sum = add(sum, t)
	}
	return quo(sum, bf(float64(len(terms))))
}

// bigDual is F(z) = mean λφ*(t) + λρ + η̃ from the definitions of φ*.
func bigDual(set Set, losses []float64, z Z, rho float64) *big.Float {
	lambda, eta := bf(z.Lambda), bf(z.Eta)
	terms := make([]*big.Float, len(losses))
	for i, l := range losses {
		t := sub(bf(l), eta)
		switch s := set.(type) {
		case CVaR:
			terms[i] = bf(0)
			if t.Sign() > 0 {
				terms[i] = quo(t, bf(s.Mu))
			}
		case KL:
			terms[i] = mul(lambda, sub(bexp(quo(t, lambda)), bf(1)))
		case SmoothedCVaR:
			mu := bf(s.Mu)
			t = quo(t, lambda)
			log := func(a, b, t *big.Float) *big.Float { // log(a + b e^t), t ≤ 0
				return blog(add(a, mul(b, bexp(t))))
			}
			rest := sub(bf(1), mu)
			if t.Sign() <= 0 {
				terms[i] = mul(lambda, quo(log(rest, mu, t), mu))
			} else {
				terms[i] = mul(lambda, quo(add(t, log(mu, rest, new(big.Float).Neg(t))), mu))
			}
		case CressieRead:
			k := bf(s.K)
			k1 := sub(k, bf(1))
			base := add(bf(1), quo(mul(k1, t), lambda))
			terms[i] = mul(lambda, quo(sub(bpow(base, quo(k, k1)), bf(1)), k))
		}
	}
	f := add(mean(terms), eta)
	if set.HasRadius() {
		f = add(f, mul(lambda, bf(rho)))
	}
	return f
}

// bigPhi is φ(r) from its definition.
func bigPhi(set Set, r *big.Float) *big.Float {
	one := bf(1)
	xlogx := func(x, scale *big.Float) *big.Float {
		if x.Sign() <= 0 {
			return bf(0)
		}
		return mul(x, blog(quo(x, scale)))
	}
	switch s := set.(type) {
	case KL:
		return add(sub(xlogx(r, one), r), one)
	case SmoothedCVaR:
		mu := bf(s.Mu)
		return add(xlogx(r, one), quo(xlogx(sub(one, mul(mu, r)), sub(one, mu)), mu))
	case CressieRead:
		k := bf(s.K)
		k1 := sub(k, one)
		return quo(add(sub(bpow(r, k), mul(k, r)), k1), mul(k, k1))
	}
	return bf(0)
}

// certify proves a Worst from both sides. Above, weak duality: F at the reported z, or max ℓ,
// bounds R_ρ. Below: the reported ratios, drawn towards 1 until they are exactly feasible, form one
// Q of the set.
func certify(t *testing.T, set Set, losses, ratios []float64, rho float64, w Worst) {
	t.Helper()
	upper := bf(w.MaxLoss)
	if w.Z.Lambda > 0 || !set.HasRadius() {
		upper = bigDual(set, losses, w.Z, rho)
	} else if s, ok := set.(SmoothedCVaR); ok { // λ → 0 is CVaR's dual
		upper = bigDual(CVaR(s), losses, w.Z, 0)
	}
	rs := make([]*big.Float, len(ratios))
	for i, r := range ratios {
		rs[i] = bf(r)
	}
	total := mean(rs)
	terms, phis := make([]*big.Float, len(rs)), make([]*big.Float, len(rs))
	plain := make([]*big.Float, len(rs))
	for i := range rs {
		rs[i] = quo(rs[i], total)
		terms[i], phis[i], plain[i] = mul(rs[i], bf(losses[i])), bigPhi(set, rs[i]), bf(losses[i])
	}
	lower := mean(terms)
	if div := toFloat(mean(phis)); set.HasRadius() && div > rho {
		if div > rho*(1+1e-8) {
			t.Errorf("%s %v rho %v: divergence %v of the ratios exceeds the radius", set.Name(),
				set, rho, div)
		}
		// φ is convex with φ(1) = 0, so D(1 + θ(r−1)) ≤ θ D(r).
		lower = add(mean(plain), mul(bf(rho/div), sub(lower, mean(plain))))
	}
	width := toFloat(sub(upper, lower))
	if scale := math.Abs(w.Risk); !(width <= 1e-10*scale) || !(width >= -1e-14*scale) {
		t.Errorf("%s %v rho %v losses %.8v: duality gap %g of risk %v (%+v)",
			set.Name(), set, rho, losses[:min(6, len(losses))], width, w.Risk, w)
	}
	if err := math.Abs(toFloat(sub(bf(w.Risk), lower))); !(err <= 1e-10*math.Abs(w.Risk)) {
		t.Errorf("%s %v rho %v: risk %v is %g off", set.Name(), set, rho, w.Risk, err)
	}
}

// bruteCressieRead bisects mean u^{k*}/(mean u^{k*−1})^k = 1 + k(k−1)ρ in the
// paper's shifted η, u = (ℓ−η)₊, and returns the paper's dual value
// ω (mean u^{k*})^{1/k*} + η.
func bruteCressieRead(k float64, losses []float64, rho float64) float64 {
	bk := bf(k)
	k1 := sub(bk, bf(1))
	star := quo(bk, k1)
	x := add(bf(1), mul(mul(bk, k1), bf(rho)))
	means := func(eta *big.Float) (high, low *big.Float) {
		hs, ls := make([]*big.Float, len(losses)), make([]*big.Float, len(losses))
		for i, l := range losses {
			u := sub(bf(l), eta)
			ls[i] = bpow(u, sub(star, bf(1)))
			hs[i] = mul(ls[i], u)
		}
		return mean(hs), mean(ls)
	}
	smallest, largest := losses[0], losses[0]
	for _, l := range losses {
		smallest, largest = math.Min(smallest, l), math.Max(largest, l)
	}
	excess := func(eta *big.Float) bool {
		high, low := means(eta)
		return high.Cmp(mul(x, bpow(low, bk))) > 0 // D(η) > ρ
	}
	hi, lo := bf(largest), sub(bf(smallest), bf(largest-smallest))
	for excess(lo) {
		lo = sub(lo, mul(bf(16), sub(hi, lo)))
	}
	for range 140 {
		mid := quo(add(lo, hi), bf(2))
		if excess(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	high, _ := means(lo)
	return toFloat(add(mul(bpow(x, quo(bf(1), bk)), bpow(high, quo(bf(1), star))), lo))
}

// bruteKL bisects D = ρ in log s for r ∝ e^{−(max ℓ − ℓ)/s} and returns E_Q ℓ.
func bruteKL(losses []float64, rho float64) float64 {
	largest := losses[0]
	for _, l := range losses {
		largest = math.Max(largest, l)
	}
	at := func(logS *big.Float) (div, risk *big.Float) {
		s := bexp(logS)
		n := len(losses)
		vs, logs, rls := make([]*big.Float, n), make([]*big.Float, n), make([]*big.Float, n)
		for i, l := range losses {
			logs[i] = quo(sub(bf(l), bf(largest)), s)
			vs[i] = bexp(logs[i])
		}
		total := mean(vs)
		for i, l := range losses {
			r := quo(vs[i], total)
			rls[i] = mul(r, bf(l))
			logs[i] = mul(r, sub(logs[i], blog(total)))
		}
		return mean(logs), mean(rls)
	}
	lo, hi := bf(math.Log(largest)-12), bf(math.Log(largest)+40)
	for range 140 {
		mid := quo(add(lo, hi), bf(2))
		if div, _ := at(mid); div.Cmp(bf(rho)) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	_, risk := at(hi)
	return toFloat(risk)
}
