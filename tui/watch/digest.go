package watch

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner"
)

// Digest is how the watched runs stand, in a few words, and how much of long logs
// was read.
func (w *Page) Digest() string {
	if len(w.tracks) == 0 {
		return ""
	}
	if w.clock != nil && w.clock.ready {
		return w.clock.String()
	}
	counts := map[runner.Status]int{}
	for _, t := range w.tracks {
		counts[t.Status]++
	}
	var words []string
	for _, status := range [...]runner.Status{runner.Running, runner.Queued, runner.Paused, runner.Done,
		runner.Stopped, runner.Interrupted, runner.Failed} {
		if n := counts[status]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
		}
	}
	if share := w.share(); share < 1 {
		if w.clock != nil {
			words = []string{w.clock.String()}
		}
		words = append(words, fmt.Sprintf("reading %.0f %%", math.Floor(100*share)))
	}
	return strings.Join(words, " · ")
}

// share is how much of the logs was read, on the mean.
func (w *Page) share() float64 {
	sum := 0.0
	for _, t := range w.tracks {
		sum += t.share
	}
	return sum / float64(len(w.tracks))
}
