package watch

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// Digest is how the watched runs stand, in a few words, and how much of long logs
// was read; a replay's fit in so many cells. The header of every page shows it, so that runs can
// be left to themselves while the user looks at something else.
func (w *Page) Digest(cells int) string {
	if len(w.Tracks) == 0 {
		return ""
	}
	// How runs stand in a replay is not how they stand.
	if w.clock != nil && w.clock.ready {
		return w.clock.in(cells)
	}
	counts := map[runner.Status]int{}
	for _, t := range w.Tracks {
		counts[t.Status]++
	}
	var words []string
	// What goes on comes first, as the header may be cut at its end.
	order := [...]runner.Status{runner.Running, runner.Queued, runner.Paused, runner.Done,
		runner.Stopped, runner.Interrupted, runner.Failed}
	for _, status := range order {
		if n := counts[status]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
		}
	}
	// Rounded down: 100 % is said by not saying it any more.
	if share := w.share(); share < 1 {
		if w.clock != nil {
			words = []string{w.clock.in(cells)}
		}
		words = append(words, fmt.Sprintf("reading %.0f %%", math.Floor(100*share)))
	}
	return strings.Join(words, " · ")
}

// Progress is how far the watched runs are on the mean, 0 to 1, whether one has failed, and
// whether one is live. The model hands it to the terminal for its taskbar or tab; a replay does
// not count as live there, since nothing is waited for.
func (w *Page) Progress() (part float64, failed, live bool) {
	for _, t := range w.Tracks {
		part += t.Done() / float64(len(w.Tracks))
		failed = failed || t.Status == runner.Failed
		live = live || !t.Status.Ended()
	}
	return part, failed, live && w.clock == nil
}

// rings tells of a run that was live when it was looked at before. Runs that had ended when they
// were opened, and those of a replay, are no news.
func (w *Page) rings(t *track.Track, live bool) tea.Cmd {
	if live && w.clock == nil && (t.Status == runner.Done || t.Status == runner.Failed) {
		return kit.Send(lab.Ended{Name: t.Label, Status: t.Status})
	}
	return nil
}

// share is how much of the logs was read, on the mean, 0 to 1. Each log counts alike, however
// long: their lengths are not known before they are read.
func (w *Page) share() float64 {
	sum := 0.0
	for _, t := range w.Tracks {
		sum += t.Share
	}
	return sum / float64(len(w.Tracks))
}
