package queue

import (
	"fmt"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner/spec"
)

// TestTrainedBy trains every method with other values of every setting that a fork may change.
// Where the report alone reads a setting, the run ends with the same bits. Where the training reads
// it, it does not. The bounds of z are an exception: they matter only where z meets them.
func TestTrainedBy(t *testing.T) {
	bounds := []string{"lambda0", "lambda_max", "eta_min", "eta_max"}
	seen := map[bool]int{}
	list := dro.Algorithms()
	if testing.Short() {
		list = []dro.Algorithm{"group"} // a run for each value of each setting
	}
	for _, a := range list {
		s := brief(a)
		s.LRDropEpoch, s.LRDrop, s.Batch = 1, .5, 90
		ends := func(s spec.Spec) string {
			states := runAll(t, 1, s)[0].states
			last := states[len(states)-1]
			return fmt.Sprint(last.Parameters, last.Velocities, last.Method)
		}
		plain := ends(s)
		for _, key := range s.Forkable() {
			row, _ := spec.FindSetting(key)
			moves, trained := false, row.TrainedBy(&s)
			seen[trained]++
			for _, by := range []int{1, -1} {
				next := s
				for range 2 {
					text, ok := next.Nudge(key, by)
					if !ok || moves {
						break
					}
					if next.Assign(key, []byte(text)) != nil { // a word
						if err := next.Assign(key, []byte(`"`+text+`"`)); err != nil {
							t.Fatal(err)
						}
					}
					moves = ends(next) != plain
				}
			}
			if moves != trained && (moves || !slices.Contains(bounds, key)) {
				t.Errorf("%s: other values of %s move the training: %v, want %v", a, key, moves,
					trained)
			}
			if slices.Contains(s.Knobs(), key) && !trained {
				t.Errorf("%s changes %s while it trains, and does not train by it", a, key)
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("so many settings train and do not: %v, want some of both", seen)
	}
}
