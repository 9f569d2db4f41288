package sweep

import (
	"slices"
	"time"
)

// Pace estimates how long a sweep still takes, from its progress while it was looked at, over the
// last ten minutes at most. The zero Pace knows nothing.
type Pace struct{ marks []paceMark }

type paceMark struct {
	when time.Time
	done float64
}

// Add records how many epochs are done.
func (p *Pace) Add(now time.Time, done float64) {
	const window, most = 10 * time.Minute, 300
	p.marks = append(p.marks, paceMark{now, done})
	for len(p.marks) > most || now.Sub(p.marks[0].when) > window && len(p.marks) > 2 {
		p.marks = slices.Delete(p.marks, 0, 1)
	}
}

// Left returns how long the rest of the planned epochs takes; ok is false while that cannot be
// told.
func (p *Pace) Left(planned float64) (left time.Duration, ok bool) {
	if len(p.marks) < 2 {
		return 0, false
	}
	first, last := p.marks[0], p.marks[len(p.marks)-1]
	took, came := last.when.Sub(first.when).Seconds(), last.done-first.done
	if took <= 0 || came <= 0 {
		return 0, false
	}
	seconds := took / came * max(0, planned-last.done)
	if seconds > 1e9 { // no time.Duration, and of no use to anybody
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
