package runs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

func (p *Page) watch() tea.Cmd { return kit.Send(lab.Watch{IDs: ids(p.pickedRuns())}) }

func (p *Page) replay() tea.Cmd {
	return kit.Send(lab.Watch{IDs: ids(p.pickedRuns()), Replay: &lab.Replay{Steps: true}})
}

func (p *Page) samples() tea.Cmd { return kit.Send(lab.Samples{Run: p.current()}) }

func (p *Page) compare() tea.Cmd { return kit.Send(lab.Compare{Runs: p.doneRuns()}) }

// Chosen returns the selected runs that can be compared; nil if no run is selected.
func (p *Page) Chosen() []*record.Run {
	if len(p.chosen) == 0 {
		return nil
	}
	return p.doneRuns()
}

// define shows the definitions of the columns on the screen.
func (p *Page) define() tea.Cmd {
	name := func(c runColumn) string { return cmp.Or(c.name(), c.Head) }
	names := append([]string{"rho"}, lists.Map(p.layColumns(p.inner()), name)...)
	return p.Show(p.Defined("Columns", lab.Define(names)))
}

func (p *Page) resume() tea.Cmd {
	runs := p.ableRuns(canResume)
	return p.sure("Resume?", "resume", runs, p.askEach("resume", runs))
}

func (p *Page) stop() tea.Cmd {
	runs := p.ableRuns(canStop)
	lines := p.questionLines(runs, "Each saves a checkpoint first, and can be resumed.")
	return p.Question("Stop?", lines,
		kit.Answer{Keys: []string{"y"}, Name: "stop", Then: p.askEach("stop", runs)})
}

func (p *Page) delete() tea.Cmd {
	runs, source := p.ableRuns(canDelete), p.Source
	remove := changeEach(runs, "deleted %s",
		func(r *record.Run) error { return source.Delete(r.Meta.ID) })
	lines := p.questionLines(runs,
		"This cannot be undone: curves, checkpoints and figures are deleted.")
	return p.Danger("Delete?", lines,
		kit.Answer{Keys: []string{"y"}, Name: "delete", Then: remove})
}

func ids(runs []*record.Run) []string {
	return lists.Map(runs, func(r *record.Run) string { return r.Meta.ID })
}

// pickedRuns returns the selected runs in the order of the folder or, if there are none, the runs
// of the line under the cursor.
func (p *Page) pickedRuns() []*record.Run {
	other := func(r *record.Run) bool { return !p.chosen[r.Meta.ID] }
	runs := slices.DeleteFunc(slices.Clone(p.all), other)
	if len(runs) == 0 {
		runs = append(runs, p.lineUnder()...)
	}
	return runs
}

// ability reports whether an action is possible on a run; mine says whether this program controls
// the run.
type ability func(r *record.Run, mine bool) bool

func canLabel(*record.Run, bool) bool { return true }

func canDelete(r *record.Run, _ bool) bool { return r.Status().Ended() }

func canStop(r *record.Run, mine bool) bool { return mine && !r.Status().Ended() }

func canPause(r *record.Run, mine bool) bool {
	s := r.Status()
	return mine && (s == runner.Running || s == runner.Paused)
}

func canResume(r *record.Run, mine bool) bool {
	s := r.Status()
	return r.Meta.Imported == nil && (s.Ended() && s != runner.Done || s == runner.Paused && mine)
}

// controls reports whether this program controls a run. Nobody controls what another program wrote.
func (p *Page) controls(r *record.Run) bool {
	return r.Meta.Imported == nil && p.Controls(r.Meta.ID)
}

// refusal returns the Why of an action: it gives a reason if the action is possible on none of the
// picked runs. If why is "", the reason is that the runs have ended or belong to another process.
func (p *Page) refusal(can ability, why string) func() string {
	return func() string {
		picked := p.pickedRuns()
		switch {
		case len(picked) == 0:
			return p.none()
		case len(p.ableRuns(can)) > 0:
			return ""
		case p.Unreached(picked[0].Meta.ID) != "":
			return p.Unreached(picked[0].Meta.ID)
		case why != "":
			return why
		case p.controls(picked[0]) && picked[0].Status() == runner.Queued:
			return "It is queued: this works once it runs"
		case slices.ContainsFunc(picked, func(r *record.Run) bool { return !r.Status().Ended() }):
			return "It runs in another process and can only be changed there"
		}
		return "The run has ended"
	}
}

// ableRuns returns the picked runs on which an action is possible. None that changes a run is
// possible on a run of a box without a link.
func (p *Page) ableRuns(can ability) []*record.Run {
	return slices.DeleteFunc(p.pickedRuns(), func(r *record.Run) bool {
		return p.Unreached(r.Meta.ID) != "" || !can(r, p.controls(r))
	})
}

// noFork says why the run under the cursor cannot be forked.
func (p *Page) noFork() string {
	r := p.current()
	if r == nil {
		return p.none()
	}
	return cmp.Or(p.Unreached(r.Meta.ID), lab.NoNetwork(&r.Meta))
}

// noSamples says why the samples of the run under the cursor cannot be shown.
func (p *Page) noSamples() string {
	if r := p.current(); r != nil {
		return lab.NoSamples(r)
	}
	return p.none()
}

// doneRuns returns the picked runs that can be compared, wherever they are.
func (p *Page) doneRuns() []*record.Run {
	return slices.DeleteFunc(p.pickedRuns(), func(r *record.Run) bool {
		return r.Status() != runner.Done
	})
}

// noDone refuses to compare where no run is done.
func (p *Page) noDone() string {
	switch {
	case len(p.pickedRuns()) == 0:
		return p.none()
	case len(p.doneRuns()) == 0:
		return "Only finished runs can be compared"
	}
	return ""
}

// pause pauses the running runs or, if none is running, resumes the paused ones.
func (p *Page) pause() tea.Cmd {
	running := func(r *record.Run, mine bool) bool { return mine && r.Status() == runner.Running }
	if runs := p.ableRuns(running); len(runs) > 0 {
		return p.sure("Pause?", "pause", runs, p.askEach("pause", runs))
	}
	runs := p.ableRuns(canPause)
	return p.sure("Resume?", "resume", runs, p.askEach("resume", runs))
}

func (p *Page) askEach(verb string, runs []*record.Run) tea.Cmd {
	return p.AskAll(verb, ids(runs))
}

// unseenRuns returns those of some runs that no line of the list has: they were selected before the
// filter hid them.
func (p *Page) unseenRuns(runs []*record.Run) []*record.Run {
	listed := map[string]bool{}
	for _, r := range slices.Concat(p.shown...) {
		listed[r.Meta.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(runs),
		func(r *record.Run) bool { return listed[r.Meta.ID] })
}

// questionLines returns the lines of a question about an action on runs: their number and names,
// those out of view first, and what the action does.
func (p *Page) questionLines(runs []*record.Run, what string) []string {
	unseen := p.unseenRuns(runs)
	head := kit.Plural(len(runs), "run")
	if len(unseen) > 0 {
		head += fmt.Sprintf(", of which %d selected before and out of view", len(unseen))
	}
	return kit.QuestionLines(head+":", p.describe(runs), what)
}

// describe says which runs they are, those out of view first.
func (p *Page) describe(runs []*record.Run) []string {
	unseen := p.unseenRuns(runs)
	names := lists.Map(unseen, func(r *record.Run) string { return lab.Describe(r) + outOfView })
	for _, r := range runs {
		if !slices.Contains(unseen, r) {
			names = append(names, lab.Describe(r))
		}
	}
	return names
}

// outOfView stands behind the description of a selected run that the list does not show.
const outOfView = " (out of view)"

// sure asks before an action on runs of which some are out of view; otherwise it is done at once.
func (p *Page) sure(title, name string, runs []*record.Run, then tea.Cmd) tea.Cmd {
	if len(p.unseenRuns(runs)) == 0 {
		return then
	}
	return p.Question(title, p.questionLines(runs,
		"On the list Esc shows all runs again, and then drops the selection."),
		kit.Answer{Keys: []string{"y"}, Name: name, Then: then})
}

// changeEach changes runs. done says what was done, with a %s for the number of runs and the boxes
// that have them.
func changeEach(runs []*record.Run, done string, change func(*record.Run) error) tea.Cmd {
	return func() tea.Msg {
		var m changedMsg
		var changed []*record.Run
		for _, r := range runs {
			if err := change(r); err != nil {
				m.problems = append(m.problems, err)
				continue
			}
			changed = append(changed, r)
		}
		m.done = fmt.Sprintf(done, kit.Plural(len(changed), "run")+placesOf(changed))
		return m
	}
}

// report tells the user how a change of runs went, and reads the folder.
func (p *Page) report(m changedMsg) tea.Cmd {
	cmd := kit.Notify(m.done)
	if len(m.problems) > 0 {
		cmd = kit.Complain(errors.Join(m.problems...))
	}
	return tea.Batch(cmd, p.List())
}

// placesOf says where runs are, behind their number: " on box gpu1", " here and on box gpu1"; ""
// where all are here.
func placesOf(runs []*record.Run) string {
	var places []string
	far := false
	for _, r := range lists.DistinctBy(runs, compare.BoxOf) {
		place := compare.BoxOf(r)
		if r.Mirrored() != nil {
			far, place = true, "on box "+place
		}
		places = append(places, place)
	}
	if !far {
		return ""
	}
	return " " + strings.Join(places, " and ")
}
