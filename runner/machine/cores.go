package machine

import (
	"time"

	"drolab/runner/internal/cgroup"

	"github.com/shirou/gopsutil/v4/cpu"
)

// cores measures how many of the processors that this process may use are busy, between one look
// and the next.
type cores struct {
	groups  cgroup.Tree
	at      time.Time // of the look before
	seconds float64   // of processor time that the control group had used by then
}

// look returns the part that was used since the look before. It is unknown at the first look.
// Where the control group has a quota, this is the group's use, else that of the processors that
// the process may run on.
func (c *cores) look(now time.Time) Part {
	of, before := coresOf(c.groups), *c
	busy := busyProcessors() // its state has to go on, too
	quota, limited := c.groups.Quota()
	if !limited || quota.Cores > of {
		if busy < 0 {
			return Part{}
		}
		return Part{min(busy, of), of}
	}
	c.at, c.seconds = now, quota.Seconds
	took := now.Sub(before.at).Seconds()
	if before.at.IsZero() || took <= 0 || quota.Seconds < before.seconds || quota.Seconds == 0 {
		return Part{}
	}
	return Part{min((quota.Seconds-before.seconds)/took, of), of}
}

// busyProcessors returns the number of busy processors among those that this process may run on; -1
// if it is unknown.
func busyProcessors() float64 {
	each, err := cpu.Percent(0, true)
	if err != nil || len(each) == 0 {
		return -1
	}
	allowed := boundTo()
	busy := 0.0
	for i, percent := range each {
		if allowed == nil || allowed(i) {
			busy += percent / 100
		}
	}
	return busy
}
