package measure

import (
	"cmp"
	"slices"
)

// Scored is a set of samples with the same score: the number or total weight of the samples of the
// class that the score is about (Of), and of all other samples (Others).
type Scored struct{ Score, Of, Others float64 }

// byScore sorts samples, the largest score first.
func byScore(list []Scored) {
	slices.SortFunc(list, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
}

// tied sums the samples with the largest score, which are at the start of a sorted list.
func tied(list []Scored) (sum Scored, n int) {
	sum.Score = list[0].Score
	for n < len(list) && cmp.Compare(list[n].Score, sum.Score) == 0 {
		sum.Of += list[n].Of
		sum.Others += list[n].Others
		n++
	}
	return sum, n
}

// AUROC returns the area under the receiver operating characteristic: the probability that a sample
// of the class has a larger score than another sample, where a tie counts half (Fawcett 2006,
// Pattern Recognition Letters 27). It does not apply if one of the two kinds is missing. It sorts
// the list.
func AUROC(list []Scored) Number {
	byScore(list)
	var won, of, others float64
	for len(list) > 0 {
		at, n := tied(list)
		won += at.Others * (of + at.Of/2)
		of += at.Of
		others += at.Others
		list = list[n:]
	}
	return NumIf(of > 0 && others > 0, won/(of*others))
}

// averagePrecision returns the area under precision over recall without interpolation: the sum,
// over the scores from the largest down, of the recall that each adds times the precision there. A
// tie is one step. It does not apply if one of the two kinds is missing. It sorts the list.
func averagePrecision(list []Scored) Number {
	byScore(list)
	var sum, of, others float64
	for len(list) > 0 {
		at, n := tied(list)
		of += at.Of
		others += at.Others
		if at.Of > 0 {
			sum += at.Of * of / (of + others)
		}
		list = list[n:]
	}
	return NumIf(of > 0 && others > 0, sum/of)
}
