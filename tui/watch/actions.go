package watch

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// zoom leaves the number of panels as it was, for the way back.
func (w *Page) zoom() { w.screen.zoomed = !w.screen.zoomed }

// states returns what Esc undoes, the first of these that is: the crosshair, the zoom, the log
// pane, and the choice of a fork and its parent among the runs of a race. It needs no run: a zoom
// or an open pane can be left on an empty page, too.
func (w *Page) states() []kit.State {
	return []kit.State{
		{Is: w.Board.Cross.On, Undo: kit.Just(func() { w.Board.Cross.On = false })},
		{Is: w.screen.zoomed, Undo: kit.Just(func() { w.screen.zoomed = false })},
		{Is: w.screen.logPane != noPane, Undo: kit.Just(func() { w.screen.logPane = noPane })},
		{Is: w.logs.raceRuns != nil, Undo: w.backToRace},
	}
}

// backToRace watches the runs of the race again, with the fork, which races on.
func (w *Page) backToRace() tea.Cmd {
	ids := slices.Concat(w.logs.raceRuns, w.Runs.IDs())
	slices.Sort(ids)
	return w.open(lab.Watch{IDs: slices.Compact(ids)})
}

// whichPanels says which panels are in view, of how many, for a footer of so many cells. Without
// it nobody would guess that Tab leads to panels out of view.
func (w *Page) whichPanels(cells int) string {
	n, first, all := w.count(), w.first()+1, len(w.Board.Panels)
	switch which := fmt.Sprintf("%d–%d", first, first+n-1); {
	case n == 1:
		return fmt.Sprintf("panel %d of %d", first, all)
	case cells < 100:
		return fmt.Sprintf("panels %s/%d", which, all)
	default:
		return fmt.Sprintf("panels %s of %d", which, all)
	}
}

func (w *Page) nextPanel(by int) {
	w.screen.focus = (w.screen.focus + len(w.Board.Panels) + by) % len(w.Board.Panels)
}

// flip goes on to the next view that shows something else.
func (w *Page) flip() {
	p := &w.Board.Panels[w.screen.focus]
	r, _ := w.inside(w.screen.focus)
	before := w.Board.CurrentView(w.screen.focus)
	for range p.Views { // once around at most: all may show the same
		p.View = (p.View + 1) % len(p.Views)
		if !w.Board.Alike(w.Board.CurrentView(w.screen.focus), before, r.W, r.H) {
			return
		}
	}
}

// flipSplit shows the other split in table and panels. Both are kept all along, so nothing has to
// be read; the notice says which one it is, as most curves look alike on both.
func (w *Page) flipSplit() tea.Cmd {
	w.Board.Val = !w.Board.Val
	return kit.Notify(fmt.Sprintf("Showing the %s split", panel.SplitName(w.Board.Val)))
}

// hide hides the curves of the row under the cursor, or shows them again. Axes are fitted to what
// is left, which is what one hides an outlier for.
func (w *Page) hide() {
	hidden := !w.Runs.Run().Hidden
	for _, t := range w.Runs.InRow(w.Runs.RowOf(w.Runs.Cursor)) {
		t.Hidden = hidden
	}
	w.Board.Refit()
}

func (w *Page) smoothBy(by int) func() tea.Cmd {
	return func() tea.Cmd { return kit.Notify("Smoothing: " + w.Board.SmoothBy(by)) }
}

func (w *Page) nextStyle() tea.Cmd { return kit.Notify("Curve style: " + w.Board.NextStyle()) }

// nextBaseline goes through the runs, and then to none. At first it is the plain method, if that
// is among the runs.
func (w *Page) nextBaseline() tea.Cmd {
	w.Runs.Baseline++
	if w.Runs.Baseline == len(w.Runs.Tracks) {
		w.Runs.Baseline = -1
	}
	if w.Runs.Baseline < 0 {
		return kit.Notify("No baseline")
	}
	return kit.Notify("Baseline: " + w.Runs.Tracks[w.Runs.Baseline].Label)
}

// pause pauses the runs of the row under the cursor or, if none of them trains, lets the paused
// ones go on. The status on the screen changes when a run has written it to its log, as for any
// other observer.
func (w *Page) pause() tea.Cmd {
	verb, seeds := "pause", w.seedsThat(runner.Running)
	if len(seeds) == 0 {
		verb, seeds = "resume", w.seedsThat(runner.Paused)
	}
	return w.AskAll(verb, lists.Map(seeds, func(t *panel.Track) string { return t.ID }))
}

// pauseHint returns the footer's word for the key that pauses. Where runs are paused, the footer
// has the key that resumes.
func (w *Page) pauseHint(int) string {
	if len(w.seedsThat(runner.Running)) == 0 {
		return ""
	}
	return "pause"
}

// seedsThat returns the runs of the row under the cursor that have a status and can be asked.
func (w *Page) seedsThat(are runner.Status) []*panel.Track {
	others := func(t *panel.Track) bool {
		return t.Status != are || w.noControl(t) != ""
	}
	return slices.DeleteFunc(w.Runs.InRow(w.Runs.RowOf(w.Runs.Cursor)), others)
}

// resume works on a run that has ended, too. This process then takes the run over, and its program
// is started anew.
func (w *Page) resume() tea.Cmd {
	t := w.Runs.Run()
	ask := w.Ask("resume", t.ID)
	if t.Status.Ended() && w.BoxOf(t.ID) == "" { // a box knows itself which programs it trusts
		ask = w.Trusting(&t.Meta.Spec, ask)
		if _, ok := t.Meta.Spec.Program(); ok {
			return w.Opening(ask)
		}
	}
	return ask
}

// stop asks first. It is the one verb that a second key does not take back at once: a resume has
// to load the checkpoint and waits in the queue.
func (w *Page) stop() tea.Cmd {
	t := w.Runs.Run()
	lines := []string{
		fmt.Sprintf("It is at step %d of %d. It saves a checkpoint", t.Step, t.Meta.Steps),
		"first, and r resumes it from there."}
	if t.Meta.Spec.IsScript() {
		lines = []string{
			fmt.Sprintf("It is at step %d of %d. Its script is asked to", t.Step, t.Meta.Steps),
			"save a checkpoint and to end, and only the",
			"script can resume it."}
	}
	return w.Question("Stop "+t.Label+"?", lines,
		kit.Answer{Keys: []string{"y", "x"}, Name: "stop it", Then: w.Ask("stop", t.ID)})
}

// samples turns to the page of samples, which opens the run's checkpoint by itself: pages know
// each other by messages alone.
func (w *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: w.Runs.Run().Run}) }

// compare turns to the table of the runs; it says which of them are not done.
func (w *Page) compare() tea.Cmd {
	return w.Comparing(lists.Map(w.Runs.Tracks, func(t *panel.Track) string { return t.Run.Dir }))
}

// move puts the cursor on another row, at its first run: the seeds of a row count as one.
func (w *Page) move(by int) {
	rows := w.Runs.Rows()
	if len(rows) == 0 {
		return
	}
	w.Runs.Pick(rows[max(0, min(w.Runs.RowAt()+by, len(rows)-1))][0])
}

// nextLayout shows more panels, and after six one again. It goes on from the present number, so
// that the first press changes something even where the screen has decided the number.
func (w *Page) nextLayout() {
	w.screen.zoomed = false
	w.screen.shown = slices.Index(counts(), w.count())%(len(counts())-1) + 1
}

// toggleSeeds shows seeds each on its own, or together again. The axes change with it, because a
// band reaches less far than its seeds.
func (w *Page) toggleSeeds() {
	w.Runs.EachSeed = !w.Runs.EachSeed
	w.Board.Refit()
}
