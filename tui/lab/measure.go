package lab

import (
	"slices"

	"drolab/runner"
)

// Measure is a number that runs log, in terms of the log and of the theory.
type Measure struct {
	Name    string // in the log and in files
	Title   string
	Unit    string
	Doc     string
	Better  int  // 1: the higher the better; -1: the lower; 0: neither
	Percent bool // 0 to 1, shown as percent
	Whole   bool // shown without decimals
	Log     bool // falls by orders of magnitude
	Noisy   bool // of mini-batches: worth smoothing
}

// StepMeasures are those of a logged step that can be drawn.
func StepMeasures() []Measure {
	return []Measure{
		{Name: "loss", Title: "train loss", Unit: "nats", Better: -1, Log: true, Noisy: true,
			Doc: "Train loss: mean cross-entropy (nats) of the step's own batch, augmented, in training mode. " +
				"Faint: every logged step with the least and greatest since the one before; strong: smoothed."},
		{Name: "lambda", Title: "λ",
			Doc: "λ: multiplier of the constraint D_φ(Q‖P) ≤ ρ. A small λ lets the adversary reweight " +
				"freely, a large one holds it near the data. It stays in its box [λ0, λ max]."},
		{Name: "eta", Title: "η",
			Doc: "η: multiplier of the constraint that the weights average 1: the loss level around which the " +
				"adversary reweights. In paper coordinates it is shifted by -λ/(k-1). It stays in its box."},
		{Name: "gap", Title: "Frank-Wolfe gap", Better: -1, Noisy: true,
			Doc: "Frank-Wolfe gap: -<d, g> of SFK's dual step on its own batch, d being the way to the box's " +
				"best corner. An upper bound of the dual objective's error, on that batch."},
		{Name: "gamma", Title: "γ", Noisy: true, Doc: "γ: SFK's dual step size, min(gap/C, 1)."},
		speed(),
	}
}

func speed() Measure {
	return Measure{Name: "images_per_second", Title: "images/s", Better: 1, Whole: true,
		Doc: "Images of the weights' batches a second, over the time spent in steps."}
}

// OfStep is a measure of a logged step, with the least and the greatest since
// the one before.
func OfStep(e *runner.StepEvent, name string) (v, low, high runner.Number) {
	if name == "images_per_second" {
		return e.ImagesPerSecond, e.ImagesPerSecond, e.ImagesPerSecond
	}
	return ofMeasures(&e.Measures, name), ofMeasures(&e.Min, name), ofMeasures(&e.Max, name)
}

func ofMeasures(m *runner.Measures, name string) runner.Number {
	switch name {
	case "loss":
		return m.Loss
	case "lambda":
		return m.Lambda
	case "eta":
		return m.Eta
	case "gap":
		return m.Gap
	case "gamma":
		return m.Gamma
	}
	return runner.Number{}
}

// EvalMeasures are those of an evaluation, one number each.
func EvalMeasures() []Measure {
	return []Measure{
		{Name: "test_loss", Title: "test loss", Unit: "nats", Better: -1, Log: true,
			Doc: "Test loss: mean cross-entropy (nats) over the test split, in evaluation mode."},
		{Name: "train_loss", Title: "train loss", Unit: "nats", Better: -1, Log: true,
			Doc: "Train loss: mean cross-entropy (nats) over the training split, unaugmented, in evaluation mode."},
		{Name: "worst_class_accuracy", Title: "worst class accuracy", Better: 1, Percent: true,
			Doc: "Worst class accuracy: the lowest of the test accuracies per class (group), at the last iterate."},
		{Name: "test_accuracy", Title: "mean accuracy", Better: 1, Percent: true,
			Doc: "Mean accuracy: part of all test images that are classified right, at the last iterate."},
		{Name: "robust_risk", Title: "robust risk", Unit: "nats", Better: -1,
			Doc: "Robust risk: R_ρ of the test losses, the largest mean over all reweightings Q with " +
				"D_φ(Q‖P) ≤ ρ, solved exactly."},
		{Name: "dual_gap", Title: "dual gap", Better: -1,
			Doc: "Dual gap: F(x; λ, η) - R_ρ(x) on the training split. It is 0 where λ and η are the best " +
				"for this network, so it measures the error of the dual variables alone."},
	}
}

// OfEval is a measure of an evaluation.
func OfEval(e *runner.EvalEvent, name string) runner.Number {
	switch name {
	case "test_loss":
		return e.TestLoss
	case "train_loss":
		return e.TrainLoss
	case "worst_class_accuracy":
		return least(e.ClassAccuracy)
	case "test_accuracy":
		return e.TestAccuracy
	case "robust_risk":
		return e.RobustRisk
	case "dual_gap":
		return e.DualGap
	}
	return runner.Number{}
}

// ClassMeasures are those of an evaluation with a number a class.
func ClassMeasures() []Measure {
	return []Measure{
		{Name: "class_accuracy", Title: "accuracy", Unit: "%", Better: 1, Percent: true,
			Doc: "Accuracy by class: part of the class's test images that are classified right, in percent; " +
				"the mark is the worst class. Then the change against the baseline run in points (b chooses it; " +
				"its value is the tick on the bar), and the number of training images."},
		{Name: "class_loss", Title: "loss", Unit: "nats", Better: -1,
			Doc: "Loss by class: mean cross-entropy (nats) of the class's test images; the mark is the worst " +
				"class. Then the change against the baseline run, and the number of training images."},
		{Name: "class_weight", Title: "weight", Unit: "mean ratio",
			Doc: "Weight by class: mean likelihood ratio dQ/dP of the class's training images under the exact " +
				"worst case Q of the training losses. 1 is no reweighting; above 1 is where the adversary looks. " +
				"ERM has it too. Last: the number of training images."},
	}
}

// OfClasses is a measure of the classes at an evaluation.
func OfClasses(e *runner.EvalEvent, name string) []runner.Number {
	switch name {
	case "class_accuracy":
		return e.ClassAccuracy
	case "class_loss":
		return e.ClassLoss
	case "class_weight":
		return e.ClassWeight
	}
	return nil
}

// SummaryMeasures are those of a run's summary: what its last evaluation has,
// where its dual variables came to, and its speed.
func SummaryMeasures() []Measure {
	step := slices.DeleteFunc(StepMeasures(), func(m Measure) bool {
		return m.Name != "lambda" &&
			m.Name != "eta"
	})
	return slices.Concat(step, EvalMeasures(), []Measure{
		{Name: "full_grad_norm", Title: "full gradient norm", Better: -1,
			Doc: "Full gradient norm: of F(x; z) over the training split."},
		speed(),
	})
}

// OfSummary is a measure of a run's summary.
func OfSummary(s *runner.Summary, name string) runner.Number {
	switch name {
	case "lambda":
		return s.Lambda
	case "eta":
		return s.Eta
	case "test_loss":
		return s.TestLoss
	case "train_loss":
		return s.TrainLoss
	case "worst_class_accuracy":
		return s.WorstClassAccuracy
	case "test_accuracy":
		return s.TestAccuracy
	case "robust_risk":
		return s.RobustRisk
	case "dual_gap":
		return s.DualGap
	case "full_grad_norm":
		return s.FullGradNorm
	case "images_per_second":
		return s.ImagesPerSecond
	}
	return runner.Number{}
}

// Named is the measure of a name in a list; it has to be there.
func Named(list []Measure, name string) Measure {
	for _, m := range list {
		if m.Name == name {
			return m
		}
	}
	panic("lab: no such measure")
}

// least returns the lowest of the values that apply: the worst class's accuracy.
func least(values []runner.Number) (low runner.Number) {
	for _, v := range values {
		if v.Applies() && !(low.Applies() && low.Float() <= v.Float()) {
			low = v
		}
	}
	return low
}
