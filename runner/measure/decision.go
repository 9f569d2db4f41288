package measure

import "slices"

// Measures of what is decided: how well scores order the samples, and which samples a network
// takes for which class. Of two classes the second is the positive one.

// positive is the place of the positive class of two.
const positive = 1

// MostScores is how many scores, one a sample and class, an evaluation of a run sorts for the
// areas under curves of more than two classes: that takes about 10 ms. More it does for a run that
// selects by them, and `drolab eval` does.
const MostScores = 1 << 17

// areas are under the curves of a pass, computed together since both need its scores.
type areas struct{ roc, precision Number }

// areas are those of the positive class, or the mean over the classes, each against the rest, of
// those that the pass has samples of.
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

// scored fills a list with the samples, which are of the class or not, and their scores of it.
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

// score is the probability of one of two classes.
func (p *Pass) score(i, class int) float64 {
	if (p.Labels[i] == class) == p.Correct[i] {
		return p.Confidences[i]
	}
	return 1 - p.Confidences[i]
}

// predictions are the classes that the samples are taken for; nil where they are not known. Of two
// classes they follow from which predictions are right, or from the threshold.
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

// threshold is what the score of a sample has to reach, in runs that have one of their own.
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

// bestF1 is the score from which on the samples that are taken for the class have the greatest F1;
// of equals the largest. It does not apply where no sample is of the class. It sorts the list.
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

// f1 returns 2 TP/(2 TP + FP + FN) of each class, and how many samples it has. That of a class
// which no sample has and none is taken for does not apply.
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

// anyLabel has rates count all samples of a group.
const anyLabel = -1

// rates returns, of each group, the share that is taken for the positive class: of its samples of
// a label, or of all of them. The counts are of these samples. Without groups, those of a pass
// are classes.
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

// span returns the least and the greatest rate of the groups with min_group of the samples that
// it is a share of; ok is false where these are fewer than two.
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

// gap is how far the rates of groups are apart.
func (e *Evaluation) gap(p *Pass, label int) Number {
	least, most, ok := e.span(p, label)
	return NumIf(ok, most-least)
}

// oddsGap is the larger of the gaps among the positives and among the negatives.
func (e *Evaluation) oddsGap(p *Pass) Number {
	a, b := e.gap(p, positive), e.gap(p, 1-positive)
	return NumIf(a.Applies() && b.Applies(), max(a.value, b.value))
}

// mixed tells whether a group has samples of both labels. Where none has, groups are made of the
// label, and how often each is taken for the positive class says nothing of parity.
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

// parityGap is how far the selection rates of groups are apart.
func (e *Evaluation) parityGap(p *Pass) Number {
	if !e.mixed(p) {
		return Number{}
	}
	return e.gap(p, anyLabel)
}

// parityRatio is the least selection rate over the greatest, where any sample is selected.
func (e *Evaluation) parityRatio(p *Pass) Number {
	least, most, ok := e.span(p, anyLabel)
	return NumIf(ok && most > 0 && e.mixed(p), least/most)
}
