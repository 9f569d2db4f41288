package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/data/source"
)

// stepSchedule is the first of the schedules.
const stepSchedule = "step"

// schedules lists how lr may change: step multiplies it by lr_drop once lr_drop_epoch epochs are
// done, cosine and linear take it to 0 at the end of the run, constant leaves it.
func schedules() []string { return []string{stepSchedule, "cosine", "linear", "constant"} }

// Rate returns the step size α of the next step, given the number of steps taken, per epoch and in
// all. In the W steps of warmup it is lr (step+1)/W; cosine and linear fall over the remaining
// steps (math.md §5).
func (s *Spec) Rate(step, perEpoch, steps int64) float64 {
	warm := int64(s.Warmup) * perEpoch
	if step < warm {
		return s.LR * float64(step+1) / float64(warm)
	}
	done := min(1, float64(step-warm)/float64(steps-warm)) // a script may take more steps
	switch {
	case s.Schedule == "cosine":
		return s.LR * (1 + math.Cos(math.Pi*done)) / 2
	case s.Schedule == "linear":
		return s.LR * (1 - done)
	case s.Drops() && step >= int64(s.LRDropEpoch)*perEpoch:
		return s.LR * s.LRDrop
	}
	return s.LR
}

// Drops reports whether lr is to be multiplied by lr_drop at some time.
func (s *Spec) Drops() bool { return s.Schedule == stepSchedule && s.LRDropEpoch > 0 }

// Adam returns the settings of AdamW if that is the optimizer of s, else nil.
func (s *Spec) Adam() *nn.AdamW {
	if s.Optimizer != nn.AdamWName {
		return nil
	}
	return &nn.AdamW{Beta1: s.Beta1, Beta2: s.Beta2, Eps: s.AdamEps}
}

// checkTraining checks that the optimizer and the patience suit the method m.
func (s *Spec) checkTraining(m *dro.Method) error {
	var want string
	switch {
	case m == nil:
		return nil
	case m.OwnStep && s.Adam() != nil:
		want = fmt.Sprintf("sgd: %s moves the weights by a rule of its own", m.Name)
		return &KeyError{"optimizer", s.Optimizer, want}
	case s.Patience == 0:
		return nil
	case m.Restarts:
		want = fmt.Sprintf("0: %s trains twice, and would end in its first training", m.Name)
	case m.Refits:
		want = fmt.Sprintf("0: %s may need the validation split for its last layer", m.Name)
	case s.Select == SelectLast:
		want = "0, or select: a measure of the validation split, which it waits for"
	case s.EvalEvery == 0:
		want = "0, or eval_every of 1 or more"
	default:
		return nil
	}
	return &KeyError{"patience", s.Patience, want}
}

// Imbalance is the fraction of each class that is kept in the training split: one ratio per class,
// or a word. The zero value is "auto". It is never changed in place, so that copies of a Spec may
// share its ratios.
type Imbalance struct {
	word   string // "" or one of imbalances but auto; "" also if there are ratios
	ratios []float64
}

// The words of Imbalance. Both imbalances of the paper have its ratios: one keeps the first samples
// of each class, the other draws them by the run's seed.
const (
	autoImbalance  = "auto"
	paperImbalance = "paper"
	drawnImbalance = "paper-drawn"
	noImbalance    = "none"
)

func imbalances() []string {
	return []string{autoImbalance, paperImbalance, drawnImbalance, noImbalance}
}

// KeepRatios returns the imbalance with one ratio in (0, 1] for each class.
func KeepRatios(ratios ...float64) Imbalance { return Imbalance{ratios: ratios} }

// Ratios returns one ratio for each class, or nil to keep all samples. "auto" stands for the
// customary ratios of the dataset.
func (i Imbalance) Ratios(dataset string) []float64 {
	switch {
	case len(i.ratios) > 0:
		return i.ratios
	case i.word == paperImbalance || i.Drawn():
		return data.PaperImbalance()
	case i.word == "":
		return source.DefaultImbalance(dataset)
	}
	return nil
}

// Drawn reports whether the run's seed draws the samples that are kept.
func (i Imbalance) Drawn() bool { return i.word == drawnImbalance }

// valid reports whether every ratio is in (0, 1]. The data decide how many ratios there must be:
// opening them refuses any other number.
func (i Imbalance) valid() bool {
	return all(i.ratios, func(r float64) bool { return r > 0 && r <= 1 })
}

func (i Imbalance) String() string {
	if len(i.ratios) > 0 {
		return strings.Trim(fmt.Sprint(i.ratios), "[]")
	}
	return cmp.Or(i.word, autoImbalance)
}

// MarshalJSON writes a word or the list of ratios.
func (i Imbalance) MarshalJSON() ([]byte, error) {
	if len(i.ratios) > 0 {
		return json.Marshal(i.ratios)
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads a word or a list of ratios.
func (i *Imbalance) UnmarshalJSON(b []byte) error {
	*i = Imbalance{}
	var word string
	switch err := json.Unmarshal(b, &word); {
	case word == autoImbalance:
	case slices.Contains(imbalances(), word):
		i.word = word
	case err != nil && json.Unmarshal(b, &i.ratios) == nil && len(i.ratios) > 0:
	default:
		return &KeyError{"imbalance", cmp.Or(word, string(b)),
			strings.Join(imbalances(), ", ") + " or a list of ratios"}
	}
	return nil
}

// Threshold is the predicted probability of the positive class of two from which on a sample counts
// as that class: a number, or thresholdValF1. It applies to the measures of decisions. The zero
// Threshold takes the class of the greatest probability.
type Threshold struct {
	word   string
	number float64
}

// thresholdValF1 makes each evaluation choose the threshold that is best on the validation split.
const thresholdValF1 = "val_f1"

// greatest is the number of the zero Threshold.
const greatest = .5

// IsSet reports whether the threshold differs from taking the class of the greatest probability.
func (t Threshold) IsSet() bool { return t != Threshold{} }

// ByVal reports whether the validation split chooses the threshold.
func (t Threshold) ByVal() bool { return t.word != "" }

// Number returns the threshold as a number, unless the validation split chooses it.
func (t Threshold) Number() float64 {
	if !t.IsSet() {
		return greatest
	}
	return t.number
}

func (t Threshold) String() string {
	if t.ByVal() {
		return t.word
	}
	return strconv.FormatFloat(t.Number(), 'g', -1, 64)
}

// MarshalJSON writes a word or a number.
func (t Threshold) MarshalJSON() ([]byte, error) {
	if t.ByVal() {
		return json.Marshal(t.word)
	}
	return json.Marshal(t.Number())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Threshold) UnmarshalJSON(b []byte) error {
	*t = Threshold{}
	if json.Unmarshal(b, &t.word) == nil && t.word == thresholdValF1 {
		return nil
	}
	if err := json.Unmarshal(b, &t.number); err != nil || !(t.number > 0 && t.number < 1) {
		return &KeyError{"threshold", string(b), "a number in (0, 1), or " + thresholdValF1}
	}
	if t.number == greatest {
		t.number = 0
	}
	return nil
}

// The values of the setting select that name no measure.
const (
	SelectLast     = "last"      // no selection: the last step alone
	SelectValWorst = "val_worst" // the worst accuracy by group if groups are given, else by class
)

// selectable returns the names of the measures by which a run may select: see SelectBy.
var selectable = func() []string { return nil }

// SelectBy gives the setting select its measures. Package measure, which has the table of measures
// and imports this package, calls it before the program begins.
func SelectBy(measures func() []string) { selectable = measures }

// Selections lists the values of the setting select: SelectLast, SelectValWorst or the name of a
// measure of the validation split.
func Selections() []string { return append([]string{SelectLast, SelectValWorst}, selectable()...) }
