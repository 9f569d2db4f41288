package watch

import (
	"fmt"
	"slices"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/track"

	tea "charm.land/bubbletea/v2"
)

// logLine is a note with its run. Notes are kept by run, at most 200 each, and put together only
// for a drawing.
type logLine struct {
	track.Note
	run *track.Track
}

// log draws the log pane: what happened to all runs, the latest below. Lines are in the order of
// time, because runs are told apart by colour and an earlier event explains the next.
//
// logBack may be more than there is to scroll, since keys and wheel only add to it. It is cut
// here, where the number of lines is known.
func (w *Page) log(r kit.Rect, box bool) []string {
	if w.logPane == printedPane {
		return w.program(r, box)
	}
	t := w.Theme
	var all []logLine
	skipped, names := 0, 0
	for _, run := range w.Tracks {
		for _, n := range run.Notes {
			all = append(all, logLine{n, run})
		}
		skipped += run.Skipped
		names = max(names, cell.Width(run.Label))
	}
	// Stable, as one run's notes of one moment are in the order of its log.
	slices.SortStableFunc(all, func(a, b logLine) int { return a.At.Compare(b.At) })
	iw, ih := kit.Inside(box, r.W, r.H)
	// A pane that is scrolled back moves on with new lines, because it counts from the end.
	back := max(0, min(w.logBack, len(all)-ih))
	end := len(all) - back
	var lines []string
	for _, l := range all[max(0, end-ih):end] {
		text := t.Text
		if l.Bad {
			text = t.Warn
		}
		s := fmt.Sprintf(" %8d  ", l.Step)
		lines = append(lines,
			t.Dim.Paint(s)+t.Line(l.run.Number).Paint(kit.Left(l.run.Label, names))+"  "+
				text.Paint(cell.Cut(t.Greek(l.Text), iw-cell.Width(s)-names-3)))
	}
	if len(all) == 0 {
		lines = []string{t.Dim.Paint(" no events yet")}
	}
	note := scrolled(back) + kit.Plural(len(all), "line")
	if skipped > 0 {
		note = fmt.Sprintf("%d unreadable · ", skipped) + note
	}
	return t.Panel("Log by step", note, false, box, lines, r.W, r.H)
}

// scrolled says how many lines are below the pane; "" for none.
func scrolled(back int) string {
	if back == 0 {
		return ""
	}
	return fmt.Sprintf("%d more below · ", back)
}

// warnings shows the warnings of the row under the cursor in full. The pane cuts each to a line,
// and the end of a warning says what to do.
func (w *Page) warnings() tea.Cmd {
	// The width at which a text reads well, and at which an overlay fits.
	width := min(76, w.Body.W-6)
	var lines []string
	for _, t := range w.Of(w.Rows()[w.RowAt()]) {
		for _, n := range t.Notes {
			if n.Bad {
				lines = append(lines,
					w.Theme.Dim.Paint(fmt.Sprintf("%s, step %d", t.Label, n.Step)))
				lines = append(append(lines, kit.Wrap(w.Theme.Greek(n.Text), width)...), "")
			}
		}
	}
	return kit.Show(&kit.Overlay{Title: "Warnings", Lines: lines})
}
