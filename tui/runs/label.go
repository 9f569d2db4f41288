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
	runs := p.ableRuns(canLabel)
	return p.askLabel(runs, "Note on ", "One line kept with the run. Filters find its words.",
		runs[0].Label().Note,
		func(text string) record.LabelEdit {
			note := strings.TrimSpace(text)
			return record.LabelEdit{Note: &note}
		})
}

// tag asks for the tags of the picked runs.
func (p *Page) tag() tea.Cmd {
	return p.askLabel(p.ableRuns(canLabel), "Tags of ",
		"Words to add; -word removes one. The filter tag:word finds them.", "",
		func(text string) record.LabelEdit { return record.LabelEdit{Tags: strings.Fields(text)} })
}

// askLabel opens the form that takes a line of text for the labels of runs.
func (p *Page) askLabel(
	runs []*record.Run, title, about, text string, edit func(text string) record.LabelEdit,
) tea.Cmd {
	title += kit.Plural(len(runs), "run")
	if n := len(p.unseenRuns(runs)); n > 0 {
		title += fmt.Sprintf(", %d out of view", n)
	}
	check := func(text string) error {
		l := runs[0].Label()
		edit(text).Apply(&l)
		return l.Check()
	}
	take := func(text string) tea.Cmd {
		return p.relabel(runs, "%s labelled", edit(text))
	}
	return p.Show(&kit.Overlay{Title: title, Form: &kit.LineForm{Input: kit.NewInput(text),
		Of: kit.RunNames(p.describe(runs)), About: about, Check: check, Accept: take, Any: true}})
}

// archive archives the picked runs or, if all are archived, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.ableRuns(canLabel)
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	title, name, done := "Bring back?", "bring back", "%s brought back"
	if away {
		title, name, done = "Archive?", "archive", "%s archived (archived:true lists them)"
	}
	return p.sure(title, name, runs,
		p.relabel(runs, done, record.LabelEdit{Archived: &away}))
}

func (p *Page) relabel(runs []*record.Run, done string, edit record.LabelEdit) tea.Cmd {
	return changeEach(runs, done, func(r *record.Run) error { return p.Relabel(r, edit) })
}
