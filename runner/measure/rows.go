package measure

import (
	"slices"

	"drolab/dro"
	"drolab/runner/lists"
)

// stepRows returns the measures that steps of every method report. The loss precedes the method's
// own measures and the gradient norm follows them, which is the order of the log.
func stepRows() (first, last Measure) {
	loss := dro.Measure{Name: "loss", Title: "batch loss", Unit: "nats",
		Scale: dro.Log, Better: dro.Lower, Noisy: true, Asks: dro.OfLoss,
		Doc: "mean loss of the step's own batch, augmented, in training mode"}
	norm := dro.Measure{Name: "grad_norm", Title: "gradient norm", Symbol: "‖g‖",
		Scale: dro.Log, Noisy: true,
		Doc: "‖mean w_i ∇ℓ_i‖ of the x-batch, with the method's weights w, before clipping"}
	return Measure{Main: true, Measure: loss}, Measure{Measure: norm}
}

// evalRows returns the measures of evaluations, in the order of the log.
func evalRows() []Measure {
	right := slices.Concat(accuracyRows(), decisionRows())
	split := slices.Concat(lossRows(), riskRows())
	return slices.Concat(lists.Map(right, Measure.ofTest), []Measure{thresholdRow(), trainLoss()},
		lists.Map(split, Measure.ofTest), ratioRows(), dualRiskRows(), outputRows(),
		lists.Map(slices.Concat(right, split), Measure.ofVal))
}

// The rows of the table of measures of evaluations.

// percent returns a measure that is a share in [0, 1], the higher the better; tables and charts
// show it in percent.
func percent(name, title, symbol, doc string) dro.Measure {
	return dro.Measure{Name: name, Title: title, Symbol: symbol, Unit: "%", Scale: dro.Percent,
		Better: dro.Higher, Doc: doc}
}

// nats returns a measure in the unit of a cross-entropy loss with the natural logarithm, the lower
// the better. Squared losses have this unit too, though they are not in nats.
func nats(name, title, doc string) dro.Measure {
	return dro.Measure{Name: name, Title: title, Unit: "nats", Better: dro.Lower,
		Asks: dro.OfLoss, Doc: doc}
}

// ofProblem marks a measure as depending on the uncertainty set at the run's radius.
func ofProblem(d dro.Measure) dro.Measure {
	d.Asks = dro.OfProblem
	return d
}

// logScale gives a measure a logarithmic axis, for values that fall by powers of ten.
func logScale(d dro.Measure) dro.Measure {
	d.Scale = dro.Log
	return d
}

// These rows are of the test split: see Measure.ofVal.

// accuracyRows returns the shares of correct predictions: of the whole split, per part, and of the
// worst part.
func accuracyRows() []Measure {
	accuracy := func(a Axis) func(*Evaluation) []Number {
		return func(e *Evaluation) []Number { return e.By(a, e.Test, e.Test.Hits()) }
	}
	worst := func(a Axis) func(*Evaluation) Number {
		return func(e *Evaluation) Number { return e.LeastAccuracy(a) }
	}
	const few = " with at least min_group of them"
	return []Measure{
		{Main: true, Axis: PerClass, groups: "group_accuracy", List: accuracy(PerClass),
			Measure: percent("class_accuracy", "accuracy", "",
				"share of the class's test samples classified correctly")},
		{Main: true, Axis: PerGroup, List: accuracy(PerGroup),
			Measure: percent("group_accuracy", "group accuracy", "",
				"share of the group's test samples classified correctly")},
		{Axis: PerGroup, List: (*Evaluation).recall,
			Measure: percent("group_recall", "group recall", "",
				"balanced accuracy within the group: the mean, over the classes of the "+
					"group's test samples, of the share classified correctly; the accuracy if "+
					"the group has one class")},
		{Main: true, group: true, Value: worst(PerGroup),
			Measure: percent("worst_group_accuracy", "worst group accuracy", "worst group",
				"the lowest accuracy per group on test samples, over the groups"+few)},
		{Main: true, groups: "worst_group_accuracy", Value: worst(PerClass),
			Measure: percent("worst_class_accuracy", "worst class accuracy", "worst class",
				"the lowest accuracy per class on test samples, over the classes"+few)},
		{Main: true, Value: func(e *Evaluation) Number { return e.Test.Accuracy() },
			Measure: percent("test_accuracy", "mean accuracy", "mean",
				"share of all test samples classified correctly")},
		{Value: (*Evaluation).balanced,
			Measure: percent("balanced_accuracy", "balanced accuracy", "balanced",
				"mean, over the classes with test samples, of the share classified correctly")},
		{Value: func(e *Evaluation) Number { return e.Test.calibrationError() },
			Measure: dro.Measure{Name: "calibration_error", Title: "calibration error",
				Unit: "%", Scale: dro.Percent, Better: dro.Lower,
				Doc: "expected calibration error: the test samples fall into 15 bins of equal " +
					"width by the largest predicted probability; the mean over the samples of " +
					"the distance between their bin's accuracy and its mean probability (Guo " +
					"et al. 2017)"}},
	}
}

// lossRows returns the mean losses of a split and of its parts.
func lossRows() []Measure {
	loss := func(a Axis) func(*Evaluation) []Number {
		return func(e *Evaluation) []Number { return e.By(a, e.Test, e.Test.Losses) }
	}
	return []Measure{
		{Axis: PerClass, groups: "group_loss", List: loss(PerClass),
			Measure: nats("class_loss", "class loss", "mean loss of the class's test samples")},
		{Axis: PerGroup, List: loss(PerGroup),
			Measure: nats("group_loss", "group loss", "mean loss of the group's test samples")},
		{Main: true, Value: func(e *Evaluation) Number { return e.Test.Loss() },
			Measure: logScale(nats("test_loss", "test loss",
				"mean loss over the test split, unaugmented, in evaluation mode"))},
	}
}

// riskRows returns the measures of the split's own exact worst cases (math.md §3).
func riskRows() []Measure {
	at := nats("robust_risk_at", "robust risk at ρ",
		"R_ρ of the test losses at each radius ρ of the setting risk_radii, solved exactly; "+
			"not for a set without a radius")
	sensitivity := nats("risk_sensitivity", "sensitivity of the risk",
		"S in R_ρ = mean + S √ρ of the test losses for a small ρ: √(2 Var ℓ), for smoothed CVaR "+
			"√(2(1 − μ) Var ℓ); not for CVaR and total variation")
	sensitivity.Symbol = "S"
	at.Asks, sensitivity.Asks = dro.OfSet, dro.OfSet
	return []Measure{
		{Main: true,
			Value: func(e *Evaluation) Number { return e.Test.ifLosses(e.Test.Worst.Risk) },
			Measure: ofProblem(nats("robust_risk", "robust risk",
				"R_ρ of the test losses: their largest mean over all reweightings Q with "+
					"D_φ(Q‖P) ≤ ρ, solved exactly"))},
		{Axis: PerRadius, List: func(e *Evaluation) []Number { return e.Test.Risks }, Measure: at},
		{smooth: true, Value: (*Evaluation).sensitivity, Measure: sensitivity},
	}
}

// trainLoss returns a measure besides the loss of steps. The loss of steps is of augmented batches
// at weights that move, so the two must not be compared.
func trainLoss() Measure {
	return Measure{Main: true, Value: func(e *Evaluation) Number { return e.Train.Loss() },
		Measure: logScale(nats("train_loss", "train loss",
			"mean loss over the training split, unaugmented, in evaluation mode"))}
}

// ratioRows returns the measures that show where the adversary looks. Group DRO's own weights are
// different: its steps report them.
func ratioRows() []Measure {
	row := func(name, title, part, groups string, a Axis) Measure {
		return Measure{Axis: a, groups: groups,
			List: func(e *Evaluation) []Number { return e.By(a, e.Train, e.Ratios) },
			Measure: dro.Measure{Name: name, Title: title, Unit: "mean ratio",
				Asks: dro.OfProblem,
				Doc: "mean likelihood ratio dQ/dP of the " + part + "'s training samples under " +
					"the exact worst case Q of the training losses: 1 is no reweighting, and " +
					"above 1 the adversary looks; defined for ERM, too"}}
	}
	return []Measure{row("class_weight", "weight", "class", "group_ratio", PerClass),
		row("group_ratio", "adversary's ratio", "group", "", PerGroup), histogramRow()}
}

// dualRiskRows returns the measures that compare F at the method's z with the exact worst case, on
// the training split (math.md §3). For a method without dual variables, the measures that need z do
// not apply.
func dualRiskRows() []Measure {
	return []Measure{
		{Measure: ofProblem(nats("train_objective", "train objective",
			"F(x; λ, η) on the training split, unaugmented")),
			Value: (*Evaluation).objective},
		{Measure: ofProblem(nats("train_robust_risk", "train robust risk",
			"R_ρ of the training losses, unaugmented, solved exactly")),
			Value: func(e *Evaluation) Number { return e.Train.ifLosses(e.Train.Worst.Risk) }},
		{Main: true, known: true, Measure: logScale(ofProblem(nats("excess_risk", "excess risk",
			"R_ρ(x) − min over x of R_ρ on the training split: how far the network is from "+
				"the best one of its kind, which was found before the start (setting optimum) "+
				"between two bounds 1e-9 apart"))),
			Value: (*Evaluation).excessRisk},
		{Main: true, Measure: ofProblem(nats("dual_gap", "dual gap",
			"F(x; λ, η) − R_ρ(x) on the training split: 0 where λ and η are the best for this "+
				"network, so it is the error of the dual variables alone")),
			Value: func(e *Evaluation) Number {
				f := e.objective()
				return NumIf(f.Applies(), f.value-e.Train.Worst.Risk)
			}},
		{Main: true, Measure: ofProblem(nats("penalised_gap", "penalised gap",
			"F(x; λ, η) − min over η of F(x; λ, η) on the training split, for methods with a "+
				"fixed λ: 0 where η is the best for this network, in their own problem; the "+
				"dual gap includes the error of λ")),
			Value: (*Evaluation).penalisedGap},
		{Measure: ofProblem(dro.Measure{Name: "best_lambda", Title: "best λ", Symbol: "λ*",
			Doc: "the λ of the exact worst case on the training split: the best for this network"}),
			Value: func(e *Evaluation) Number { return NumIf(e.solvable(), e.bestZ().Lambda) }},
		{Measure: ofProblem(dro.Measure{Name: "best_eta", Title: "best η", Symbol: "η*",
			Doc: "the η of the exact worst case on the training split, in the coordinates of " +
				"the run's η"}),
			Value: func(e *Evaluation) Number { return NumIf(e.solvable(), e.bestZ().Eta) }},
		{Measure: dro.Measure{Name: "worst_divergence", Title: "worst case's divergence",
			Asks: dro.OfProblem, Doc: "D_φ(Q‖P) of the exact worst case on the training split; " +
				"below ρ where the radius does not bind"},
			Value: func(e *Evaluation) Number {
				return e.Train.ifLosses(e.Train.Worst.Divergence)
			}},
		{Measure: dro.Measure{Name: "effective_sample_size", Title: "effective sample size",
			Scale: dro.Whole, Unit: "samples", Asks: dro.OfProblem,
			Doc: "n (mean r)²/mean r² of the exact worst case on the training split"},
			Value: func(e *Evaluation) Number {
				return e.Train.ifLosses(e.Train.Worst.EffectiveSampleSize)
			}},
		{Main: true, Measure: dro.Measure{Name: "full_grad_norm", Title: "full gradient norm",
			Symbol: "‖∇F‖", Better: dro.Lower, Asks: dro.OfObjective,
			Doc: "‖∇_x F(x; λ, η)‖ of the method's own objective over the training split " +
				"(ERM: of the mean loss)"},
			Value: func(e *Evaluation) Number { return e.GradNorm }},
		{Measure: dro.Measure{Name: "above_bound", Title: "losses above B",
			Scale: dro.Whole, Unit: "samples",
			Doc: "number of training losses above eta_max, the bound B that the theory assumes"},
			Value: func(e *Evaluation) Number { return e.Train.ifLosses(float64(e.aboveBound())) }},
	}
}

// outputRows returns the measures of the paper's own output, not of the last iterate.
func outputRows() []Measure {
	const at = " on the training split, at the output of the paper's Algorithm 1: x after " +
		"step t', λ and η before it, where t' is the step with the least ‖∇_x f‖² + gap² on " +
		"its batches or, with output: random, a random step"
	of := func(value func(*Output) float64) func(*Evaluation) Number {
		return func(e *Evaluation) Number {
			if e.Output == nil {
				return Number{}
			}
			return Num(value(e.Output))
		}
	}
	return []Measure{
		{Measure: ofProblem(nats("output_dual_gap", "dual gap of the output",
			"F(x; λ, η) − R_ρ(x)"+at)),
			Value: of(func(o *Output) float64 { return o.DualGap })},
		{Measure: dro.Measure{Name: "output_grad_norm", Title: "gradient norm of the output",
			Better: dro.Lower, Asks: dro.OfObjective, Doc: "‖∇_x F(x; λ, η)‖" + at},
			Value: of(func(o *Output) float64 { return o.GradNorm })},
	}
}
