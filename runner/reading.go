package runner

import (
	"fmt"
	"time"
)

// Reading is how far something is read that takes seconds or minutes, for the people who wait.
type Reading struct {
	What string `json:"what"` // that is read, and counted: "samples", "runs"
	Done int    `json:"done"`
	Of   int    `json:"of"`
	// Left is the time that the rest takes at the pace of the last seconds; 0: not known yet.
	Left time.Duration `json:"left,omitempty"`
}

func (r *Reading) String() string {
	text := fmt.Sprintf("reading %s: %d of %d", r.What, r.Done, r.Of)
	if r.Left > 0 {
		left := int(r.Left.Round(time.Second).Seconds())
		text += fmt.Sprintf(", ETA %d:%02d", left/60, left%60)
	}
	return text
}

// ReadingPace measures how long the rest of a reading takes. It goes by the last seconds alone:
// what an earlier reading has left is counted in a moment.
type ReadingPace struct {
	looks []look // at least paceEvery apart, the oldest first
}

type look struct {
	at   time.Time
	done int
}

const (
	paceEvery = time.Second
	paceLooks = 20 // that are kept
)

// Left notes that done of a number are read at a moment, and returns the time for the rest; 0 if it
// is not known yet.
func (p *ReadingPace) Left(done, of int, at time.Time) time.Duration {
	if n := len(p.looks); n == 0 || at.Sub(p.looks[n-1].at) >= paceEvery {
		p.looks = append(p.looks[max(0, n-paceLooks+1):], look{at, done})
	}
	first := p.looks[0]
	took, read := at.Sub(first.at), done-first.done
	if took < paceEvery || read <= 0 {
		return 0
	}
	return time.Duration(float64(took) / float64(read) * float64(of-done))
}
