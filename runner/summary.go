package runner

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"drolab/dro"
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
	// Box is the machine that has the run, if that is another one.
	Box string `json:"box,omitempty"`

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
	return stationarity(gap, s.Named("full_grad_norm"))
}

// OutputStationary returns this ε at the paper's own output.
func (s *Summary) OutputStationary() measure.Number {
	gap := s.Named("output_dual_gap")
	if !gap.Applies() {
		return gap
	}
	return stationarity(gap, s.Named("output_grad_norm"))
}

func stationarity(gap, norm measure.Number) measure.Number {
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
	return s.readFlat(b, (*fixedSummary)(s), summaryFields)
}

// summaryFields are the fields of a Summary that are no measures, by their names in JSON.
var summaryFields = fieldNames(reflect.TypeFor[Summary]())

// fieldNames returns the names in JSON of a struct's fields, with those of embedded structs.
func fieldNames(of reflect.Type) map[string]bool {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names[name] = true
		}
	}
	return names
}

// flat writes the fields of a struct and the measures as one object.
func (r *Results) flat(fixed any) ([]byte, error) {
	b, err := json.Marshal(fixed)
	if err != nil {
		return nil, err
	}
	return append(r.ByGroup.AppendFields(r.Measures.AppendFields(b[:len(b)-1])), '}'), nil
}

// readFlat reads what flat writes. The struct's own fields, which are no measures, are those that
// own names.
func (r *Results) readFlat(b []byte, fixed any, own map[string]bool) error {
	if err := json.Unmarshal(b, fixed); err != nil {
		return err
	}
	return measure.EachField(b, func(key, value []byte) error {
		if own[string(key)] {
			return nil
		}
		return measure.ReadField(key, value, &r.Measures, &r.ByGroup)
	})
}
