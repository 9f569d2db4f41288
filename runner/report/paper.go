package report

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/page"
)

// This file has what Zhang, Zhou, Prater-Bennette, Shen and Zou (AAAI 2024, arXiv 2404.01200)
// publish about their experiment, and what they claim in §1, §5 and §6.

// baseline is the method with which the others are compared.
const baseline = dro.ERM

// table1 is a published table of test accuracies.
type table1 struct {
	dataset, imbalance, model string
	low                       []int // the classes that its text calls the lowest
	// more is a class of low. fewer is a class with fewer training images that is not in low.
	more, fewer int
	rows        []publishedRow
	// silent lists readings that are not settings: the name, the value here and the reason.
	silent [][3]string
}

// publishedRow has the accuracies per class, in percent, in the order of the classes.
type publishedRow struct {
	method  dro.Algorithm
	classes []float64
}

var published = table1{
	dataset:   "cifar10",
	imbalance: "paper",
	model:     "alexnet",
	low:       []int{3, 4, 5},
	more:      3, // cat, 2965 images
	fewer:     1, // automobile, 2715
	rows: []publishedRow{
		{dro.SFK, []float64{76.11, 84.71, 66.18, 54.95, 58.65, 49.36, 89.06, 84.03, 88.41, 83.09}},
		{dro.PAN, []float64{74.92, 85.62, 65.72, 52.69, 55.83, 49.50, 88.85, 84.06, 88.68, 81.29}},
		{dro.ERM, []float64{77.64, 86.19, 69.33, 54.03, 51.53, 47.05, 87.66, 85.35, 87.12, 83.15}},
	},
	silent: [][3]string{
		{"training images", "the first of each class",
			"the paper draws them at random; whether once or for each repeat it does not say"},
		{"window", "none",
			"the paper averages all results over a window of 5, of what it does not say"},
	},
}

// fits reports whether the table is for the run's data and network.
func (t *table1) fits(m *runner.Meta) bool {
	return m.Spec.Dataset == t.dataset && m.Spec.Text("imbalance") == t.imbalance &&
		m.Spec.Model == t.model
}

func (t *table1) of(a dro.Algorithm) *publishedRow {
	i := slices.IndexFunc(t.rows, func(r publishedRow) bool { return r.method == a })
	if i < 0 {
		return nil
	}
	return &t.rows[i]
}

// mean returns the mean over the classes, which have equally many test samples.
func (r *publishedRow) mean() float64 {
	sum := 0.0
	for _, x := range r.classes {
		sum += x
	}
	return sum / float64(len(r.classes))
}

// cell formats the published value of a measure. A class of −1 makes class_accuracy the mean of the
// lowest classes.
func (r *publishedRow) cell(measured string, class int) string {
	switch {
	case measured == lowClasses && class >= 0:
		return fmt.Sprintf("%.2f", r.classes[class])
	case measured == lowClasses:
		sum := 0.0
		for _, i := range published.low {
			sum += r.classes[i] / float64(len(published.low))
		}
		return fmt.Sprintf("%.2f", sum)
	case measured == "worst_class_accuracy":
		return fmt.Sprintf("%.2f", slices.Min(r.classes))
	case measured == "test_accuracy":
		return fmt.Sprintf("%.2f", r.mean())
	}
	return page.None
}

// claimed is a claim of the paper in a form that can be tested on runs.
type claimed struct {
	key     string
	says    string
	source  string
	reading string
	measure string // gives the unit of the difference; empty: a logarithm of times
	value   of     // nil: the measure at the last iterate
	higher  bool   // the claim is that the first of a pair is higher
	// margin is the value against which the difference is tested: the claim is that the difference
	// is above or below it.
	margin float64
	pairs  [][2]dro.Algorithm
}

const (
	figure1 = "§5 and Figure 1"
	// sideBySide says which times the claims on cost compare.
	sideBySide = "median wall time of a step, evaluations not counted, of runs of one seed that " +
		"were made side by side, in the time that both trained; the same order is below twice"
)

// claims lists the claims that are tested at each radius: what the paper says about its figure and
// its table. There is no claim on PGD's accuracies, since the table does not have PGD.
func claims() []claimed {
	toERM := [][2]dro.Algorithm{{dro.SFK, baseline}, {dro.PAN, baseline}}
	sfkPGD, sfkPAN := [][2]dro.Algorithm{{dro.SFK, dro.PGD}}, [][2]dro.Algorithm{{dro.SFK, dro.PAN}}
	return []claimed{
		{key: "objective", says: "brings the dual objective down faster than", source: figure1,
			pairs: sfkPGD,
			reading: "F(x; λ, η) of one set, ρ and k over the whole training split, unaugmented, " +
				"each at its own (x, λ, η); mean over the evaluations at equal steps",
			measure: "train_objective", value: meanAlong("train_objective")},
		{key: "objective-end", says: "ends with a lower dual objective than", source: figure1,
			pairs: sfkPGD, reading: "the same at the last iterate", measure: "train_objective"},
		{key: "train-loss", says: "has a higher train loss than", source: figure1,
			pairs: toERM, higher: true,
			reading: "mean cross-entropy of the training split, unaugmented, last iterate",
			measure: "train_loss"},
		{key: "test-loss", says: "has a lower test loss than", source: figure1, pairs: toERM,
			reading: "mean cross-entropy of the test split, last iterate", measure: "test_loss"},
		{key: "low", says: "has better classes 3, 4 and 5 than",
			source: "§5 and Table 1", pairs: toERM, higher: true,
			reading: "mean of the test accuracies of the classes that the paper calls the " +
				"lowest, last iterate",
			measure: lowClasses, value: low},
		{key: "low-pan", says: "has classes 3, 4 and 5 that are better than or close to those of",
			source: "§5 and Table 1", pairs: sfkPAN, higher: true, margin: -.01,
			reading: "as before; close is less than 1 point below",
			measure: lowClasses, value: low},
		{key: "worst", says: "has a better worst class than", source: "§5",
			pairs: toERM, higher: true,
			reading: "least of the test accuracies per class, whichever class it is, last iterate",
			measure: "worst_class_accuracy"},
		{key: "worst-pan", says: "has a worst class that is better than or close to that of",
			source: "§5", pairs: sfkPAN, higher: true, margin: -.01,
			reading: "as before; close is less than 1 point below",
			measure: "worst_class_accuracy"},
		{key: "robust-risk", says: "has a lower robust risk than", source: "§1", pairs: toERM,
			reading: "R_ρ of the test losses at the radius of training, solved exactly, " +
				"last iterate",
			measure: "robust_risk"},
		{key: "step", says: "takes steps of the same order of cost as", source: "§5", pairs: sfkPGD,
			margin: math.Log(2), reading: sideBySide, value: stepTime},
		{key: "step-erm", says: "takes steps of the same order of cost as", source: "§6",
			pairs: [][2]dro.Algorithm{{dro.SFK, baseline}}, margin: math.Log(2),
			reading: "as before; that the cost does not grow with the training samples is no " +
				"matter of times: a test counts the samples of a step with 1, 4 and 16 × the " +
				"data, and they are as many",
			value: stepTime},
	}
}

// later lists claims that were first tested when these runs had been seen. They are a family
// of their own, and no line of docs/registration.md.
func later() []claimed {
	each := func(list ...dro.Algorithm) (pairs [][2]dro.Algorithm) {
		for _, a := range list {
			pairs = append(pairs, [2]dro.Algorithm{a, baseline})
		}
		return pairs
	}
	sfkPGD := [][2]dro.Algorithm{{dro.SFK, dro.PGD}}
	return []claimed{
		{key: "train-loss-along", says: "brings the train loss down faster than", source: figure1,
			pairs: sfkPGD,
			reading: "mean cross-entropy of the training split, unaugmented; mean over the " +
				"evaluations at equal steps",
			measure: "train_loss", value: meanAlong("train_loss")},
		{key: "train-risk", says: "has a lower robust risk of the training split than",
			source: "what each method minimises", pairs: each(dro.SFK, dro.PGD, dro.PAN),
			reading: "R_ρ of the training losses at the radius of training, solved exactly, " +
				"last iterate",
			measure: "train_robust_risk"},
		{key: "robust-risk-pgd", says: "has a lower robust risk than", source: "§1", pairs: sfkPGD,
			reading: "R_ρ of the test losses at the radius of training, solved exactly, " +
				"last iterate",
			measure: "robust_risk"},
		{key: limited, says: "is better at cats than at automobiles, of which it saw fewer",
			source:  "§5: the classes 3, 4 and 5 are the lowest “due to the limited samples”",
			pairs:   [][2]dro.Algorithm{{baseline, baseline}},
			higher:  true,
			reading: "test accuracy of cat (2965 images) and of automobile (2715), last iterate",
			measure: lowClasses, value: fewerSamples},
	}
}

// limited is the key of the claim on two classes of one run.
const limited = "limited-samples"

// fewerSamples compares the accuracy of a class that the paper calls one of the lowest with the
// accuracy of a class that has fewer training images.
func fewerSamples(a, b *ran) (x, y float64, ok bool) {
	x, _, there := part(lowClasses, published.more)(a, a)
	_, y, also := part(lowClasses, published.fewer)(b, b)
	return x, y, there && also && published.fits(&a.Meta)
}

// reproduced compares an arm's mean accuracy with the published one: a one-sample test.
func (a *arm) reproduced(problem string) *Claim {
	row := published.of(a.algorithm)
	c := &Claim{Key: "reproduction", Problem: problem, A: a.label, B: "Table 1",
		Measure: "test_accuracy"}
	c.Difference = differ(a, a, finite(func(r, _ *ran) (x, y float64, ok bool) {
		v := r.Summary().Of(c.Measure)
		return v.Float(), row.mean() / 100, v.Applies()
	}), 0)
	return c
}

// lowClasses is the measure of the claims on the classes that the paper calls the lowest.
const lowClasses = "class_accuracy"

// low compares the mean accuracy of these classes at the last iterate.
func low(a, b *ran) (x, y float64, ok bool) {
	for _, i := range published.low {
		v, w, there := part(lowClasses, i)(a, b)
		if !there || !published.fits(&a.Meta) {
			return 0, 0, false
		}
		x, y = x+v/float64(len(published.low)), y+w/float64(len(published.low))
	}
	return x, y, true
}
