package runs

import (
	"errors"
	"slices"
	"strings"

	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// labelling is the form in which a line is typed for the label of runs.
type labelling struct {
	runs   []*record.Run
	line   kit.Input
	about  string
	change func(l *record.Label, text string)
	error  error // with what is typed
}

// labelledMsg says how many labels were changed, and why others were not.
type labelledMsg struct {
	what     string
	changed  int
	problems []error
}

// note opens the form for the runs' notes.
func (p *Page) note() tea.Cmd {
	runs := p.picked()
	return kit.Show(&kit.Overlay{Title: "Note on " + kit.Plural(len(runs), "run"), Form: &labelling{
		runs: runs, line: kit.NewInput(runs[0].Label().Note),
		about:  "One line that stands with the run; filters find its words.",
		change: func(l *record.Label, text string) { l.Note = strings.TrimSpace(text) },
	}})
}

// tag opens the form for the runs' tags.
func (p *Page) tag() tea.Cmd {
	runs := p.picked()
	return kit.Show(&kit.Overlay{Title: "Tags of " + kit.Plural(len(runs), "run"), Form: &labelling{
		runs: runs, line: kit.NewInput(""),
		about:  "Words to add; -word takes one away. tag:word filters.",
		change: func(l *record.Label, text string) { l.Turn(strings.Fields(text)) },
	}})
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

// Press implements kit.Form.
func (f *labelling) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	text := f.line.String()
	if key.String() == "enter" && f.error == nil {
		return true, relabel(f.runs, "labelled", func(l *record.Label) { f.change(l, text) })
	}
	if f.line.Update(key) {
		l := f.runs[0].Label()
		f.change(&l, f.line.String())
		f.error = l.Check()
	}
	return false, nil
}

// Hint implements kit.Form.
func (f *labelling) Hint() []kit.Key { return kit.Taking() }

// View implements kit.Form.
func (f *labelling) View(t *kit.Theme, w, h int) []string {
	lines := []string{t.Dim.Paint(f.about), "", f.line.View(t.Text, w)}
	if f.error != nil {
		lines = append(lines, "", t.Bad.Paint("! "+cell.OneLine(f.error.Error())))
	}
	return kit.Fill(lines, w, min(h, len(lines)))
}
