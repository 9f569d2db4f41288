package runs

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// note asks for the note on the picked runs.
func (p *Page) note() tea.Cmd {
	return p.askLabel("Note on ", "One line kept with the run. Filters find its words.",
		p.pickedRuns()[0].Label().Note,
		func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) })
}

// tag asks for the tags of the picked runs.
func (p *Page) tag() tea.Cmd {
	return p.askLabel("Tags of ",
		"Words to add; -word removes one. The filter tag:word finds them.", "",
		func(l *record.Label, text string) { l.EditTags(strings.Fields(text)) })
}

// askLabel opens the form that takes a line of text for the labels of the picked runs.
func (p *Page) askLabel(
	title, about, text string, change func(l *record.Label, text string),
) tea.Cmd {
	runs := p.pickedRuns()
	title += kit.Plural(len(runs), "run")
	if n := len(p.unseenRuns(runs)); n > 0 {
		title += fmt.Sprintf(", %d out of view", n)
	}
	check := func(text string) error {
		l := runs[0].Label()
		change(&l, text)
		return l.Check()
	}
	take := func(text string) tea.Cmd {
		return relabel(runs, "%s labelled", func(l *record.Label) { change(l, text) })
	}
	return kit.Show(&kit.Overlay{Title: title, Form: &kit.LineForm{
		Input: kit.NewInput(text), About: about, Check: check, Accept: take, Any: true}})
}

// archive archives the picked runs or, if all are archived, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.pickedRuns()
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	title, name, done := "Bring back?", "bring back", "%s brought back"
	if away {
		title, name, done = "Archive?", "archive", "%s archived (archived:true lists them)"
	}
	return p.sure(title, name, runs,
		relabel(runs, done, func(l *record.Label) { l.Archived = away }))
}

func relabel(runs []*record.Run, done string, change func(*record.Label)) tea.Cmd {
	return changeEach(runs, done, func(r *record.Run) error { return r.Relabel(change) })
}
