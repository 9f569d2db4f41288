package runner

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"drolab/runner/measure"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// TestFieldsAreNoMeasures: what a summary says besides measures is not read as one of them, or it
// would be written twice. No measure has the name of such a field, or it would not be read.
func TestFieldsAreNoMeasures(t *testing.T) {
	counts := measure.Counts{Train: []int{3, 4}, Val: []int{1, 2}, Test: []int{5, 6}}
	number, interval := measure.Num(1), []measure.Interval{{measure.Num(0), measure.Num(1)}}
	s := &Summary{ID: "NaN", Preset: "NaN", Seed: 1, Epochs: 2, Steps: 3, ImagesPerSecond: number,
		PaperIterate: &PaperIterate{Step: 4}, Selected: &Selected{By: "NaN", Step: 5, Epoch: 1},
		Average: &Average{Evaluations: 1}, Settings: &spec.Spec{},
		Parts: measure.Parts{Classes: []string{"a"}, ClassCounts: counts, Groups: []string{"b"},
			GroupCounts: counts, TrainGroups: []string{"b"}, TrainCounts: counts, Ungrouped: true,
			Refitted: []int{1, 2}},
		ClassInterval: interval, GroupInterval: interval, RiskRadii: []float64{.5}}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("Marshal(%+v): %v", s, err)
	}
	var back Summary
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("Unmarshal(%s): %v", text, err)
	}
	for name, got := range map[string]Results{"summary": back.Results,
		"selected step": back.Selected.Results} {
		if diff := cmp.Diff(Results{}, got, cmp.AllowUnexported(measure.Number{})); diff != "" {
			t.Errorf("the %s has fields as measures (-want +got):\n%s", name, diff)
		}
	}
	for _, fields := range []map[string]bool{summaryFields, selectedFields} {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if _, is := measure.FindMeasure(name); is {
				t.Errorf("%q is a field and a measure", name)
			}
		}
	}
}
