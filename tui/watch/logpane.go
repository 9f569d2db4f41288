package watch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// pane is the content of the log pane.
type pane int

const (
	noPane     pane = iota // it is closed
	logPane                // what happened to the runs
	outputPane             // what the program of the run under the cursor printed
)

// logLine is a note with its run. Notes are kept by run, at most 200 each, and put together only
// for a drawing.
type logLine struct {
	panel.Note
	run *panel.Track
}

// drawLog draws the log pane: what happened to all runs, the latest below. Lines are in the order
// of time, because runs are told apart by colour and an earlier event explains the next.
func (w *Page) drawLog(r kit.Rect, box bool) []string {
	if w.screen.logPane == outputPane {
		return w.drawOutput(r, box)
	}
	t := w.Theme
	var all []logLine
	skipped, names := 0, 0
	for _, run := range w.Runs.Tracks {
		for _, n := range run.Notes {
			all = append(all, logLine{n, run})
		}
		skipped += run.Skipped
		names = max(names, cell.Width(run.Label))
	}
	// Stable, as one run's notes of one moment are in the order of its log.
	slices.SortStableFunc(all, func(a, b logLine) int { return a.Time.Compare(b.Time) })
	iw, ih := kit.Inside(box, r.W, r.H)
	said := func(l logLine) string { return l.run.Label + " " + l.Text }
	shown, below := visibleLines(all, said, w.screen.words, w.screen.logBack, ih)
	var lines []string
	for _, l := range shown {
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
	note := below + kit.Plural(len(all), "line")
	if skipped > 0 {
		note = fmt.Sprintf("%d unreadable · ", skipped) + note
	}
	return t.Panel("Log by step", note, false, box, lines, r.W, r.H)
}

// search asks for the words that lines of the pane must have.
func (w *Page) search() tea.Cmd {
	take := func(text string) tea.Cmd {
		w.screen.words, w.screen.logBack = text, 0
		w.touch()
		return nil
	}
	return w.Show(&kit.Overlay{Title: "Search the log", Form: &kit.LineForm{
		Input: kit.NewInput(w.screen.words), Accept: take, Any: true,
		About: "Only lines with these words are shown. An empty line shows all."}})
}

// visibleLines returns the part of some lines that a pane of so many rows shows if it is scrolled
// back, of those that say the words, and says how many are below it. The pane moves on with new
// lines, because back counts from the end. It may be more than there is to scroll: keys and wheel
// only add to it.
func visibleLines[T any](all []T, said func(T) string, words string, back, rows int) (
	shown []T, below string,
) {
	if words != "" {
		all = slices.DeleteFunc(slices.Clone(all), func(line T) bool {
			return !strings.Contains(strings.ToLower(said(line)), strings.ToLower(words))
		})
		below = fmt.Sprintf("%d with %s · ", len(all), words)
	}
	back = max(0, min(back, len(all)-rows))
	if back > 0 {
		below += fmt.Sprintf("%d more below · ", back)
	}
	end := len(all) - back
	return all[max(0, end-rows):end], below
}

// warnings shows the warnings of the row under the cursor in full. The pane cuts each to a line,
// and the end of a warning says what to do.
func (w *Page) warnings() tea.Cmd {
	// The width at which a text reads well, and at which an overlay fits.
	width := min(76, w.Body.W-6)
	var lines []string
	for _, t := range w.Runs.InRow(w.Runs.RowOf(w.Runs.Cursor)) {
		for _, n := range t.Notes {
			if n.Bad {
				lines = append(lines,
					w.Theme.Dim.Paint(fmt.Sprintf("%s, step %d", t.Label, n.Step)))
				lines = append(append(lines, kit.Wrap(w.Theme.Greek(n.Text), width)...), "")
			}
		}
	}
	return w.Show(&kit.Overlay{Title: "Warnings", Lines: lines})
}

// flipLog opens the log pane at its end, where the latest is, goes on to what the run's program
// printed, where it trains one, or closes it.
func (w *Page) flipLog() {
	w.screen.logPane, w.screen.logBack = (w.screen.logPane+1)%(outputPane+1), 0
	if w.screen.logPane == outputPane && !trainsProgram(w.Runs.Run()) {
		w.screen.logPane = noPane
	}
}

// scroll moves what is too long by part of a page: the log, where it is open,
// else the bars of the panel.
func (w *Page) scroll(by int) {
	const page = 5
	if w.screen.logPane != noPane {
		w.screen.logBack = max(0, w.screen.logBack-by*page)
		return
	}
	if r, ok := w.inside(w.screen.focus); ok {
		// Two rows are the heads and the count of what is left.
		w.scrollBars(w.screen.focus, by*max(1, r.H-2))
	}
}
