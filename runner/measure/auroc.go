package measure

import (
	"cmp"
	"slices"
)

// Scored is samples that have one score: how many of them, or which weight, are of the class that
// the score tells, and how many are not.
type Scored struct{ Score, Of, Others float64 }

// AUROC is the area under the receiver operating characteristic: the probability that a sample of
// the class has a larger score than another sample, a tie counting half (Fawcett 2006, Pattern
// Recognition Letters 27). It does not apply where one of both kinds is missing. It sorts the list.
func AUROC(list []Scored) Number {
	slices.SortFunc(list, func(a, b Scored) int { return cmp.Compare(a.Score, b.Score) })
	var won, below, of, others float64
	for i := 0; i < len(list); {
		tied := Scored{Score: list[i].Score}
		for ; i < len(list) && cmp.Compare(list[i].Score, tied.Score) == 0; i++ {
			tied.Of += list[i].Of
			tied.Others += list[i].Others
		}
		won += tied.Of * (below + tied.Others/2)
		below += tied.Others
		of += tied.Of
		others += tied.Others
	}
	return NumIf(of > 0 && others > 0, won/(of*others))
}
