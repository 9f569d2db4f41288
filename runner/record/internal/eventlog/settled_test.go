package eventlog

import (
	"testing"

	"drolab/runner"
)

// TestEndBetweenTwoLooks: a run that ends after its log was read, and before its lock
// was asked for, has ended; it is not interrupted.
func TestEndBetweenTwoLooks(t *testing.T) {
	at := func(s runner.Status, step int64) *End {
		return &End{History: History{Standing: Standing{Status: s, Step: step}}}
	}
	for name, c := range map[string]struct {
		reads       []*End
		held        []bool
		status      runner.Status
		interrupted bool
	}{
		"ended": {[]*End{at(runner.Done, 9)}, nil, runner.Done, false},
		"held":  {[]*End{at(runner.Running, 5)}, []bool{true}, runner.Running, false},
		"ends": {[]*End{at(runner.Running, 5), at(runner.Stopped, 6)}, []bool{false},
			runner.Stopped, false},
		"killed": {[]*End{at(runner.Running, 5), at(runner.Running, 5)}, []bool{false},
			runner.Running, true},
		"goes on": {[]*End{at(runner.Paused, 5), at(runner.Running, 5)}, []bool{false, true},
			runner.Running, false},
		"not begun": {[]*End{at(runner.Queued, 0), at(runner.Queued, 0)}, []bool{false},
			runner.Queued, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := SettledEnd(
				func() (*End, error) { e := c.reads[0]; c.reads = c.reads[1:]; return e, nil },
				func() bool { h := c.held[0]; c.held = c.held[1:]; return h })
			must(t, err)
			if e.Status != c.status || e.Interrupted != c.interrupted || len(c.reads) > 0 {
				t.Errorf("%s, interrupted %v, %d reads left", e.Status, e.Interrupted, len(c.reads))
			}
		})
	}
}
