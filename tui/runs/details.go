package runs

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// cameTo returns the run's last measures that apply, except those that the list shows. The method's
// own measures come first.
func cameTo(r *record.Run, list []runColumn) string {
	s := r.Summary()
	var own, rest []string
	for _, m := range record.Measures(r) {
		there := slices.ContainsFunc(list, func(c runColumn) bool { return c.name() == m.Name })
		if n := s.Named(m.Name); !m.Main || m.IsList() || there || !n.Applies() {
			continue
		} else if m.OfStep() {
			own = append(own, m.Title+" "+lab.Write(m, n))
		} else {
			rest = append(rest, m.Title+" "+lab.Write(m, n))
		}
	}
	if len(own)+len(rest) == 0 {
		return "–"
	}
	return strings.Join(append(own, rest...), ", ")
}

// selectedText returns the figures of the step that the validation split selects, after the last
// step's figure; "" if the run has selected no step.
func selectedText(m *runner.Meta, s *runner.Summary) string {
	if s.Selected == nil {
		return ""
	}
	worst := m.MeasureFor("worst_class_accuracy")
	return fmt.Sprintf("worst %s %s %%, selected epoch %.4g by %s: worst %s %%, mean %s %%; ",
		m.Part(), page.Points().Text(s.Named(worst)),
		s.Selected.Epoch, s.Selected.By, page.Points().Text(s.Selected.Named(worst)),
		page.Points().Text(s.Selected.Named("test_accuracy")))
}

// perPart returns the test accuracy of each class or group, in percent.
func perPart(m *runner.Meta, s *runner.Summary) string {
	list, names := s.ByGroup.Named(m.MeasureFor("class_accuracy")), m.Names(m.Main())
	if len(list) == 0 {
		return "–"
	}
	var words []string
	for i, a := range list {
		name := fmt.Sprint(i)
		if i < len(names) {
			name = names[i]
		}
		words = append(words, name+"\u00a0"+page.Points().Text(a)) // a line must not break there
	}
	return strings.Join(words, "  ")
}

// viewDetails shows the settings and the origin of the run under the cursor, and its results.
func (p *Page) viewDetails(w, h int) (lines []string) {
	t, r, problem := p.Theme, p.current(), ""
	if len(p.problems) > 0 {
		problem = cell.OneLine(p.problems[0].Error())
	}
	if r != nil && p.damage(r) != "" { // it comes before the trouble of others
		problem = p.damage(r)
	}
	if problem != "" {
		h--
	}
	if r != nil {
		m, s := &r.Meta, r.Summary()
		shown := p.layColumns(w)
		_, _, state := lab.StateKnown(t, r.Status(), p.Silent.Ago(r, r.Status()))
		state += fmt.Sprintf(" at step %d", s.Steps)
		if m.Steps > 0 || m.Imported == nil { // a log may plan no steps
			state += fmt.Sprintf(" of %d", m.Steps)
		}
		if p.Silent.Ago(r, r.Status()) != "" {
			state += ": box " + r.Mirrored().Box + " has no link"
		}
		for _, part := range [][2]string{{": ", cell.OneLine(s.Cause)},
			{", pinned at ", p.pinText(r)}, {", a fork of ", cell.OneLine(m.Parent)},
			{"; its method ", lab.Explain(m)}} {
			if part[1] != "" {
				state += part[0] + part[1]
			}
		}
		trains := fmt.Sprintf("%s on %s, %s of %d, lr %g, %s, %s coordinates", m.Spec.Model,
			m.Spec.Dataset, kit.Plural(m.Spec.Epochs, "epoch"), m.Spec.Batch, m.Spec.LR,
			m.Spec.Radius(), m.Coordinates)
		made := m.Created.Format("2006-01-02 15:04:05 MST") + " by drolab " + m.Host.Version
		if m.Imported != nil {
			trains = "nothing: " + importedText(m)
		} else {
			made += fmt.Sprintf(" on %s, kernel %s, %s", m.Host.CPU, m.Host.Kernel,
				kit.Plural(m.Host.Threads, "thread"))
		}
		parts := "Classes"
		if m.Main() == measure.PerGroup {
			parts = "Groups"
		}
		if label := r.Label().String(); label != "" {
			state = label + "; " + state
		}
		lines = t.Statements([]kit.Statement{
			{Name: "State", Text: state},
			{Name: "Trains", Text: trains},
			{Name: "Result", Text: selectedText(m, s) + cameTo(r, shown)},
			{Name: parts, Text: perPart(m, s), Whole: true},
			{Name: "Folder", Text: p.FolderOf(r)},
			{Name: "Made", Text: made},
		}, 10, w, h)
	}
	if problem != "" {
		lines = append(lines, t.Warn.Paint(" "+cell.Warning+" "+cell.Cut(t.Greek(problem), w-4)))
	}
	return lines
}

// importedText says from where a run was imported, and what is to be known of it.
func importedText(m *runner.Meta) string {
	i := m.Imported
	words := slices.Concat([]string{"it is " + m.Origin()}, i.Absent, i.Settings)
	for _, f := range i.Files {
		words = append(words, fmt.Sprintf("%s has %d bytes, sha256 %.12s", f.Path, f.Size,
			f.SHA256))
	}
	return strings.Join(words, "; ")
}
