package measure

import "math"

// Interval is a confidence interval, from its lower to its upper end. The zero Interval is no
// interval: its ends do not apply.
type Interval [2]Number

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of a proportion that is estimated by a share in [0, 1] of
// n samples (Wilson 1927; Brown, Cai, DasGupta 2001, eq. 4). Unlike the share ± its standard error,
// it stays in [0, 1] and is informative where the share is 0 or 1. Without samples there is no
// interval.
func Wilson(share Number, n int) Interval {
	p := share.Float()
	if n <= 0 || !(p >= 0 && p <= 1) {
		return Interval{}
	}
	z2 := z95 * z95 / float64(n)
	mid := (p + z2/2) / (1 + z2)
	half := math.Sqrt(z2*(p*(1-p)+z2/4)) / (1 + z2)
	return Interval{Num(max(0, mid-half)), Num(min(1, mid+half))}
}

// Wilsons returns the intervals of accuracies, given the number of samples of each. An accuracy
// whose count is not known, as in old files, has no interval.
func Wilsons(accuracy []Number, counts []int) (list []Interval) {
	for i, a := range accuracy {
		n := 0
		if i < len(counts) {
			n = counts[i]
		}
		list = append(list, Wilson(a, n))
	}
	return list
}
