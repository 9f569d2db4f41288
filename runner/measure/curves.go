package measure

import (
	"cmp"
	"iter"
	"slices"
)

// MostScores is the largest number of scores, one per sample and class, that an evaluation of a run
// sorts for the areas under curves of more than two classes. Sorting them takes about 10 ms. A run
// that selects by such an area sorts more, and so does `drolab eval`.
const MostScores = 1 << 17

// areas holds the areas under the curves of a pass, computed together since both need its scores.
type areas struct{ roc, precision Number }

// areas returns the areas for the positive class of two. With more classes it returns the mean over
// the classes, each against the rest, that have samples in the pass.
func (e *Evaluation) areas() *areas {
	p := e.Test
	if p.areas != nil {
		return p.areas
	}
	p.areas = &areas{}
	score := p.score
	if e.Classes != 2 || p.Confidences == nil {
		score = func(i, class int) float64 { return float64(p.Probabilities[i*e.Classes+class]) }
		if p.Probabilities == nil {
			return p.areas
		}
	}
	var roc, precision []Number
	list := make([]scoreGroup, len(p.Labels))
	for class := range e.Classes {
		if e.Classes == 2 && class != positiveLabel {
			continue
		}
		p.scored(list, class, score)
		roc, precision = append(roc, AUROC(list)), append(precision, averagePrecision(list))
	}
	*p.areas = areas{MeanOf(roc), MeanOf(precision)}
	return p.areas
}

// scored fills a list with the samples, each with its score for the class.
func (p *Pass) scored(list []scoreGroup, class int, score func(i, class int) float64) {
	for i, label := range p.Labels {
		list[i] = scoreGroup{Score: score(i, class)}
		if label == class {
			list[i].Of = 1
		} else {
			list[i].Others = 1
		}
	}
}

// score returns the predicted probability that a sample has the given class, of two classes.
func (p *Pass) score(i, class int) float64 {
	if (p.Labels[i] == class) == p.Correct[i] {
		return p.Confidences[i]
	}
	return 1 - p.Confidences[i]
}

// scoreGroup is a set of samples with the same score: the number or total weight of the samples of
// the class that the score is about (Of), and of all other samples (Others).
type scoreGroup struct{ Score, Of, Others float64 }

// byScore sorts samples, the largest score first, and returns the sum of the samples with each
// score.
func byScore(list []scoreGroup) iter.Seq[scoreGroup] {
	slices.SortFunc(list, func(a, b scoreGroup) int { return cmp.Compare(b.Score, a.Score) })
	return func(yield func(scoreGroup) bool) {
		for n := 0; n < len(list); {
			sum := scoreGroup{Score: list[n].Score}
			for ; n < len(list) && cmp.Compare(list[n].Score, sum.Score) == 0; n++ {
				sum.Of += list[n].Of
				sum.Others += list[n].Others
			}
			if !yield(sum) {
				return
			}
		}
	}
}

// AUROC returns the area under the receiver operating characteristic: the probability that a sample
// of the class has a larger score than another sample, where a tie counts half (Fawcett 2006,
// Pattern Recognition Letters 27). It does not apply if one of the two kinds is missing. It sorts
// the list.
func AUROC(list []scoreGroup) Number {
	var won, of, others float64
	for at := range byScore(list) {
		won += at.Others * (of + at.Of/2)
		of += at.Of
		others += at.Others
	}
	return NumIf(of > 0 && others > 0, won/(of*others))
}

// averagePrecision returns the area under precision over recall without interpolation: the sum,
// over the scores from the largest down, of the recall that each adds times the precision there. A
// tie is one step. It does not apply if one of the two kinds is missing. It sorts the list.
func averagePrecision(list []scoreGroup) Number {
	var sum, of, others float64
	for at := range byScore(list) {
		of += at.Of
		others += at.Others
		if at.Of > 0 {
			sum += at.Of * of / (of + others)
		}
	}
	return NumIf(of > 0 && others > 0, sum/of)
}
