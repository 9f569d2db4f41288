package watch

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/story"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/track"
)

// The story line is one sentence above the panels that says what the runs have come to. Package
// story makes it. It is made anew when an evaluation, a status or the baseline has changed, and
// drawn with the headline.

// told is the story of the watched runs, and the state from which it was made.
type told struct {
	story.Story
	of   []telling
	keys map[string]string // the configurations, by the ID of the run
}

// telling is the state of a run on which its part of the story depends.
type telling struct {
	run    *runner.Meta
	status runner.Status
	eval   *runner.EvalEvent
	evals  int // the number of evaluations; in a long log those far back come last
	base   bool
}

// retell makes the story anew if it may have changed.
func (w *Page) retell() {
	of := make([]telling, len(w.Tracks))
	reading := false
	for i, t := range w.Tracks {
		of[i] = telling{t.Meta, t.Status, t.Eval, len(t.Evaluations()), i == w.Baseline}
		reading = reading || t.Share < 1
	}
	if slices.Equal(of, w.told.of) && !reading {
		return
	}
	w.told.Story, w.told.of, w.Epoch = story.Story{}, of, 0
	if reading { // half a log has other evaluations than the whole
		w.told.of, w.told.Said = nil, []string{readingLogs + w.Theme.More}
		return
	}
	runs := make([]story.Run, len(w.Tracks))
	for i, t := range w.Tracks {
		runs[i] = story.Run{Name: t.Short, Key: w.keyOf(t), Meta: t.Meta, Status: t.Status,
			Evals: t.Evaluations()}
	}
	w.told.Story = story.Tell(runs, w.Baseline)
	w.Epoch = w.told.Epoch
}

// keyOf returns a run's configuration, which is computed once.
func (w *Page) keyOf(t *track.Track) string {
	if w.told.keys == nil {
		w.told.keys = map[string]string{}
	}
	if _, known := w.told.keys[t.ID]; !known {
		w.told.keys[t.ID] = compare.Configuration(t.Meta)
	}
	return w.told.keys[t.ID]
}

// Story returns the whole sentence, which the program tells when the interface ends; "" where there
// is none.
func (w *Page) Story() string {
	if w.told.Scope == "" {
		return ""
	}
	return cell.OneLine(w.told.String())
}

// storyRows returns the number of lines of the story. It does not depend on the text, so that no
// panel moves with it.
func (w *Page) storyRows() int {
	const leastHeight, oneLine, leastForTwo = 16, 100, 20 // of the page, its width, its height
	switch {
	case w.Body.H < leastHeight:
		return 0
	case w.Body.W < oneLine && w.Body.H >= leastForTwo:
		return 2
	}
	return 1
}

// story draws the story in so many cells and rows: its scope faint, the rest bright. It is as long
// as fits, and cut where not even its shortest form does.
func (w *Page) story(cells, rows int) []string {
	if rows == 0 {
		return nil
	}
	t := w.Theme
	wrap := func(text string) []string {
		return kit.Wrap(t.Greek(cell.OneLine(text)), max(1, cells-2))
	}
	lines := wrap(w.told.Fit(func(text string) bool { return len(wrap(text)) <= rows }))
	if len(lines) > rows {
		lines[rows-1] = cell.Cut(lines[rows-1]+" "+lines[rows], cells-2)
		lines = lines[:rows]
	}
	for i, line := range lines {
		scope, rest, ok := strings.Cut(line, ": ")
		if ok && i == 0 && t.Greek(w.told.Scope) == scope {
			lines[i] = " " + t.Dim.Paint(scope+":") + " " + t.Title.Paint(rest)
		} else {
			lines[i] = " " + t.Title.Paint(line)
		}
	}
	return kit.Fill(lines, cells, rows)
}
