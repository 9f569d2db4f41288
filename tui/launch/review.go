package launch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// viewPlan shows the purpose of the preset, the meaning of the setting under the cursor, or what is
// wrong. Below it stands what a start needs: data, time, and the problem with each "auto" value
// derived.
func (l *Page) viewPlan(w, h int) []string {
	t := l.Theme
	points := []kit.Statement{{Name: "Purpose", Text: l.preset().Doc}}
	if l.right {
		s := l.setting()
		points[0] = kit.Statement{Name: "Means", Text: s.Doc, Whole: true}
		if preset := l.fromPreset(s.Key); preset != "" && h > 4 {
			points = append(points, kit.Statement{Name: "Preset", Text: preset, Whole: true})
		}
	}
	if l.problem != nil {
		points[0] = kit.Statement{Text: "! " + cell.OneLine(l.problem.Error()),
			Style: t.Bad, Whole: true}
	}
	rest := []kit.Statement{{Name: "Time", Text: l.time()},
		{Name: "Problem", Text: l.problemText()},
		{Name: "Budget", Text: l.budget()}}
	if about, there := l.dataset(); there {
		points = slices.Concat(points, rest[:2],
			[]kit.Statement{{Name: "Data", Text: about}}, rest[2:])
	} else {
		points = slices.Concat(points,
			[]kit.Statement{{Name: "Data", Text: about, Style: t.Warn, Whole: true}}, rest)
	}
	return t.Statements(points, 9, w, h)
}

// review shows in a few lines what Enter would start. A second Enter starts it. On the first entry
// it plays the film.
func (l *Page) review() tea.Cmd {
	if l.at == 0 {
		return kit.Send(lab.Film{})
	}
	s := l.spec()
	lines := []string{
		l.total(),
		fmt.Sprintf("%s on %s, %s", s.Model, s.Dataset, l.budget()),
		"",
		"Time     " + l.time(),
		"Machine  " + l.machine(),
	}
	if changes := l.changes(); len(changes) > 0 {
		lines = append(append(lines, "", "Changed from the preset:"), changes...)
	}
	settled := *s
	settled.SettleProgram("") // as it will be started
	return kit.Question("Start "+l.preset().Name+"?", lines, kit.Answer{Keys: []string{"enter"},
		Name: "start", Then: l.Trusting(&settled, kit.Send(beginMsg{}))})
}

// machine says how many cores the machine has and how many live runs share them.
func (l *Page) machine() string {
	live := 0
	for _, r := range l.past {
		if s := r.Status(); s == runner.Running || s == runner.Queued {
			live++
		}
	}
	cores, others := kit.Plural(l.Config.Cores, "core"), kit.Plural(live, "run")
	switch {
	case live == 0:
		return fmt.Sprintf("%s, shared with no other run", cores)
	case live < runner.DefaultParallel:
		return fmt.Sprintf("%s, shared with %s", cores, others)
	}
	return fmt.Sprintf("%s; %s ahead in the queue", cores, others)
}

// changes lists the settings that differ from the preset's.
func (l *Page) changes() (lines []string) {
	for _, s := range l.settings() {
		if l.edited(s.Key) && s.Key != "algorithms" && s.Key != "seeds" {
			lines = append(lines, fmt.Sprintf("  %s %s (preset: %s)", s.Key,
				l.spec().Text(s.Key), strings.TrimSpace(l.preset().Spec.Text(s.Key))))
		}
	}
	return lines
}
