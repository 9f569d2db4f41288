package watch

import (
	"slices"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/track"
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
