package runner

import (
	"encoding/json"
	"testing"

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// TestFieldsAreNoMeasures: what a summary says besides measures is not read as one of them, or it
// would be written twice.
func TestFieldsAreNoMeasures(t *testing.T) {
	counts := measure.Counts{Train: []int{3, 4}, Val: []int{1, 2}, Test: []int{5, 6}}
	number, interval := measure.Num(1), []measure.Interval{{measure.Num(0), measure.Num(1)}}
	s := &Summary{Seed: 1, Epochs: 2, Steps: 3, ImagesPerSecond: number,
		PaperIterate: &PaperIterate{Step: 4}, Selected: &Selected{Step: 5, Epoch: 1},
		Average: &Average{Evaluations: 1}, Settings: &spec.Spec{},
		Parts: measure.Parts{Classes: []string{"a"}, ClassCounts: counts, Groups: []string{"b"},
			GroupCounts: counts, Refitted: []int{1, 2}},
		ClassInterval: interval, GroupInterval: interval, RiskRadii: []float64{.5}}
	text, err := json.Marshal(s)
	var back Summary
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Measures != nil || back.ByGroup != nil {
		t.Errorf("%v: measures %v, lists %v", err, back.Measures, back.ByGroup)
	}
}
