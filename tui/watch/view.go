package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// counts returns the numbers of panels that can be shown at once: those that grid can lay out
// without a hole. The first stands for as many as suit the screen.
func counts() []int { return []int{0, 1, 2, 4, 6} }

// count returns the number of panels that are shown: 1, 2, 4 or 6. There are always more panels
// than that (Standing and one more), so that first never goes below 0.
func (w *Page) count() int {
	switch {
	case w.zoomed:
		return 1
	case w.shown > 0:
		return counts()[w.shown]
	}
	return panelsFor(w.Body.W, w.Body.H)
}

// first returns the first panel that is shown. Panels come in groups, and the last group is full,
// too. Tab moves the focus through all panels, and the group follows it, so the screen never
// scrolls by one panel.
func (w *Page) first() int {
	n := w.count()
	return min(w.focus/n*n, len(w.Panels)-n)
}

// layout returns the places of all parts now. Every caller computes it anew, the mouse included: it
// depends on so much that a kept one would be stale, and it costs little.
func (w *Page) layout() watchLayout {
	return layWatch(w.Body.W, w.Body.H, len(w.Rows()), w.count(), w.headlineRows(),
		w.eyeRows(), w.logPane != noPane)
}

// View implements the interface's page: rows lines of cols cells each.
//
// It changes nothing but the kept drawings and their places. Table, headline and log pane are one
// part, because they show the same news, and a turn of its own for each would cost more than it
// saves.
func (w *Page) View(cols, rows int) []string {
	if len(w.Tracks) == 0 {
		return w.empty(cols, rows)
	}
	l, box := w.layout(), kit.Boxed(rows)
	above := kit.Area(0, 0, cols, l.runs.H+l.head.H)
	around := w.partLines(&w.around, above, l.log, func() []string {
		lines := slices.Concat(w.table(l.runs), w.headline(cols))
		if l.log.H > 0 {
			lines = append(lines, w.log(l.log, box)...)
		}
		return lines
	})
	// Of the kept lines the first are above the panels, and the rest is the log pane.
	blocks := []kit.Placed{{Rect: above, Lines: around[:above.H]},
		{Rect: l.log, Lines: around[above.H:]}}
	place := func(p int, r kit.Rect, focused bool) {
		lines := w.partLines(&w.drawn[p], r, kit.Rect{}, func() []string {
			iw, ih := w.room(r)
			return w.Draw(p, r, kit.Area(0, 0, iw, ih), box, focused)
		})
		blocks = append(blocks, kit.Placed{Rect: r, Lines: lines})
	}
	w.placed = l.panels
	for i, r := range l.panels {
		p := w.first() + i
		// A single panel has no focus to show: nothing else could have it.
		place(p, r, p == w.focus && w.count() > 1)
	}
	if l.eye.H > 0 {
		place(w.EyeAt(), l.eye, false)
	}
	return kit.Compose(cols, rows, blocks)
}

// empty says what to do where no run is watched, in the middle of the page. It is the first thing
// that a new user sees of it.
func (w *Page) empty(cols, rows int) []string {
	t := w.Theme
	text := []string{t.Title.Paint(noRunsYet), "",
		t.Key.Paint("1") + " starts some, " + t.Key.Paint("3") + " lists what was recorded in",
		t.Dim.Paint(cell.Cut(w.Config.RunsDir, cols-4))}
	if w.opening {
		text = []string{t.Dim.Paint(readingRuns + t.More)}
	}
	if w.problem != "" {
		text = append(text, "", t.Bad.Paint(cell.Cut(w.problem, cols-4)))
	}
	// Half of what is free stands above; Fill adds the other half.
	lines := make([]string, max(0, (rows-len(text))/2))
	for _, s := range text {
		lines = append(lines, kit.Blanks((cols-cell.Width(s))/2)+s)
	}
	return kit.Fill(lines, cols, rows)
}

// room returns the width and the height within a panel in r. Without boxes a blank is left between
// two panels. All code that asks what a panel has room for must ask here, or heading and drawing
// disagree.
func (w *Page) room(r kit.Rect) (iw, ih int) {
	box := kit.Boxed(w.Body.H)
	iw, ih = kit.Inside(box, r.W, r.H)
	if !box && r.X+r.W < w.Body.W {
		iw--
	}
	return iw, ih
}

// watchLayout is where the parts of the Watch page are, in cells from the page's own corner. From
// the top: runs, head, panels, log. They cover the page and do not overlap.
type watchLayout struct {
	runs   kit.Rect   // a line for each row of the table, below a line of heads
	head   kit.Rect   // the headline; H is 0 without it
	panels []kit.Rect // the panels that are shown
	eye    kit.Rect   // the adversary's eye under the panels; H is 0 without it
	log    kit.Rect   // the log pane; H is 0 without it
}

// layWatch divides w by h cells among so many runs, panels (1, 2, 4 or 6), lines of headline and
// lines of the eye, and the log pane if log is true.
//
// The table gets a fifth of the page at most, and scrolls: curves need their rows more. The pane
// takes a third of what is left, ten lines at most.
func layWatch(w, h, runs, panels, head, eye int, log bool) watchLayout {
	var l watchLayout
	rows := min(runs, max(1, h/5)) + 1 // and the heads
	if h < kit.LeastHeight {           // how runs do comes before how they came to it
		rows = min(runs, 4) + 1
	}
	l.runs, l.head = kit.Area(0, 0, w, rows), kit.Area(0, rows, w, head)
	rows += head
	rest := kit.Area(0, rows, w, h-rows)
	if log {
		l.log = kit.Area(0, 0, w, max(3, min(rest.H/3, 10)))
		rest.H -= l.log.H // panels get smaller, not fewer
		l.log.Y = rest.Y + rest.H
	}
	rest.H -= eye
	l.eye = kit.Area(0, rest.Y+rest.H, w, eye)
	columns, lines := grid(panels, rest.W, rest.H)
	l.panels = kit.Tile(rest, columns, lines)
	return l
}

// grid returns the numbers of columns and lines of panels in w by h cells. A cell is about twice as
// high as wide, so w >= 3*h is an area that is clearly wider than high on the glass.
func grid(panels, w, h int) (columns, lines int) {
	const narrow = 70 // for two panels beside each other
	switch {
	case w < narrow && h >= panels*leastPanel:
		return 1, panels
	case panels >= 6 && w >= 3*h:
		return 3, 2
	case panels >= 6:
		return 2, 3
	case panels >= 4:
		return 2, 2
	case panels >= 2 && w >= 3*h:
		return 2, 1
	case panels >= 2:
		return 1, 2
	}
	return 1, 1
}

// panelsFor returns the number of panels that suit a page of w by h cells, if the user has chosen
// none. A plot of less than about 50 columns has more labels than curve.
func panelsFor(w, h int) int {
	switch {
	case w >= 160 && h >= 44:
		return 6
	case w >= 100 && h >= 30:
		return 4
	case w >= 70:
		return 2
	// Narrow and high, such as half of a screen: panels stand in one column.
	case h >= 4*leastPanel+leastPanel: // and the table
		return 4
	case h >= 3*leastPanel:
		return 2
	}
	return 1
}

// leastPanel is the least height of panels that stand one above the other, in lines: a box, an
// axis, and nine rows of plot.
const leastPanel = 13

// eyeRows returns the height of the adversary's eye under the panels, in lines: 0 where there is no
// room, where no evaluation names samples, and where its own panel is in view.
func (w *Page) eyeRows() int {
	const rows, leastW, leastH = 10, 100, 52
	p := w.EyeAt()
	inView := p >= w.first() && p < w.first()+w.count()
	if w.zoomed || w.Body.W < leastW || w.Body.H < leastH || p < 0 || inView || !w.hasEye() {
		return 0
	}
	return rows
}

// hasEye reports whether an evaluation of a watched run names samples or, before the first, whether
// one may do so later. Room for the eye is kept until then, because all panels would be sent again
// to make it. An older recording, of which no evaluation names samples, needs no room.
func (w *Page) hasEye() bool {
	evaluated, waits := false, false
	for _, t := range w.Tracks {
		if t.Eval != nil && len(t.Eval.Heaviest) > 0 {
			return true
		}
		evaluated, waits = evaluated || t.Eval != nil, waits || !t.Status.Ended()
	}
	return waits && !evaluated
}

// fitInView fits only the axes that are shown, as a replay wants it many times a second. Axes out
// of view catch up at the next key, since every key fits all.
func (w *Page) fitInView() {
	var names []string
	for i, r := range w.layout().panels {
		names = append(names, w.Shows(w.first()+i).Drawn(w.room(r))...)
	}
	w.FitThese(names)
}

// hiddenBars returns the number of a panel's bars that have no room, so that they can be scrolled;
// 0 for a panel out of view, for curves, and for views that are shown whole.
func (w *Page) hiddenBars(p int) int {
	if p >= len(w.Panels) {
		return 0
	}
	v, t := w.Shows(p), w.Run()
	r, ok := w.inside(p)
	if v.Bars == "" || v.Whole() || t == nil || !ok {
		return 0
	}
	rows := r.H // by which the bars are laid out, too
	if v.Films() {
		rows-- // its heads are always there
	}
	return max(0, len(t.Places(v.Of(t.Meta)))-rows)
}

// scrollBars moves the bars of a panel. The last bar goes no higher than the last row, whatever
// the room was when it was scrolled.
func (w *Page) scrollBars(p, by int) {
	w.Panels[p].First = max(0, min(w.Panels[p].First+by, w.hiddenBars(p)))
}

// logLine is a note with its run. Notes are kept by run, at most 200 each, and put together only
// for a drawing.
type logLine struct {
	panel.Note
	run *panel.Track
}

// log draws the log pane: what happened to all runs, the latest below. Lines are in the order of
// time, because runs are told apart by colour and an earlier event explains the next.
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
	said := func(l logLine) string { return l.run.Label + " " + l.Text }
	shown, below := scrolled(all, said, w.words, w.logBack, ih)
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
		w.words, w.logBack = text, 0
		w.touch()
		return nil
	}
	return kit.Show(&kit.Overlay{Title: "Search the log", Form: &kit.Line{
		Input: kit.NewInput(w.words), About: aboutSearch, Accept: take}})
}

// scrolled returns the part of some lines that a pane of so many rows shows if it is scrolled back,
// of those that say the words, and says how many are below it. The pane moves on with new lines,
// because back counts from the end. It may be more than there is to scroll: keys and wheel only add
// to it.
func scrolled[T any](all []T, said func(T) string, words string, back, rows int) (
	shown []T, below string,
) {
	if words != "" {
		all = slices.DeleteFunc(slices.Clone(all), func(line T) bool {
			return !strings.Contains(strings.ToLower(said(line)), strings.ToLower(words))
		})
		below = fmt.Sprintf("%d with %s · ", len(all), words)
	}
	if back = max(0, min(back, len(all)-rows)); back > 0 {
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
	for _, t := range w.Of(w.RowOf(w.At)) {
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

// News is shown in turns (Lab.Round): once a second each part of the page, the table and every
// panel, takes in what the runs logged, one part after the other. What the user does is shown at
// once, everywhere.
//
// To draw all parts at every look at the files would be more than a slow line carries. The news of
// a fifth of a second costs a panel about as much as the news of a second. And the renderer sends a
// line of the screen from its first change to its last, with everything between panels that stand
// beside each other.

// evalTurn is the number of rounds between two turns of the parts that only evaluations change.
const evalTurn = 2

// eyeTurn is the number of rounds between two turns of the adversary's eye, whose gallery takes its
// turns by itself. stripTurn is that number for each picture that changed, if the eye is below
// other panels and nobody has asked for it. A new picture is more than half a kilobyte, which the
// rest of a slow run sends in two seconds.
const eyeTurn, stripTurn = 6, 15

// replayTurn is the time between two drawings of the parts of a replay that are no curves: figures
// are not read any faster.
const replayTurn = time.Second / 4

// turned is the last drawing of a part of the page. Both fields are values of turns.news; a part
// owes a drawing as long as wanted or news is ahead of what it shows.
type turned struct {
	kit.Drawn
	shown  int // the value when the part was drawn
	wanted int // the value that the part must show at least
}

// partOf is everything that a part of the page depends on, with its places. It is compared as a
// whole: if a part depends on something else, that must be added here, or the part shows an old
// state.
type partOf struct {
	place, second kit.Rect
	theme         *kit.Theme
	body          kit.Rect
	touched       int
	round         int
	shown         int
}

// partLines returns the lines of a part, drawn anew if its turn has come or the user did something.
// place and second are its places; only the part with table and log pane has two. Without a
// Round, as in most tests, nothing is kept and every frame shows all there is.
func (w *Page) partLines(t *turned, place, second kit.Rect, draw func() []string) []string {
	if w.Round == 0 {
		return draw()
	}
	// Once due, a part shows all there is, also news that came after its turn.
	if t.shown < t.wanted {
		t.shown = w.news
	}
	return t.Get(partOf{place, second, w.Theme, w.Body, w.touched, w.round, t.shown}, draw)
}

// turns is the state of the turns. Its counts only grow; they are only compared with earlier
// values.
type turns struct {
	news    int        // the number of looks that brought something new
	touched int        // the number of calls of touch
	since   time.Time  // the time of the last look
	around  turned     // the part around the panels
	drawn   []turned   // the panels, by their index
	placed  []kit.Rect // the places of the panels that are shown, where they were drawn last
}

// touch makes the next frame draw everything, whoever's turn it is.
func (w *Page) touch() { w.touched++ }

// piece is a part of the page with the time between its turns, and when they come within a Round.
type piece struct {
	*turned
	every, offset time.Duration
}

// parts returns the parts of the page now: the part around the panels, and the panels. In a replay
// that plays, all curves move at every look; in one that stands, everything is shown at once.
//
// Two panels beside each other that change in one frame send all that lies between them. So the
// turns of columns are spread evenly over the time, and a round has a look for each; panels that
// stand one above the other share a turn.
func (w *Page) parts(look time.Duration) []piece {
	columns := 0
	for _, r := range w.placed {
		if r.Y == w.placed[0].Y {
			columns++
		}
	}
	// Looks come a little late, by varying times, and a round must keep its length.
	round, even := w.Round, look.Round(time.Second/5)
	if even < round { // or each look shows all
		round = max(round, time.Duration(columns)*even)
	}
	// Only an evaluation changes bars and maps, so they come half as often.
	table, curves, others := w.Round, round, evalTurn*round
	if c := w.clock; c != nil {
		table, curves, others = 0, 0, 0
		if c.Playing && w.Round > 0 {
			table, others = replayTurn, replayTurn
		}
	}
	list := []piece{{&w.around, table, 0}}
	for i := range w.count() {
		p, d, at := w.first()+i, curves, time.Duration(0)
		if i < len(w.placed) {
			at = round * time.Duration(w.placed[i].X) / time.Duration(max(1, w.Body.W))
		}
		switch v := w.Shows(p); {
		case v.Gazes():
			continue
		case !v.Plots() && !v.Phase:
			d = others
		}
		list = append(list, piece{&w.drawn[p], d, at})
	}
	return list
}

// noteTurns notes the news for the parts whose turn came since the last look. It only notes what
// each has to show: View draws, and a part that is out of view by then is not drawn.
func (w *Page) noteTurns(now time.Time, changed bool) {
	if changed {
		w.news++
	}
	for _, p := range w.parts(now.Sub(w.since)) {
		if turnBetween(w.since, now, p.every, p.offset) {
			p.wanted = w.news
		}
	}
	w.since = now
}

// Turns depend on the clock and not on the frame, because looks may come late, or seldom.

// turnBetween reports whether a turn came between two moments. Turns come at intervals of every,
// offset by at; with an interval of 0 one always came.
func turnBetween(from, to time.Time, every, at time.Duration) bool {
	turn := func(t time.Time) int64 { return (t.UnixNano() - int64(at)) / int64(every) }
	return every == 0 || turn(from) != turn(to)
}

// hasUnshown reports whether some part does not show all there is. Then the next look counts as a
// change even if it brings nothing, so that the last news of a run that has ended is shown, too.
func (w *Page) hasUnshown() bool {
	return slices.ContainsFunc(w.parts(0), func(p piece) bool { return p.wanted < w.news })
}
