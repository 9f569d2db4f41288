package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// warnings is what the runs of a review would warn of before their first step.
type warnings struct {
	reading bool     // the data are being read
	list    []string // what the runs would warn of
	space   string   // how much the kept checkpoints of a run take
	unknown string   // why it is not known, if it is not
	err     error    // why the runs would not start
}

// longestPreview bounds the reading of the data for a review: nobody waits for it longer.
const longestPreview = 20 * time.Second

// preview returns the command that reads the data of the review, to find what its runs would warn
// of. Runs of other seeds warn of the same, so one seed of each method is asked.
func (l *Page) preview() tea.Cmd {
	of, s, dir, parts := l.asked, *l.spec(), l.Config.DataDir, l.preset().Parts()
	s.Algorithms, s.Seeds = slices.Clone(s.Algorithms), 1
	return func() tea.Msg { return warningsMsg{of, warningsOf(s, dir, parts)} }
}

// warningsOf returns what the runs of s would warn of, and the space that each takes if it keeps a
// checkpoint after each of so many parts.
func warningsOf(s spec.Spec, dir string, parts int) (w warnings) {
	if s.IsProgram() || s.IsScript() {
		return warnings{unknown: "the program tells of its data when it starts"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestPreview)
	defer cancel()
	d, err := runner.OpenData(ctx, s.Dataset, s.DataOptions(dir))
	if ctx.Err() != nil {
		return warnings{unknown: "the data take long to read"}
	}
	if err != nil {
		return warnings{err: err}
	}
	defer d.Close()
	for _, one := range s.Expand() {
		more, err := train.Preview(one, d)
		w.list, w.err = append(w.list, more...), errors.Join(w.err, err)
	}
	if parameters, err := nn.Check(s.Network(d.Shape, len(d.Classes))); err == nil {
		w.space = spaceText(parts+s.CheckpointKeep-1, parameters)
	}
	w.list = lists.DistinctBy(w.list, func(text string) string { return text })
	return w
}

// spaceText says how much the kept checkpoints of a run take: each has the parameters, the
// velocities or two moments of the optimizer, the x that the method reports, and some kilobytes.
func spaceText(kept, parameters int) string {
	const each, rest = 4 * 4, 20_000 // bytes
	return fmt.Sprintf("up to %s a run, for %s from which F can fork",
		bytesText(kept*(each*parameters+rest)), kit.Plural(kept, "checkpoint"))
}

// bytesText writes a number of bytes with its unit.
func bytesText(n int) string {
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
	case w.unknown != "":
		return append([]string{""}, l.named("Warnings", "not known yet: "+w.unknown)...)
	case w.err == nil && len(w.list) == 0:
		return append([]string{""}, l.named("Warnings", "none")...)
	}
	var lines []string
	if w.err != nil {
		refusal := l.indented(cell.Warning + " " + t.Greek(cell.OneLine(w.err.Error())))
		lines = append(lines, "", "These runs cannot start:")
		lines = append(lines, t.Alarm.PaintAll(refusal)...)
	}
	if len(w.list) > 0 {
		lines = append(lines, "", "These runs will warn:")
	}
	for _, text := range w.list {
		lines = append(lines, t.Warn.PaintAll(l.indented(cell.Warning+" "+t.Greek(text)))...)
	}
	return lines
}

// indented returns a line of a list in the review, wrapped.
func (l *Page) indented(text string) (lines []string) {
	return lists.Map(kit.Wrap(text, l.reviewCells()-2),
		func(line string) string { return "  " + line })
}
