package watch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"
)

// The story line is one sentence above the panels that says what the runs have come to. Package
// compare makes it. It is made anew when an evaluation, a status or the baseline has changed, and
// drawn with the headline.

// storyState is the story of the watched runs, and the state from which it was made.
type storyState struct {
	compare.Story
	inputs  []storyInput
	longest int // cells of the longest sentence on these runs so far
}

// storyInput is the state of a run on which its part of the story depends.
type storyInput struct {
	run    *runner.Meta
	status runner.Status
	eval   *runner.EvalEvent
	evals  int // the number of evaluations; in a long log those far back come last
	base   bool
	lossy  bool
}

// updateStory makes the story anew if it may have changed.
func (w *Page) updateStory() {
	of := make([]storyInput, len(w.Runs.Tracks))
	reading := false
	for i, t := range w.Runs.Tracks {
		of[i] = storyInput{t.Meta, t.Status, t.Eval, len(t.Evaluations()), i == w.Runs.Baseline,
			t.Gap != nil}
		reading = reading || t.Share < 1
	}
	if slices.Equal(of, w.storyState.inputs) && !reading {
		return
	}
	w.storyState.Story, w.storyState.inputs = compare.Story{}, of
	w.Runs.Clock = compare.Clock{}
	if reading { // half a log has other evaluations than the whole
		w.storyState.inputs, w.storyState.Said = nil, []string{"Reading the logs"}
		return
	}
	runs := lists.Map(w.Runs.Tracks, func(t *panel.Track) compare.StoryRun {
		return compare.StoryRun{Name: t.Short, Key: t.Configuration, Meta: t.Meta,
			Status: t.Status, Evals: t.Evaluations(), Lossy: t.Gap != nil}
	})
	w.storyState.Story = compare.NewStory(runs, w.Runs.Baseline)
	w.Runs.Clock = w.storyState.Clock
	text := w.Theme.Greek(cell.OneLine(w.storyState.String()))
	w.storyState.longest = max(w.storyState.longest, cell.Width(text))
}

// Story returns the whole sentence, which the program tells when the interface ends; "" where there
// is none.
func (w *Page) Story() string {
	if w.storyState.Scope == "" {
		return ""
	}
	story := w.storyState.String()
	if silence := w.silence(); silence != "" {
		story = silence + ". " + story
	}
	return cell.OneLine(story)
}

// storyRows returns the number of lines of the story: two from the first sentence on these runs
// that needs them. They stay when a shorter one follows, because the panels would move each time.
// What is said of a box without a link has a line of its own.
func (w *Page) storyRows() int {
	const leastHeight, oneLine, leastForTwo = 16, 100, 20 // of the page, its width, its height
	rows := 1
	switch {
	case w.Body.H < leastHeight:
		return 0
	case w.Body.H < leastForTwo:
		return rows
	case w.Body.W < oneLine || w.storyState.longest > w.Body.W-2:
		rows++
	}
	if w.silence() != "" {
		rows++
	}
	return rows
}

// story draws the story in so many cells and rows: its scope faint, the rest bright. It is as long
// as fits, and cut where not even its shortest form does.
func (w *Page) story(cells, rows int) []string {
	if rows == 0 {
		return nil
	}
	note, st := w.damage(), w.Theme.Alarm // it comes before what is told without the lost part
	if note == "" {
		note, st = w.silence(), w.Theme.Warn
	}
	if note == "" {
		return w.storyLines(cells, rows)
	}
	line := " " + st.Paint(cell.Cut(w.Theme.Greek(cell.OneLine(note)), cells-2))
	return append([]string{line}, w.storyLines(cells, rows-1)...)
}

// silence says that the figures of runs that go on are not those of this moment; "" where they are.
func (w *Page) silence() string {
	var runs []*record.Run
	for _, t := range w.Runs.Tracks {
		if w.knownAgo(t) != "" {
			runs = append(runs, t.Run)
		}
	}
	return strings.Join(w.Silent.Notes(runs), ". ")
}

// damage names the first run of whose log a part is lost, and the remedy; "" where there is none.
func (w *Page) damage() string {
	lossy := slices.DeleteFunc(slices.Clone(w.Runs.Tracks), func(t *panel.Track) bool {
		return t.Gap == nil
	})
	switch len(lossy) {
	case 0:
		return ""
	case 1:
		return lossy[0].Label + ": " + lossy[0].Gap.Brief()
	}
	return fmt.Sprintf("%s and %d more: %s", lossy[0].Label, len(lossy)-1, lossy[0].Gap.Brief())
}

// storyLines draws the story in so many rows.
func (w *Page) storyLines(cells, rows int) []string {
	if rows == 0 {
		return nil
	}
	t := w.Theme
	wrap := func(text string) []string {
		return kit.Wrap(t.Greek(cell.OneLine(text)), max(1, cells-2))
	}
	lines := wrap(w.storyState.Longest(func(text string) bool { return len(wrap(text)) <= rows }))
	if len(lines) > rows {
		lines[rows-1] = cell.Cut(lines[rows-1]+" "+lines[rows], cells-2)
		lines = lines[:rows]
	}
	for i, line := range lines {
		scope, rest, ok := strings.Cut(line, ": ")
		if ok && i == 0 && t.Greek(w.storyState.Scope) == scope {
			lines[i] = " " + t.Dim.Paint(scope+":") + " " + t.Title.Paint(rest)
		} else {
			lines[i] = " " + t.Title.Paint(line)
		}
	}
	return kit.Fill(lines, cells, rows)
}
