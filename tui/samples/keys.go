package samples

import (
	"slices"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const all = 1 << 20
	return []kit.Key{
		{Keys: kit.On("enter", "z"), Hint: "zoom",
			Help: "zoom the sample to the whole page, and back",
			Why:  p.none, Do: kit.Just(func() { p.zoomed = !p.zoomed })},
		{Keys: kit.On("up", "k"), Help: "up", Why: p.none, Do: kit.By(p.moveRow, -1), Moves: true},
		{Keys: kit.On("down", "j"), Help: "down", Why: p.none,
			Do: kit.By(p.moveRow, 1), Moves: true},
		{Keys: kit.On("left", "h"), Help: "previous sample", Why: p.none,
			Do: kit.By(p.move, -1), Moves: true},
		{Keys: kit.On("right", "l"), Help: "next sample", Why: p.none,
			Do: kit.By(p.move, 1), Moves: true},
		{Keys: kit.On("pgup"), Help: "a page up", Why: p.none,
			Do: kit.By(p.movePage, -1), Moves: true},
		{Keys: kit.On("pgdown"), Help: "a page down", Why: p.none,
			Do: kit.By(p.movePage, 1), Moves: true},
		{Keys: kit.On("home", "g"), Help: "first", Why: p.none,
			Do: kit.By(p.move, -all), Moves: true},
		{Keys: kit.On("end", "G"), Help: "last", Why: p.none, Do: kit.By(p.move, all), Moves: true},
		{Keys: kit.On("esc"), Hint: "cancel", Help: "stop evaluating", Why: p.idle,
			Do: kit.Just(p.cancel)},
		{Keys: kit.On("esc"), Help: "go back", Do: kit.Just(p.back)},
		{Keys: kit.On("f"), Hint: "filter",
			Help: "only wrong predictions, only one class or group, or all",
			Why:  p.noPick, Do: kit.By(p.nextPart, 1)},
		{Keys: kit.On("F"), Help: "previous filter", Why: p.noPick, Do: kit.By(p.nextPart, -1)},
		{Keys: kit.On("s"), Hint: "sort", Why: p.none, Do: kit.Just(p.nextOrder),
			Help: "sort by weight, by label and prediction, by group or by row"},
		{Keys: kit.On("+", "="), Hint: "ρ", Help: "the next larger radius of the run",
			Why: p.noRadius(1), Do: kit.By(p.turnRadius, 1)},
		{Keys: kit.On("-"), Help: "the next smaller radius", Why: p.noRadius(-1),
			Do: kit.By(p.turnRadius, -1)},
		{Keys: kit.On("v"), Hint: "view", Help: "thumbnails or a list", Why: p.noSheet,
			Do: kit.Just(func() { p.listed = !p.listed })},
		{Keys: kit.On("m"), Hint: "split", Help: "the test, the validation or the training split",
			Why: p.noRun, Do: p.nextSplit, Local: true},
		{Keys: kit.On("c"), Hint: "checkpoint",
			Help: "previous checkpoint, then the newest again",
			Why:  p.noStep, Do: p.nextStep, Local: true},
		{Keys: kit.On("r"), Help: "evaluate again, at the newest checkpoint", Why: p.noRun,
			Do: p.renew, Local: true},
		{Keys: kit.On("i"), Hint: "define", Help: "define what is shown",
			Why: p.noPick, Do: p.define},
	}
}

// idle returns the reason why Esc cancels nothing: no evaluation is under way.
func (p *Page) idle() string { return kit.Unless(p.job != nil, noEvaluation) }

// noPick says why there is nothing to see.
func (p *Page) noPick() string {
	switch {
	case p.run == nil:
		return noRun
	case p.job != nil:
		return evaluatingNow
	}
	return kit.Unless(p.pick != nil, noneEvaluated)
}

func (p *Page) noRun() string { return kit.Unless(p.run != nil, noRun) }

// none says why no sample is under the cursor.
func (p *Page) none() string {
	if why := p.noPick(); why != "" {
		return why
	}
	return kit.Unless(p.current() != nil, noSample)
}

func (p *Page) noRadius(by int) func() string {
	return func() string {
		if why := p.noPick(); why != "" {
			return why
		}
		to := p.rho + by
		return kit.Unless(to >= 0 && to < len(p.pick.Radii), noRadius)
	}
}

func (p *Page) noSheet() string {
	if why := p.none(); why != "" {
		return why
	}
	main := p.lay(p.Body.W, p.Body.H).main
	w, h := kit.Inside(kit.Boxed(p.Body.H), main.W, main.H)
	return kit.Unless(p.laySheet(w, h-headRows).size > 0, noPictures)
}

func (p *Page) noStep() string {
	if why := p.noRun(); why != "" {
		return why
	}
	return kit.Unless(len(p.steps) > 1, noOther)
}

func (p *Page) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// moveRow moves by this many lines of the list or of the thumbnails; in the zoom, by samples.
func (p *Page) moveRow(by int) {
	across, _ := p.page()
	if to := p.at + by*across; p.zoomed {
		p.move(by)
	} else if to >= 0 && to < len(p.shown) {
		p.at = to
	}
}

func (p *Page) movePage(by int) {
	across, down := p.page()
	p.move(by * across * max(1, down))
}

// cancel gives up the evaluation under way. The run stays chosen, so that r evaluates it again.
func (p *Page) cancel() {
	p.stop()
	p.err = errCancelled
}

// back undoes one thing: the zoom or, without a zoom, the filter.
func (p *Page) back() {
	switch {
	case p.zoomed:
		p.zoomed = false
	case p.pick != nil && p.part > 0:
		p.part = 0
		p.arrange()
	}
}

func (p *Page) nextPart(by int) {
	n := len(p.pick.Parts)
	p.part = (p.part + n + by) % n
	p.arrange()
}

// nextOrder goes on to the next order. Without groups it skips the order by group.
func (p *Page) nextOrder() {
	p.order = (p.order + 1) % orders
	if p.order == byGroup && p.pick.Groups == nil {
		p.order++
	}
	p.arrange()
}

func (p *Page) turnRadius(by int) { p.rho += by }

// nextSplit goes on to the next split that the run has.
func (p *Page) nextSplit() tea.Cmd {
	list := turns()
	if p.run.Meta.ClassCounts.Val == nil {
		list = slices.DeleteFunc(list, func(s string) bool { return s == "val" })
	}
	p.split, p.part = list[(slices.Index(list, p.split)+1)%len(list)], 0
	return p.ask()
}

// nextStep goes back to the previous checkpoint and, after the first one, to the newest again.
func (p *Page) nextStep() tea.Cmd {
	at, _ := slices.BinarySearch(p.steps, p.step)
	p.step = p.steps[(at+len(p.steps)-1)%len(p.steps)]
	return p.ask()
}

func (p *Page) renew() tea.Cmd {
	p.step = -1
	return p.ask()
}

// click puts the cursor on a sample, and zooms the sample if the cursor is there already.
func (p *Page) click(m kit.Click) {
	if p.noPick() != "" || p.zoomed {
		p.zoomed = false
		return
	}
	at, ok := p.sampleAt(m.X, m.Y)
	switch {
	case !ok:
	case at == p.at:
		p.zoomed = true
	default:
		p.at = at
	}
}
