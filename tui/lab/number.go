package lab

import (
	"cmp"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// Write formats a measure as tables have it.
func Write(m Measure, n measure.Number) string {
	switch {
	case !n.Applies():
		return page.None
	case m.Scale == dro.Percent:
		return page.Points().Text(n)
	case m.Scale == dro.Whole:
		return page.Fixed(0).Text(measure.Num(min(1e7, n.Float())))
	}
	return plot.Format(n.Float())
}

// State is a status as a glyph, and its style.
func State(t *kit.Theme, s runner.Status) (string, kit.Style) {
	glyphs := map[runner.Status]string{runner.Queued: "◌", runner.Running: "▶", runner.Paused: "‖",
		runner.Done:    "✓",
		runner.Stopped: "▬", runner.Failed: "✗", runner.Interrupted: "!"}
	styles := map[runner.Status]kit.Style{runner.Running: t.Accent, runner.Done: t.Good,
		runner.Paused: t.Warn, runner.Stopped: t.Warn, runner.Interrupted: t.Warn,
		runner.Failed: t.Bad}
	st, ok := styles[s]
	if !ok {
		st = t.Dim
	}
	return cmp.Or(glyphs[s], "?"), st
}
