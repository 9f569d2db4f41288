package sweep

import (
	"encoding/json"
	"slices"
	"testing"

	"drolab/runner"
)

// In a sweep, only the first run on each dataset reports the notes about the data.
func TestFirstRunSpeaksOfTheData(t *testing.T) {
	of := func(dataset string) Run {
		return Run{ID: dataset,
			Values: map[string]json.RawMessage{"dataset": json.RawMessage(dataset)}}
	}
	l := &List{Runs: []Run{of(`"a"`), of(`"a"`), of(`"b"`), of(`"a"`), of(`"b"`), {}, {}}}
	var known []bool
	for i := range l.Runs {
		known = append(known, l.Known(i))
	}
	if want := []bool{false, true, false, true, true, false, true}; !slices.Equal(known, want) {
		t.Errorf("%v, want %v", known, want)
	}
	f := &Folder{List: &List{Runs: []Run{{}, {}}}}
	for i, want := range []bool{false, true} {
		if r, _ := f.request(i, runner.Means{}); r.Quiet != want {
			t.Errorf("run %d: quiet is %v", i, r.Quiet)
		}
	}
}
