package runs

import (
	"cmp"
	"errors"
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
		{Keys: kit.On("enter"), Hint: "watch",
			Help: "watch the selected runs, or the one under the cursor", Why: p.none, Do: p.goIn},
		{Keys: kit.On("R"), Help: "replay the selected runs as if they were training now",
			Why: p.none, Do: p.replay},
		{Keys: kit.On("space"), Hint: "select",
			Help: "select several runs, to watch, compare, resume, stop or delete",
			Why:  p.none, Do: kit.Just(p.toggle)},
		{Keys: kit.On("c"), Hint: "compare", Help: "compare the selected runs",
			Why: p.unable(canCompare, onlyFinished), Do: p.compare},
		kit.Move("up", p.above, p.move, -1, "up", "k"),
		kit.Move("down", p.below, p.move, 1, "down", "j"),
		{Keys: kit.On("esc"), Help: "go back", Do: kit.Just(p.back)},
		kit.Move("first", p.none, p.move, -all, "home", "g"),
		kit.Move("last", p.none, p.move, all, "end", "G"),
		kit.Move("a page up", p.none, p.move, -page, "pgup"),
		kit.Move("a page down", p.none, p.move, page, "pgdown"),
		{Keys: kit.On("p"), Hint: "pause", Help: "pause with a checkpoint, or continue",
			Why: p.unable(canPause, ""), Do: p.pause, Alters: true},
		{Keys: kit.On("r"), Hint: "resume",
			Help: "resume an unfinished run from its newest checkpoint",
			Why:  p.unable(canResume, onlyUnfinished), Do: p.resume, Alters: true},
		{Keys: kit.On("x"), Hint: "stop", Help: "stop with a checkpoint (asks)",
			Why: p.unable(canStop, ""), Do: p.stop, Alters: true},
		{Keys: kit.On("/"), Hint: "filter", Do: kit.Just(p.startFilter),
			Help: "filter, as in: algo:sfk rho>=0.5 -failed, or (kl OR cvar) NOT failed"},
		{Keys: kit.On("a"), Help: "select every listed run, or none", Why: p.none,
			Do: kit.Just(p.toggleAll)},
		{Keys: kit.On("s"), Hint: "sort", Help: "sort by the next column", Why: p.none,
			Do: kit.Just(p.sortNext)},
		{Keys: kit.On("S"), Help: "reverse the sort", Why: p.none, Do: kit.Just(p.sortBack)},
		{Keys: kit.On("C"), Hint: "columns", Help: "choose columns, and the one to sort by",
			Why: p.none, Do: p.chooseColumns},
		{Keys: kit.On("v"), Help: "last values, best ones or those at an epoch",
			Why: p.none, Do: p.chooseMoment},
		{Keys: kit.On("o"), Hint: "seeds",
			Help: "one line per setting (seeds folded), or one per run",
			Why:  p.noFold, Do: kit.Just(p.toggleFold)},
		{Keys: kit.On("O"), Help: "choose the settings by which runs are folded",
			Why: p.none, Do: p.chooseFold},
		{Keys: kit.On("i"), Help: "define the columns", Do: p.define},
		p.Choices().Key(),
		{Keys: kit.On("P"), Help: "the samples the adversary weighs most at the run's checkpoint",
			Why: p.none, Do: p.samples, Local: true},
		{Keys: kit.On("F"), Help: "fork from a checkpoint, with other settings",
			Why: p.none, Do: func() tea.Cmd { return p.fork(p.current(), 0) }, Alters: true},
		{Keys: kit.On("n"), Help: "write a note on the run", Why: p.none, Do: p.note, Alters: true},
		{Keys: kit.On("#"), Help: "add or remove tags", Why: p.none, Do: p.tag, Alters: true},
		{Keys: kit.On("A"), Help: "archive: hide the run from the list, or bring it back",
			Why: p.none, Do: p.archive, Alters: true},
		{Keys: kit.On("D", "delete"), Hint: "delete",
			Help: "delete the selected runs, or the one under the cursor (asks)",
			Why: p.unable(canDelete,
				stopFirst), Do: p.delete, Alters: true},
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

func (p *Page) startFilter() { p.filtering = true }

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

func (p *Page) goIn() tea.Cmd { return kit.Send(lab.Watch{IDs: ids(p.picked())}) }

func (p *Page) replay() tea.Cmd {
	return kit.Send(lab.Watch{IDs: ids(p.picked()), Replay: &lab.Replay{Steps: true}})
}

func (p *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: p.current()}) }

func (p *Page) compare() tea.Cmd { return kit.Send(lab.Compare{Runs: p.fit(canCompare)}) }

// Chosen returns the selected runs that can be compared; nil if no run is selected.
func (p *Page) Chosen() []*record.Run {
	if len(p.chosen) == 0 {
		return nil
	}
	return p.fit(canCompare)
}

// define shows the definitions of the columns on the screen.
func (p *Page) define() tea.Cmd {
	names := []string{"rho"}
	for _, c := range p.layColumns(p.inner()) {
		if c.Measure != nil {
			names = append(names, c.Measure.Name)
		} else {
			names = append(names, c.Head)
		}
	}
	return kit.Show(p.Defined("Columns", lab.Define(names)))
}

func (p *Page) resume() tea.Cmd { return p.each("resume", p.fit(canResume)) }

func (p *Page) stop() tea.Cmd {
	runs := p.fit(canStop)
	return p.sure("Stop?", "stop", runs, savesFirst, p.each("stop", runs))
}

func (p *Page) delete() tea.Cmd {
	runs := p.fit(canDelete)
	return p.sure("Delete?", "delete", runs, cannotUndo, p.remove(ids(runs)))
}

func ids(runs []*record.Run) (names []string) {
	for _, r := range runs {
		names = append(names, r.Meta.ID)
	}
	return names
}

// picked returns the selected runs in the order of the folder or, if there are none, the runs of
// the line under the cursor.
func (p *Page) picked() (runs []*record.Run) {
	for _, r := range p.all {
		if p.chosen[r.Meta.ID] {
			runs = append(runs, r)
		}
	}
	if r := p.current(); len(runs) == 0 && r != nil {
		runs = append(runs, p.lineOf(r)...)
	}
	return runs
}

// fits reports whether an action is possible on a run with status s; mine says whether this program
// controls the run.
type fits func(s runner.Status, mine bool) bool

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
func (p *Page) unable(can fits, why string) func() string {
	return func() string {
		picked := p.picked()
		switch {
		case len(picked) == 0:
			return p.none()
		case len(p.fit(can)) > 0:
			return ""
		case why != "":
			return why
		case slices.ContainsFunc(picked, func(r *record.Run) bool { return !r.Status().Ended() }):
			return elsewhere
		}
		return hasEnded
	}
}

// fit returns the picked runs on which an action is possible.
func (p *Page) fit(can fits) []*record.Run {
	return slices.DeleteFunc(p.picked(), func(r *record.Run) bool {
		return !can(r.Status(), p.Controls(r.Meta.ID))
	})
}

// pause pauses the running runs or, if none is running, resumes the paused ones.
func (p *Page) pause() tea.Cmd {
	runs := p.fit(canPause)
	running := slices.DeleteFunc(slices.Clone(runs),
		func(r *record.Run) bool { return r.Status() != runner.Running })
	if len(running) > 0 {
		return p.each("pause", running)
	}
	return p.each("resume", runs)
}

func (p *Page) each(verb string, runs []*record.Run) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range runs {
		cmds = append(cmds, p.Ask(verb, r.Meta.ID))
	}
	return tea.Sequence(cmds...)
}

// sure asks the user to confirm an action on runs.
func (p *Page) sure(title, verb string, runs []*record.Run, what string, then tea.Cmd) tea.Cmd {
	lines := slices.Concat([]string{kit.Plural(len(runs), "run") + ":", ""}, kit.Names(ids(runs)),
		[]string{"", what})
	ask := kit.Question
	if verb == "delete" {
		ask = kit.Danger
	}
	return ask(title, lines, kit.Choice{Keys: []string{"y"}, Name: verb, Then: then})
}

func (p *Page) remove(names []string) tea.Cmd {
	s := p.Source
	return func() tea.Msg {
		var m deletedMsg
		for _, id := range names {
			if err := s.Delete(id); err != nil {
				m.problems = append(m.problems, err)
			} else {
				m.ids = append(m.ids, id)
			}
		}
		return m
	}
}

// deletedMsg brings the IDs of the deleted runs, and the errors of those that could not be deleted.
type deletedMsg struct {
	ids      []string
	problems []error
}

// labelledMsg brings the number of labels that were changed, and the errors of the others.
type labelledMsg struct {
	what     string
	changed  int
	problems []error
}

// note asks for the note on the picked runs.
func (p *Page) note() tea.Cmd {
	runs := p.picked()
	return p.askLabel("Note on ", aboutNote, runs[0].Label().Note,
		func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) })
}

// tag asks for the tags of the picked runs.
func (p *Page) tag() tea.Cmd {
	return p.askLabel("Tags of ", aboutTags, "",
		func(l *record.Label, text string) { l.Turn(strings.Fields(text)) })
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
		return relabel(runs, "labelled", func(l *record.Label) { change(l, text) })
	}
	return kit.Show(&kit.Overlay{Title: title + kit.Plural(len(runs), "run"), Form: &kit.Line{
		Input: kit.NewInput(text), About: about, Check: check, Accept: take}})
}

// archive archives the picked runs or, if all are archived, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.picked()
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	what := "brought back"
	if away {
		what = archived
	}
	return relabel(runs, what, func(l *record.Label) { l.Archived = away })
}

func relabel(runs []*record.Run, what string, change func(*record.Label)) tea.Cmd {
	return func() tea.Msg {
		m := labelledMsg{what: what}
		for _, r := range runs {
			if err := r.Relabel(change); err != nil {
				m.problems = append(m.problems, err)
			} else {
				m.changed++
			}
		}
		return m
	}
}

// report tells the user how a change of runs went, and reads the folder.
func (p *Page) report(done string, problems []error) tea.Cmd {
	cmd := kit.Notify(done)
	if len(problems) > 0 {
		cmd = kit.Complain(errors.Join(problems...))
	}
	return tea.Batch(cmd, p.look())
}
