package sweep

import (
	"slices"

	"drolab/runner/page"
	"drolab/runner/sweep"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 5, 1 << 20
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "watch",
			Help: "watch the runs of the setting under the cursor", Why: p.noRun, Act: p.watch},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop the sweep, its runs with a checkpoint (asks)",
			Why: p.noStop, Act: p.stop, Alters: true},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the settings that are chosen",
			Why: p.noChosen, Act: p.compare},
		{Keys: kit.On("up", "k"), Help: "up", Why: p.none, Act: p.move(0, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "down", Why: p.none, Act: p.move(0, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "left", Why: p.none, Act: p.move(-1, 0), Moves: true},
		{Keys: kit.On("right", "l"), Help: "right", Why: p.none, Act: p.move(1, 0), Moves: true},
		{Keys: kit.On("a"), Hint: "axis", Help: "choose the setting whose values run across",
			Why: p.noAxis, Act: kit.Just(p.nextAxis)},
		{Keys: kit.On("b"), Hint: "best", Help: "go to the best setting, then to the next method's",
			Why: p.noChosen, Act: kit.Just(p.nextBest)},
		{Keys: kit.On("tab", "v"), Hint: "view", Why: p.none, Act: kit.By(p.turnPart, 1),
			Help: "show the setting, the choice or the failures below the map"},
		{Keys: kit.On("shift+tab"), Help: "previous view", Why: p.none,
			Act: kit.By(p.turnPart, -1)},
		kit.Move("scroll up below the map", p.none, p.scrollBy, -page, "pgup"),
		kit.Move("scroll down below the map", p.none, p.scrollBy, page, "pgdown"),
		kit.Move("first setting", p.none, p.jump, -all, "home", "g"),
		kit.Move("last setting", p.none, p.jump, all, "end", "G"),
		{Keys: kit.On("s"), Hint: "sweep", Help: "the next sweep of the runs folder",
			Why: p.noOther, Act: p.nextSweep},
	}
}

func (p *Page) none() string { return kit.Unless(p.current() != nil, "No sweep here yet") }

// unless is a Why: it gives a reason if there is no sweep, or if can is false.
func (p *Page) unless(can func() bool, why string) string {
	if p.current() == nil {
		return p.none()
	}
	return kit.Unless(can(), why)
}

func (p *Page) noRun() string {
	return p.unless(func() bool { return len(p.begunRuns()) > 0 },
		"No run of this setting has started")
}

func (p *Page) noChosen() string {
	return p.unless(func() bool { return len(p.chosenSettings()) > 0 },
		"Nothing chosen yet: no setting has finished")
}

func (p *Page) noAxis() string {
	return p.unless(func() bool { return len(p.seen.list.Keys) > 1 }, "Only one setting varies")
}

func (p *Page) noOther() string {
	return kit.Unless(len(p.dirs) > 1, "No other sweep in the runs folder")
}

func (p *Page) noStop() string {
	if p.Config.StopSweep == nil {
		return "Stop it with " + sweep.HowToStop(p.dir())
	}
	return p.unless(func() bool { return !p.seen.over }, "The sweep has finished")
}

func (p *Page) move(columns, rows int) func() tea.Cmd {
	return kit.Just(func() { p.at = p.grid.step(p.at, columns, rows) })
}

func (p *Page) jump(by int) { p.at = min(max(0, p.at+by), len(p.seen.all.Points)-1) }

func (p *Page) turnPart(by int) { p.part, p.scroll = (p.part+parts+part(by))%parts, 0 }

// scrollBy scrolls the part below the map, up to its end.
func (p *Page) scrollBy(by int) {
	if p.current() != nil {
		p.scroll = max(0, min(p.scroll+by, p.hiddenLines()))
	}
}

func (p *Page) nextAxis() {
	keys := p.seen.list.Keys
	p.key = keys[(slices.Index(keys, p.key)+1)%len(keys)]
	p.grid = layGrid(p.seen.all.Points, keys, p.key)
}

// chosenSettings returns the chosen settings, in the order of the methods.
func (p *Page) chosenSettings() []int {
	other := func(i int) bool { return !p.seen.all.Points[i].Chosen }
	return slices.DeleteFunc(page.Indices(len(p.seen.all.Points)), other)
}

func (p *Page) nextBest() {
	list := p.chosenSettings()
	p.at = list[(slices.Index(list, p.at)+1)%len(list)]
}

// begunRuns returns the IDs of the runs of the setting under the cursor that have begun.
func (p *Page) begunRuns() (ids []string) {
	for _, s := range p.current().Seeds {
		if s.Result != nil {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (p *Page) watch() tea.Cmd {
	return kit.Send(lab.Watch{IDs: p.names(p.begunRuns())})
}

func (p *Page) compare() tea.Cmd {
	var ids []string
	for _, i := range p.chosenSettings() {
		for _, s := range p.seen.all.Points[i].Seeds {
			ids = append(ids, s.ID)
		}
	}
	return p.Comparing(p.names(ids))
}

func (p *Page) nextSweep() tea.Cmd {
	p.sweep = (p.sweep + 1) % len(p.dirs)
	return p.showSweep()
}

func (p *Page) stop() tea.Cmd {
	dir, stop := p.dir(), p.Config.StopSweep
	runs := kit.Plural(len(p.seen.list.Runs), "run")
	lines := []string{dir, "", runs + ": " + p.counts() + ".", "",
		"Live runs save a checkpoint and end. No more start.",
		sweep.HowToStart(dir) + " continues the sweep."}
	return p.Question("Stop the sweep?", lines, kit.Answer{Keys: []string{"y"}, Name: "stop",
		Then: func() tea.Msg { return stoppedMsg{dir, stop(dir)} }})
}

// click puts the cursor on a setting, and watches its runs if the cursor is there already.
func (p *Page) click(msg kit.Click) tea.Cmd {
	if p.current() == nil {
		return nil
	}
	at, ok := p.settingAt(msg.X, msg.Y)
	switch {
	case !ok:
		return nil
	case at == p.at && p.noRun() == "":
		return p.watch()
	}
	p.at = at
	return nil
}
