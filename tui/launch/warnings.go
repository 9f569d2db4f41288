package launch

import (
	"context"
	"fmt"
	"slices"

	"drolab/runner/lists"
	"drolab/runner/train"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// warnings is what the runs of a review would warn of before their first step.
type warnings struct {
	reading bool // the data are being read
	train.Forecast
	err error // why the runs would not start
}

// preview returns the command that reads the data of the review, on the machine where they start,
// to find what its runs would warn of. Runs of other seeds warn of the same, so one seed of each
// method is asked.
func (l *Page) preview() tea.Cmd {
	of, s, dir, parts := l.asked, *l.spec(), l.Config.DataDir, l.preset().Parts()
	s.Algorithms, s.Seeds = slices.Clone(s.Algorithms), 1
	link := l.Link(l.where)
	return func() tea.Msg {
		m := warningsMsg{of: of}
		if link != nil {
			m.Forecast, m.err = link.Foresee(s, parts)
		} else {
			m.Forecast, m.err = train.Foresee(context.Background(), s, dir, parts)
		}
		return m
	}
}

// space says how much the kept checkpoints of a run take.
func (w *warnings) space() string {
	switch {
	case w.reading:
		return "…"
	case w.Bytes == 0:
		return "not known"
	}
	return fmt.Sprintf("up to %s a run, for %s from which F can fork", bytesText(w.Bytes),
		kit.Plural(w.Checkpoints, "checkpoint"))
}

// bytesText writes a number of bytes with its unit.
func bytesText(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// warningLines returns the lines of the review that say what its runs would warn of.
func (l *Page) warningLines() []string {
	t, w := l.Theme, l.warned
	switch {
	case w.reading:
		return append([]string{""}, l.named("Warnings", "reading the data …")...)
	case w.Unknown != "":
		return append([]string{""}, l.named("Warnings", "not known yet: "+w.Unknown)...)
	case w.err == nil && len(w.Warnings) == 0:
		return append([]string{""}, l.named("Warnings", "none")...)
	}
	var lines []string
	if w.err != nil {
		refusal := l.indented(cell.Warning + " " + t.Greek(cell.OneLine(w.err.Error())))
		lines = append(lines, "", "These runs cannot start:")
		lines = append(lines, t.Alarm.PaintAll(refusal)...)
	}
	if len(w.Warnings) > 0 {
		lines = append(lines, "", "These runs will warn:")
	}
	for _, text := range w.Warnings {
		lines = append(lines, t.Warn.PaintAll(l.indented(cell.Warning+" "+t.Greek(text)))...)
	}
	return lines
}

// indented returns a line of a list in the review, wrapped.
func (l *Page) indented(text string) (lines []string) {
	return lists.Map(kit.Wrap(text, l.reviewCells()-2),
		func(line string) string { return "  " + line })
}
