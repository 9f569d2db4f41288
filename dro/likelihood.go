package dro

import (
	"math"
	"slices"
)

// greatestMean returns the greatest mean that the distribution of the sample f may have, by
// empirical likelihood. The distribution may also have the value unseen, which the sample lacks.
//
// It is the greatest Σ w_i f_i + (1 − Σ w_i) unseen over weights with −2 Σ log(n w_i) ≤ z² (Owen,
// Biometrika 1988, 75, theorem 1, one side of the interval). The best weights are w_i ∝ 1/(s − f_i)
// with an s above the largest value. With s = unseen they may leave a part of z². Then that is the
// best s, and the rest pays for a share of unseen.
//
// Since R_ρ(P) = inf_z E_P f, the greatest mean of f at any z is no less than the greatest R_ρ(Q)
// over that ball. The greatest R_ρ(Q) bounds the truth with the probability Φ(z) in the limit. This
// is shown by Duchi, Glynn and Namkoong (Mathematics of Operations Research 2021, 46, §2, with φ(t)
// = −2 log t + 2t − 2) and by Lam (Operations Research 2019, 67, on the Burg entropy).
func greatestMean(f []float64, unseen, z float64) likelihood {
	n := float64(len(f))
	largest := slices.Max(f)
	span := largest - slices.Min(f)
	above := unseen - largest
	if math.IsNaN(span) || math.IsInf(above, 1) {
		return likelihood{mean: above}
	}
	// weigh returns Σ w_i f_i less the largest value, and −2 Σ log(n w_i).
	weigh := func(s float64) (float64, float64) {
		var sum, moment, logs float64
		for _, x := range f {
			w := 1 / (s + largest - x)
			sum += w
			moment += w * (x - largest)
			logs += math.Log(w)
		}
		return moment / sum, -2 * (n*math.Log(n/sum) + logs)
	}
	if weighted, spent := weigh(max(above, 0)); spent < z*z {
		share := -math.Expm1((spent - z*z) / (2 * n))
		mean := largest + weighted + share*(above-weighted)
		return likelihood{mean, f, max(above, 0), unseen, share}
	}
	if span == 0 {
		return likelihood{mean: largest}
	}
	below, at := 0.0, 0.0
	lo, hi := math.Log(1e-12*span), math.Log(1e9*span)
	for range 48 { // 50 e-folds, halved
		mid := (lo + hi) / 2
		at = math.Exp(mid)
		weighted, spent := weigh(at)
		below = weighted
		if spent > z*z {
			lo = mid
		} else {
			hi = mid
		}
	}
	return likelihood{largest + below, f, at, unseen, 0}
}

// likelihood is the distribution with the greatest mean of f: see greatestMean.
type likelihood struct {
	mean float64
	f    []float64 // nil where there is no such distribution
	// The weight of f_i is in proportion to 1/(above + max f − f_i), and unseen has this share.
	above, unseen, share float64
}

// skewness returns the skewness of f over √n, which is that of the mean of n values, under the
// distribution of the bound. The bound misses the mean with a probability near Φ(skewness/6 − z)
// (DiCiccio, Romano, Biometrika 1989, 76, 447–456), and Φ(−z) is the probability asked for.
//
// Samples that lack the value unseen by chance show no skewness. So it is also taken with the share
// −log(1 − level)/n of that value, the largest that such samples do not exclude at this level, and
// the greater of the two counts.
func (l *likelihood) skewness(level float64) float64 {
	if l.f == nil {
		return 0
	}
	excluded := -math.Log(1-level) / float64(len(l.f))
	return max(l.skewnessWith(l.share), l.skewnessWith(max(l.share, excluded)))
}

// skewnessWith is skewness with this share of unseen.
func (l *likelihood) skewnessWith(share float64) float64 {
	n, largest := float64(len(l.f)), slices.Max(l.f)
	var sum, mean float64
	for _, x := range l.f {
		w := 1 / (l.above + largest - x)
		sum += w
		mean += w * x
	}
	mean = (1-share)*mean/sum + share*l.unseen
	d := l.unseen - mean
	square, cube := share*d*d, share*d*d*d
	for _, x := range l.f {
		w := (1 - share) / (l.above + largest - x) / sum
		d := x - mean
		square += w * d * d
		cube += w * d * d * d
	}
	return cube / math.Pow(square, 1.5) / math.Sqrt(n)
}
