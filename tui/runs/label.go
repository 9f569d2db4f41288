package runs

import (
	"errors"
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// labelledMsg says how many labels were changed, and why others were not.
type labelledMsg struct {
	what     string
	changed  int
	problems []error
}

// note asks for the runs' notes.
func (p *Page) note() tea.Cmd {
	runs := p.picked()
	return p.askLabel("Note on ", "One line that stands with the run; filters find its words.",
		runs[0].Label().Note,
		func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) })
}

// tag asks for the runs' tags.
func (p *Page) tag() tea.Cmd {
	return p.askLabel("Tags of ", "Words to add; -word takes one away. tag:word filters.", "",
		func(l *record.Label, text string) { l.Turn(strings.Fields(text)) })
}

// askLabel opens the form in which a line is typed for the label of the picked runs.
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

// archive puts runs away or, where all are away, brings them back.
func (p *Page) archive() tea.Cmd {
	runs := p.picked()
	away := slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Label().Archived })
	what := "brought back"
	if away {
		what = "archived (archived:true lists them)"
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

// labelled tells what came of it.
func (p *Page) labelled(m labelledMsg) tea.Cmd {
	cmd := kit.Notify(kit.Plural(m.changed, "run") + " " + m.what)
	if len(m.problems) > 0 {
		cmd = kit.Complain(errors.Join(m.problems...))
	}
	return tea.Batch(cmd, p.look())
}
