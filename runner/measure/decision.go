package measure

import (
	"slices"

	"drolab/dro"
)

// positiveLabel is the label of the positive class of two: the second one.
const positiveLabel = 1

// predictions returns the predicted classes of the samples; nil if they are not known. With two
// classes they follow from the threshold, or from which predictions are right.
func (e *Evaluation) predictions() []int {
	p := e.Test
	set := e.Classes == 2 && e.Settings.SetsThreshold()
	switch {
	case p.predicted != nil:
	case set && p.Confidences != nil:
		if t := e.threshold(); t.Applies() {
			p.predicted = make([]int, len(p.Labels))
			for i := range p.predicted {
				if p.score(i, positiveLabel) >= t.value {
					p.predicted[i] = positiveLabel
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
	switch {
	case !e.Settings.SetsThreshold() || e.Classes != 2 || e.Threshold.Applies():
		return e.Threshold
	case !e.Settings.ByVal:
		return e.Settings.Threshold
	case e.Val == nil || e.Val.Confidences == nil:
		return Number{}
	}
	list := make([]scoreGroup, len(e.Val.Labels))
	e.Val.scored(list, positiveLabel, e.Val.score)
	return bestF1(list)
}

// bestF1 returns the threshold with the greatest F1 of the class, the largest of equals. It does
// not apply if no sample is of the class. It sorts the list.
func bestF1(list []scoreGroup) (threshold Number) {
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
	return LeastOf(values, counts, e.Settings.MinGroup)
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
	kept := judgedValues(rates, counts, e.Settings.MinGroup)
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
	a, b := e.gap(positiveLabel), e.gap(1-positiveLabel)
	return NumIf(a.Applies() && b.Applies(), max(a.value, b.value))
}

// mixed reports whether a group has samples of both labels. If none has, the groups are made from
// the label, and the share of each that is predicted as positive says nothing about parity.
func (e *Evaluation) mixed() bool {
	_, positives := e.rates(positiveLabel)
	_, negatives := e.rates(1 - positiveLabel)
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

// decisionRows returns the measures by which practitioners choose: how well scores order the
// samples, and which class a network predicts for each sample. A row for two classes alone, or
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
		rate("group_true_positive_rate", "true positive rate", positiveLabel,
			"share of the group's test samples of the second class that are classified as "+
				"that class"),
		rate("group_false_positive_rate", "false positive rate", 1-positiveLabel,
			"share of the group's test samples of the first class that are classified as the "+
				"second"),
		rate("group_selection_rate", "selection rate", anyLabel,
			"share of the group's test samples that are classified as the second class"),
		gap("equalised_odds", "equalised odds gap", "the larger of two differences on test "+
			"samples: between the greatest and the least true positive rate of the groups, and "+
			"between their false positive rates"+counted, dro.Lower, (*Evaluation).oddsGap),
		gap("equal_opportunity", "equal opportunity gap", "the greatest true positive rate of "+
			"the groups minus the least, on test samples of the second class"+counted, dro.Lower,
			func(e *Evaluation) Number { return e.gap(positiveLabel) }),
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
