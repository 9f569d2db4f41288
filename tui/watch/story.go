package watch

import (
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/story"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/track"
)

// The story line is one sentence above the panels: what the runs have come to, made by package
// story. It is made anew where an evaluation, a status or the baseline changed, and drawn with the
// headline.

// told is the story of the watched runs, and what it was made of.
type told struct {
	story.Story
	of   []telling
	keys map[string]string // of configurations, by run
}

// telling is what a change of a run's part in the story shows in.
type telling struct {
	run    *runner.Meta
	status runner.Status
	eval   *runner.EvalEvent
	evals  int // of a long log those far back come last
	base   bool
}

// retell makes the story anew where it can have changed.
func (w *Page) retell() {
	of := make([]telling, len(w.Tracks))
	reading := false
	for i, t := range w.Tracks {
		of[i] = telling{t.Meta, t.Status, t.Eval, len(t.Evaluations()), i == w.Baseline}
		reading = reading || t.Share < 1
	}
	if len(of) == len(w.told.of) && !differ(of, w.told.of) && !reading {
		return
	}
	w.told.Story, w.told.of = story.Story{}, of
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
}

// keyOf is a run's configuration, which is found once.
func (w *Page) keyOf(t *track.Track) string {
	if w.told.keys == nil {
		w.told.keys = map[string]string{}
	}
	if _, known := w.told.keys[t.ID]; !known {
		w.told.keys[t.ID] = compare.Configuration(t.Meta)
	}
	return w.told.keys[t.ID]
}

func differ(a, b []telling) bool {
	for i := range a {
		if a[i] != b[i] {
			return true
		}
	}
	return false
}

// Story is the whole sentence; "" where there is none to leave with.
func (w *Page) Story() string {
	if w.told.Scope == "" {
		return ""
	}
	return cell.OneLine(w.told.String())
}

// storyRows is how many lines of a page it takes, whatever it says, so that no panel moves with it.
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

// story draws it in so many cells and rows: what it is of faint, the rest bright. It is as long as
// fits, and cut where not even its shortest form does.
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
