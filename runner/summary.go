package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Summary is the result of a run: summary.json, and an entry of --json, where the measures of
// SummaryMeasures are fields like the others.
type Summary struct {
	ID        string        `json:"id"`
	Preset    string        `json:"preset"`
	Algorithm dro.Algorithm `json:"algorithm"`
	Seed      uint64        `json:"seed"`
	Status    Status        `json:"status"`
	Cause     string        `json:"cause,omitempty"`
	Epochs    float64       `json:"epochs"` // done
	Steps     int64         `json:"steps"`  // done
	// ImagesPerSecond counts the samples of x-batches, over the time spent in steps.
	ImagesPerSecond measure.Number `json:"images_per_second"`
	// PaperIterate is the method's own output, where it has an output rule.
	PaperIterate *PaperIterate `json:"paper_iterate,omitempty"`
	// Selected is the step that the run selected on the validation split, if it was to select one;
	// everything else describes the last step.
	Selected *Selected `json:"selected,omitempty"`

	// Average is the mean of the last evaluations. The command show prints it, but the run's files
	// do not hold it, since their log has all evaluations.
	Average *Average `json:"window_average,omitempty"`
	// Settings are the run's settings. The command show prints them; the run's files hold them
	// beside the summary.
	Settings *spec.Spec `json:"settings,omitempty"`

	measure.Parts // of the run's data
	// ClassInterval and GroupInterval are the 95 % intervals of the test
	// accuracies: see Wilson.
	ClassInterval []measure.Interval `json:"class_accuracy_interval,omitempty"`
	GroupInterval []measure.Interval `json:"group_accuracy_interval,omitempty"`
	// RiskRadii are the radii of the measure robust_risk_at.
	RiskRadii []float64 `json:"risk_radii,omitempty"`

	Dir string `json:"dir,omitempty"`

	Results
}

// Results holds the measures of a run at one step, or over several. In JSON they are fields of the
// object that describes them.
type Results struct {
	Measures measure.Values `json:"-"`
	ByGroup  measure.Lists  `json:"-"`
}

// Named returns the measure of that name.
func (r *Results) Named(name string) measure.Number { return r.Measures.Named(name) }

// Stationary returns the least ε at which the paper's two-part test holds.
func (s *Summary) Stationary() measure.Number {
	gap := cmp.Or(s.Named("penalised_gap"), s.Named("dual_gap")) // the first applies if λ is fixed
	return stationary(gap, s.Named("full_grad_norm"))
}

// OutputStationary returns this ε at the paper's own output.
func (s *Summary) OutputStationary() measure.Number {
	gap := s.Named("output_dual_gap")
	if !gap.Applies() {
		return gap
	}
	return stationary(gap, s.Named("output_grad_norm"))
}

func stationary(gap, norm measure.Number) measure.Number {
	if !gap.Applies() || !norm.Applies() {
		return norm
	}
	return measure.Num(max(gap.Float(), norm.Float()))
}

// PaperIterate is Algorithm 1's output (x_{t'+1}, z_{t'}), t' = argmin_t ‖∇_x f‖² + gap²: an argmin
// of mini-batch values, so a noisy choice. With output: random, t' is a random step. It is reported
// beside the last iterate and never in its place.
type PaperIterate struct {
	Step     int64          `json:"step"` // t'
	Lambda   measure.Number `json:"lambda"`
	Eta      measure.Number `json:"eta"`
	GradNorm measure.Number `json:"grad_norm"`
	Gap      measure.Number `json:"gap"`
	// The test split at x_{t'+1}, measured at the end of the run.
	TestLoss           measure.Number `json:"test_loss"`
	TestAccuracy       measure.Number `json:"test_accuracy"`
	WorstClassAccuracy measure.Number `json:"worst_class_accuracy"`
	WorstGroupAccuracy measure.Number `json:"worst_group_accuracy,omitzero"`
}

// Worst returns the least test accuracy of the groups if they are given, else of the classes.
func (p *PaperIterate) Worst() measure.Number {
	return cmp.Or(p.WorstGroupAccuracy, p.WorstClassAccuracy)
}

// Summarize returns the summary of a run in the given state. eval and last are its last evaluation
// and its last step event (nil: there was none).
func Summarize(m *Meta, status Status, step int64, eval *EvalEvent, last *StepEvent) *Summary {
	s := &Summary{ID: m.ID, Preset: m.Preset, Algorithm: m.Spec.Algorithm(), Seed: m.Spec.Seed,
		Status: status, Steps: step}
	if m.StepsPerEpoch > 0 {
		s.Epochs = float64(step) / float64(m.StepsPerEpoch)
	}
	eval, last = cmp.Or(eval, &EvalEvent{}), cmp.Or(last, &StepEvent{})
	s.ImagesPerSecond = last.ImagesPerSecond
	for _, row := range measure.EvalMeasures() {
		switch {
		case !row.CanApply(m):
		case row.IsList():
			s.ByGroup.Set(row.Name, eval.ByGroup.Named(row.Name))
		default:
			s.Measures.Set(row.Name, eval.Named(row.Name))
		}
	}
	s.Describe(m)
	// The measures of the paper's methods are always there, null where they do not apply.
	always := measure.StepNames(dro.ERM)
	for _, row := range measure.StepMeasures() {
		n := last.Named(row.Name)
		if !row.Noisy && (n.Applies() || slices.Contains(always, row.Name)) {
			s.Measures.Set(row.Name, n)
		}
	}
	for _, own := range last.User() {
		s.Measures.Set(own.Name, own.Number)
	}
	return s
}

// Ended returns the summary of a run that ended in the state s.
func (m *Meta) Ended(status Status, cause string, step int64, s *State) *Summary {
	sum := Summarize(m, status, step, s.Eval, s.Last)
	sum.Cause, sum.PaperIterate = cause, s.Output
	sum.Selects(m, s.Selected)
	return sum
}

// Describe fills in what run.json says: the method, and the meaning of the places in lists. These
// are the parts of the run's data, with the intervals of their accuracies, and the radii.
func (s *Summary) Describe(m *Meta) {
	s.Algorithm = m.Spec.Algorithm()
	s.Parts, s.RiskRadii = m.Parts, nil
	if len(s.ByGroup.Named("robust_risk_at")) > 0 {
		s.RiskRadii = m.Spec.RiskRadii
	}
	s.ClassInterval = measure.Wilsons(s.ByGroup.Named("class_accuracy"), m.ClassCounts.Test)
	s.GroupInterval = measure.Wilsons(s.ByGroup.Named("group_accuracy"), m.GroupCounts.Test)
}

// fixedSummary is a Summary without its measures.
type fixedSummary Summary

// MarshalJSON writes one flat object.
func (s *Summary) MarshalJSON() ([]byte, error) { return s.flat((*fixedSummary)(s)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Summary) UnmarshalJSON(b []byte) error {
	*s = Summary{}
	return s.readFlat(b, (*fixedSummary)(s), "seed", "epochs", "steps", "images_per_second",
		"selected", "window_average", "settings", "classes", "class_counts", "groups",
		"group_counts", "training_groups", "training_group_counts", "refitted_counts",
		"risk_radii", "class_accuracy_interval", "group_accuracy_interval")
}

// flat writes the fields of a struct and the measures as one object.
func (r *Results) flat(fixed any) ([]byte, error) {
	b, err := json.Marshal(fixed)
	if err != nil {
		return nil, err
	}
	return append(r.ByGroup.AppendFields(r.Measures.AppendFields(b[:len(b)-1])), '}'), nil
}

// readFlat reads what flat writes. known are the struct's own fields that could be taken for
// measures.
func (r *Results) readFlat(b []byte, fixed any, known ...string) error {
	if err := json.Unmarshal(b, fixed); err != nil {
		return err
	}
	return measure.EachField(b, func(key, value []byte) error {
		if slices.ContainsFunc(known, func(name string) bool { return name == string(key) }) {
			return nil
		}
		return measure.ReadField(key, value, &r.Measures, &r.ByGroup)
	})
}

// Besides its last step, a run reports the step that it selects: the evaluation with the best value
// of one measure of the validation split. The test split plays no part in the choice.

// Selector returns the measure by which the run selects; ok is false if it does not select.
func (m *Meta) Selector() (by measure.Measure, ok bool) {
	switch {
	case m.Refitted != nil: // no validation split is left
		return by, false
	case m.Spec.Select == spec.SelectLast || m.Spec.Select == "":
		return by, false
	case m.Spec.Select != spec.SelectValWorst:
		return measure.FindMeasure(m.Spec.Select)
	}
	return measure.FindMeasure(m.MeasureFor("val_worst_class_accuracy"))
}

// Selects sets the run's selection to the evaluation e; nil: nothing is selected.
func (s *Summary) Selects(m *Meta, e *EvalEvent) {
	s.Selected = nil
	if e != nil {
		s.Selected = &Selected{By: m.Spec.Select, Step: e.Step, Epoch: e.Epoch,
			Results: Results{e.Values, e.ByGroup}}
	}
}

// Selected holds the results of the run at the selected step.
type Selected struct {
	By    string  `json:"by"` // the setting select
	Step  int64   `json:"step"`
	Epoch float64 `json:"epoch"`

	Results
}

type fixedSelected Selected

// MarshalJSON writes one flat object.
func (s *Selected) MarshalJSON() ([]byte, error) { return s.flat((*fixedSelected)(s)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Selected) UnmarshalJSON(b []byte) error {
	*s = Selected{}
	return s.readFlat(b, (*fixedSelected)(s), "by", "step", "epoch")
}

// CheckSelection returns an error unless runs of s on the dataset will have the measure by which
// they select, and their threshold.
func CheckSelection(s *spec.Spec, d *data.Dataset) error {
	m := &Meta{Spec: *s, Parts: measure.PartsOf(d)}
	if t := s.Threshold; t.IsSet() && (len(d.Classes) != 2 || t.ByVal() && d.Val == nil) {
		return &spec.KeyError{Key: "threshold", Value: t,
			Want: "0.5: another threshold needs two classes, and val_f1 also needs samples to " +
				"validate on"}
	}
	counted, counts := 0, m.Counts(m.Main())
	for i, n := range counts.Val {
		known := !m.Ungrouped || counts.Train[i] == 0 // else the part stands for a missing group
		if n >= max(m.Spec.MinGroup, 1) && known {
			counted++
		}
	}
	var want string
	switch by, ok := m.Selector(); {
	case !ok:
		return nil
	case d.Val == nil:
		want = "last, or samples to validate on: a val_fraction above 0, or data with a " +
			"validation split"
	case !by.CanApply(m):
		want = "a measure that these data have: this one needs groups, two classes or both"
	case m.Spec.Select == spec.SelectValWorst && counted < 2:
		want = fmt.Sprintf("two parts of the validation split with min_group = %d samples: "+
			"a larger val_fraction or a smaller min_group", m.Spec.MinGroup)
	default:
		return nil
	}
	return &spec.KeyError{Key: "select", Value: m.Spec.Select, Want: want}
}

// AverageWindow is the number of evaluations over which the paper averages its results: "all of the
// results are moving averaged by a window with size 5". With one evaluation per epoch, that is five
// epochs.
const AverageWindow = 5

// Average is the mean of a run's last evaluations, measure by measure, reported beside the last
// evaluation.
type Average struct {
	// Evaluations is the number of evaluations in the mean: fewer than AverageWindow in a short
	// run.
	Evaluations int     `json:"evaluations"`
	FromEpoch   float64 `json:"from_epoch"` // of the first evaluation
	ToEpoch     float64 `json:"to_epoch"`   // of the last evaluation

	Results
}

// AverageOf averages the last evaluations of evals, which has the newest last; it returns nil if
// there are none. A measure that does not apply at one of them has no average. The average worst
// class is the mean of the worst classes of the evaluations, as a curve shows it; the least of the
// averaged class_accuracy is at or above it.
func AverageOf(evals []*EvalEvent) *Average {
	evals = evals[max(0, len(evals)-AverageWindow):]
	if len(evals) == 0 {
		return nil
	}
	last := evals[len(evals)-1]
	a := &Average{Evaluations: len(evals), FromEpoch: evals[0].Epoch, ToEpoch: last.Epoch}
	for _, v := range last.Values {
		a.Measures.Set(v.Name,
			meanOfAll(evals, func(e *EvalEvent) measure.Number { return e.Named(v.Name) }))
	}
	for _, l := range last.ByGroup {
		list := make([]measure.Number, len(l.Numbers))
		for i := range list {
			list[i] = meanOfAll(evals, func(e *EvalEvent) (n measure.Number) {
				if of := e.ByGroup.Named(l.Name); i < len(of) {
					n = of[i]
				}
				return n
			})
		}
		a.ByGroup.Set(l.Name, list)
	}
	return a
}

// meanOfAll returns the mean of a number, which applies only if every evaluation has the number.
func meanOfAll(evals []*EvalEvent, of func(*EvalEvent) measure.Number) measure.Number {
	var sum float64
	for _, e := range evals {
		n := of(e)
		if !n.Applies() {
			return measure.Number{}
		}
		sum += n.Float()
	}
	return measure.Num(sum / float64(len(evals)))
}

type fixedAverage Average

// MarshalJSON writes one flat object.
func (a *Average) MarshalJSON() ([]byte, error) { return a.flat((*fixedAverage)(a)) }

// Window summarises the steps between two step events by the least and the greatest value of each
// measure.
type Window struct {
	Steps int            `json:"steps"`
	Min   measure.Values `json:"min"`
	Max   measure.Values `json:"max"`
}

// NewWindow returns an empty window of the named measures.
func NewWindow(names []string) Window {
	w := Window{Min: make(measure.Values, len(names)), Max: make(measure.Values, len(names))}
	for i, name := range names {
		w.Min[i].Name, w.Max[i].Name = name, name
	}
	return w
}

// Add adds the measures of one step, in the window's order.
func (w *Window) Add(now measure.Values) {
	for i, v := range now {
		w.Min[i].Number = extreme(w.Min[i].Number, v.Number, math.Min)
		w.Max[i].Number = extreme(w.Max[i].Number, v.Number, math.Max)
	}
	w.Steps++
}

// AddValue adds one value of a step, for a measure that the window may not have yet.
func (w *Window) AddValue(name string, n measure.Number) {
	w.Min.Set(name, extreme(w.Min.Named(name), n, math.Min))
	w.Max.Set(name, extreme(w.Max.Named(name), n, math.Max))
}

// extreme returns the number of the two that pick chooses. If one does not apply, it returns the
// other. A NaN stays once it is in, so that it is seen.
func extreme(a, b measure.Number, pick func(x, y float64) float64) measure.Number {
	switch {
	case !b.Applies():
		return a
	case !a.Applies():
		return b
	}
	return measure.Num(pick(a.Float(), b.Float()))
}

// Cover extends the least and the greatest values of e by those of an earlier event, so that e
// stands for the steps of both.
func (e *StepEvent) Cover(before *StepEvent) {
	e.Min = extremesOf(e.Min, e.Values, before.Min, before.Values, math.Min)
	e.Max = extremesOf(e.Max, e.Values, before.Max, before.Values, math.Max)
}

// extremesOf returns the extremes of two events, whose own values stand in for missing extremes.
func extremesOf(a, aNow, b, bNow measure.Values, pick func(x, y float64) float64) measure.Values {
	if len(a) != len(aNow) {
		a = slices.Clone(aNow)
	}
	for i := range a {
		name := a[i].Name
		own, before := extremeOrValue(a, aNow, i, name), extremeOrValue(b, bNow, i, name)
		a[i].Number = extreme(own, before, pick)
	}
	return a
}

// extremeOrValue returns a measure's extreme or, without one, its value. The measure is mostly at
// the same index i.
func extremeOrValue(extremes, now measure.Values, i int, name string) measure.Number {
	for _, v := range [...]measure.Values{extremes, now} {
		if i < len(v) && v[i].Name == name && v[i].Applies() {
			return v[i].Number
		}
		if n := v.Named(name); n.Applies() {
			return n
		}
	}
	return measure.Number{}
}

// Clone returns a copy that shares nothing.
func (w *Window) Clone() Window {
	return Window{w.Steps, slices.Clone(w.Min), slices.Clone(w.Max)}
}

// Like returns w with exactly the named measures, in their order.
func (w *Window) Like(names []string) Window {
	o := NewWindow(names)
	o.Steps = w.Steps
	for i, name := range names {
		o.Min[i].Number, o.Max[i].Number = w.Min.Named(name), w.Max.Named(name)
	}
	return o
}
