package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// The headline says below the table what the run under the cursor came to, once a
// run has ended, or what it has selected, where runs select. While runs merely go on it is not
// there: the table says the same, and the panels need the rows.

// headlineRows is how many lines of a page it takes. It does not depend on the cursor, so that
// the panels below do not jump when that moves.
func (w *Page) headlineRows() int { return w.standRows() + w.rankRows() }

// standRows are those of the run under the cursor: two where a selection and the last step do not
// fit beside each other.
func (w *Page) standRows() int {
	// Of the page: rows for a headline at all, and columns for both of its parts in one line.
	const leastHeight, oneLine = 20, 140
	selects := slices.ContainsFunc(w.Tracks, func(t *track.Track) bool { return t.Selects() })
	ended := slices.ContainsFunc(w.Tracks, func(t *track.Track) bool { return t.Status.Ended() })
	switch {
	case w.Body.H < leastHeight || !selects && !ended:
		return 0
	case selects && w.Body.W < oneLine:
		return 2
	}
	return 1
}

// headline draws it in so many cells and rows, as headlineRows has it. Of what does not fit the
// least important goes first: the bounds of λ, then how long the run took, and then the end of
// the line.
func (w *Page) headline(cells, rows int) (lines []string) {
	t, run := w.Theme, w.Run()
	if run == nil || rows == 0 {
		return nil
	}
	// The ranking has the last rows; what is left is the run's own.
	ranks := w.rankRows()
	rows -= ranks
	glyph, state := lab.State(t, run.Status)
	line := func(mark, text string) string {
		return "    " + mark + " " + cell.Cut(t.Greek(text), cells-7)
	}
	// A line begins as a row of the table does, so the words stand below the names.
	stands, selected := "", run.Selection()
	most := run.Stands(true)
	if selected == "" || rows > 1 {
		most += run.Bounded()
	}
	for _, words := range []string{most, run.Stands(true), run.Stands(false)} {
		if len(w.RowOf(w.At)) > 1 { // the table has the mean of the row's seeds
			words = run.Label + ": " + words
		}
		if rows == 1 && selected != "" {
			words += " · " + selected
		}
		if stands = words; cell.Width(stands) <= cells-7 {
			break
		}
	}
	lines = []string{line(state.Paint(glyph), stands)}
	if rows > 1 && selected != "" {
		if cell.Width(selected) > cells-7 {
			selected, _, _ = strings.Cut(selected, ", mean")
		}
		lines = append(lines, line(" ", selected))
	}
	if ranks > 0 {
		lines = append(lines, w.ranks(cells)...)
	}
	return kit.Fill(lines, cells, rows+ranks)
}

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
