package watch

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// Digest says in a few words how the watched runs stand, and how much of long logs was read; the
// words of a replay fit in so many cells. The header of every page shows it, so that runs can be
// left to themselves while the user looks at something else.
func (w *Page) Digest(cells int) string {
	if len(w.Runs.Tracks) == 0 {
		return ""
	}
	// The state of runs in a replay is not their state now.
	if w.logs.clock != nil && w.logs.clock.Ready {
		return w.logs.clock.Words(cells)
	}
	counts, silent := map[runner.Status]int{}, 0
	for _, t := range w.Runs.Tracks {
		if w.knownAgo(t) != "" {
			silent++
		} else {
			counts[t.Status]++
		}
	}
	// What goes on comes first, as the header may be cut at its end.
	words := lab.Counts(counts, runner.Running, runner.Queued, runner.Paused, runner.Done,
		runner.Stopped, runner.Interrupted, runner.Failed)
	if silent > 0 {
		words = append(words, fmt.Sprintf("%d without a link", silent))
	}
	// Rounded down: 100 % is said by not saying it any more.
	if share := w.share(); share < 1 {
		if w.logs.clock != nil {
			words = []string{w.logs.clock.Words(cells)}
		}
		words = append(words, fmt.Sprintf("reading %.0f %%", math.Floor(100*share)))
	}
	return strings.Join(words, " · ")
}

// Progress returns the mean progress of the watched runs, 0 to 1, whether one has failed, and
// whether one is live. The model hands it to the terminal for its taskbar or tab. A replay does not
// count as live there, because nothing is waited for.
func (w *Page) Progress() (part float64, failed, live bool) {
	for _, t := range w.Runs.Tracks {
		part += t.Done() / float64(len(w.Runs.Tracks))
		failed = failed || t.Status == runner.Failed
		live = live || !t.Status.Ended() && w.knownAgo(t) == ""
	}
	return part, failed, live && w.logs.clock == nil
}

// knownAgo says how long ago the status of a run was known: "" where it is that of this moment, or
// of the moment of a replay.
func (w *Page) knownAgo(t *panel.Track) string {
	if w.logs.clock != nil {
		return ""
	}
	return w.Silent.Ago(t.Run, t.Status)
}

// Living returns the watched runs that go on; none in a replay.
func (w *Page) Living() (runs []*record.Run) {
	for _, t := range w.Runs.Tracks {
		if w.logs.clock == nil && !t.Status.Ended() {
			runs = append(runs, t.Run)
		}
	}
	return runs
}

// ShowsNewest reports whether the page shows the newest runs, all of which have ended, or none.
func (w *Page) ShowsNewest() bool {
	return len(w.Runs.Tracks) == 0 || w.logs.newest && !w.Live()
}

// Live reports whether a watched run goes on.
func (w *Page) Live() bool { return len(w.Living()) > 0 }

// ringEnd tells the model that a run is done or has failed, if it was live at the look before. Runs
// that had ended when they were opened, and runs of a replay, are no news.
func (w *Page) ringEnd(t *panel.Track, live bool) tea.Cmd {
	if live && w.logs.clock == nil && (t.Status == runner.Done || t.Status == runner.Failed) {
		name := t.Label
		if of := t.Run.Mirrored(); of != nil {
			name += " on " + of.Box
		}
		return kit.Send(lab.Ended{Name: name, Status: t.Status})
	}
	return nil
}

// share returns the mean part of the logs that was read, 0 to 1. Each log counts alike, however
// long: their lengths are not known before they are read.
func (w *Page) share() float64 {
	sum := 0.0
	for _, t := range w.Runs.Tracks {
		sum += t.Share
	}
	return sum / float64(len(w.Runs.Tracks))
}
