package runs

import (
	"cmp"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const page, all = 10, 1 << 30
	return []kit.Key{
		{Keys: kit.On("enter"), Group: kit.ToStart, Hint: "watch",
			Help: "watch the selected runs, or the one under the cursor", Why: p.none,
			Act: p.watch},
		{Keys: kit.On("R"), Group: kit.ToStart,
			Help: "replay the selected runs as if they were training now",
			Why:  p.none, Act: p.replay},
		{Keys: kit.On("space"), Hint: "select",
			Help: "select several runs, to watch, compare, resume, stop or delete",
			Why:  p.none, Act: kit.Just(p.toggle)},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the selected runs",
			Why: p.noDone, Act: p.compare},
		p.back(),
		kit.Move("up", p.above, p.move, -1, "up", "k"),
		kit.Move("down", p.below, p.move, 1, "down", "j"),
		kit.Move("first", p.none, p.move, -all, "home", "g"),
		kit.Move("last", p.none, p.move, all, "end", "G"),
		kit.Move("a page up", p.none, p.move, -page, "pgup"),
		kit.Move("a page down", p.none, p.move, page, "pgdown"),
		{Keys: kit.On("p"), Hint: "pause", Help: "pause with a checkpoint, or continue",
			Why: p.refusal(canPause, ""), Act: p.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  p.refusal(canResume, "Only paused or unfinished runs can be resumed"),
			Act:  p.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: p.refusal(canStop, ""), Act: p.stop, Alters: true},
		{Keys: kit.On("D", "delete"), Hint: "delete",
			Help: "delete the selected runs, or the one under the cursor (asks)",
			Why:  p.refusal(canDelete, "A live run cannot be deleted. Stop it first"),
			Act:  p.delete, Alters: true},
		{Keys: kit.On("/"), Hint: "filter", Act: kit.Just(func() { p.filtering = true }),
			Help: "filter, as in: algo:sfk started>-1h -failed; Tab completes a word"},
		{Keys: kit.On("a"), Help: "select every listed run, or none", Why: p.none,
			Act: kit.Just(p.toggleAll)},
		{Keys: kit.On("s"), Hint: "sort", Help: "sort by the next column", Why: p.none,
			Act: kit.Just(p.sortNext)},
		{Keys: kit.On("S"), Help: "reverse the sort", Why: p.none, Act: kit.Just(p.sortBack)},
		{Keys: kit.On("C"), Hint: "columns", Help: "choose columns, and the one to sort by",
			Why: p.none, Act: p.chooseColumns},
		{Keys: kit.On("v"), Help: "last values, best ones or those at an epoch",
			Why: p.none, Act: p.chooseMoment},
		{Keys: kit.On("o"), Hint: "seeds",
			Help: "one line per setting (seeds folded), or one per run",
			Why:  p.noFold, Act: kit.Just(func() { p.foldInto(!p.folded, p.foldBy) })},
		{Keys: kit.On("O"), Help: "choose the settings by which runs are folded",
			Why: p.none, Act: p.chooseFold},
		{Keys: kit.On("i"), Help: "define the columns", Act: p.define},
		{Keys: kit.On("y"), Help: "copy the run's name", Why: p.none, Act: func() tea.Cmd {
			return kit.Copy(p.current().Meta.ID, "the name")
		}},
		p.Choices().Key(),
		{Keys: kit.On("P"), Help: "the samples the adversary weighs most at the run's checkpoint",
			Why: p.noSamples, Act: p.samples, Local: true},
		{Keys: kit.On("F"), Group: kit.ToStart, Help: "fork from a checkpoint, with other settings",
			Why: p.noFork, Alters: true,
			Act: func() tea.Cmd { return p.fork(p.current(), 0) }},
		{Keys: kit.On("n"), Help: "write a note on the run",
			Why: p.refusal(canLabel, ""), Act: p.note, Alters: true},
		{Keys: kit.On("#"), Help: "add or remove tags",
			Why: p.refusal(canLabel, ""), Act: p.tag, Alters: true},
		{Keys: kit.On("A"), Help: "archive: hide the run from the list, or bring it back",
			Why: p.refusal(canLabel, ""), Act: p.archive, Alters: true},
	}
}

// back returns the row of Esc. While runs are selected the footer says that it clears the
// selection, which outlives Compare and Watch: one compares the same runs that one then replays.
func (p *Page) back() kit.Key {
	row := kit.Back("clear the filter, then the selection; go back", p.states)
	row.Hint = "unselect"
	row.HintIn = func(int) string {
		if p.line.String() != "" {
			return "clear filter"
		}
		return "unselect"
	}
	return row
}

// none says that no run is under the cursor.
func (p *Page) none() string { return kit.Unless(p.current() != nil, "No run here") }

// above says why the cursor cannot go up.
func (p *Page) above() string {
	return cmp.Or(p.none(), kit.Unless(p.at > 0, "This is the first run"))
}

// below says why the cursor cannot go down.
func (p *Page) below() string {
	return cmp.Or(p.none(), kit.Unless(p.at < len(p.shown)-1, "This is the last run"))
}

func (p *Page) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// inner returns the width of the list without its box.
func (p *Page) inner() int {
	w, _ := kit.Inside(kit.Boxed(p.Body.H), p.Body.W, p.Body.H)
	return w
}

// headAt returns the head of the column at x of the page; "" if there is none.
func (p *Page) headAt(x int) string {
	at := listMark + (p.Body.W-p.inner())/2
	for _, c := range p.layColumns(p.inner()) {
		at += c.Width
		if x < at {
			return c.Head
		}
	}
	return ""
}
