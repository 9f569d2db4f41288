package launch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/spec"
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
		points[0] = kit.Statement{Text: cell.Warning + " " + cell.OneLine(l.problem.Error()),
			Style: t.Alarm, Whole: true}
	}
	rest := []kit.Statement{{Name: "Time", Text: l.time()},
		{Name: "Problem", Text: l.problemText()},
		{Name: "Budget", Text: l.budget()}}
	if why := l.notThere(); why != "" {
		points = append(points, kit.Statement{Name: "Where", Text: why, Style: t.Warn, Whole: true})
	}
	if about, there := l.dataset(); there {
		points = slices.Concat(points, rest[:2],
			[]kit.Statement{{Name: "Data", Text: about}}, rest[2:])
	} else {
		points = slices.Concat(points,
			[]kit.Statement{{Name: "Data", Text: about, Style: t.Warn, Whole: true}}, rest)
	}
	return t.Statements(points, 9, w, h)
}

// review shows what Enter would start. A second Enter starts it. On the first entry it plays the
// film. What the runs would warn of comes once the data have been read.
func (l *Page) review() tea.Cmd {
	if l.at == 0 {
		return kit.Send(lab.Film{})
	}
	title, begin := "Start "+l.preset().Name+"?", kit.Send(beginMsg{})
	if l.where == "" {
		settled := *l.spec()
		settled.SettleProgram("") // as it will be started
		begin = l.Trusting(&settled, begin)
	} else { // which has its own trust, and has answered with the forecast
		title = fmt.Sprintf("Start %s on %s?", l.preset().Name, cell.OneLine(l.where))
	}
	l.asked = kit.NewQuestion(title, nil, kit.Answer{Keys: []string{"enter"}, Name: "start",
		Act: func() tea.Cmd { return l.Opening(begin) }})
	l.warned = warnings{reading: true}
	l.asked.Lines = l.reviewLines()
	l.Show(l.asked)
	return l.preview()
}

// showWarnings adds to the review what its runs would warn of. A review that is closed meanwhile is
// not opened again.
func (l *Page) showWarnings(msg warningsMsg) {
	if msg.of == l.asked {
		l.warned = msg.warnings
		l.asked.Lines = l.reviewLines()
		l.asked.Resize(l.Theme, l.Body.W, l.Body.H)
	}
}

// reviewLines returns the lines of the review.
func (l *Page) reviewLines() []string {
	s := l.spec()
	lines := []string{
		l.total(),
		fmt.Sprintf("%s on %s, %s", s.Model, s.Dataset, l.budget()),
		"",
	}
	if l.where != "" {
		lines = append(lines, l.named("Where", l.describePlace())...)
	}
	for _, p := range []kit.Statement{
		{Name: "Methods", Text: joined(dro.InOrder(s.Algorithms))},
		{Name: "Seeds", Text: seedsText(s)},
		{Name: "Time", Text: l.time()},
		{Name: "Machine", Text: l.machine()},
		{Name: "Space", Text: l.warned.space()},
	} {
		lines = append(lines, l.named(p.Name, p.Text)...)
	}
	if changes := l.changes(); len(changes) > 0 {
		lines = append(append(lines, "", "Changed from the preset:"), changes...)
	}
	return append(lines, l.warningLines()...)
}

// nameCells is the width of the names before the statements of the review, with the blank.
const nameCells = 10

// named returns a statement of the review under its name, wrapped in the room of the page.
func (l *Page) named(name, text string) (lines []string) {
	for _, line := range kit.Wrap(text, l.reviewCells()-nameCells) {
		lines = append(lines, kit.Left(name, nameCells)+line)
		name = ""
	}
	return lines
}

// reviewCells returns the width of the lines of the review.
func (l *Page) reviewCells() int {
	const least, widest = 30, 96
	return max(least, min(l.Body.W-6, widest))
}

// joined writes the names of methods.
func joined(list []dro.Algorithm) string {
	return strings.Join(lists.Map(list, func(a dro.Algorithm) string { return string(a) }), ", ")
}

// seedsText names the seeds of the runs.
func seedsText(s *spec.Spec) string {
	switch last := s.Seed + uint64(s.Seeds) - 1; {
	case s.Seeds == 1:
		return fmt.Sprint(s.Seed)
	case s.Seeds == 2:
		return fmt.Sprintf("%d and %d", s.Seed, last)
	default:
		return fmt.Sprintf("%d to %d", s.Seed, last)
	}
}

// machine says how many cores the machine has and how many live runs share them.
func (l *Page) machine() string {
	live := 0
	for _, r := range l.past {
		if s := r.Status(); s == runner.Running || s == runner.Queued {
			live++
		}
	}
	cores, others := kit.Plural(l.processor().Cores, "core"), kit.Plural(live, "run")
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
		if l.edited(s.Key) {
			lines = append(lines, fmt.Sprintf("  %s %s (preset: %s)", s.Key,
				l.spec().Text(s.Key), strings.TrimSpace(l.preset().Spec.Text(s.Key))))
		}
	}
	return lines
}
