package runs

import (
	"errors"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

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
	return p.askLabel("Note on ", aboutNote,
		runs[0].Label().Note,
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
		Input: kit.NewInput(text), About: about, Check: check, Take: take}})
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

// labelled tells the user how the change of labels went, and reads the folder.
func (p *Page) labelled(m labelledMsg) tea.Cmd {
	cmd := kit.Notify(kit.Plural(m.changed, "run") + " " + m.what)
	if len(m.problems) > 0 {
		cmd = kit.Complain(errors.Join(m.problems...))
	}
	return tea.Batch(cmd, p.look())
}
