package panel

import (
	"slices"
	"testing"
	"time"

	"drolab/runner/record"
)

// TestNewestRuns: runs that train are watched with those of the same start that are done, such as
// the baseline, and without those of other starts.
func TestNewestRuns(t *testing.T) {
	now := time.Unix(1e9, 0)
	made := func(id, preset string, ago time.Duration) *record.Run {
		r := new(record.Run)
		r.Meta.ID, r.Meta.Preset, r.Meta.Created = id, preset, now.Add(-ago)
		return r
	}
	live, done := made("live", "shapes", time.Second), made("done", "shapes", 2*time.Second)
	other, old := made("other", "race", 3*time.Second), made("old", "shapes", time.Hour)
	all := []*record.Run{live, done, other, old}
	for _, c := range []struct{ live, want []*record.Run }{
		{all[:1], []*record.Run{live, done}},
		{[]*record.Run{live, old}, []*record.Run{live, done, old}},
		{nil, []*record.Run{live, done}},
	} {
		if got := newestRuns(all, c.live); !slices.Equal(got, c.want) {
			t.Errorf("with %d live: %v, want %v", len(c.live), ids(got), ids(c.want))
		}
	}
}

func ids(runs []*record.Run) (list []string) {
	for _, r := range runs {
		list = append(list, r.Meta.ID)
	}
	return list
}
