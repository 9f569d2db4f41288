package tui

import (
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// Keys implements page.
func (p *runsPane) Keys() []Key {
	const page, all = 10, 1 << 30
	return []Key{
		{Keys: On("enter"), Hint: "watch", Help: "watch the selected runs, or the one under the cursor",
			Why: p.none, Do: p.goIn},
		{Keys: On("space"), Hint: "select", Help: "select several runs, to watch, compare, resume, stop or delete",
			Why: p.none, Do: Just(p.toggle)},
		{Keys: On("c"), Hint: "compare", Help: "compare the selected runs",
			Why: p.unable(canCompare, "only runs that are done can be compared"), Do: p.compare},
		{Keys: On("up", "k"), Help: "up", Why: p.none, Do: By(p.move, -1), Moves: true},
		{Keys: On("down", "j"), Help: "down", Why: p.none, Do: By(p.move, 1), Moves: true},
		{Keys: On("esc"), Help: "go back", Do: Just(p.back)},
		{Keys: On("home", "g"), Help: "first", Why: p.none, Do: By(p.move, -all), Moves: true},
		{Keys: On("end", "G"), Help: "last", Why: p.none, Do: By(p.move, all), Moves: true},
		{Keys: On("pgup"), Help: "a page up", Why: p.none, Do: By(p.move, -page), Moves: true},
		{Keys: On("pgdown"), Help: "a page down", Why: p.none, Do: By(p.move, page), Moves: true},
		{Keys: On("p"), Hint: "pause", Help: "pause with a checkpoint, or go on",
			Why: p.unable(canPause, ""), Do: p.pause, Alters: true},
		{Keys: On("r"), Hint: "resume", Help: "resume an unfinished run from its newest checkpoint",
			Why: p.unable(canResume, "only paused runs and ones that ended before their time can be resumed"), Do: p.resume, Alters: true},
		{Keys: On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: p.unable(canStop, ""), Do: p.stop, Alters: true},
		{Keys: On("/"), Hint: "filter", Help: "filter, as in: algo:sfk rho>=0.5 -failed", Do: Just(p.startFilter)},
		{Keys: On("a"), Help: "select every run that is listed, or none", Why: p.none, Do: Just(p.toggleAll)},
		{Keys: On("s"), Hint: "sort", Help: "sort by the next column", Why: p.none, Do: Just(p.sortNext)},
		{Keys: On("S"), Help: "sort by the same column, the other way round", Why: p.none, Do: Just(p.sortBack)},
		{Keys: On("D", "delete"), Hint: "delete", Help: "delete the selected runs, or the one under the cursor (asks)",
			Why: p.unable(canDelete, "a run that goes on cannot be deleted: stop it first"), Do: p.delete, Alters: true},
	}
}

// none says that no run is under the cursor.
func (p *runsPane) none() string {
	if p.current() == nil {
		return "there is no run here"
	}
	return ""
}

func (p *runsPane) move(by int) { p.at = min(max(p.at+by, 0), len(p.shown)-1) }

func (p *runsPane) startFilter() { p.filtering = true }

func (p *runsPane) sortNext() {
	p.by, p.reversed = (p.by+1)%len(runColumns()), false
	p.arrange()
}

func (p *runsPane) sortBack() {
	p.reversed = !p.reversed
	p.arrange()
}

func (p *runsPane) goIn() tea.Cmd {
	runs := p.picked()
	return send(watchMsg{ids(runs[:min(len(runs), maxWatched)])})
}

func (p *runsPane) compare() tea.Cmd { return send(compareMsg{ids(p.fit(canCompare))}) }

func (p *runsPane) resume() tea.Cmd { return p.each("resume", p.fit(canResume)) }

func (p *runsPane) stop() tea.Cmd {
	runs := p.fit(canStop)
	return p.sure("Stop?", "stop", runs, "Each saves a checkpoint first, and can be resumed.", p.each("stop", runs))
}

func (p *runsPane) delete() tea.Cmd {
	runs := p.fit(canDelete)
	return p.sure("Delete?", "delete", runs, "Curves, checkpoints and figures are gone for good.", p.remove(ids(runs)))
}

func ids(runs []*record.Run) (names []string) {
	for _, r := range runs {
		names = append(names, r.Meta.ID)
	}
	return names
}
