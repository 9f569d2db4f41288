package lab

import (
	"fmt"
	"math"
	"strings"
	"time"

	"drolab/runner/eventlog"
	"drolab/runner/numeral"
)

// Replay asks for runs to be shown as if they trained now.
type Replay struct {
	Speed float64 // times the recorded speed; 0: all in about a minute
	From  Place
	Steps bool // runs are side by side at the same step, and not at the same time
}

// The speeds of a replay.
const (
	LeastSpeed = 1
	MostSpeed  = 1000
)

// Place is a position in a replay, given by the one of its fields that is not 0; it is the start if
// all are 0.
type Place struct {
	Part float64 // of the longest run, 0 to 1
	Time time.Duration
	Step int64
}

// ParsePlace reads "40%", "3m20s" or a step.
func ParsePlace(text string) (p Place, err error) {
	var ok bool
	part, isShare := strings.CutSuffix(text, "%")
	if isShare {
		p.Part, ok = numeral.Float(part)
		p.Part /= 100
	} else {
		p.Step, ok = numeral.Int64(text)
		if !ok {
			p.Time, ok = numeral.Duration(text)
		}
	}
	if !ok || p.Part < 0 || p.Part > 1 || p.Time < 0 || p.Step < 0 {
		return Place{}, fmt.Errorf("%q: expected a share, a time or a step, as in 40%%, 3m20s or "+
			"1200%s", text, numeral.Remedy(part))
	}
	return p, nil
}

// Seconds returns the position in seconds, on a replay that ends at a moment.
func (p Place) Seconds(end eventlog.Moment) float64 {
	at := p.Part*end.Seconds + p.Time.Seconds()
	if p.Step > 0 && end.Step > 0 {
		at = float64(p.Step) / float64(end.Step) * end.Seconds
	}
	return math.Min(at, end.Seconds)
}
