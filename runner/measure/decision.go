package measure

import "slices"

// Measures of decisions: how well scores order the samples, and which class a network predicts for
// each sample. With two classes, the second is the positive one.

// positive is the label of the positive class of two.
const positive = 1

// MostScores is the largest number of scores, one per sample and class, that an evaluation of a run
// sorts for the areas under curves of more than two classes. Sorting them takes about 10 ms. A run
// that selects by such an area sorts more, and so does `drolab eval`.
const MostScores = 1 << 17

// areas holds the areas under the curves of a pass, computed together since both need its scores.
type areas struct{ roc, precision Number }

// areas returns the areas for the positive class of two. With more classes it returns the mean over
// the classes, each against the rest, that have samples in the pass.
func (e *Evaluation) areas(p *Pass) *areas {
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
	list := make([]Scored, len(p.Labels))
	for class := range e.Classes {
		if e.Classes == 2 && class != positive {
			continue
		}
		p.scored(list, class, score)
		roc, precision = append(roc, AUROC(list)), append(precision, averagePrecision(list))
	}
	*p.areas = areas{mid(roc), mid(precision)}
	return p.areas
}

// scored fills a list with the samples, each with its score for the class.
func (p *Pass) scored(list []Scored, class int, score func(i, class int) float64) {
	for i, label := range p.Labels {
		list[i] = Scored{Score: score(i, class)}
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

// predictions returns the predicted classes of the samples; nil if they are not known. With two
// classes they follow from the threshold, or from which predictions are right.
func (e *Evaluation) predictions(p *Pass) []int {
	set := e.Classes == 2 && e.Spec.Threshold.IsSet()
	switch {
	case p.taken != nil:
	case set && p.Confidences != nil:
		if t := e.threshold(); t.Applies() {
			p.taken = make([]int, len(p.Labels))
			for i := range p.taken {
				if p.score(i, positive) >= t.value {
					p.taken[i] = positive
				}
			}
		}
	case set:
	case p.Predictions == nil && e.Classes == 2:
		p.taken = slices.Clone(p.Labels)
		for i, right := range p.Correct {
			if !right {
				p.taken[i] = 1 - p.Labels[i]
			}
		}
	default:
		p.taken = p.Predictions
	}
	return p.taken
}

// threshold returns the score from which on a sample counts as positive, in runs that set one.
func (e *Evaluation) threshold() Number {
	switch t := e.Spec.Threshold; {
	case !t.IsSet() || e.Classes != 2 || e.Threshold.Applies():
		return e.Threshold
	case !t.ByVal():
		return Num(t.Number())
	}
	if e.Val == nil || e.Val.Confidences == nil {
		return Number{}
	}
	list := make([]Scored, len(e.Val.Labels))
	e.Val.scored(list, positive, e.Val.score)
	return bestF1(list)
}

// bestF1 returns the threshold with the greatest F1 of the class, the largest of equals. It does
// not apply if no sample is of the class. It sorts the list.
func bestF1(list []Scored) (threshold Number) {
	byScore(list)
	var all, of, taken, best float64
	for _, s := range list {
		all += s.Of
	}
	for len(list) > 0 {
		at, n := tied(list)
		of += at.Of
		taken += at.Of + at.Others
		if f1 := 2 * of / (taken + all); f1 > best {
			threshold, best = Num(at.Score), f1
		}
		list = list[n:]
	}
	return threshold
}

// f1 returns 2 TP/(2 TP + FP + FN) of each class, and its number of samples. The F1 of a class
// without samples and predictions does not apply.
func (e *Evaluation) f1(p *Pass) (values []Number, counts []int) {
	predictions := e.predictions(p)
	values, counts = make([]Number, e.Classes), make([]int, e.Classes)
	if predictions == nil {
		return values, counts
	}
	hits, taken := make([]int, e.Classes), make([]int, e.Classes)
	for i, label := range p.Labels {
		counts[label]++
		taken[predictions[i]]++
		if predictions[i] == label {
			hits[label]++
		}
	}
	for c := range values {
		both := counts[c] + taken[c]
		values[c] = NumIf(both > 0, 2*float64(hits[c])/float64(both))
	}
	return values, counts
}

// anyLabel makes rates count all samples of a group.
const anyLabel = -1

// rates returns for each group the share of its samples with the label (or anyLabel) that is
// predicted as positive. The counts are the numbers of these samples. If no groups are given, it
// returns nothing, since the Groups of a pass are classes then.
func (e *Evaluation) rates(p *Pass, label int) (rates []Number, counts []int) {
	predictions := e.predictions(p)
	if e.Classes != 2 || e.Groups == 0 || predictions == nil {
		return make([]Number, e.Groups), make([]int, e.Groups)
	}
	rates, counts = make([]Number, e.Groups), make([]int, e.Groups)
	taken := make([]int, e.Groups)
	for i, g := range p.Groups {
		if label == anyLabel || p.Labels[i] == label {
			counts[g]++
			taken[g] += predictions[i]
		}
	}
	for g, n := range counts {
		rates[g] = NumIf(n > 0, float64(taken[g])/float64(n))
	}
	return rates, counts
}

// span returns the least and the greatest rate, over the groups with at least min_group of the
// samples that the rate counts; ok is false if there are fewer than two such groups.
func (e *Evaluation) span(p *Pass, label int) (least, most float64, ok bool) {
	n := 0
	rates, counts := e.rates(p, label)
	for _, r := range Enough(rates, counts, e.Spec.MinGroup) {
		if !r.Applies() {
			continue
		}
		if n++; n == 1 {
			least, most = r.value, r.value
		}
		least, most = min(least, r.value), max(most, r.value)
	}
	return least, most, n > 1
}

// gap returns the difference between the greatest and the least rate of the groups.
func (e *Evaluation) gap(p *Pass, label int) Number {
	least, most, ok := e.span(p, label)
	return NumIf(ok, most-least)
}

// oddsGap returns the larger of the gaps among the positives and among the negatives.
func (e *Evaluation) oddsGap(p *Pass) Number {
	a, b := e.gap(p, positive), e.gap(p, 1-positive)
	return NumIf(a.Applies() && b.Applies(), max(a.value, b.value))
}

// mixed reports whether a group has samples of both labels. If none has, the groups are made from
// the label, and the share of each that is predicted as positive says nothing about parity.
func (e *Evaluation) mixed(p *Pass) bool {
	_, positives := e.rates(p, positive)
	_, negatives := e.rates(p, 1-positive)
	for g, n := range positives {
		if n > 0 && negatives[g] > 0 {
			return true
		}
	}
	return false
}

// parityGap returns the gap of the selection rates of groups.
func (e *Evaluation) parityGap(p *Pass) Number {
	if !e.mixed(p) {
		return Number{}
	}
	return e.gap(p, anyLabel)
}

// parityRatio returns the least selection rate over the greatest, if any sample is selected.
func (e *Evaluation) parityRatio(p *Pass) Number {
	least, most, ok := e.span(p, anyLabel)
	return NumIf(ok && most > 0 && e.mixed(p), least/most)
}
