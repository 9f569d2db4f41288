package lab

import (
	"cmp"
	"fmt"
	"strings"

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
	return strings.TrimSpace(plot.Format(n.Float()))
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
		runner.Stopped: "■", runner.Failed: "✗", runner.Interrupted: "!"}
	g := cmp.Or(glyphs[s], "?")
	switch s {
	case runner.Running:
		return g, t.Accent
	case runner.Done:
		return g, t.Good
	case runner.Paused, runner.Stopped, runner.Interrupted:
		return g, t.Warn
	case runner.Failed:
		return g, t.Bad
	}
	return g, t.Dim
}
