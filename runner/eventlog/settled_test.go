package eventlog

import (
	"testing"

	"drolab/runner"
)

// TestEndBetweenTwoLooks checks that a run that ends after its log is read, and before its lock is
// tried, counts as ended, not as interrupted.
func TestEndBetweenTwoLooks(t *testing.T) {
	at := func(s runner.Status, step int64) *End {
		return &End{History: History{Standing: Standing{Status: s, Step: step}}, size: step}
	}
	for name, c := range map[string]struct {
		reads       []*End
		held        []bool
		sizes       []int64
		status      runner.Status
		interrupted bool
	}{
		"ended": {[]*End{at(runner.Done, 9)}, nil, nil, runner.Done, false},
		"held":  {[]*End{at(runner.Running, 5)}, []bool{true}, nil, runner.Running, false},
		"ends": {[]*End{at(runner.Running, 5), at(runner.Stopped, 6)}, []bool{false}, []int64{6},
			runner.Stopped, false},
		"killed": {[]*End{at(runner.Running, 5)}, []bool{false}, []int64{5}, runner.Running, true},
		"killed later": {[]*End{at(runner.Running, 5), at(runner.Running, 6)}, []bool{false, false},
			[]int64{6, 6}, runner.Running, true},
		"goes on": {[]*End{at(runner.Paused, 5), at(runner.Running, 6)}, []bool{false, true},
			[]int64{6}, runner.Running, false},
		"not begun": {[]*End{at(runner.Queued, 0)}, []bool{false}, []int64{0}, runner.Queued, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := SettledEnd(
				func() (*End, error) { e := c.reads[0]; c.reads = c.reads[1:]; return e, nil },
				func() bool { h := c.held[0]; c.held = c.held[1:]; return h },
				func() int64 { n := c.sizes[0]; c.sizes = c.sizes[1:]; return n })
			must(t, err)
			if left := len(c.reads) + len(c.held) + len(c.sizes); left > 0 {
				t.Errorf("%d looks are left, want none", left)
			}
			if e.Status != c.status || e.Interrupted != c.interrupted {
				t.Errorf("%s, interrupted %v, want %s, %v", e.Status, e.Interrupted, c.status,
					c.interrupted)
			}
		})
	}
}
