package watch

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// The headline says below the table what the run under the cursor came to, once a
// run has ended, or what it has selected, where runs select. While runs merely go on it is not
// there: the table says the same, and the panels need the rows.

// headlineRows returns the number of lines of the headline. It does not depend on the cursor, so
// that the panels below do not jump when the cursor moves.
func (w *Page) headlineRows() int {
	return w.barRows() + w.storyRows() + w.raceRows() + w.stateRows() + w.rankRows() +
		w.tileRows()
}

// stateRows returns the number of lines about the run under the cursor: two where a selection and
// the last step do not fit beside each other. On a low screen the table says enough about runs that
// are done.
func (w *Page) stateRows() int {
	// Of the page: rows for a headline at all, and columns for both of its parts in one line.
	const leastHeight, oneLine = 20, 140
	selects := slices.ContainsFunc(w.Runs.Tracks, func(t *panel.Track) bool { return t.Selects() })
	low := w.Body.H < leastForRanks
	ended := slices.ContainsFunc(w.Runs.Tracks, func(t *panel.Track) bool {
		return t.Status.Ended() && !(low && t.Status == runner.Done)
	})
	switch {
	case w.Body.H < leastHeight || !selects && !ended:
		return 0
	case selects && w.Body.W < oneLine:
		return 2
	}
	return 1
}

// headline draws the headline in so many cells and headlineRows lines.
func (w *Page) headline(cells int) (lines []string) {
	if w.barRows() > 0 {
		lines = append(lines, w.logs.clock.Bar(w.Theme, cells))
	}
	lines = append(lines, w.story(cells, w.storyRows())...)
	if w.raceRows() > 0 {
		lines = append(lines, w.raceLine(cells))
	}
	lines = append(lines, w.stateLines(cells, w.stateRows())...)
	if w.rankRows() > 0 {
		lines = append(lines, w.ranks(cells)...)
	}
	if w.tileRows() > 0 {
		lines = append(lines, w.tileLines(cells)...)
	}
	return kit.Fill(lines, cells, w.headlineRows())
}

// stateLines draws the state of the run under the cursor. If it does not fit, the least important
// goes first: the epochs of the figures, which the head of the table names, then the bounds of λ,
// then how long the run took, and then the end of the line.
func (w *Page) stateLines(cells, rows int) (lines []string) {
	if rows == 0 {
		return nil
	}
	t, run := w.Theme, w.Runs.Run()
	glyph, state, _ := lab.StateKnown(t, run.Status, w.knownAgo(run))
	line := func(mark, text string) string {
		return "    " + mark + " " + cell.Cut(t.Greek(text), cells-7)
	}
	// A line begins as a row of the table does, so the words stand below the names.
	stands, selected := "", run.SelectionText()
	text := func(form int) string { return run.StatusText(w.Runs.Clock, form) }
	bounds := ""
	if selected == "" || rows > 1 {
		bounds = run.BoundsText()
	}
	forms := []string{text(panel.WithEpochs) + bounds, text(panel.Long) + bounds,
		text(panel.Long), text(panel.Brief)}
	for _, words := range forms {
		switch {
		case len(w.Runs.RowOf(w.Runs.Cursor)) > 1: // the table has the mean of the row's seeds
			words = run.Label + ": " + words
		case len(w.Runs.Tracks) > 1:
			words = run.Short + ": " + words
		}
		if rows == 1 && selected != "" {
			words += " · " + selected
		}
		stands = words
		if cell.Width(stands) <= cells-7 {
			break
		}
	}
	lines = append(lines, line(state.Paint(glyph), stands))
	if rows > 1 && selected != "" {
		if cell.Width(selected) > cells-7 {
			selected, _, _ = strings.Cut(selected, ", mean")
		}
		lines = append(lines, line(" ", selected))
	}
	return lines
}
