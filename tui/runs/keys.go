package runs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

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
			Why: p.unable(canCompare, onlyFinished), Act: p.compare},
		kit.Move("up", p.above, p.move, -1, "up", "k"),
		kit.Move("down", p.below, p.move, 1, "down", "j"),
		{Keys: kit.On("esc"), Group: kit.ToLeave, Help: "go back", Why: p.noBack,
			Act: kit.Just(p.goBack)},
		kit.Move("first", p.none, p.move, -all, "home", "g"),
		kit.Move("last", p.none, p.move, all, "end", "G"),
		kit.Move("a page up", p.none, p.move, -page, "pgup"),
		kit.Move("a page down", p.none, p.move, page, "pgdown"),
		{Keys: kit.On("p"), Hint: "pause", Help: "pause with a checkpoint, or continue",
			Why: p.unable(canPause, ""), Act: p.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  p.unable(canResume, onlyUnfinished), Act: p.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: p.unable(canStop, ""), Act: p.stop, Alters: true},
		{Keys: kit.On("/"), Hint: "filter", Act: kit.Just(func() { p.filtering = true }),
			Help: "filter, as in: algo:sfk rho>=0.5 -failed, or (kl OR cvar) NOT failed"},
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
			Why: p.none, Act: p.samples, Local: true},
		{Keys: kit.On("F"), Group: kit.ToStart, Help: "fork from a checkpoint, with other settings",
			Why: p.none, Act: func() tea.Cmd { return p.fork(p.current(), 0) }, Alters: true},
		{Keys: kit.On("n"), Help: "write a note on the run", Why: p.none, Act: p.note,
			Alters: true},
		{Keys: kit.On("#"), Help: "add or remove tags", Why: p.none, Act: p.tag, Alters: true},
		{Keys: kit.On("A"), Help: "archive: hide the run from the list, or bring it back",
			Why: p.none, Act: p.archive, Alters: true},
		{Keys: kit.On("D", "delete"), Hint: "delete",
			Help: "delete the selected runs, or the one under the cursor (asks)",
			Why: p.unable(canDelete,
				stopFirst), Act: p.delete, Alters: true},
	}
}

// none says that no run is under the cursor.
func (p *Page) none() string { return kit.Unless(p.current() != nil, noRun) }

// above says why the cursor cannot go up.
func (p *Page) above() string { return cmp.Or(p.none(), kit.Unless(p.at > 0, firstRun)) }

// below says why the cursor cannot go down.
func (p *Page) below() string {
	return cmp.Or(p.none(), kit.Unless(p.at < len(p.shown)-1, lastRun))
}

func (p *Page) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// sortNext sorts by the next column that the screen has room for.
func (p *Page) sortNext() {
	columns := p.layColumns(p.inner())
	for next := p.by + 1; ; next++ {
		head := p.columns[next%len(p.columns)].Head
		if slices.ContainsFunc(columns, func(c runColumn) bool { return c.Head == head }) {
			p.sortBy(head)
			return
		}
	}
}

// sortBy sorts by a column, or reverses the sort if the list is sorted by that column already.
func (p *Page) sortBy(head string) {
	by := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == head })
	p.reversed = by == p.by && !p.reversed
	p.by, p.wanted = by, head
	p.arrange()
}

// inner returns the width of the list without its box.
func (p *Page) inner() int {
	w, _ := kit.Inside(kit.Boxed(p.Body.H), p.Body.W, p.Body.H)
	return w
}

// headAt returns the head of the column at x of the page; "" if there is none.
func (p *Page) headAt(x int) string {
	at := listMark + (p.Body.W-p.inner())/2
	for _, c := range p.layColumns(p.inner()) {
		if at += c.Width; x < at {
			return c.Head
		}
	}
	return ""
}

func (p *Page) sortBack() {
	p.reversed = !p.reversed
	p.arrange()
}

func (p *Page) watch() tea.Cmd { return kit.Send(lab.Watch{IDs: ids(p.picked())}) }

func (p *Page) replay() tea.Cmd {
	return kit.Send(lab.Watch{IDs: ids(p.picked()), Replay: &lab.Replay{Steps: true}})
}

func (p *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: p.current()}) }

func (p *Page) compare() tea.Cmd { return kit.Send(lab.Compare{Runs: p.able(canCompare)}) }

// Chosen returns the selected runs that can be compared; nil if no run is selected.
func (p *Page) Chosen() []*record.Run {
	if len(p.chosen) == 0 {
		return nil
	}
	return p.able(canCompare)
}

// define shows the definitions of the columns on the screen.
func (p *Page) define() tea.Cmd {
	name := func(c runColumn) string { return cmp.Or(c.name(), c.Head) }
	names := append([]string{"rho"}, kit.Map(p.layColumns(p.inner()), name)...)
	return kit.Show(p.Defined("Columns", lab.Define(names)))
}

func (p *Page) resume() tea.Cmd { return p.askEach("resume", p.able(canResume)) }

func (p *Page) stop() tea.Cmd {
	runs := p.able(canStop)
	return kit.Question("Stop?", named(runs, savesFirst),
		kit.Choice{Keys: []string{"y"}, Name: "stop", Then: p.askEach("stop", runs)})
}

func (p *Page) delete() tea.Cmd {
	runs, source := p.able(canDelete), p.Source
	remove := changeEach(runs, "deleted %s",
		func(r *record.Run) error { return source.Delete(r.Meta.ID) })
	return kit.Danger("Delete?", named(runs, cannotUndo),
		kit.Choice{Keys: []string{"y"}, Name: "delete", Then: remove})
}

func ids(runs []*record.Run) []string {
	return kit.Map(runs, func(r *record.Run) string { return r.Meta.ID })
}

// picked returns the selected runs in the order of the folder or, if there are none, the runs of
// the line under the cursor.
func (p *Page) picked() []*record.Run {
	other := func(r *record.Run) bool { return !p.chosen[r.Meta.ID] }
	runs := slices.DeleteFunc(slices.Clone(p.all), other)
	if len(runs) == 0 {
		runs = append(runs, p.lineUnder()...)
	}
	return runs
}

// ability reports whether an action is possible on a run with status s; mine says whether this
// program controls the run.
type ability func(s runner.Status, mine bool) bool

func canCompare(s runner.Status, _ bool) bool { return s == runner.Done }

func canDelete(s runner.Status, _ bool) bool { return s.Ended() }

func canStop(s runner.Status, mine bool) bool { return mine && !s.Ended() }

func canPause(s runner.Status, mine bool) bool {
	return mine && (s == runner.Running || s == runner.Paused)
}

func canResume(s runner.Status, mine bool) bool {
	return s.Ended() && s != runner.Done || s == runner.Paused && mine
}

// unable returns the Why of an action: it gives a reason if the action is possible on none of the
// picked runs. If why is "", the reason is that the runs have ended or belong to another process.
func (p *Page) unable(can ability, why string) func() string {
	return func() string {
		picked := p.picked()
		switch {
		case len(picked) == 0:
			return p.none()
		case len(p.able(can)) > 0:
			return ""
		case why != "":
			return why
		case slices.ContainsFunc(picked, func(r *record.Run) bool { return !r.Status().Ended() }):
			return elsewhere
		}
		return hasEnded
	}
}

// able returns the picked runs on which an action is possible.
func (p *Page) able(can ability) []*record.Run {
	return slices.DeleteFunc(p.picked(), func(r *record.Run) bool {
		return !can(r.Status(), p.Controls(r.Meta.ID))
	})
}

// pause pauses the running runs or, if none is running, resumes the paused ones.
func (p *Page) pause() tea.Cmd {
	running := func(s runner.Status, mine bool) bool { return mine && s == runner.Running }
	if runs := p.able(running); len(runs) > 0 {
		return p.askEach("pause", runs)
	}
	return p.askEach("resume", p.able(canPause))
}

func (p *Page) askEach(verb string, runs []*record.Run) tea.Cmd {
	return tea.Sequence(kit.Map(ids(runs), func(id string) tea.Cmd { return p.Ask(verb, id) })...)
}

// named returns the lines of a question about an action on runs, which end with what the action
// does.
func named(runs []*record.Run, what string) []string {
	return kit.QuestionLines(kit.Plural(len(runs), "run")+":", ids(runs), what)
}

// changedMsg says what was done to how many runs, and brings the errors of the others.
type changedMsg struct {
	done     string
	problems []error
}

// changeEach changes runs. done says what was done, with a %s for the number of runs.
func changeEach(runs []*record.Run, done string, change func(*record.Run) error) tea.Cmd {
	return func() tea.Msg {
		var m changedMsg
		for _, r := range runs {
			if err := change(r); err != nil {
				m.problems = append(m.problems, err)
			}
		}
		m.done = fmt.Sprintf(done, kit.Plural(len(runs)-len(m.problems), "run"))
		return m
	}
}

// note asks for the note on the picked runs.
func (p *Page) note() tea.Cmd {
	return p.askLabel("Note on ", aboutNote, p.picked()[0].Label().Note,
		func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) })
}

// tag asks for the tags of the picked runs.
func (p *Page) tag() tea.Cmd {
	return p.askLabel("Tags of ", aboutTags, "",
		func(l *record.Label, text string) { l.EditTags(strings.Fields(text)) })
}

// askLabel opens the form that takes a line of text for the labels of the picked runs.
func (p *Page) askLabel(
	title, about, text string, change func(l *record.Label, text string),
) tea.Cmd {
	runs := p.picked()
	check := func(text string) error {
		l := runs[0].Label()
		change(&l, text)
		return l.Check()
	}
	take := func(text string) tea.Cmd {
		return relabel(runs, "%s labelled", func(l *record.Label) { change(l, text) })
	}
	return kit.Show(&kit.Overlay{Title: title + kit.Plural(len(runs), "run"), Form: &kit.Line{
		Input: kit.NewInput(text), About: about, Check: check, Accept: take}})
}

// archive archives the picked runs or, if all are archived, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.picked()
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	done := "%s brought back"
	if away {
		done = archived
	}
	return relabel(runs, done, func(l *record.Label) { l.Archived = away })
}

func relabel(runs []*record.Run, done string, change func(*record.Label)) tea.Cmd {
	return changeEach(runs, done, func(r *record.Run) error { return r.Relabel(change) })
}

// report tells the user how a change of runs went, and reads the folder.
func (p *Page) report(m changedMsg) tea.Cmd {
	cmd := kit.Notify(m.done)
	if len(m.problems) > 0 {
		cmd = kit.Complain(errors.Join(m.problems...))
	}
	return tea.Batch(cmd, p.List())
}
