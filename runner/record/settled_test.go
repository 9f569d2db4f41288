package record

import (
	"testing"

	"drolab/runner"
)

// TestEndBetweenTwoLooks: a run that ends after its log was read, and before its lock
// was asked for, has ended; it is not interrupted.
func TestEndBetweenTwoLooks(t *testing.T) {
	at := func(s runner.Status, step int64) *end {
		return &end{Standing: Standing{Status: s, Step: step}}
	}
	for name, c := range map[string]struct {
		reads       []*end
		held        []bool
		status      runner.Status
		interrupted bool
	}{
		"ended": {[]*end{at(runner.Done, 9)}, nil, runner.Done, false},
		"held":  {[]*end{at(runner.Running, 5)}, []bool{true}, runner.Running, false},
		"ends": {[]*end{at(runner.Running, 5), at(runner.Stopped, 6)}, []bool{false},
			runner.Stopped, false},
		"killed": {[]*end{at(runner.Running, 5), at(runner.Running, 5)}, []bool{false},
			runner.Running, true},
		"goes on": {[]*end{at(runner.Paused, 5), at(runner.Running, 5)}, []bool{false, true},
			runner.Running, false},
		"not begun": {[]*end{at(runner.Queued, 0), at(runner.Queued, 0)}, []bool{false},
			runner.Queued, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := settledEnd(
				func() (*end, error) { e := c.reads[0]; c.reads = c.reads[1:]; return e, nil },
				func() bool { h := c.held[0]; c.held = c.held[1:]; return h })
			must(t, err)
			if e.Status != c.status || e.interrupted != c.interrupted || len(c.reads) > 0 {
				t.Errorf("%s, interrupted %v, %d reads left", e.Status, e.interrupted, len(c.reads))
			}
		})
	}
}
