package measure

import "drolab/dro"

// Decisions lists the measures of decisions, as rows of the test split. Any split with labels can
// take the place of the test split in the Evaluation: the rows need nothing else.
func Decisions() (list []Measure) {
	for _, r := range decisionRows() {
		list = append(list, r.test())
	}
	return list
}

// decisionRows returns the measures by which practitioners choose. A row for two classes alone, or
// for groups, is left out of the files of other runs, which keep their number of fields.
func decisionRows() []splitRow {
	const positives = "; the second class is positive"
	of := func(name, title, doc string, value func(*Evaluation, *Pass) Number) splitRow {
		return splitRow{main: true, Measure: percent(name, title, "", doc),
			value: value}
	}
	list := []splitRow{
		of("auroc", "AUROC", "area under the receiver operating characteristic on test "+
			"samples: the chance that a positive sample gets a larger probability of its class "+
			"than "+
			"a negative one; with more classes, the mean over each class against the rest"+
			positives,
			func(e *Evaluation, p *Pass) Number { return e.areas(p).roc }),
		of("average_precision", "average precision", "mean precision over the recall of the "+
			""+
			"positive class on test samples, not interpolated; with more classes, the mean "+
			"over each "+
			"class against the rest"+positives,
			func(e *Evaluation, p *Pass) Number { return e.areas(p).precision }),
		of("macro_f1", "macro F1", "mean of 2 TP/(2 TP + FP + FN) on test samples, over the "+
			"classes that have samples or predictions",
			func(e *Evaluation, p *Pass) Number { values, _ := e.f1(p); return mid(values) }),
		of("worst_class_f1", "worst class F1", "the lowest F1 on test samples, over the "+
			"classes with at least min_group of them",
			func(e *Evaluation, p *Pass) Number {
				values, counts := e.f1(p)
				return LeastOf(values, counts, e.Spec.MinGroup)
			}),
	}
	for i := range 2 {
		list[i].scores = true
	}
	return append(list, fairnessRows()...)
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
func fairnessRows() []splitRow {
	const counted = ", over the groups with at least min_group of them"
	rate := func(name, title string, label int, doc string) splitRow {
		m := percent(name, title, "", doc)
		m.Better = dro.Neither
		return splitRow{axis: PerGroup, Measure: m,
			list: func(e *Evaluation, p *Pass) []Number {
				rates, _ := e.rates(p, label)
				return rates
			},
			counts: func(e *Evaluation, p *Pass) []int {
				_, counts := e.rates(p, label)
				return counts
			}}
	}
	gap := func(name, title, doc string, better dro.Sense,
		value func(*Evaluation, *Pass) Number) splitRow {
		m := percent(name, title, "", doc)
		m.Better = better
		return splitRow{main: true, group: true, Measure: m, value: value}
	}
	list := []splitRow{
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
			func(e *Evaluation, p *Pass) Number { return e.gap(p, positive) }),
		gap("demographic_parity", "demographic parity gap", "the greatest selection rate of "+
			"the groups minus the least, on test samples"+counted+"; not for groups made from "+
			"the label", dro.Lower, (*Evaluation).parityGap),
		gap("demographic_parity_ratio", "demographic parity ratio", "the least selection rate of "+
			"the groups divided by the greatest, on test samples"+counted+"; not for groups made "+
			"from the label", dro.Higher, (*Evaluation).parityRatio),
	}
	for i := range list {
		list[i].pair = true
	}
	return list
}
