package lab

import (
	"cmp"
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// Write formats a measure as tables have it.
func Write(m Measure, n runner.Number) string {
	switch {
	case !n.Applies():
		return "–"
	case m.Scale == dro.Percent:
		return Percent(n)
	case m.Scale == dro.Whole:
		return fmt.Sprintf("%.0f", min(1e7, n.Float()))
	}
	return plot.Format(n.Float())
}

// Percent formats an accuracy in 0..1 with one decimal and without the sign,
// which the column's head has.
func Percent(n runner.Number) string {
	if !n.Applies() {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*n.Float())
}

// State is a status as a glyph, and its style.
func State(t *kit.Theme, s runner.Status) (string, kit.Style) {
	glyphs := map[runner.Status]string{runner.Queued: "◌", runner.Running: "▶", runner.Paused: "‖",
		runner.Done:    "✓",
		runner.Stopped: "▬", runner.Failed: "✗", runner.Interrupted: "!"}
	styles := map[runner.Status]kit.Style{runner.Running: t.Accent, runner.Done: t.Good, runner.Paused: t.Warn,
		runner.Stopped: t.Warn, runner.Interrupted: t.Warn, runner.Failed: t.Bad}
	st, ok := styles[s]
	if !ok {
		st = t.Dim
	}
	return cmp.Or(glyphs[s], "?"), st
}
