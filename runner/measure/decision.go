package measure

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
)

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
	list := make([]Scored, len(p.Labels))
	for class := range e.Classes {
		if e.Classes == 2 && class != positive {
			continue
		}
		p.scored(list, class, score)
		roc, precision = append(roc, AUROC(list)), append(precision, averagePrecision(list))
	}
	*p.areas = areas{MeanOf(roc), MeanOf(precision)}
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
func (e *Evaluation) predictions() []int {
	p := e.Test
	set := e.Classes == 2 && e.Spec.Threshold.IsSet()
	switch {
	case p.predicted != nil:
	case set && p.Confidences != nil:
		if t := e.threshold(); t.Applies() {
			p.predicted = make([]int, len(p.Labels))
			for i := range p.predicted {
				if p.score(i, positive) >= t.value {
					p.predicted[i] = positive
				}
			}
		}
	case set:
	case p.Predictions == nil && e.Classes == 2:
		p.predicted = slices.Clone(p.Labels)
		for i, right := range p.Correct {
			if !right {
				p.predicted[i] = 1 - p.Labels[i]
			}
		}
	default:
		p.predicted = p.Predictions
	}
	return p.predicted
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
	var all, of, taken, best float64
	for _, s := range list {
		all += s.Of
	}
	for at := range byScore(list) {
		of += at.Of
		taken += at.Of + at.Others
		if f1 := 2 * of / (taken + all); f1 > best {
			threshold, best = Num(at.Score), f1
		}
	}
	return threshold
}

// f1 returns 2 TP/(2 TP + FP + FN) of each class, and its number of samples. The F1 of a class
// without samples and predictions does not apply.
func (e *Evaluation) f1() (values []Number, counts []int) {
	predictions := e.predictions()
	values, counts = make([]Number, e.Classes), make([]int, e.Classes)
	if predictions == nil {
		return values, counts
	}
	hits, taken := make([]int, e.Classes), make([]int, e.Classes)
	for i, label := range e.Test.Labels {
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

// macroF1 returns the mean F1 of the classes.
func (e *Evaluation) macroF1() Number {
	values, _ := e.f1()
	return MeanOf(values)
}

// worstF1 returns the least F1 of the classes with at least min_group samples.
func (e *Evaluation) worstF1() Number {
	values, counts := e.f1()
	return LeastOf(values, counts, e.Spec.MinGroup)
}

// anyLabel makes rates count all samples of a group.
const anyLabel = -1

// rates returns for each group the share of its samples with the label (or anyLabel) that is
// predicted as positive. The counts are the numbers of these samples. If no groups are given, it
// returns nothing, since the Groups of a pass are classes then.
func (e *Evaluation) rates(label int) (rates []Number, counts []int) {
	rates, counts = make([]Number, e.Groups), make([]int, e.Groups)
	predictions := e.predictions()
	if e.Classes != 2 || e.Groups == 0 || predictions == nil {
		return rates, counts
	}
	taken := make([]int, e.Groups)
	for i, l := range e.Test.Labels {
		if label != anyLabel && l != label {
			continue
		}
		for _, g := range e.Test.In(PerGroup, i) {
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
func (e *Evaluation) span(label int) (least, most float64, ok bool) {
	rates, counts := e.rates(label)
	kept := judged(rates, counts, e.Spec.MinGroup)
	if len(kept) < 2 {
		return 0, 0, false
	}
	return Least(kept).value, kept[Worst(kept, true)].value, true
}

// gap returns the difference between the greatest and the least rate of the groups.
func (e *Evaluation) gap(label int) Number {
	least, most, ok := e.span(label)
	return NumIf(ok, most-least)
}

// oddsGap returns the larger of the gaps among the positives and among the negatives.
func (e *Evaluation) oddsGap() Number {
	a, b := e.gap(positive), e.gap(1-positive)
	return NumIf(a.Applies() && b.Applies(), max(a.value, b.value))
}

// mixed reports whether a group has samples of both labels. If none has, the groups are made from
// the label, and the share of each that is predicted as positive says nothing about parity.
func (e *Evaluation) mixed() bool {
	_, positives := e.rates(positive)
	_, negatives := e.rates(1 - positive)
	for g, n := range positives {
		if n > 0 && negatives[g] > 0 {
			return true
		}
	}
	return false
}

// parityGap returns the gap of the selection rates of groups.
func (e *Evaluation) parityGap() Number {
	if !e.mixed() {
		return Number{}
	}
	return e.gap(anyLabel)
}

// parityRatio returns the least selection rate over the greatest, if any sample is selected.
func (e *Evaluation) parityRatio() Number {
	least, most, ok := e.span(anyLabel)
	return NumIf(ok && most > 0 && e.mixed(), least/most)
}

// Decisions lists the measures of decisions, as rows of the test split. Any split with labels can
// take the place of the test split in the Evaluation: the rows need nothing else.
func Decisions() []Measure { return spec.Map(decisionRows(), Measure.ofTest) }

// decisionRows returns the measures by which practitioners choose. A row for two classes alone, or
// for groups, is left out of the files of other runs, which keep their number of fields.
func decisionRows() []Measure {
	const positives = "; the second class is positive"
	return append([]Measure{
		{Main: true, scores: true, Value: func(e *Evaluation) Number { return e.areas().roc },
			Measure: percent("auroc", "AUROC", "",
				"area under the receiver operating characteristic on test samples: the chance "+
					"that a positive sample gets a larger probability of its class than a "+
					"negative one; with more classes, the mean over each class against the rest"+
					positives)},
		{Main: true, scores: true, Value: func(e *Evaluation) Number { return e.areas().precision },
			Measure: percent("average_precision", "average precision", "",
				"mean precision over the recall of the positive class on test samples, not "+
					"interpolated; with more classes, the mean over each class against the rest"+
					positives)},
		{Main: true, Value: (*Evaluation).macroF1,
			Measure: percent("macro_f1", "macro F1", "",
				"mean of 2 TP/(2 TP + FP + FN) on test samples, over the classes that have "+
					"samples or predictions")},
		{Main: true, Value: (*Evaluation).worstF1,
			Measure: percent("worst_class_f1", "worst class F1", "",
				"the lowest F1 on test samples, over the classes with at least min_group of them")},
	}, fairnessRows()...)
}

// thresholdRow returns the measure that records the threshold of an evaluation's decisions.
func thresholdRow() Measure {
	return Measure{Main: true, pair: true, chosen: true,
		Value: (*Evaluation).threshold,
		Measure: dro.Measure{Name: "threshold", Title: "threshold", Doc: "the least " +
			"probability of the second class at which a sample counts as that class, for F1, " +
			"rates and gaps: the setting threshold or, with val_f1, the threshold with the " +
			"greatest F1 of that class on the validation split, at this evaluation"}}
}

// fairnessRows returns the measures that compare groups, by the definitions of Fairlearn; odds and
// opportunity are from Hardt, Price, Srebro 2016.
func fairnessRows() []Measure {
	const counted = ", over the groups with at least min_group of them"
	rate := func(name, title string, label int, doc string) Measure {
		m := percent(name, title, "", doc)
		m.Better = dro.Neither
		return Measure{Axis: PerGroup, pair: true, Measure: m,
			List: func(e *Evaluation) []Number {
				rates, _ := e.rates(label)
				return rates
			},
			Counts: func(e *Evaluation) []int {
				_, counts := e.rates(label)
				return counts
			}}
	}
	gap := func(name, title, doc string, better dro.Sense,
		value func(*Evaluation) Number) Measure {
		m := percent(name, title, "", doc)
		m.Better = better
		return Measure{Main: true, group: true, pair: true, Measure: m, Value: value}
	}
	return []Measure{
		rate("group_true_positive_rate", "true positive rate", positive,
			"share of the group's test samples of the second class that are classified as "+
				"that class"),
		rate("group_false_positive_rate", "false positive rate", 1-positive,
			"share of the group's test samples of the first class that are classified as the "+
				"second"),
		rate("group_selection_rate", "selection rate", anyLabel,
			"share of the group's test samples that are classified as the second class"),
		gap("equalised_odds", "equalised odds gap", "the larger of two differences on test "+
			"samples: between the greatest and the least true positive rate of the groups, and "+
			"between their false positive rates"+counted, dro.Lower, (*Evaluation).oddsGap),
		gap("equal_opportunity", "equal opportunity gap", "the greatest true positive rate of "+
			"the groups minus the least, on test samples of the second class"+counted, dro.Lower,
			func(e *Evaluation) Number { return e.gap(positive) }),
		gap("demographic_parity", "demographic parity gap", "the greatest selection rate of "+
			"the groups minus the least, on test samples"+counted+"; not for groups made from "+
			"the label", dro.Lower, (*Evaluation).parityGap),
		gap("demographic_parity_ratio", "demographic parity ratio", "the least selection rate of "+
			"the groups divided by the greatest, on test samples"+counted+"; not for groups made "+
			"from the label", dro.Higher, (*Evaluation).parityRatio),
		{Main: true, group: true, Value: (*Evaluation).adjusted,
			Measure: percent("adjusted_accuracy", "adjusted accuracy", "adjusted",
				"mean of the groups' accuracies on test samples, each weighted by the group's "+
					"number of training samples: the adjusted average accuracy of Sagawa et al. "+
					"2020; a group without test samples has no weight")},
	}
}

// Scored is a set of samples with the same score: the number or total weight of the samples of the
// class that the score is about (Of), and of all other samples (Others).
type Scored struct{ Score, Of, Others float64 }

// byScore sorts samples, the largest score first, and returns the sum of the samples with each
// score.
func byScore(list []Scored) iter.Seq[Scored] {
	slices.SortFunc(list, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	return func(yield func(Scored) bool) {
		for n := 0; n < len(list); {
			sum := Scored{Score: list[n].Score}
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
func AUROC(list []Scored) Number {
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
func averagePrecision(list []Scored) Number {
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

// The histogram of the likelihood ratios has bins of half an octave from 1/8 to 16, one bin below
// them and one above.
const (
	ratioLow  = 1. / 8
	ratioBins = 16
)

// RatioEdges returns the lower edges of the bins of ratio_histogram; the first is 0.
func RatioEdges() []float64 {
	edges := []float64{0}
	for i := range ratioBins - 1 {
		edges = append(edges, ratioLow*math.Pow(2, float64(i)/2))
	}
	return edges
}

// ratioBin returns the bin of a ratio, from 0. A NaN falls into the first bin, so that no sample is
// left out of the counts.
func ratioBin(r float64) int {
	if !(r >= ratioLow) {
		return 0
	}
	// The 1e-12 exceeds the rounding error, and keeps edges in the bins that they begin.
	return 1 + min(ratioBins-2, int(2*math.Log2(r/ratioLow)+1e-12))
}

func histogramRow() Measure {
	return Measure{
		Axis: PerRatio,
		Measure: dro.Measure{Name: "ratio_histogram", Title: "likelihood ratios",
			Unit: "samples", Scale: dro.Whole, Asks: dro.OfProblem,
			Doc: "number of training samples in each of 16 bins of the likelihood ratio " +
				"dQ/dP, for the exact worst case Q of the training losses: below 1/8, then " +
				"half octaves, then 16 and above"},
		List: func(e *Evaluation) []Number {
			if e.Ratios == nil {
				return nil
			}
			list := slices.Repeat([]Number{Num(0)}, ratioBins)
			for _, r := range e.Ratios {
				list[ratioBin(r)].value++
			}
			return list
		},
	}
}
