package runs

import (
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// note asks for the note on the picked runs.
func (p *Page) note() tea.Cmd {
	runs := p.ableRuns(lab.Note, canLabel)
	return p.askLabel(runs, "Note on ", "One line kept with the run. Filters find its words.",
		runs[0].Label().Note,
		func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) })
}

// tag asks for the tags of the picked runs.
func (p *Page) tag() tea.Cmd {
	return p.askLabel(p.ableRuns(lab.Tag, canLabel), "Tags of ",
		"Words to add; -word removes one. The filter tag:word finds them.", "",
		func(l *record.Label, text string) { l.EditTags(strings.Fields(text)) })
}

// askLabel opens the form that takes a line of text for the labels of runs.
func (p *Page) askLabel(
	runs []*record.Run, title, about, text string, change func(l *record.Label, text string),
) tea.Cmd {
	check := func(text string) error {
		l := runs[0].Label()
		change(&l, text)
		return l.Check()
	}
	take := func(text string) tea.Cmd {
		return relabel(runs, "%s labelled", func(l *record.Label) { change(l, text) })
	}
	return kit.Show(&kit.Overlay{Title: title + kit.Plural(len(runs), "run"), Form: &kit.LineForm{
		Input: kit.NewInput(text), About: about, Check: check, Accept: take}})
}

// archive archives the picked runs or, if all are archived, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.ableRuns(lab.Archive, canLabel)
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	done := "%s brought back"
	if away {
		done = "%s archived (archived:true lists them)"
	}
	return relabel(runs, done, func(l *record.Label) { l.Archived = away })
}

func relabel(runs []*record.Run, done string, change func(*record.Label)) tea.Cmd {
	return changeEach(runs, done, func(r *record.Run) error { return r.Relabel(change) })
}
