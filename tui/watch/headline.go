package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// The headline says below the table what the run under the cursor came to, once a
// run has ended, or what it has selected, where runs select. While runs merely go on it is not
// there: the table says the same, and the panels need the rows.

// headlineRows returns the number of lines of the headline. It does not depend on the cursor, so
// that the panels below do not jump when the cursor moves.
func (w *Page) headlineRows() int {
	return w.barRows() + w.storyRows() + w.raceRows() + w.standRows() + w.rankRows()
}

// standRows returns the number of lines about the run under the cursor: two where a selection and
// the last step do not fit beside each other. On a low screen the table says enough about runs that
// are done.
func (w *Page) standRows() int {
	// Of the page: rows for a headline at all, and columns for both of its parts in one line.
	const leastHeight, oneLine = 20, 140
	selects := slices.ContainsFunc(w.Tracks, func(t *panel.Track) bool { return t.Selects() })
	low := w.Body.H < leastForRanks
	ended := slices.ContainsFunc(w.Tracks, func(t *panel.Track) bool {
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
		lines = append(lines, w.clock.Bar(w.Theme, cells))
	}
	lines = append(lines, w.story(cells, w.storyRows())...)
	if w.raceRows() > 0 {
		lines = append(lines, w.raceLine(cells))
	}
	lines = append(lines, w.standing(cells, w.standRows())...)
	if w.rankRows() > 0 {
		lines = append(lines, w.ranks(cells)...)
	}
	return kit.Fill(lines, cells, w.headlineRows())
}

// standing draws the state of the run under the cursor. If it does not fit, the least important
// goes first: the bounds of λ, then how long the run took, and then the end of the line.
func (w *Page) standing(cells, rows int) (lines []string) {
	if rows == 0 {
		return nil
	}
	t, run := w.Theme, w.Run()
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
	lines = append(lines, line(state.Paint(glyph), stands))
	if rows > 1 && selected != "" {
		if cell.Width(selected) > cells-7 {
			selected, _, _ = strings.Cut(selected, ", mean")
		}
		lines = append(lines, line(" ", selected))
	}
	return lines
}

// Digest says in a few words how the watched runs stand, and how much of long logs was read; the
// words of a replay fit in so many cells. The header of every page shows it, so that runs can be
// left to themselves while the user looks at something else.
func (w *Page) Digest(cells int) string {
	if len(w.Tracks) == 0 {
		return ""
	}
	// The state of runs in a replay is not their state now.
	if w.clock != nil && w.clock.Ready {
		return w.clock.Words(cells)
	}
	counts := map[runner.Status]int{}
	for _, t := range w.Tracks {
		counts[t.Status]++
	}
	// What goes on comes first, as the header may be cut at its end.
	words := lab.Counts(counts, runner.Running, runner.Queued, runner.Paused, runner.Done,
		runner.Stopped, runner.Interrupted, runner.Failed)
	// Rounded down: 100 % is said by not saying it any more.
	if share := w.share(); share < 1 {
		if w.clock != nil {
			words = []string{w.clock.Words(cells)}
		}
		words = append(words, fmt.Sprintf("reading %.0f %%", math.Floor(100*share)))
	}
	return strings.Join(words, " · ")
}

// Progress returns the mean progress of the watched runs, 0 to 1, whether one has failed, and
// whether one is live. The model hands it to the terminal for its taskbar or tab. A replay does not
// count as live there, because nothing is waited for.
func (w *Page) Progress() (part float64, failed, live bool) {
	for _, t := range w.Tracks {
		part += t.Done() / float64(len(w.Tracks))
		failed = failed || t.Status == runner.Failed
		live = live || !t.Status.Ended()
	}
	return part, failed, live && w.clock == nil
}

// Living returns the watched runs that go on; none in a replay.
func (w *Page) Living() (runs []*record.Run) {
	for _, t := range w.Tracks {
		if w.clock == nil && !t.Status.Ended() {
			runs = append(runs, t.Run)
		}
	}
	return runs
}

// Live reports whether a watched run goes on.
func (w *Page) Live() bool { return len(w.Living()) > 0 }

// ringEnd tells the model that a run is done or has failed, if it was live at the look before. Runs
// that had ended when they were opened, and runs of a replay, are no news.
func (w *Page) ringEnd(t *panel.Track, live bool) tea.Cmd {
	if live && w.clock == nil && (t.Status == runner.Done || t.Status == runner.Failed) {
		return kit.Send(lab.Ended{Name: t.Label, Status: t.Status})
	}
	return nil
}

// share returns the mean part of the logs that was read, 0 to 1. Each log counts alike, however
// long: their lengths are not known before they are read.
func (w *Page) share() float64 {
	sum := 0.0
	for _, t := range w.Tracks {
		sum += t.Share
	}
	return sum / float64(len(w.Tracks))
}

// The ranking is the last part of the headline: which method is best, in one look, without the
// reader having to compare a column of figures. It comes once all runs have ended, since an
// order that changes at every evaluation misleads.

// ranked is a row of the table with its robust risk.
type ranked struct {
	run  *panel.Track // the first run of the row
	risk float64      // in nats; the mean of a row of seeds
}

// byRisk returns the rows that have a robust risk, the lowest first, in a group for each question:
// risks at different radii cannot be compared. Groups are in the order of the table, each with two
// rows or more, because one row alone cannot be ranked.
func (w *Page) byRisk() (groups [][]ranked) {
	var all []ranked
	for _, row := range w.Rows() {
		if v := panel.OfEvalAt(w.risk.Name, w.Epoch).Over(w.Of(row)); v.Applies() {
			all = append(all, ranked{w.Tracks[row[0]], v.Float()})
		}
	}
	groups = kit.Grouped(all, func(r ranked) string { return r.run.Asks[w.risk.Asks] })
	groups = slices.DeleteFunc(groups, func(list []ranked) bool { return len(list) < 2 })
	for _, list := range groups {
		slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.risk, b.risk) })
	}
	return groups
}

// leastForRanks is the least height of a page with a ranking: below it, panels need the rows more.
const leastForRanks = 30

// rankRows returns the number of lines of the ranking: 0 unless there is room and all runs have
// ended. The layout asks before the ranking is drawn, and both must come to the same number, so
// both call ranks.
func (w *Page) rankRows() int {
	ended := !slices.ContainsFunc(w.Tracks, func(t *panel.Track) bool { return !t.Status.Ended() })
	if w.Body.H < leastForRanks || !ended {
		return 0
	}
	return len(w.ranks(w.Body.W))
}

// ranks returns the lines that say which method has the lowest robust risk, and how far above it
// each other method is. Each question has one line of so many cells where that can be, else two, in
// fewer letters. A third line is never taken: the rest is cut, and a sign says so.
func (w *Page) ranks(cells int) (all []string) {
	const most = 2 // lines of a question, and questions: four lines are all that panels can spare
	groups := w.byRisk()
	for _, list := range groups[:min(most, len(groups))] {
		// Where all were asked the same, short names do, and the radius need not be said.
		about, names := "", kit.Map(list, func(r ranked) string { return r.run.Short })
		// Short names tell apart all watched runs, and may repeat the radius that is said.
		if !w.Comparable(&w.risk) {
			runs := kit.Map(list, func(r ranked) *runner.Meta { return r.run.Meta })
			about, names = " "+list[0].run.Meta.Spec.Radius(), compare.Names(runs)
		}
		about = w.epochMark() + about
		lines := w.rankLines(w.bySplit("robust risk", "val risk")+about, false, list, names, cells)
		if len(lines) > 1 {
			lines = w.rankLines("risk"+about, true, list, names, cells)
		}
		if len(lines) > most {
			lines = lines[:most]
			lines[most-1] += w.Theme.More
		}
		all = append(all, lines...)
	}
	return all
}

// rankLines returns the lines of one question, broken where the next method does not fit. lead says
// what they are about, and later lines are indented by its width; names belong to list by index.
// Every line keeps room for the sign that more follows, because it is not known beforehand which
// line is cut.
func (w *Page) rankLines(lead string, brief bool, list []ranked, names []string,
	cells int) []string {
	t := w.Theme
	var parts []string
	for i, r := range list {
		figure := rankFigure(list, i, brief)
		// among equals none is the best
		if i == 0 && strings.ContainsAny(rankFigure(list, 1, false), "123456789") {
			figure += t.Best
		}
		mark := t.Line(r.run.Number).Paint(t.Mark(r.run.Number))
		parts = append(parts, "  "+mark+" "+t.Greek(names[i])+" "+t.Text.Paint(figure))
	}
	lead = t.Dim.Paint("      " + t.Greek(lead))
	return kit.Flow(lead, parts, "", cells-cell.Width(t.More))
}

// rankFigure writes the least risk, or how far risk i is above it; in brief, without a third
// decimal and the 0 before the point. A ranking is read for differences; the values themselves
// stand in the table above.
func rankFigure(list []ranked, i int, brief bool) string {
	v, sign := list[i].risk, ""
	if i > 0 {
		v, sign = v-list[0].risk, "+"
	}
	text := decimals(v)
	if brief {
		text = strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0")
	}
	return sign + text
}

// The story line is one sentence above the panels that says what the runs have come to. Package
// compare makes it. It is made anew when an evaluation, a status or the baseline has changed, and
// drawn with the headline.

// storyState is the story of the watched runs, and the state from which it was made.
type storyState struct {
	compare.Story
	inputs []storyInput
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
	of := make([]storyInput, len(w.Tracks))
	reading := false
	for i, t := range w.Tracks {
		of[i] = storyInput{t.Meta, t.Status, t.Eval, len(t.Evaluations()), i == w.Baseline,
			t.Gap != nil}
		reading = reading || t.Share < 1
	}
	if slices.Equal(of, w.storyState.inputs) && !reading {
		return
	}
	w.storyState.Story, w.storyState.inputs, w.Epoch = compare.Story{}, of, 0
	if reading { // half a log has other evaluations than the whole
		w.storyState.inputs, w.storyState.Said = nil, []string{readingLogs + w.Theme.More}
		return
	}
	runs := kit.Map(w.Tracks, func(t *panel.Track) compare.StoryRun {
		return compare.StoryRun{Name: t.Short, Key: t.Configuration, Meta: t.Meta,
			Status: t.Status, Evals: t.Evaluations(), Lossy: t.Gap != nil}
	})
	w.storyState.Story = compare.NewStory(runs, w.Baseline)
	w.Epoch = w.storyState.Epoch
}

// Story returns the whole sentence, which the program tells when the interface ends; "" where there
// is none.
func (w *Page) Story() string {
	if w.storyState.Scope == "" {
		return ""
	}
	return cell.OneLine(w.storyState.String())
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
	if damage := w.damage(); damage != "" { // it comes before what is told without the lost part
		t := w.Theme
		line := " " + t.Bad.Paint(cell.Cut(t.Greek(cell.OneLine(damage)), cells-2))
		return append([]string{line}, w.told(cells, rows-1)...)
	}
	return w.told(cells, rows)
}

// damage names the first run of whose log a part is lost, and the remedy; "" where there is none.
func (w *Page) damage() string {
	lossy := slices.DeleteFunc(slices.Clone(w.Tracks), func(t *panel.Track) bool {
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

// told draws the story in so many rows.
func (w *Page) told(cells, rows int) []string {
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
